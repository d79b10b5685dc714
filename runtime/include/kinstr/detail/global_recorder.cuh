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
    const std::uint32_t warp = thread_in_block() / 32;
    anchor_                  = warp == 0;
    const std::uint32_t head = slots_header_words + (anchor_ ? anchor_word_count : 0);
    reservation room{};
    room.request(head + slots);
    const std::uint32_t place = room.place(head + slots, slots);
    if (place == nowhere)
    {
      return;
    }
    slots_ = state.data + place + head;
    ptx::store_global(slots_ - head, slots_tag(anchor_, warp, head + slots));
    ptx::store_global(slots_ - head + 1, block_in_grid());
    if (anchor_)
    {
      anchor_start(global_words{slots_ - anchor_word_count});
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark()
  {
    __syncwarp();
    if (slots_ != nullptr)
    {
      ptx::store_global(slots_ + Site, nonzero(ptx::clock_low()));
    }
  }

  KINSTR_DEVICE ~global_slots_uniform()
  {
    kinstr_mark<Sites>();
    if (slots_ != nullptr && anchor_)
    {
      anchor_end(Kernel, global_words{slots_ - anchor_word_count});
    }
  }
};

/// Room for events that one lane stores one by one. A chunk announces all its events at once; those
/// that were not written stay zero.
template <std::uint32_t Capacity>
class event_chunk
{
  // Room begins on 8 bytes, and events have to: with its header of 3 words the record begins one
  // word later. Readers skip the zero in front.
  static constexpr std::uint32_t front = 1 + stream_header_words;

  std::uint32_t *next_; // of the next event; null: there is no room
  std::uint32_t *end_;

public:
  KINSTR_DEVICE event_chunk() : next_(nullptr), end_(nullptr) {}

  KINSTR_DEVICE bool full() const { return next_ == end_; }

  /// Waits for the reservation. Without room the chunk stays full, so that each event tries again
  /// and counts as lost; `events` are lost now. Returns where the anchor is, if one was asked for.
  KINSTR_DEVICE std::uint32_t *open(std::uint32_t warp, bool anchor, std::uint32_t events,
                                    event_source source)
  {
    const std::uint32_t head  = front + (anchor ? anchor_word_count : 0);
    const std::uint32_t words = head + Capacity * event_words;
    reservation room{};
    room.reserve(words);
    const std::uint32_t place = room.place(words, events);
    if (place == nowhere)
    {
      next_ = end_ = nullptr;
      return nullptr;
    }
    std::uint32_t *const record = state.data + place + 1;
    ptx::store_global(record, stream_tag(anchor, warp));
    ptx::store_global(record + 1, block_in_grid());
    ptx::store_global(record + 2, stream_count(Capacity, source));
    next_ = state.data + place + head;
    end_  = next_ + Capacity * event_words;
    return anchor ? next_ - anchor_word_count : nullptr;
  }

  KINSTR_DEVICE void store(std::uint32_t site)
  {
    if (next_ != nullptr)
    {
      const unsigned long long c = ptx::clock();
      ptx::store_global(next_, static_cast<std::uint32_t>(c),
                        pack_event_high(static_cast<std::uint32_t>(c >> 32), site));
      next_ += event_words;
    }
  }
};

/// Kernel with sites in loops, uniform control flow: chunks of the arena, filled by lane 0.
template <std::uint32_t Kernel>
class global_stream_uniform
{
  event_chunk<62> events_; // with its header 127 words
  std::uint32_t *anchor_;
  std::uint32_t warp_;
  bool lead_; // lane 0 of a warp that records

public:
  KINSTR_DEVICE global_stream_uniform()
      : anchor_(nullptr), warp_(thread_in_block() / 32),
        lead_(ptx::laneid() == 0 && recorded_here())
  {
    if (lead_ && warp_ == 0)
    {
      anchor_ = events_.open(warp_, true, 0, event_source::kernel);
      if (anchor_ != nullptr)
      {
        anchor_start(global_words{anchor_});
      }
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark()
  {
    __syncwarp();
    if (lead_)
    {
      if (events_.full())
      {
        events_.open(warp_, false, 1, event_source::kernel);
      }
      events_.store(Site);
    }
  }

  KINSTR_DEVICE ~global_stream_uniform()
  {
    kinstr_mark<exit_site>();
    if (anchor_ != nullptr)
    {
      anchor_end(Kernel, global_words{anchor_});
    }
  }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_GLOBAL_RECORDER_CUH
