// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorders for one activation of a function that a kernel calls: its events go to records of their
// own, and the reader puts them between those of the kernel. They know nothing of their caller, so
// that no signature changes and any kernel may call, one that does not record included.
//
// Such a function may be __host__ __device__: on the host nothing happens.
#ifndef KINSTR_DETAIL_CALLEE_RECORDER_CUH
#define KINSTR_DETAIL_CALLEE_RECORDER_CUH

#include <kinstr/detail/direct_recorder.cuh>
#include <kinstr/detail/either.cuh>
#include <kinstr/detail/global_recorder.cuh>

#define KINSTR_ANYWHERE __host__ __device__ __forceinline__

namespace kinstr
{
namespace detail
{

#ifdef __CUDA_ARCH__

/// Lanes of a warp pass every site together. Reserves nothing until the first site, and only once
/// where each site is passed at most once.
template <std::uint32_t Capacity>
class callee_events_uniform
{
  using chunk = event_chunk<Capacity>;

  // Lane 0's.
  std::uint32_t *next_; // place of the next event; null: there was no room
  std::uint32_t *end_;
  bool any_; // recording may be switched on and off meanwhile

public:
  KINSTR_DEVICE callee_events_uniform() : next_(nullptr), end_(nullptr), any_(false) {}

  KINSTR_DEVICE void record(std::uint32_t site)
  {
    __syncwarp();
    if (ptx::laneid() == 0 && (any_ || recorded_here()))
    {
      store(site);
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
      store(site);
    }
  }

private:
  KINSTR_DEVICE void store(std::uint32_t site)
  {
    if (next_ == end_)
    {
      reservation room{};
      room.reserve(chunk::words(false));
      next_ = chunk::open(room, thread_in_block() / 32, false, 1, event_source::callee);
      end_  = next_ == nullptr ? nullptr : next_ + Capacity * event_words;
    }
    if (next_ != nullptr)
    {
      store_event(next_, site);
      next_ += event_words;
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
template <std::uint32_t Capacity>
class callee_events_warprows
{
  callee_events_uniform<Capacity> together_;
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

template <std::uint32_t>
using callee_events_uniform = callee_events_divergent;
template <std::uint32_t>
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
