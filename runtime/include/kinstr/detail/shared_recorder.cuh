// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorders that keep a warp's events in shared memory and copy them to the arena, coalesced, when
// the warp leaves the kernel (buffer `shared`).
#ifndef KINSTR_DETAIL_SHARED_RECORDER_CUH
#define KINSTR_DETAIL_SHARED_RECORDER_CUH

#include <kinstr/detail/arena.cuh>
#include <kinstr/detail/direct_recorder.cuh>
#include <kinstr/detail/kernel_recorder.cuh>

namespace kinstr
{
namespace detail
{

/// Static shared memory of one kernel: WordsPerWarp words for each warp, and the block's anchor.
/// Align > 4 rounds the size up, so that dynamic shared memory behind it keeps its alignment.
/// Returns the address of those of `warp`.
template <std::uint32_t Threads, std::uint32_t WordsPerWarp, std::uint32_t Align>
KINSTR_DEVICE std::uint32_t shared_words_of(std::uint32_t warp)
{
  constexpr std::uint32_t warps = ((Threads == 0 ? 1024 : Threads) + 31) / 32; // 0: no bound
  constexpr std::uint32_t bytes = (anchor_word_count + warps * WordsPerWarp) * 4;
  __shared__ __align__(16) char words[(bytes + Align - 1) / Align * Align];
  return ptx::shared_address(words) + warp * (WordsPerWarp * 4);
}

/// Copies words from shared memory to the arena, behind a header. `lanes` lanes take part, of which
/// this is number `lane`.
struct record_copy
{
  std::uint32_t *out;
  std::uint32_t address;
  std::uint32_t words;

  KINSTR_DEVICE void run(std::uint32_t lane, std::uint32_t lanes)
  {
    for (std::uint32_t i = lane; i < words; i += lanes)
    {
      ptx::store_global(out + i, ptx::load_shared(address + i * 4));
    }
  }

  template <std::uint32_t HeaderWords>
  KINSTR_DEVICE void run(const std::uint32_t (&header)[HeaderWords], std::uint32_t lane,
                         std::uint32_t lanes)
  {
    for (std::uint32_t i = lane; i < HeaderWords + words; i += lanes)
    {
      std::uint32_t v = header[0];
#pragma unroll
      for (std::uint32_t h = 1; h < HeaderWords; ++h)
      {
        v = i == h ? header[h] : v;
      }
      if (i >= HeaderWords)
      {
        v = ptx::load_shared(address + (i - HeaderWords) * 4);
      }
      ptx::store_global(out + i, v);
    }
  }
};

/// Straight-line kernel, control flow the same for all lanes of a warp: slot i belongs to site i.
/// The whole record is put together in shared memory, and copied out as it is.
template <std::uint32_t Kernel, std::uint32_t Sites, std::uint32_t Threads, std::uint32_t Align>
class shared_slots_uniform
{
  static constexpr std::uint32_t slots = Sites + 1; // the last one: the warp's exit
  static constexpr std::uint32_t words = slots_header_words + slots;
  static_assert(slots <= max_slots, "kinstr uses stream records for so many sites");

  static constexpr std::uint32_t passes = (words + 31) / 32;

