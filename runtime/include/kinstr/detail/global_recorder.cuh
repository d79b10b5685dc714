// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorders that store events straight to the arena (buffer `global`).
#ifndef KINSTR_DETAIL_GLOBAL_RECORDER_CUH
#define KINSTR_DETAIL_GLOBAL_RECORDER_CUH

#include <kinstr/detail/arena.cuh>

namespace kinstr
{
namespace detail
{

/// Straight-line kernel, uniform control flow: the warp's slots in the arena, stored by lane 0. The
/// header goes first, so that the record can be read even if the warp never comes to its end.
template <std::uint32_t Kernel, std::uint32_t Sites>
class global_slots_uniform
{
  static constexpr std::uint32_t slots = Sites + 1;
  static_assert(slots <= max_slots, "kinstr uses stream records for so many sites");

  std::uint32_t *slots_; // null: this lane does not record
  bool anchor_;

public:
  KINSTR_DEVICE global_slots_uniform() : slots_(nullptr), anchor_(false)
  {
    if (ptx::laneid() != 0)
    {
      return;
    }
    const std::uint32_t warp  = thread_in_block() / 32;
    anchor_                   = is_anchor_warp(warp);
    const std::uint32_t words = slots_header_words + slots + (anchor_ ? anchor_word_count : 0);
    reservation room{};
    room.request(words);
    const std::uint32_t place = room.place(words, slots);
    if (place == nowhere)
    {
      return;
    }
    slots_ = state.data + place + slots_header_words;
    ptx::store_global(slots_ - slots_header_words, slots_tag(anchor_, warp, words));
    ptx::store_global(slots_ - slots_header_words + 1, block_in_grid());
    if (anchor_)
    {
      anchor_start(anchor(), read_clocks());
      anchor_identity(Kernel, anchor());
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    __syncwarp();
    if (slots_ != nullptr)
    {
      ptx::store_global(slots_ + Site, nonzero(ptx::clock_low()));
    }
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &)
  {
    record<Sites>();
    if (slots_ != nullptr && anchor_)
    {
      anchor_end(anchor(), read_clocks());
    }
  }

private:
  KINSTR_DEVICE global_words anchor() const { return {slots_ + slots}; }
};

/// Room in the arena for events that one lane stores one by one. The record announces all of them
/// at once; those that are not written stay zero.
template <std::uint32_t Capacity>
struct event_chunk
{
  // Room begins on 8 bytes, and events have to: with its header of 3 words the record begins one
  // word later. Readers skip the zero in front.
  static constexpr std::uint32_t front = 1 + stream_header_words;

  /// Words to reserve. `clocks`: the record ends with a clock pair.
  KINSTR_DEVICE static constexpr std::uint32_t words(bool anchor, bool clocks)
  {
    return front + (anchor ? anchor_word_count : 0) + Capacity * event_words +
           (clocks ? clock_pair_words : 0);
  }

  /// Waits for the reservation. Returns where the first event goes, behind the anchor if there is
  /// one; null: there is no room, and `events` are lost.
  KINSTR_DEVICE static std::uint32_t *open(const reservation &room, std::uint32_t warp, bool anchor,
                                           bool clocks, std::uint32_t events)
  {
    const std::uint32_t place = room.place(words(anchor, clocks), events);
    if (place == nowhere)
    {
      return nullptr;
    }
    std::uint32_t *const record = state.data + place + 1;
    ptx::store_global(record, stream_tag(anchor, warp, clocks));
    ptx::store_global(record + 1, block_in_grid());
    ptx::store_global(record + 2, stream_count(Capacity, event_source::kernel));
    std::uint32_t *const first = record + stream_header_words + (anchor ? anchor_word_count : 0);
    if (clocks)
    {
      store_clocks(first + Capacity * event_words);
    }
    return first;
  }
};

/// Kernel with sites in loops, uniform control flow: chunks of the arena, filled by lane 0. In the
/// middle of one the next is requested, so that no mark but the first waits. All lanes count, so
/// that they stay together, and one comparison is all that a mark has to ask. What there is to do
/// then is a pause, whose event is the last one of each half.
template <std::uint32_t Kernel>
class global_stream_uniform
{
  static constexpr std::uint32_t half    = 31; // of a chunk: with its header 127 words
  static constexpr std::uint32_t marks   = half - 1;
  using chunk                            = event_chunk<2 * half>;
  static constexpr std::uint32_t endless = 0xFFFFFFFFu;

