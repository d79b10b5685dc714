// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording without any state in the warp: each event is a record of its own, behind that of the
// pause in which the recorder waits for room. Right under any control flow, with any buffer; the
// price is an atomic and its answer at every mark.
#ifndef KINSTR_DETAIL_DIRECT_RECORDER_CUH
#define KINSTR_DETAIL_DIRECT_RECORDER_CUH

#include <kinstr/detail/arena.cuh>

namespace kinstr
{
namespace detail
{

/// One event, now, into shared memory.
KINSTR_DEVICE void store_event(std::uint32_t address, std::uint32_t site)
{
  const unsigned long long c = ptx::clock();
  ptx::store_shared(address, static_cast<std::uint32_t>(c),
                    pack_event_high(static_cast<std::uint32_t>(c >> 32), site));
}

/// One event, and its number if it has any, as a stream record of its own: when there is room for
/// it. By one lane of a warp that records.
KINSTR_DEVICE void direct_event(std::uint32_t warp, std::uint32_t site, const number *n,
                                event_source source = event_source::kernel)
{
  const unsigned long long pause = ptx::clock();
  const std::uint32_t events     = n != nullptr ? 3 : 2;
  const std::uint32_t words      = stream_header_words + events * event_words;
  reservation room{};
  room.reserve(words);
  const std::uint32_t place = room.place(words, 1);
  if (place != nowhere)
  {
    const global_words out{state.data + place};
    out.store(0, stream_tag(false, warp));
    out.store(1, block_in_grid());
    out.store(2, stream_count(events, source));
    out.store(3, static_cast<std::uint32_t>(pause));
    out.store(4, pack_event_high(static_cast<std::uint32_t>(pause >> 32), pause_site));
    if (n != nullptr)
    {
      out.store(5, n->bits);
      out.store(6, n->high());
    }
    const unsigned long long c = ptx::clock();
    out.store(words - 2, static_cast<std::uint32_t>(c));
    out.store(words - 1, pack_event_high(static_cast<std::uint32_t>(c >> 32), site));
  }
}

/// Any control flow without shared memory (buffer `global`, flow `divergent`). Every group of lanes
/// that leaves together records an exit; the reader takes the last.
template <std::uint32_t Kernel>
class direct_divergent
{
  std::uint32_t *anchor_; // of lane 0 of the warp that carries it
  bool recording_;

public:
  KINSTR_DEVICE direct_divergent() : anchor_(nullptr), recording_(recorded_here())
  {
    const std::uint32_t warp = thread_in_block() / 32;
    if (recording_ && ptx::laneid() == 0 && is_anchor_warp(warp))
    {
      constexpr std::uint32_t words = stream_header_words + anchor_word_count;
      reservation room{};
      room.reserve(words);
      const std::uint32_t place = room.place(words, 0);
      if (place != nowhere)
      {
        const global_words out{state.data + place};
        out.store(0, stream_tag(true, warp));
        out.store(1, block_in_grid());
        out.store(2, 0);
        anchor_ = state.data + place + stream_header_words;
        anchor_start(global_words{anchor_}, read_clocks());
        anchor_identity(Kernel, global_words{anchor_});
      }
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    record_site(Site, nullptr);
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record(number n)
  {
    record_site(Site, &n);
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
  KINSTR_DEVICE void record_site(std::uint32_t site, const number *n)
  {
    const std::uint32_t together = __activemask();
    __syncwarp(together);
    if (recording_ && ptx::laneid() == lowest_lane(together))
    {
      direct_event(thread_in_block() / 32, site, n);
    }
    __syncwarp(together); // or the one that records comes to the next site on its own
  }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_DIRECT_RECORDER_CUH