  std::uint32_t lane_;
  std::uint32_t record_; // this warp's, in shared memory
  std::uint32_t words_;  // in it: more than `words` if it carries the anchor
  std::uint32_t clock_;  // of the site passed last: not stored yet, so that nothing waits for it
  std::uint32_t at_;     // where it goes
  reservation room_;     // lane 0's

public:
  // Without branches, so that what is read of special registers is on its way all at once.
  KINSTR_DEVICE shared_slots_uniform() : lane_(ptx::laneid()), room_()
  {
    const ptx::index3 block         = ptx::block_index();
    const std::uint32_t warp        = thread_in_block() / 32;
    const bool anchor               = is_anchor_warp(warp);
    const std::uint32_t words_here  = words + (anchor ? anchor_word_count : 0);
    const std::uint32_t record_here = shared_words_of<Threads, words, Align>(warp);
    const bool records              = recorded_here();
    room_.request_if(records && lane_ == 0, words_here);
    ptx::store_shared_if(lane_ == 0, record_here + 4, block_in_grid(block));
    clock_  = slots_tag(anchor, warp, words_here);
    at_     = record_here;
    record_ = kept(record_here);
    words_  = kept(words_here);
    if (anchor && lane_ == 0)
    {
      anchor_start(anchor_words_here(), read_clocks());
      anchor_identity(Kernel, anchor_words_here());
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    store_pending();
    __syncwarp();
    ptx::clock_low_of(lane_, 0, clock_);
    at_ = record_ + (slots_header_words + Site) * 4;
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &progress)
  {
    record<Sites>();
    store_pending();
    const bool anchor = words_ != words;
    if (anchor && lane_ == 0)
    {
      anchor_end(anchor_words_here(), read_clocks());
    }
    __syncwarp();               // the stores above before the loads below
    std::uint32_t word[passes]; // on their way while the place is looked at
#pragma unroll
    for (std::uint32_t pass = 0; pass < passes; ++pass)
    {
      const std::uint32_t i = pass * 32 + lane_;
      word[pass]            = i < words ? ptx::load_shared(record_ + i * 4) : 0;
    }
    const std::uint32_t place = __shfl_sync(full_warp, room_.find(words_), 0);
    if (place == nowhere)
    {
      if (lane_ == 0)
      {
        room_.count_loss(slots);
      }
    }
    else if (anchor) // the block's last warp, and the only one that may not be whole
    {
      const std::uint32_t lanes = lanes_of_warp(thread_in_block() / 32);
      for (std::uint32_t i = lane_; i < words_; i += lanes)
      {
        store_word(progress, place, i, ptx::load_shared(record_ + i * 4));
      }
    }
    else
    {
#pragma unroll
      for (std::uint32_t pass = 0; pass < passes; ++pass)
      {
        if (pass * 32 + lane_ < words)
        {
          store_word(progress, place, pass * 32 + lane_, word[pass]);
        }
      }
    }
  }

private:
  KINSTR_DEVICE void store_pending() const { ptx::store_shared_if(lane_ == 0, at_, clock_); }

  template <typename Progress>
  KINSTR_DEVICE void store_word(const Progress &progress, std::uint32_t place, std::uint32_t i,
                                std::uint32_t v)
  {
    const bool slot = i >= slots_header_words && i < words;
    ptx::store_global(state.data + (place + i),
                      slot ? progress.slot(i - slots_header_words, v) : v);
  }

  KINSTR_DEVICE shared_words anchor_words_here() const { return {record_ + words * 4}; }
};

/// Kernel with sites in loops, uniform control flow: events in order, copied out when the buffer is
/// full and at the end. Room for the next copy is requested at the one before, so no mark waits.
/// The copying is a pause, whose event is the last one of each copy but the last.
template <std::uint32_t Kernel, std::uint32_t Sites, std::uint32_t Threads, std::uint32_t Align>
class shared_stream_uniform
{
  static constexpr std::uint32_t capacity    = shared_stream_events;
  static constexpr std::uint32_t words       = capacity * event_words;
  static constexpr std::uint32_t event_bytes = event_words * 4;
  static constexpr std::uint32_t no_site     = 0xFFFFFFFFu;

