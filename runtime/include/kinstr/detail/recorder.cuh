// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What KINSTR_KERNEL, KINSTR_FUNCTION and KINSTR_MARK expand to. A macro's text is looked up where
// the user's file uses it, after whatever the user has defined: every name in it carries the
// prefix, also inside the namespace, and words such as `shared` reach it only by pasting.
#ifndef KINSTR_DETAIL_RECORDER_CUH
#define KINSTR_DETAIL_RECORDER_CUH

#include <kinstr/detail/callee_recorder.cuh>
#include <kinstr/detail/direct_recorder.cuh>
#include <kinstr/detail/global_recorder.cuh>
#include <kinstr/detail/shared_recorder.cuh>
#include <kinstr/detail/warprows_recorder.cuh>

namespace kinstr
{

// kinstr_recorder_BUFFER_LAYOUT_FLOW<Kernel, Sites, Threads>
//   BUFFER  shared      in shared memory
//           shared1024  likewise, in a multiple of 1024 bytes: dynamic shared memory behind it
//           keeps
//                       its alignment
//           global      straight to the arena
//   LAYOUT  slots       each site is passed at most once
//           stream      sites in loops
//   FLOW    uniform     the lanes of a warp pass every site together, and leave together
//           warprows    likewise, where a warp is 32 neighbours along x
//           divergent   not proven

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared_slots_uniform = detail::shared_slots_uniform<K, S, T, 4>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared_stream_uniform = detail::shared_stream_uniform<K, S, T, 4>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared_slots_divergent = detail::shared_divergent<K, S, T, 4, false>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared_stream_divergent = detail::shared_divergent<K, S, T, 4, true>;

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared1024_slots_uniform = detail::shared_slots_uniform<K, S, T, 1024>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared1024_stream_uniform = detail::shared_stream_uniform<K, S, T, 1024>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared1024_slots_divergent = detail::shared_divergent<K, S, T, 1024, false>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared1024_stream_divergent = detail::shared_divergent<K, S, T, 1024, true>;

template <std::uint32_t K, std::uint32_t S, std::uint32_t>
using kinstr_recorder_global_slots_uniform = detail::global_slots_uniform<K, S>;
template <std::uint32_t K, std::uint32_t, std::uint32_t>
using kinstr_recorder_global_stream_uniform = detail::global_stream_uniform<K>;
template <std::uint32_t K, std::uint32_t, std::uint32_t>
using kinstr_recorder_global_slots_divergent = detail::direct_divergent<K>;
template <std::uint32_t K, std::uint32_t, std::uint32_t>
using kinstr_recorder_global_stream_divergent = detail::direct_divergent<K>;

template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared_slots_warprows =
    detail::warprows<K, kinstr_recorder_shared_slots_uniform<K, S, T>>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared_stream_warprows =
    detail::warprows<K, kinstr_recorder_shared_stream_uniform<K, S, T>>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared1024_slots_warprows =
    detail::warprows<K, kinstr_recorder_shared1024_slots_uniform<K, S, T>>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_shared1024_stream_warprows =
    detail::warprows<K, kinstr_recorder_shared1024_stream_uniform<K, S, T>>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_global_slots_warprows =
    detail::warprows<K, kinstr_recorder_global_slots_uniform<K, S, T>>;
template <std::uint32_t K, std::uint32_t S, std::uint32_t T>
using kinstr_recorder_global_stream_warprows =
    detail::warprows<K, kinstr_recorder_global_stream_uniform<K, S, T>>;

// kinstr_callee_LAYOUT_FLOW_ENTRY<First, Sites>
//   LAYOUT, FLOW  as above
//   ENTRY         recursive   may call itself
//                 once        does not

constexpr std::uint32_t kinstr_callee_chunk = 62; // events

template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_slots_uniform_once =
    detail::callee<detail::callee_events_uniform<S + 1>, F, S, false>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_slots_uniform_recursive =
    detail::callee<detail::callee_events_uniform<S + 2>, F, S, true>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_stream_uniform_once =
    detail::callee<detail::callee_events_uniform<kinstr_callee_chunk>, F, S, false>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_stream_uniform_recursive =
    detail::callee<detail::callee_events_uniform<kinstr_callee_chunk>, F, S, true>;

template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_slots_warprows_once =
    detail::callee<detail::callee_events_warprows<S + 1>, F, S, false>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_slots_warprows_recursive =
    detail::callee<detail::callee_events_warprows<S + 2>, F, S, true>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_stream_warprows_once =
    detail::callee<detail::callee_events_warprows<kinstr_callee_chunk>, F, S, false>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_stream_warprows_recursive =
    detail::callee<detail::callee_events_warprows<kinstr_callee_chunk>, F, S, true>;

template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_slots_divergent_once =
    detail::callee<detail::callee_events_divergent<1>, F, S, false>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_slots_divergent_recursive =
    detail::callee<detail::callee_events_divergent<1>, F, S, true>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_stream_divergent_once =
    detail::callee<detail::callee_events_divergent<1>, F, S, false>;
template <std::uint32_t F, std::uint32_t S>
using kinstr_callee_stream_divergent_recursive =
    detail::callee<detail::callee_events_divergent<1>, F, S, true>;

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

} // namespace kinstr

#endif // KINSTR_DETAIL_RECORDER_CUH
