// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all recorders share: who this warp is, room in the arena, the block's anchor.
#ifndef KINSTR_DETAIL_ARENA_CUH
#define KINSTR_DETAIL_ARENA_CUH

#include <kinstr/detail/number.cuh>
#include <kinstr/detail/ptx.cuh>
#include <kinstr/record.h>

namespace kinstr
{
namespace
{
/// Of this translation unit; the runtime writes it before the first launch. In the constant bank
/// because each warp of each block reads it (docs/internals.md has the measurement); with
/// -DKINSTR_STATE_DEVICE in global memory, for files whose own constants fill the bank.
#ifdef KINSTR_STATE_DEVICE
[[maybe_unused]] __device__ device_state state;
#else
[[maybe_unused]] __constant__ device_state state;
#endif
} // namespace

namespace detail
{

constexpr std::uint32_t full_warp = 0xFFFFFFFFu;
constexpr std::uint32_t nowhere   = 0xFFFFFFFFu; ///< place of a record that is not recorded

/// The lane's own value, in a register: ptxas cannot see through the shuffle, and would compute
/// some values anew wherever they are used, several instructions each time (docs/internals.md).
KINSTR_DEVICE std::uint32_t kept(std::uint32_t v)
{
  return __shfl_sync(full_warp, v, static_cast<int>(ptx::laneid()));
}

/// Lane 0's answer, for all lanes: what may change while they ask must not part them.
KINSTR_DEVICE bool asked_by_lane_0(bool answer)
{
  return __shfl_sync(full_warp, answer ? 1u : 0u, 0) != 0;
}

KINSTR_DEVICE std::uint32_t thread_in_block()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

KINSTR_DEVICE std::uint32_t block_in_grid(ptx::index3 block)
{
  return block.x + gridDim.x * (block.y + gridDim.y * block.z);
}

KINSTR_DEVICE std::uint32_t block_in_grid()
{
  return block_in_grid({blockIdx.x, blockIdx.y, blockIdx.z});
}

/// Lanes the launch gave this warp: fewer than 32 only in the last warp of a block.
KINSTR_DEVICE std::uint32_t lanes_of_warp(std::uint32_t warp)
{
  return min(32u, blockDim.x * blockDim.y * blockDim.z - warp * 32u);
}

KINSTR_DEVICE std::uint32_t warps_of_block()
{
  return (blockDim.x * blockDim.y * blockDim.z + 31u) / 32u;
}

KINSTR_DEVICE bool is_anchor_warp(std::uint32_t warp)
{
  return warp == anchor_warp(warps_of_block());
}

KINSTR_DEVICE bool is_block_sampled()
{
  return contains(state.blocks, block_in_grid()) && contains(state.sms, ptx::smid());
}

KINSTR_DEVICE bool is_sampled()
{
  const std::uint32_t warp = thread_in_block() / 32;
  return ((state.warps >> warp & 1) != 0 || is_anchor_warp(warp)) && is_block_sampled();
}

/// Whether this warp records, asked once, when it begins. Where all or nothing is recorded it costs
/// one comparison with a constant more than nothing would.
KINSTR_DEVICE bool recorded_here()
{
  return state.recording == record_samples ? is_sampled() : state.recording != record_nothing;
}

/// Whose sites the events of a stream record name.
enum class event_source
{
  kernel,
  callee ///< this translation unit's functions other than kernels
};

KINSTR_DEVICE std::uint32_t lowest_lane(std::uint32_t lanes)
{
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(lanes)) - 1);
}

/// A clock that can be told from "not reached".
KINSTR_DEVICE std::uint32_t nonzero(std::uint32_t clock) { return max(clock, 1u); }

/// Room for one record in the region of the SM the block started on. The request is an atomic on
/// the SM's own head; its answer is needed only where find() is called, so the wait overlaps the
/// kernel. One lane a warp holds and uses it.
struct reservation
{
  unsigned long long offset; ///< in the region [words]
  std::uint32_t region;

  /// More than any region has, so that find() need not ask first.
  static constexpr unsigned long long unrequested = 1ull << 63;

  /// Recording may be switched off while a warp is under way; what it began, it finishes.
  KINSTR_DEVICE bool requested() const { return offset != unrequested; }

  KINSTR_DEVICE void request(std::uint32_t words)
  {
    offset = unrequested;
    if (recorded_here())
    {
      reserve(words);
    }
  }

  /// The same by the lane that says so, for all lanes to come along.
  KINSTR_DEVICE void request_if(bool asks, std::uint32_t words)
  {
    offset = unrequested;
    region = min(ptx::smid(), state.last_region);
    // As a number: where nothing is attached there are no heads.
    const std::uintptr_t head =
        reinterpret_cast<std::uintptr_t>(state.heads) + region * sizeof(region_head);
    static_assert(offsetof(region_head, next) == 0, "the head's first member");
    ptx::add_global_if(asks, reinterpret_cast<unsigned long long *>(head), (words + 1u) & ~1u,
                       offset);
  }

  /// The same, whether or not recording has been switched off since. Rounds up to an even number,
  /// so that every record begins on 8 bytes; the word too much stays zero and is skipped by
  /// readers.
  KINSTR_DEVICE void reserve(std::uint32_t words)
  {
    region = min(ptx::smid(), state.last_region);
    offset = ptx::add_global(&state.heads[region].next, (words + 1u) & ~1u);
  }