  std::uint32_t warp_;
  std::uint32_t lane_;
  bool anchor_;
  std::uint32_t events_;     // this warp's, in shared memory, behind the anchor if it carries that
  std::uint32_t next_;       // where the event goes of which clock_ and site_ are:
  unsigned long long clock_; // it is not stored before the next one, so that
  std::uint32_t site_;       // no mark waits for the clock
  std::uint32_t numbers_;    // among the events; where there can be none, the compiler knows
  reservation room_;         // lane 0's

public:
  KINSTR_DEVICE shared_stream_uniform()
      : warp_(thread_in_block() / 32), lane_(ptx::laneid()), anchor_(is_anchor_warp(warp_)),
        clock_(0), site_(no_site), numbers_(0), room_()
  {
    const bool records = recorded_here();
    room_.request_if(records && lane_ == 0, room_words());
    events_ =
        kept(shared_words_of<Threads, words, Align>(warp_) + (anchor_ ? anchor_word_count : 0) * 4);
    // No event yet: what stands there is stored over.
    next_ = events_;
    if (anchor_ && lane_ == 0)
    {
      anchor_start(anchor(), read_clocks());
      anchor_identity(Kernel, anchor());
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    store_pending();
    if (next_ == events_ + (capacity - 1) * event_bytes)
    {
      make_room();
    }
    __syncwarp();
    clock_ = ptx::clock();
    site_  = Site;
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record(number n)
  {
    store_pending();
    if (next_ >= events_ + (capacity - 2) * event_bytes)
    {
      make_room();
    }
    if (lane_ == 0)
    {
      ptx::store_shared(next_, n.bits, n.high());
    }
    next_ += event_bytes;
    ++numbers_;
    __syncwarp();
    clock_ = ptx::clock();
    site_  = Site;
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &)
  {
    record<exit_site>();
    store_pending();
    if (anchor_ && lane_ == 0)
    {
      anchor_end(anchor(), read_clocks());
    }
    copy_out(true);
  }

private:
  KINSTR_DEVICE shared_words anchor() const { return {events_ - anchor_word_count * 4}; }

  /// Large enough for any copy of this warp: the last one may carry the anchor, others less.
  KINSTR_DEVICE std::uint32_t room_words() const
  {
    return stream_header_words + words + (anchor_ ? anchor_word_count : 0);
  }

  /// For an event and what stands in front of it.
  KINSTR_DEVICE void make_room()
  {
    __syncwarp();
    ptx::store_event_shared_if(lane_ == 0, next_, ptx::clock(), pause_site);
    next_ += event_bytes;
    copy_out(false);
  }

  /// Nothing before the first site: ptxas knows which that is.
  KINSTR_DEVICE void store_pending()
  {
    if (site_ != no_site)
    {
      ptx::store_event_shared_if(lane_ == 0, next_, clock_, site_);
      next_ += event_bytes;
    }
  }

  /// The warp that carries the anchor adds that to the last copy, and both clocks to the others.
  KINSTR_DEVICE void copy_out(bool last)
  {
    const std::uint32_t anchor = last && anchor_ ? anchor_word_count : 0;
    const bool clocks          = !last && anchor_;
    const std::uint32_t count  = (next_ - events_) / event_bytes;
    const std::uint32_t place  = __shfl_sync(full_warp, room_.find(room_words()), 0);
    if (!last && lane_ == 0 && room_.requested())
    {
      room_.reserve(room_words()); // first: on its way while this one is copied
    }
    __syncwarp(); // the stores above before the loads below
    if (place != nowhere)
    {
      std::uint32_t *const out     = state.data + place;
      const std::uint32_t header[] = {stream_tag(anchor != 0, warp_, clocks), block_in_grid(),
                                      count};
      record_copy{out, events_ - anchor * 4, anchor + count * event_words}.run(
          header, lane_, lanes_of_warp(warp_));
      if (clocks && lane_ == 0)
      {
        store_clocks(out + stream_header_words + count * event_words);
      }
    }
    else if (lane_ == 0)
    {
      room_.count_loss(count - numbers_ - (last ? 0 : 1)); // the pause's is none of the user's
    }
    next_    = events_;
    numbers_ = 0;
    __syncwarp(); // the loads above before the stores to come
  }
};

/// Any control flow: lanes may diverge between marks and leave one by one. The lowest lane of those
/// that arrive together records; the last lanes to leave copy out. `Streamed` kernels keep the
/// first events in shared memory and send the others to the arena one by one.
template <std::uint32_t Kernel, std::uint32_t Sites, std::uint32_t Threads, std::uint32_t Align,
          bool Streamed>
class shared_divergent
{
  static constexpr std::uint32_t slots    = Sites + 1;
  static constexpr std::uint32_t capacity = shared_stream_events;
  static constexpr std::uint32_t payload  = Streamed ? capacity * event_words : slots;
  static constexpr std::uint32_t counters = divergent_counter_words; // behind the payload
  static_assert(!Streamed || (payload + counters) % event_words == 0, "events lie on 8 bytes");
  static_assert(Streamed || slots <= max_slots, "kinstr uses stream records for so many sites");

  std::uint32_t payload_; // this warp's, in shared memory
  std::uint32_t warp_;
  std::uint32_t lane_;

public:
  KINSTR_DEVICE shared_divergent() : warp_(thread_in_block() / 32), lane_(ptx::laneid())
  {
    payload_                  = kept(shared_words_of<Threads, payload + counters, Align>(warp_));
    const std::uint32_t lanes = lanes_of_warp(warp_);
    for (std::uint32_t i = lane_; i < payload; i += lanes)
    {
      ptx::store_shared(payload_ + i * 4, 0);
    }
    if (lane_ == 0)
    {
      ptx::store_shared(lanes_inside(), lanes);
      ptx::store_shared(event_count(), 0);
      ptx::store_shared(recording(), recorded_here() ? 1 : 0);
      if (is_anchor_warp(warp_))
      {
        anchor_start(anchor(), read_clocks());
      }
    }
    __syncwarp();
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    record_site(Site, nullptr);
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record(number n)
  {
    static_assert(Streamed, "kinstr uses stream records for numbers");
    record_site(Site, &n);
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &)
  {
    const std::uint32_t together = __activemask();
    const std::uint32_t leader   = lowest_lane(together);
    __syncwarp(together);
    std::uint32_t place = nowhere;
    if (lane_ == leader)
    {
      place = last_out(__popc(together));
    }
    place = __shfl_sync(together, place, leader);
    __syncwarp(together);
    if (place == nowhere)
    {
      return;
    }
    const std::uint32_t rank     = __popc(together & ((1u << lane_) - 1u));
    const std::uint32_t lanes    = __popc(together);
    const std::uint32_t anchored = anchor_words_here();
    std::uint32_t *out           = state.data + place;
    if (Streamed)
    {
      const std::uint32_t kept     = min(ptx::load_shared(event_count()), capacity);
      const std::uint32_t header[] = {stream_tag(anchored != 0, warp_), block_in_grid(), kept};
      record_copy{out, anchor().address, anchored}.run(header, rank, lanes);
      out += stream_header_words + anchored;
      record_copy{out, payload_, kept * event_words}.run(rank, lanes);
    }
    else
    {
      const std::uint32_t header[] = {slots_tag(anchored != 0, warp_, record_words()),
                                      block_in_grid()};
      record_copy{out, payload_, slots}.run(header, rank, lanes);
      out += slots_header_words + slots;
      record_copy{out, anchor().address, anchored}.run(rank, lanes);
    }
  }

private:
  /// Behind what the last warp has.
  KINSTR_DEVICE shared_words anchor() const { return {payload_ + (payload + counters) * 4}; }
  KINSTR_DEVICE std::uint32_t lanes_inside() const { return payload_ + payload * 4; }
  KINSTR_DEVICE std::uint32_t event_count() const { return lanes_inside() + 4; }
  /// Whether recording was on when the warp began.
  KINSTR_DEVICE std::uint32_t recording() const { return lanes_inside() + 8; }
  KINSTR_DEVICE std::uint32_t anchor_words_here() const
  {
    return is_anchor_warp(warp_) ? anchor_word_count : 0;
  }
  KINSTR_DEVICE std::uint32_t record_words() const
  {
    return (Streamed ? stream_header_words : slots_header_words) + anchor_words_here() + payload;
  }

  /// Without the numbers among them.
  KINSTR_DEVICE std::uint32_t kept_events() const
  {
    const std::uint32_t places = min(ptx::load_shared(event_count()), capacity);
    std::uint32_t events       = 0;
    for (std::uint32_t i = 0; i < places; ++i)
    {
      const shared_words event{payload_ + i * (event_words * 4)};
      events += is_user_event(event.load(0), event.load(1));
    }
    return events;
  }

  KINSTR_DEVICE void record_site(std::uint32_t site, const number *n)
  {
    const std::uint32_t together = __activemask();
    __syncwarp(together);
    if (lane_ == lowest_lane(together))
    {
      store_site(site, n);
    }
    __syncwarp(together); // or the one that records comes to the next site on its own
  }

  /// Several groups of lanes may pass a site one after another: the last one's clock stays, as
  /// after a __syncwarp of them all.
  KINSTR_DEVICE void store_site(std::uint32_t site, const number *n)
  {
    if (Streamed)
    {
      const std::uint32_t places = n != nullptr ? 2 : 1;
      const std::uint32_t i      = ptx::add_shared(event_count(), places);
      if (i + places <= capacity) // a place that is left over stays zero
      {
        const std::uint32_t at = payload_ + (i + places - 1) * (event_words * 4);
        if (n != nullptr)
        {
          ptx::store_shared(at - event_words * 4, n->bits, n->high());
        }
        store_event(at, site);
      }
      else if (ptx::load_shared(recording()) != 0)
      {
        direct_event(warp_, site, n);
      }
    }
    else
    {
      ptx::exchange_shared(payload_ + (site == exit_site ? Sites : site) * 4,
                           nonzero(ptx::clock_low()));
    }
  }

  /// By the leader of lanes that leave together. Returns where to put the warp's record if they are
  /// the last ones, else `nowhere`.
  KINSTR_DEVICE std::uint32_t last_out(std::uint32_t lanes)
  {
    __threadfence_block(); // what these lanes recorded, before the count that says they are gone
    if (ptx::add_shared(lanes_inside(), 0u - lanes) != lanes)
    {
      return nowhere;
    }
    __threadfence_block();
    store_site(exit_site, nullptr);
    if (is_anchor_warp(warp_))
    {
      anchor_identity(Kernel, anchor());
      anchor_end(anchor(), read_clocks());
    }
    if (ptx::load_shared(recording()) == 0)
    {
      return nowhere;
    }
    reservation room{};
    room.reserve(record_words());
    const std::uint32_t place = room.find(record_words());
    if (place == nowhere)
    {
      room.count_loss(Streamed ? kept_events() : slots);
    }
    return place;
  }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_SHARED_RECORDER_CUH