  enum class stage
  {
    off,        ///< this warp does not record
    requested,  ///< the next chunk is, and is opened when the events left are stored
    first_half, ///< of a chunk; the next is requested in the middle
  };

  std::uint32_t *end_;    // of lane 0: where the pause goes, after the events left
  std::uint32_t *anchor_; // of lane 0 of the last warp
  std::uint32_t left_;    // events until there is something to do
  stage stage_;           // the same in all lanes
  bool stores_;           // lane 0 that has a chunk
  reservation ahead_;     // lane 0's

public:
  KINSTR_DEVICE global_stream_uniform()
      : end_(nullptr), anchor_(nullptr), left_(0), stores_(false), ahead_()
  {
    stage_ = asked_by_lane_0(recorded_here()) ? stage::requested : stage::off;
    if (stage_ == stage::off)
    {
      left_ = endless;
      return;
    }
    const bool anchor = is_anchor_warp(thread_in_block() / 32);
    if (ptx::laneid() == 0)
    {
      ahead_.reserve(chunk::words(anchor, false));
    }
    if (anchor)
    {
      open_chunk(true, 0);
      if (stores_)
      {
        anchor_ = end_ - marks * event_words - anchor_word_count;
        anchor_start(global_words{anchor_}, read_clocks());
        anchor_identity(Kernel, global_words{anchor_});
      }
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    __syncwarp();
    if (left_ == 0)
    {
      make_room();
    }
    ptx::store_event_before(end_, left_, Site, stores_);
    --left_;
  }

  /// Both go to one half of a chunk; a place that is left over stays zero.
  template <std::uint32_t Site>
  KINSTR_DEVICE void record(number n)
  {
    __syncwarp();
    if (left_ < 2)
    {
      make_room();
    }
    if (left_ >= 2) // else there was no room, and the event is lost
    {
      if (stores_)
      {
        ptx::store_global(end_ - left_ * event_words, n.bits, n.high());
      }
      --left_;
    }
    ptx::store_event_before(end_, left_, Site, stores_);
    --left_;
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &)
  {
    record<exit_site>();
    if (anchor_ != nullptr)
    {
      anchor_end(global_words{anchor_}, read_clocks());
    }
  }

private:
  /// Of a chunk but the first of the warp that carries the anchor. That warp has both clocks in
  /// each of these.
  KINSTR_DEVICE std::uint32_t later_words() const
  {
    return chunk::words(false, anchor_ != nullptr);
  }

  /// Room for at least one event, or for one that is lost.
  KINSTR_DEVICE void make_room()
  {
    ptx::store_event_before(end_, 0, pause_site, stores_);
    if (stage_ == stage::first_half)
    {
      if (ptx::laneid() == 0)
      {
        ahead_.reserve(later_words());
        end_ += half * event_words;
      }
      left_  = marks;
      stage_ = stage::requested;
    }
    else if (stage_ == stage::requested)
    {
      open_chunk(false, 1);
    }
    else
    {
      left_ = endless;
    }
    __syncwarp();
  }

  /// The one requested. Where there is no room for it, `lost` events are counted, and the next try
  /// is at the next mark.
  KINSTR_DEVICE void open_chunk(bool anchor, std::uint32_t lost)
  {
    if (ptx::laneid() == 0)
    {
      std::uint32_t *const first =
          chunk::open(ahead_, thread_in_block() / 32, anchor, anchor_ != nullptr, lost);
      stores_ = first != nullptr;
      end_    = first + marks * event_words;
      if (!stores_)
      {
        ahead_.reserve(later_words());
      }
    }
    const bool opened = asked_by_lane_0(stores_);
    stage_            = opened ? stage::first_half : stage::requested;
    left_             = opened ? marks : lost;
  }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_GLOBAL_RECORDER_CUH
