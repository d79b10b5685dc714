// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorders that keep a warp's events in registers, one in each lane (buffer `lanes`): no shared
// memory at all. They need warps of 32 lanes; others store straight to the arena.
#ifndef KINSTR_DETAIL_LANES_RECORDER_CUH
#define KINSTR_DETAIL_LANES_RECORDER_CUH

#include <kinstr/detail/either.cuh>
#include <kinstr/detail/global_recorder.cuh>
#include <kinstr/detail/kernel_recorder.cuh>

namespace kinstr
{
namespace detail
{

/// The block's anchor, a word in each lane. All lanes store the same.
class anchor_lanes
{
  std::uint32_t word_;

public:
  KINSTR_DEVICE anchor_lanes() : word_(0) {}

  KINSTR_DEVICE void store(std::uint32_t i, std::uint32_t v)
  {
    word_ = ptx::laneid() == i ? v : word_;
  }
  KINSTR_DEVICE std::uint32_t load(std::uint32_t i) const
  {
    return __shfl_sync(full_warp, word_, i);
  }
  KINSTR_DEVICE std::uint32_t word() const { return word_; }
};

/// Lane 0's reading of both clocks, in all lanes.
KINSTR_DEVICE clock_pair clocks_of_lane_0()
{
  clock_pair now{};
  if (ptx::laneid() == 0)
  {
    now = read_clocks();
  }
  return {__shfl_sync(full_warp, now.time, 0), __shfl_sync(full_warp, now.clock, 0)};
}

/// Straight-line kernel, control flow the same for all lanes of a warp. Word i of the record,
/// without the anchor, lives in lane i % 32 of register i / 32.
template <std::uint32_t Kernel, std::uint32_t Sites>
class lanes_slots_full
{
  static constexpr std::uint32_t slots     = Sites + 1; // the last one: the warp's exit
  static constexpr std::uint32_t words     = slots_header_words + slots;
  static constexpr std::uint32_t registers = (words + 31) / 32;
  static_assert(slots <= max_slots, "kinstr uses stream records for so many sites");

  std::uint32_t lane_;
  std::uint32_t words_; // of the record: more than `words` if it carries the anchor
  std::uint32_t word_[registers];
  anchor_lanes anchor_word_;
  reservation room_; // lane 0's

public:
  KINSTR_DEVICE lanes_slots_full() : lane_(ptx::laneid()), word_{}, room_()
  {
    const ptx::index3 block        = ptx::block_index();
    const std::uint32_t warp       = thread_in_block() / 32;
    const bool anchor              = is_anchor_warp(warp);
    const std::uint32_t words_here = words + (anchor ? anchor_word_count : 0);
    const bool records             = recorded_here();
    room_.request_if(records && lane_ == 0, words_here);
    word_[0] = lane_ == 0 ? slots_tag(anchor, warp, words_here) : block_in_grid(block);
    words_   = kept(words_here);
    if (anchor)
    {
      anchor_start(anchor_word_, clocks_of_lane_0());
      anchor_identity(Kernel, anchor_word_);
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    constexpr std::uint32_t i = slots_header_words + Site;
    __syncwarp();
    ptx::clock_low_of(lane_, i % 32, word_[i / 32]);
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &progress)
  {
    record<Sites>();
    const std::uint32_t place = __shfl_sync(full_warp, room_.find(words_), 0);
    if (place == nowhere)
    {
      if (lane_ == 0)
      {
        room_.count_loss(slots);
      }
      return;
    }
#pragma unroll
    for (std::uint32_t r = 0; r < registers; ++r)
    {
      const std::uint32_t i = r * 32 + lane_;
      if (i < words)
      {
        ptx::store_global(state.data + (place + i),
                          i < slots_header_words ? word_[r]
                                                 : progress.slot(i - slots_header_words, word_[r]));
      }
    }
    if (words_ != words)
    {
      anchor_end(anchor_word_, clocks_of_lane_0());
      if (lane_ < anchor_word_count)
      {
        ptx::store_global(state.data + (place + words + lane_), anchor_word_.word());
      }
    }
  }
};

/// Kernel with sites in loops, uniform control flow: event i in lane i, stored when every lane has
/// one and at the exit. Room for the next 32 is requested at once, so no mark waits. The storing is
/// a pause, whose event is the last lane's.
template <std::uint32_t Kernel>
class lanes_stream_full
{
  static constexpr std::uint32_t capacity = 32;
  // Records begin on 8 bytes, and events have to: the header of 3 words stands behind a zero.
  static constexpr std::uint32_t front = 1 + stream_header_words;

