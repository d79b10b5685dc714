// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What KINSTR_KERNEL, KINSTR_FUNCTION and KINSTR_MARK expand to. A macro's text is looked up where
// the user's file uses it, after whatever the user has defined: every name in it carries the
// prefix, also inside the namespace, and words such as `shared` reach it only by pasting.
#ifndef KINSTR_DETAIL_RECORDER_CUH
#define KINSTR_DETAIL_RECORDER_CUH

#include <kinstr/detail/body.cuh>
#include <kinstr/detail/callee_recorder.cuh>
#include <kinstr/detail/direct_recorder.cuh>
#include <kinstr/detail/either.cuh>
#include <kinstr/detail/global_recorder.cuh>
#include <kinstr/detail/kernel_recorder.cuh>
#include <kinstr/detail/lanes_recorder.cuh>
#include <kinstr/detail/shared_recorder.cuh>

namespace kinstr
{

// What the macros' words stand for.
enum class kinstr_buffer
{
  kinstr_shared,     ///< in shared memory
  kinstr_shared1024, ///< likewise, in a multiple of 1024 bytes: dynamic shared memory behind it
                     ///< keeps its alignment
  kinstr_lanes,      ///< in registers, an event in each lane
  kinstr_global      ///< straight to the arena
};
enum class kinstr_layout
{
  kinstr_slots, ///< each site is passed at most once
  kinstr_stream ///< sites in loops
};
enum class kinstr_flow
{
  kinstr_uniform,  ///< the lanes of a warp pass every site together, and leave together
  kinstr_warprows, ///< likewise, where a warp is 32 neighbours along x
  kinstr_divergent ///< not proven
};
enum class kinstr_nesting
{
  kinstr_leaf,     ///< the function calls no other that is traced, nor itself
  kinstr_once,     ///< it may call others
  kinstr_recursive ///< and itself
};

namespace detail
{

/// How warps are recorded whose lanes stay together, and other warps. S: number of sites. T: most
/// threads of a block, 0 unknown.
template <kinstr_buffer, kinstr_layout, std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders;

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_shared, kinstr_layout::kinstr_slots, K, S, T>
{
  using uniform   = shared_slots_uniform<K, S, T, 4>;
  using divergent = shared_divergent<K, S, T, 4, false>;
};
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_shared, kinstr_layout::kinstr_stream, K, S, T>
{
  using uniform   = shared_stream_uniform<K, S, T, 4>;
  using divergent = shared_divergent<K, S, T, 4, true>;
};

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_shared1024, kinstr_layout::kinstr_slots, K, S, T>
{
  using uniform   = shared_slots_uniform<K, S, T, 1024>;
  using divergent = shared_divergent<K, S, T, 1024, false>;
};
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_shared1024, kinstr_layout::kinstr_stream, K, S, T>
{
  using uniform   = shared_stream_uniform<K, S, T, 1024>;
  using divergent = shared_divergent<K, S, T, 1024, true>;
};

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_lanes, kinstr_layout::kinstr_slots, K, S, T>
{
  using uniform   = lanes_slots_uniform<K, S>;
  using divergent = direct_divergent<K>;
};
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_lanes, kinstr_layout::kinstr_stream, K, S, T>
{
  using uniform   = lanes_stream_uniform<K>;
  using divergent = direct_divergent<K>;
};

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_global, kinstr_layout::kinstr_slots, K, S, T>
{
  using uniform   = global_slots_uniform<K, S>;
  using divergent = direct_divergent<K>;
};
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
struct kernel_recorders<kinstr_buffer::kinstr_global, kinstr_layout::kinstr_stream, K, S, T>
{
  using uniform   = global_stream_uniform<K>;
  using divergent = direct_divergent<K>;
};

template <kinstr_layout, std::uint32_t S>
struct progress_of
{
  using type = slots_progress<S>;
};
template <std::uint32_t S>
struct progress_of<kinstr_layout::kinstr_stream, S>
{
  using type = stream_progress;
};

template <kinstr_flow, std::uint32_t K, typename Recorders>
struct of_flow
{
  using type = typename Recorders::uniform;
};
template <std::uint32_t K, typename Recorders>
struct of_flow<kinstr_flow::kinstr_warprows, K, Recorders>
{
  using type = warprows<K, typename Recorders::uniform>;
};
template <std::uint32_t K, typename Recorders>
struct of_flow<kinstr_flow::kinstr_divergent, K, Recorders>
{
  using type = typename Recorders::divergent;
};

/// Together: for warps whose lanes stay together.
template <kinstr_flow, typename Together>
struct callee_events
{
  using type = Together;
};
template <typename Together>
struct callee_events<kinstr_flow::kinstr_warprows, Together>
{
  using type = callee_events_warprows<Together>;
};
template <typename Together>
struct callee_events<kinstr_flow::kinstr_divergent, Together>
{
  using type = callee_events_divergent;
};

template <kinstr_nesting>
struct callee_events_together
{
  using type = callee_events_uniform;
};
template <>
struct callee_events_together<kinstr_nesting::kinstr_leaf>
{
  using type = callee_events_leaf;
};

} // namespace detail

template <kinstr_buffer Buffer, kinstr_layout Layout, kinstr_flow Flow, std::uint32_t Kernel,
          std::uint32_t Sites, std::uint32_t Threads>
using kinstr_recorder_of = detail::kernel_recorder<
    typename detail::of_flow<
        Flow, Kernel, detail::kernel_recorders<Buffer, Layout, Kernel, Sites, Threads>>::type,
    typename detail::progress_of<Layout, Sites>::type>;

template <kinstr_flow Flow, kinstr_nesting Nesting, std::uint32_t First, std::uint32_t Sites>
using kinstr_callee_of =
    detail::callee<typename detail::callee_events<
                       Flow, typename detail::callee_events_together<Nesting>::type>::type,
                   First, Sites, Nesting == kinstr_nesting::kinstr_recursive>;

KINSTR_ANYWHERE void kinstr_drain_nothing() {}

KINSTR_ANYWHERE void kinstr_drain_loads()
{
#ifdef __CUDA_ARCH__
  ptx::drain_loads();
#endif
}

KINSTR_ANYWHERE void kinstr_drain_stores()
{
#ifdef __CUDA_ARCH__
  __threadfence();
#endif
}

/// Passes site Begin where it begins and site End where it ends, each behind a Drain.
template <typename Recorder, std::uint32_t Begin, std::uint32_t End,
          void (*Drain)() = kinstr_drain_nothing>
class kinstr_scope
{
  Recorder &recorder_;

public:
  KINSTR_ANYWHERE explicit kinstr_scope(Recorder &recorder) : recorder_(recorder)
  {
    Drain();
    recorder_.template kinstr_mark<Begin>();
  }
  kinstr_scope(const kinstr_scope &)            = delete;
  kinstr_scope &operator=(const kinstr_scope &) = delete;

  KINSTR_ANYWHERE ~kinstr_scope()
  {
    Drain();
    recorder_.template kinstr_mark<End>();
  }
};

} // namespace kinstr

#endif // KINSTR_DETAIL_RECORDER_CUH
