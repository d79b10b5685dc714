// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorders for one activation of a function that a kernel calls: its events go to records of the
// warp's for such functions, and the reader puts them between those of the kernel. They know
// nothing of their caller, so that no signature changes and any kernel may call, one that does not
// record included.
//
// Such a function may be __host__ __device__: on the host nothing happens.
#ifndef KINSTR_DETAIL_CALLEE_RECORDER_CUH
#define KINSTR_DETAIL_CALLEE_RECORDER_CUH

#include <kinstr/detail/direct_recorder.cuh>
#include <kinstr/detail/either.cuh>

#define KINSTR_ANYWHERE __host__ __device__ __forceinline__

namespace kinstr
{
namespace detail
{

#ifdef __CUDA_ARCH__

/// In callee_chunk::owner, the places for events: all of the count, and one.
constexpr std::uint32_t free_places = 0xFF00u;
constexpr std::uint32_t free_place  = 0x100u;

/// Words in front of a chunk's events, which begin on 8 bytes: readers skip a zero there.
constexpr std::uint32_t chunk_front = 1 + stream_header_words;

/// What a warp knows of the chunk that the functions it calls share. None of them owns it, so that
/// calls in a loop reserve no more than marks in a loop do.
///
/// Between activations the chunk's state is in the entry of the table that SM and hardware warp
/// slot name. Either may be another after a preemption, which may come between any two steps; that
/// costs a chunk and never an event. For a warp believes only what names its grid, block, module
/// and itself; and it stores the state of a chunk in one entry only, the one it had looked into
/// when it opened the chunk. So if it comes back to that entry, it finds there what it stored last,
/// or another warp's chunk; and if two warps store into one entry, one of them finds the other's
/// next time.
///
/// What was stored last must be all that was used. So an activation may keep the state in registers
/// only where no other one of its warp loads it meanwhile, and has to store it before it ends.
///
/// Entries of warps that are gone stay. Only in a graph's replay is there one of the same name,
/// which goes on with that chunk: readers tell replays apart by time. Who empties an arena empties
/// the table as well.
///
/// The accesses are weak and cached. A thread always finds its own last store or a later one,
/// whatever caches are between (PTX memory model, SC per location), and a later one is another
/// warp's. (The model splits a vector into its words; were one to come alone, an entry could be
/// this warp's in front and another's behind. No GPU splits 16 aligned bytes, and two warps would
/// have to be in one slot.)
class warp_chunk
{
  callee_chunk chunk_;
  std::uint32_t entry_; // index in the table

  static constexpr std::uint32_t no_entry = 0xFFFFFFFFu;

  /// A new chunk, for which the warp waits, with so many places at least. False: no room, and one
  /// event is lost.
  KINSTR_DEVICE bool open(std::uint32_t places)
  {
    // The first with its header 128 bytes, as many functions are called once, then 512.
    const std::uint32_t capacity = entry_ == no_entry ? places : chunk_.next == 0 ? 14 : 62;
    const std::uint32_t words    = chunk_front + capacity * event_words;
    reservation room{};
    room.reserve(words);
    const std::uint32_t place = room.place(words, 1);
    if (place == nowhere)
    {
      return false;
    }
    const global_words out{state.data + place + 1};
    out.store(0, stream_tag(false, chunk_.owner & 0xFFu));
    out.store(1, chunk_.block);
    out.store(2, pack_stream_count({capacity, static_cast<int>(state.module)}));
    chunk_.owner = (chunk_.owner & ~free_places) + capacity * free_place;
    chunk_.next  = place + chunk_front;
    return true;
  }

  KINSTR_DEVICE std::uint32_t room() const { return (chunk_.owner & free_places) / free_place; }

  /// Where there is room().
  KINSTR_DEVICE void put(unsigned long long clock, std::uint32_t site)
  {
    ptx::store_global(state.data + chunk_.next, static_cast<std::uint32_t>(clock),
                      pack_event_high(static_cast<std::uint32_t>(clock >> 32), site));
    chunk_.owner -= free_place;
    chunk_.next += event_words;
  }

  /// What is another's is no chunk.
  KINSTR_DEVICE void load()
  {
    const std::uint32_t sm   = ptx::smid();
    const std::uint32_t slot = ptx::warpid();
    const bool exists        = sm <= state.last_region && slot < warp_slots;
    entry_ = exists ? (sm * warp_slots + slot) * callee_chunks_per_slot : no_entry;
    chunk_ = {};
    if (exists)
    {
      ptx::load_global(state.chunks + entry_, chunk_.grid_id, chunk_.block, chunk_.owner,
                       chunk_.next);
    }
    const callee_chunk none = {static_cast<std::uint32_t>(ptx::gridid()), block_in_grid(),
                               thread_in_block() / 32 | state.module << 16, 0};
    const bool mine         = chunk_.grid_id == none.grid_id && chunk_.block == none.block &&
                              (chunk_.owner & ~free_places) == none.owner;
    chunk_                  = mine ? chunk_ : none;
  }

public:
  /// An event, now, and its number if it has any. `first`: the chunk is not known yet. The warp
  /// waits then, and where the chunk is full: a pause, so that the wait is in no phase.
  KINSTR_DEVICE void add(std::uint32_t site, const number *n, bool first)
  {
    const std::uint32_t places = n != nullptr ? 2 : 1;
    if (first || room() < places)
    {
      const unsigned long long pause = ptx::clock();
      if (first)
      {
        load();
      }
      if (room() < 1 + places && !open(1 + places)) // the pause's too
      {
        return;
      }
      put(pause, pause_site);
    }
    if (n != nullptr)
    {
      put(static_cast<unsigned long long>(n->type) << 32 | n->bits, number_site);
    }
    put(ptx::clock(), site);
  }

