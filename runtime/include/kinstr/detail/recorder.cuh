// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the recorder that KINSTR_KERNEL names.
#ifndef KINSTR_DETAIL_RECORDER_CUH
#define KINSTR_DETAIL_RECORDER_CUH

#include <kinstr/detail/direct_recorder.cuh>
#include <kinstr/detail/global_recorder.cuh>
#include <kinstr/detail/shared_recorder.cuh>

namespace kinstr
{

enum class buffer
{
  shared,     ///< in shared memory
  shared1024, ///< likewise, in a multiple of 1024 bytes: dynamic shared memory keeps its alignment
  global,     ///< straight to the arena
};

enum class layout
{
  slots, ///< each site is passed at most once
  stream ///< sites in loops
};

enum class flow
{
  uniform,  ///< the lanes of a warp pass every site together, and leave together
  divergent ///< not proven
};

namespace detail
{

template <buffer B>
constexpr std::uint32_t shared_alignment = B == buffer::shared1024 ? 1024 : 4;

template <std::uint32_t Kernel, buffer B, layout L, flow F, std::uint32_t Sites,
          std::uint32_t Threads>
struct select
{
  using type = shared_divergent<Kernel, Sites, Threads, shared_alignment<B>, L == layout::stream>;
};

template <std::uint32_t Kernel, buffer B, std::uint32_t Sites, std::uint32_t Threads>
struct select<Kernel, B, layout::slots, flow::uniform, Sites, Threads>
{
  using type = shared_slots_uniform<Kernel, Sites, Threads, shared_alignment<B>>;
};

template <std::uint32_t Kernel, buffer B, std::uint32_t Sites, std::uint32_t Threads>
struct select<Kernel, B, layout::stream, flow::uniform, Sites, Threads>
{
  using type = shared_stream_uniform<Kernel, Sites, Threads, shared_alignment<B>>;
};

template <std::uint32_t Kernel, std::uint32_t Sites, std::uint32_t Threads>
struct select<Kernel, buffer::global, layout::slots, flow::uniform, Sites, Threads>
{
  using type = global_slots_uniform<Kernel, Sites>;
};

template <std::uint32_t Kernel, std::uint32_t Sites, std::uint32_t Threads>
struct select<Kernel, buffer::global, layout::stream, flow::uniform, Sites, Threads>
{
  using type = global_stream_uniform<Kernel>;
};

template <std::uint32_t Kernel, layout L, std::uint32_t Sites, std::uint32_t Threads>
struct select<Kernel, buffer::global, L, flow::divergent, Sites, Threads>
{
  using type = direct_divergent<Kernel>;
};

} // namespace detail

template <std::uint32_t Kernel, buffer B, layout L, flow F, std::uint32_t Sites,
          std::uint32_t Threads>
using recorder = typename detail::select<Kernel, B, L, F, Sites, Threads>::type;

KINSTR_DEVICE void drain_loads() { ptx::drain_loads(); }

KINSTR_DEVICE void drain_stores() { __threadfence(); }

} // namespace kinstr

#endif // KINSTR_DETAIL_RECORDER_CUH
