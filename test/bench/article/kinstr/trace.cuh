// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheme kinstr is compared with, behind kinstr's own macros, so that the very same rewritten
// kernel can be compiled with either: 16-byte events { %clock64, id } that lane 0 of each warp
// keeps in 20 KB of shared memory, an anchor taken by thread 0 before a block-wide barrier, and a
// flush in which lane 0 copies its events to global memory one after another.
//
// For the benchmark only: one kernel a program, 1-D blocks and grids up to max_blocks.
#ifndef KINSTR_BENCH_ARTICLE_TRACE_CUH
#define KINSTR_BENCH_ARTICLE_TRACE_CUH

#include <cstdint>

namespace kinstr
{
namespace article
{

constexpr unsigned events_per_warp = 64;
constexpr unsigned max_warps       = 20;
constexpr unsigned max_blocks      = 16384;

struct event
{
  unsigned long long clock;
  std::uint32_t id;
  std::uint32_t pad;
};

static __device__ event trace[max_blocks * max_warps * events_per_warp];
static __device__ std::uint32_t counts[max_blocks * max_warps];

__device__ __forceinline__ unsigned long long clock64_now()
{
  unsigned long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ unsigned long long globaltimer_now()
{
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

struct recorder
{
  event *mine;
  std::uint32_t count;
  std::uint32_t warp;
  bool leader;

  __device__ __forceinline__ recorder()
      : count(0), warp(threadIdx.x / 32), leader(threadIdx.x % 32 == 0)
  {
    __shared__ __align__(16) event events[max_warps * events_per_warp];
    __shared__ volatile unsigned long long anchor[2];
    if (threadIdx.x == 0)
    {
      anchor[0] = clock64_now();
      anchor[1] = globaltimer_now();
    }
    __syncthreads();
    mine = events + warp * events_per_warp;
    if (leader)
    {
      mine[count++] = {anchor[1], 0xFFFFFFFFu, 0};
      mine[count++] = {anchor[0], 0xFFFFFFFEu, 0};
    }
  }

  template <unsigned Site>
  __device__ __forceinline__ void mark()
  {
    __syncwarp();
    if (leader)
    {
      mine[count++] = {clock64_now(), Site, 0};
    }
  }

  __device__ __forceinline__ ~recorder()
  {
    mark<0xFFFF>();
    if (leader)
    {
      event *const out = trace + (blockIdx.x * max_warps + warp) * events_per_warp;
      for (std::uint32_t i = 0; i < count; ++i)
      {
        out[i] = mine[i];
      }
      counts[blockIdx.x * max_warps + warp] = count;
    }
  }
};

template <unsigned char... Arguments>
struct kinstr_tables
{
  explicit kinstr_tables(const char *) {}
};

} // namespace article

using article::kinstr_tables;

} // namespace kinstr

#define KINSTR_KERNEL(...) ::kinstr::article::recorder kinstr_recorder;
#define KINSTR_MARK(SITE) kinstr_recorder.template mark<SITE>();
#define KINSTR_GRID(SITE, KERNEL, ...) __VA_ARGS__
#define KINSTR_BLOCK(SITE, ...) __VA_ARGS__

#endif // KINSTR_BENCH_ARTICLE_TRACE_CUH