  /// After the last event, before anything else of this warp can load().
  KINSTR_DEVICE void store()
  {
    if (entry_ != no_entry)
    {
      ptx::store_global(state.chunks + entry_, chunk_.grid_id, chunk_.block, chunk_.owner,
                        chunk_.next);
    }
  }
};

/// One event, now, by lane 0.
KINSTR_DEVICE void callee_event(std::uint32_t site, const number *n)
{
  warp_chunk chunk;
  chunk.add(site, n, true);
  chunk.store();
}

/// Lanes of a warp pass every site together. Between two of them other functions may record.
class callee_events_uniform
{
  bool any_; // recording may be switched on and off meanwhile

public:
  KINSTR_DEVICE explicit callee_events_uniform(bool /*together*/ = true) : any_(false) {}

  KINSTR_DEVICE void record(std::uint32_t site, const number *n)
  {
    __syncwarp();
    if (ptx::laneid() == 0 && (any_ || recorded_here()))
    {
      callee_event(site, n);
      any_ = true;
    }
  }

  /// The return, where anything was recorded before. All lanes wait for each other in any case:
  /// what lane 0 knows must not decide who comes to a barrier.
  KINSTR_DEVICE void finish(std::uint32_t site)
  {
    __syncwarp();
    if (ptx::laneid() == 0 && any_)
    {
      callee_event(site, nullptr);
    }
  }
};

/// Likewise, and no other activation records until this one ends, nor does the thread end before.
/// The warp looks into the table at the first site it passes, and waits there: were it to look when
/// it enters, that would be in the caller's phase.
class callee_events_leaf
{
  warp_chunk chunk_;
  bool records_; // lane 0 of a warp that records
  bool any_;     // passed a site: the same in all lanes

  KINSTR_DEVICE void event(std::uint32_t site, const number *n)
  {
    __syncwarp();
    if (records_)
    {
      chunk_.add(site, n, !any_);
    }
  }

public:
  KINSTR_DEVICE explicit callee_events_leaf(bool together = true)
      : records_(together && ptx::laneid() == 0 && recorded_here()), any_(false)
  {
  }

  KINSTR_DEVICE void record(std::uint32_t site, const number *n)
  {
    event(site, n);
    any_ = true;
  }

  KINSTR_DEVICE void finish(std::uint32_t site)
  {
    if (any_)
    {
      event(site, nullptr);
      if (records_)
      {
        chunk_.store();
      }
    }
  }
};

/// Any control flow: each event by the lowest of the lanes that arrive together and have any.
class callee_events_divergent
{
  bool any_;

public:
  KINSTR_DEVICE callee_events_divergent() : any_(false) {}

  KINSTR_DEVICE void record(std::uint32_t site, const number *n)
  {
    any_ = any_ || recorded_here();
    event(site, n);
  }

  KINSTR_DEVICE void finish(std::uint32_t site) { event(site, nullptr); }

private:
  KINSTR_DEVICE void event(std::uint32_t site, const number *n)
  {
    const std::uint32_t together = __activemask();
    // Lanes that passed no site may come to the return with others that did.
    const std::uint32_t record = __ballot_sync(together, any_);
    if (ptx::laneid() == lowest_lane(record))
    {
      direct_event(thread_in_block() / 32, site, n, event_source::callee);
    }
    __syncwarp(together); // or the one that records comes to the next site on its own
  }
};

/// Together unless blocks cut warps from several short rows (see whole_rows).
template <typename Together>
class callee_events_warprows
{
  Together together_;
  callee_events_divergent apart_;

public:
  KINSTR_DEVICE callee_events_warprows() : together_(whole_rows::holds()) {}

  KINSTR_DEVICE void record(std::uint32_t site, const number *n)
  {
    if (whole_rows::holds())
    {
      together_.record(site, n);
    }
    else
    {
      apart_.record(site, n);
    }
  }

  KINSTR_DEVICE void finish(std::uint32_t site)
  {
    if (whole_rows::holds())
    {
      together_.finish(site);
    }
    else
    {
      apart_.finish(site);
    }
  }
};

#else

struct callee_events_divergent
{
  KINSTR_ANYWHERE void record(std::uint32_t, const number *) {}
  KINSTR_ANYWHERE void finish(std::uint32_t) {}
};

using callee_events_uniform = callee_events_divergent;
using callee_events_leaf    = callee_events_divergent;

template <typename>
using callee_events_warprows = callee_events_divergent;

#endif

/// Sites First to First + Sites - 1, the return behind them, then the entry of a function that may
/// call itself: there the reader cannot tell a new activation by its sites.
template <typename Events, std::uint32_t First, std::uint32_t Sites, bool Recursive>
class callee
{
  Events events_;

public:
  KINSTR_ANYWHERE callee()
  {
    if (Recursive)
    {
      events_.record(First + Sites + 1, nullptr);
    }
  }

  template <std::uint32_t Site>
  KINSTR_ANYWHERE void kinstr_mark()
  {
    events_.record(Site, nullptr);
  }

  template <std::uint32_t Site, typename T>
  KINSTR_ANYWHERE void kinstr_value(T v)
  {
    const number n = number_from<T>::make(v);
    events_.record(Site, &n);
  }

  KINSTR_ANYWHERE ~callee() { events_.finish(First + Sites); }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_CALLEE_RECORDER_CUH