  std::uint32_t warp_;
  std::uint32_t lane_;
  bool anchor_;
  unsigned long long clock_; // of this lane's event
  std::uint32_t site_;       // its site
  std::uint32_t count_;      // of events, and of numbers with them
  std::uint32_t numbers_;    // where there can be none, the compiler knows
  anchor_lanes anchor_word_;
  reservation room_; // lane 0's

public:
  KINSTR_DEVICE lanes_stream_full()
      : warp_(thread_in_block() / 32), lane_(ptx::laneid()), anchor_(is_anchor_warp(warp_)),
        clock_(0), site_(0), count_(0), numbers_(0), room_()
  {
    const bool records = recorded_here();
    room_.request_if(records && lane_ == 0, room_words());
    if (anchor_)
    {
      anchor_start(anchor_word_, clocks_of_lane_0());
      anchor_identity(Kernel, anchor_word_);
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    __syncwarp();
    if (count_ == capacity - 1)
    {
      make_room();
    }
    keep(Site);
  }

  /// Lane 0's number.
  template <std::uint32_t Site>
  KINSTR_DEVICE void record(number n)
  {
    __syncwarp();
    if (count_ >= capacity - 2)
    {
      make_room();
    }
    n.bits = __shfl_sync(full_warp, n.bits, 0);
    if (lane_ == count_)
    {
      clock_ = static_cast<unsigned long long>(n.type) << 32 | n.bits;
      site_  = number_site;
    }
    ++count_;
    ++numbers_;
    keep(Site);
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &)
  {
    record<exit_site>();
    if (anchor_)
    {
      anchor_end(anchor_word_, clocks_of_lane_0());
    }
    copy_out(true);
  }

private:
  /// For an event and what stands in front of it.
  KINSTR_DEVICE void make_room()
  {
    keep(pause_site);
    copy_out(false);
    if (lane_ == 0 && room_.requested())
    {
      room_.reserve(room_words());
    }
  }

  KINSTR_DEVICE void keep(std::uint32_t site)
  {
    if (lane_ == count_)
    {
      clock_ = ptx::clock();
      site_  = site;
    }
    ++count_;
  }

  /// Large enough for any copy of this warp: the last one may carry the anchor, others less.
  KINSTR_DEVICE std::uint32_t room_words() const
  {
    return front + capacity * event_words + (anchor_ ? anchor_word_count : 0);
  }

  /// The warp that carries the anchor adds that to the last copy, and both clocks to the others.
  KINSTR_DEVICE void copy_out(bool last)
  {
    const bool anchor         = last && anchor_;
    const bool clocks         = !last && anchor_;
    const std::uint32_t place = __shfl_sync(full_warp, room_.find(room_words()), 0);
    if (place == nowhere)
    {
      if (lane_ == 0)
      {
        // The pause's is none of the user's.
        room_.count_loss(count_ - numbers_ - (last ? 0 : 1));
      }
    }
    else
    {
      std::uint32_t *out = state.data + place + 1;
      if (lane_ < stream_header_words)
      {
        ptx::store_global(out + lane_, lane_ == 0   ? stream_tag(anchor, warp_, clocks)
                                       : lane_ == 1 ? block_in_grid()
                                                    : count_);
      }
      out += stream_header_words;
      if (anchor)
      {
        if (lane_ < anchor_word_count)
        {
          ptx::store_global(out + lane_, anchor_word_.word());
        }
        out += anchor_word_count;
      }
      if (lane_ < count_)
      {
        ptx::store_global(out + lane_ * event_words, static_cast<std::uint32_t>(clock_),
                          pack_event_high(static_cast<std::uint32_t>(clock_ >> 32), site_));
      }
      if (clocks && lane_ == 0)
      {
        store_clocks(out + count_ * event_words);
      }
    }
    count_   = 0;
    numbers_ = 0;
  }
};

template <std::uint32_t Kernel, std::uint32_t Sites>
using lanes_slots_uniform =
    either<whole_warps, lanes_slots_full<Kernel, Sites>, global_slots_uniform<Kernel, Sites>>;

template <std::uint32_t Kernel>
using lanes_stream_uniform =
    either<whole_warps, lanes_stream_full<Kernel>, global_stream_uniform<Kernel>>;

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_LANES_RECORDER_CUH