  /// Index into state.data of the room requested, or `nowhere`.
  KINSTR_DEVICE std::uint32_t find(std::uint32_t words) const
  {
    return offset <= state.region_words - words // a region has room for any one record
               ? region * state.region_words + static_cast<std::uint32_t>(offset)
               : nowhere;
  }

  /// What was to go there is lost.
  KINSTR_DEVICE void count_loss(std::uint32_t events) const
  {
    if (requested())
    {
      atomicAdd(&state.heads[region].dropped_records, 1ull);
      atomicAdd(&state.heads[region].dropped_events, static_cast<unsigned long long>(events));
    }
  }

  /// Both.
  KINSTR_DEVICE std::uint32_t place(std::uint32_t words, std::uint32_t events) const
  {
    const std::uint32_t found = find(words);
    if (found == nowhere)
    {
      count_loss(events);
    }
    return found;
  }
};

KINSTR_DEVICE std::uint32_t slots_tag(bool anchor, std::uint32_t warp, std::uint32_t words)
{
  return pack_tag({anchor, false, warp, words, static_cast<std::uint32_t>(ptx::gridid())});
}

KINSTR_DEVICE std::uint32_t stream_tag(bool anchor, std::uint32_t warp, bool clocks = false)
{
  return pack_tag({anchor, true, warp, clocks ? clock_pair_words : 0u,
                   static_cast<std::uint32_t>(ptx::gridid())});
}

/// Words in shared memory, by index.
struct shared_words
{
  std::uint32_t address; ///< in the shared window

  KINSTR_DEVICE void store(std::uint32_t i, std::uint32_t v) const
  {
    ptx::store_shared(address + i * 4, v);
  }
  KINSTR_DEVICE std::uint32_t load(std::uint32_t i) const
  {
    return ptx::load_shared(address + i * 4);
  }
};

/// Words in the arena, by index.
struct global_words
{
  std::uint32_t *data;

  KINSTR_DEVICE void store(std::uint32_t i, std::uint32_t v) const
  {
    ptx::store_global(data + i, v);
  }
  KINSTR_DEVICE std::uint32_t load(std::uint32_t i) const
  {
    return *static_cast<volatile std::uint32_t *>(data + i);
  }
};

/// Word 2 of a stream record.
KINSTR_DEVICE std::uint32_t stream_count(std::uint32_t events, event_source source)
{
  return pack_stream_count(
      {events, source == event_source::callee ? static_cast<int>(state.module) : kernel_events});
}

template <typename Words>
KINSTR_DEVICE void store64(Words &words, std::uint32_t i, unsigned long long v)
{
  words.store(i, static_cast<std::uint32_t>(v));
  words.store(i + 1, static_cast<std::uint32_t>(v >> 32));
}

/// Both clocks, one behind the other.
struct clock_pair
{
  unsigned long long time;  ///< [ns]
  unsigned long long clock; ///< [cycles]
};

/// By one lane: where all read, ptxas takes the clock for uniform, and reads it by S2UR.
KINSTR_DEVICE clock_pair read_clocks()
{
  const unsigned long long time = ptx::globaltimer();
  return {time, ptx::clock()};
}

/// The clock pair behind a stream record's events. By one lane.
KINSTR_DEVICE void store_clocks(std::uint32_t *out)
{
  const clock_pair now = read_clocks();
  global_words words{out};
  store64(words, 0, now.time);
  store64(words, 2, now.clock);
}

/// The anchor's first part, when the block starts.
template <typename Words>
KINSTR_DEVICE void anchor_start(Words &&anchor, clock_pair now)
{
  store64(anchor, offsetof(anchor_words, globaltimer_start) / 4, now.time);
  store64(anchor, offsetof(anchor_words, clock_start) / 4, now.clock);
  anchor.store(offsetof(anchor_words, smid) / 4, ptx::smid());
}

/// Its last part, when the warp leaves.
template <typename Words>
KINSTR_DEVICE void anchor_end(Words &&anchor, clock_pair now)
{
  const std::uint32_t smid_start = anchor.load(offsetof(anchor_words, smid) / 4);
  anchor.store(offsetof(anchor_words, smid) / 4, smid_start | ptx::smid() << 16);
  store64(anchor, offsetof(anchor_words, globaltimer_end) / 4, now.time);
  store64(anchor, offsetof(anchor_words, clock_end) / 4, now.clock);
}

/// What is the same from start to end, whenever it disturbs least.
template <typename Words>
KINSTR_DEVICE void anchor_identity(std::uint32_t kernel, Words &&anchor)
{
  store64(anchor, offsetof(anchor_words, grid_id) / 4, ptx::gridid());
  anchor.store(offsetof(anchor_words, kernel) / 4, state.module << 16 | kernel);
  anchor.store(offsetof(anchor_words, grid_dim) / 4, gridDim.x);
  anchor.store(offsetof(anchor_words, grid_dim) / 4 + 1, gridDim.y);
  anchor.store(offsetof(anchor_words, grid_dim) / 4 + 2, gridDim.z);
  anchor.store(offsetof(anchor_words, block_dim) / 4,
               blockDim.x | blockDim.y << 11 | blockDim.z << 22);
  anchor.store(offsetof(anchor_words, dynamic_shared) / 4, ptx::dynamic_shared_bytes());
  anchor.store(offsetof(anchor_words, cluster_dim) / 4, ptx::cluster_dim());
}

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_ARENA_CUH
