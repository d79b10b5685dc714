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

/// Makes `chunk`, whose owner is known, an empty one. False: no room, and one event is lost.
KINSTR_DEVICE bool open_callee_chunk(callee_chunk &chunk, std::uint32_t warp,
                                     std::uint32_t capacity)
{
  const std::uint32_t words = chunk_front + capacity * event_words;
  reservation room{};
  room.reserve(words);
  const std::uint32_t place = room.place(words, 1);
  if (place == nowhere)
  {
    return false;
  }
  const global_words out{state.data + place + 1};
  out.store(0, stream_tag(false, warp));
  out.store(1, chunk.block);
  out.store(2, pack_stream_count({capacity, static_cast<int>(state.module)}));
  chunk.owner += capacity * free_place;
  chunk.next = place + chunk_front;
  return true;
}

/// The entry for chunks of the slot this warp is in.
struct chunk_entry
{
  callee_chunk *at;
  bool exists;
};

KINSTR_DEVICE chunk_entry find_entry()
{
  const std::uint32_t sm   = ptx::smid();
  const std::uint32_t slot = ptx::warpid();
  return {state.chunks + (sm * warp_slots + slot) * callee_chunks_per_slot,
          sm <= state.last_region && slot < warp_slots};
}

/// A chunk of this warp's with room for an event: the one `entry` tells of, or a new one, for which
/// the warp waits. Without: there is none, and one event is lost.
KINSTR_DEVICE bool find_chunk(chunk_entry entry, callee_chunk &chunk)
{
  const std::uint32_t warp = thread_in_block() / 32;
  callee_chunk found{};
  if (entry.exists)
  {
    ptx::load_global(entry.at, found.grid_id, found.block, found.owner, found.next);
  }
  chunk.grid_id   = static_cast<std::uint32_t>(ptx::gridid());
  chunk.block     = block_in_grid();
  chunk.owner     = warp | state.module << 16;
  const bool mine = found.grid_id == chunk.grid_id && found.block == chunk.block &&
                    (found.owner & ~free_places) == chunk.owner;
  if (mine && (found.owner & free_places) != 0)
  {
    chunk = found;
    return true;
  }
  // With its header 128 bytes, as many functions are called once, then 512.
  const std::uint32_t capacity = !entry.exists ? 1 : mine ? 62 : 14;
  return open_callee_chunk(chunk, warp, capacity);
}

/// One event, now, by lane 0. The functions that a warp calls share a chunk, which none of them
/// owns, so that calls in a loop reserve no more than marks in a loop do.
///
/// The chunk's state is found by SM and hardware warp slot. Either may be another after a
/// preemption, even between two of the steps below; that costs a chunk and never an event. A warp
/// believes only what names its grid, block, module and itself, and the state of each chunk is in
/// one entry only, where its warp stored it: if the warp comes back there, it finds what it left
/// or another's.
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
KINSTR_DEVICE void callee_event(std::uint32_t site)
{
  // First: what follows is charged to the phase that begins here.
  const unsigned long long now = ptx::clock();
  const chunk_entry entry      = find_entry();
  callee_chunk chunk{};
  if (find_chunk(entry, chunk))
  {
    ptx::store_global(state.data + chunk.next, static_cast<std::uint32_t>(now),
                      pack_event_high(static_cast<std::uint32_t>(now >> 32), site));
    if (entry.exists)
    {
      ptx::store_global(entry.at, chunk.grid_id, chunk.block, chunk.owner - free_place,
                        chunk.next + event_words);
    }
  }
}

/// Lanes of a warp pass every site together.
class callee_events_uniform
{
  bool any_; // recording may be switched on and off meanwhile

public:
  KINSTR_DEVICE callee_events_uniform() : any_(false) {}

  KINSTR_DEVICE void record(std::uint32_t site)
  {
    __syncwarp();
    if (ptx::laneid() == 0 && (any_ || recorded_here()))
    {
      callee_event(site);
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
      callee_event(site);
    }
  }
};

/// Any control flow: each event by the lowest of the lanes that arrive together and have any.
class callee_events_divergent
{
  bool any_;

public:
  KINSTR_DEVICE callee_events_divergent() : any_(false) {}

  KINSTR_DEVICE void record(std::uint32_t site)
  {
    any_ = any_ || recorded_here();
    finish(site);
  }

  KINSTR_DEVICE void finish(std::uint32_t site)
  {
    const std::uint32_t together = __activemask();
    // Lanes that passed no site may come to the return with others that did.
    const std::uint32_t record = __ballot_sync(together, any_);
    if (ptx::laneid() == lowest_lane(record))
    {
      direct_event(thread_in_block() / 32, site, event_source::callee);
    }
    __syncwarp(together); // or the one that records comes to the next site on its own
  }
};

/// Together unless blocks cut warps from several short rows (see whole_rows).
class callee_events_warprows
{
  callee_events_uniform together_;
  callee_events_divergent apart_;

public:
  KINSTR_DEVICE void record(std::uint32_t site)
  {
    if (whole_rows::holds())
    {
      together_.record(site);
    }
    else
    {
      apart_.record(site);
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
  KINSTR_ANYWHERE void record(std::uint32_t) {}
  KINSTR_ANYWHERE void finish(std::uint32_t) {}
};

using callee_events_uniform  = callee_events_divergent;
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
      events_.record(First + Sites + 1);
    }
  }

  template <std::uint32_t Site>
  KINSTR_ANYWHERE void kinstr_mark()
  {
    events_.record(Site);
  }

  KINSTR_ANYWHERE ~callee() { events_.finish(First + Sites); }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_CALLEE_RECORDER_CUH
