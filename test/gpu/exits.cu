// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes and warps that leave early, part, and wait for each other at barriers of all kinds. The
// results are checked here; which events the trace must hold, check_exits.py knows.
//
//   exits [KERNEL]       all of them, or one
//
// For sm_90a; setmaxnreg is left out elsewhere.
#include "check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int threads = 256;
constexpr int warps   = threads / 32;
constexpr int blocks  = 40;
constexpr int tiles   = 24; // of the pipelines

__device__ int thread_in_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ void named_barrier(int id, int count)
{
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ __forceinline__ void named_arrive(int id, int count)
{
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

/// One lane of each warp leaves at each turn, lane 0 first.
__global__ void lane_by_lane(int *out)
{
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 32; ++i)
  {
    // @phase turn
    out[thread_in_grid()] += 1;
    if (lane == i)
    {
      return;
    }
  }
}

/// Odd warps leave; the others go on to the block's barrier without them.
__global__ void warps_leave(int *out)
{
  __shared__ int sum[warps];
  // @phase first
  const int warp = threadIdx.x / 32;
  if (warp % 2 == 1)
  {
    out[thread_in_grid()] = -warp;
    return;
  }
  // @phase work
  if (threadIdx.x % 32 == 0)
  {
    sum[warp] = warp + 1;
  }
  // @phase barrier
  __syncthreads();
  // @phase last
  int total = 0;
  for (int w = 0; w < warps; w += 2)
  {
    total += sum[w];
  }
  out[thread_in_grid()] = total;
}

/// Odd lanes leave; the others go on to the block's barrier without them.
__global__ void lanes_leave(int *out)
{
  __shared__ int values[threads];
  // @phase first
  if (threadIdx.x % 2 == 1)
  {
    out[thread_in_grid()] = -1;
    return;
  }
  // @phase work
  values[threadIdx.x] = threadIdx.x;
  // @phase barrier
  __syncthreads();
  // @phase last
  out[thread_in_grid()] = values[(threadIdx.x + 32) % threads];
}

/// Marks in branches that lanes take on their own, nested, and in the cases of a switch.
__global__ void branches(int *out)
{
  int v = 0;
  // @phase before
  if (threadIdx.x & 1)
  {
    // @phase odd
    v += 1;
    if (threadIdx.x & 2)
    {
      // @phase third
      v += 2;
    }
  }
  else
  {
    // @phase even
    v += 4;
  }
  switch (threadIdx.x % 4)
  {
  case 0:
    // @phase zero
    v += 8;
    break;
  case 1:
    // @phase one
    v += 16;
    break;
  default:
    // @phase others
    v += 32;
  }
  // @phase after
  out[thread_in_grid()] = v;
}

/// Half of the warps fill a buffer of two tiles, half of them empty it; barriers 1 and 2 say that a
/// tile is full, 3 and 4 that it is free.
__global__ void named_barriers(int *out)
{
  constexpr int half = threads / 2;
  __shared__ int tile[2][half];
  const int lane_of_role = threadIdx.x % half;
  if (threadIdx.x / half == 0)
  {
    for (int t = 0; t < tiles; ++t)
    {
      // @phase wait_free
      if (t >= 2)
      {
        named_barrier(3 + t % 2, threads);
      }
      // @phase fill
      tile[t % 2][lane_of_role] = t * 1000 + lane_of_role;
      // @phase say_full
      named_arrive(1 + t % 2, threads);
    }
    out[thread_in_grid()] = 0;
  }
  else
  {
    int sum = 0;
    for (int t = 0; t < tiles; ++t)
    {
      // @phase wait_full
      named_barrier(1 + t % 2, threads);
      // @phase empty
      sum += tile[t % 2][(lane_of_role + 32) % half];
      // @phase say_free
      if (t + 2 < tiles)
      {
        named_arrive(3 + t % 2, threads);
      }
    }
    out[thread_in_grid()] = sum;
  }
}

/// The same with registers handed from the producers, which need few, to the consumers.
__global__ void __launch_bounds__(threads, 1) set_registers(int *out)
{
  constexpr int half = threads / 2; // a warp group
  __shared__ int tile[2][half];
  const int lane_of_role = threadIdx.x % half;
  if (threadIdx.x / half == 0)
  {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
#endif
    // @phase produce
    for (int t = 0; t < tiles; ++t)
    {
      if (t >= 2)
      {
        named_barrier(3 + t % 2, threads);
      }
      // @phase fill
      tile[t % 2][lane_of_role] = t * 1000 + lane_of_role;
      named_arrive(1 + t % 2, threads);
    }
    out[thread_in_grid()] = 0;
  }
  else
  {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
#endif
    // @phase consume
    int sum = 0;
    for (int t = 0; t < tiles; ++t)
    {
      // @phase wait_full
      named_barrier(1 + t % 2, threads);
      // @phase empty
      sum += tile[t % 2][(lane_of_role + 32) % half];
      if (t + 2 < tiles)
      {
        named_arrive(3 + t % 2, threads);
      }
    }
    out[thread_in_grid()] = sum;
  }
}

/// Warp 3 leaves by an instruction that no destructor sees.
__global__ void quits(int *out)
{
  // @phase first
  out[thread_in_grid()] = 1;
  if (threadIdx.x / 32 == 3)
  {
    asm volatile("exit;");
  }
  // @phase second
  out[thread_in_grid()] = 2;
}

static int expected(const char *kernel, int i)
{
  const auto is    = [&](const char *name) { return std::strcmp(kernel, name) == 0; };
  const int thread = i % threads;
  const int warp   = thread / 32;
  if (is("lane_by_lane"))
  {
    return thread % 32 + 1;
  }
  if (is("warps_leave"))
  {
    return warp % 2 == 1 ? -warp : warps * warps / 4; // 1 + 3 + 5 + 7
  }
  if (is("lanes_leave"))
  {
    return thread % 2 == 1 ? -1 : (thread + 32) % threads;
  }
  if (is("branches"))
  {
    const int cases[] = {8, 16, 32, 32};
    return (thread & 1 ? thread & 2 ? 3 : 1 : 4) + cases[thread % 4];
  }
  if (is("quits"))
  {
    return warp == 3 ? 1 : 2;
  }
  const int half = threads / 2; // the pipelines
  return thread < half ? 0 : 1000 * tiles * (tiles - 1) / 2 + tiles * ((thread - half + 32) % half);
}

static void launch(const char *kernel, int *out)
{
  const auto is = [&](const char *name) { return std::strcmp(kernel, name) == 0; };
  if (is("lane_by_lane"))
  {
    lane_by_lane<<<blocks, threads>>>(out);
  }
  else if (is("warps_leave"))
  {
    warps_leave<<<blocks, threads>>>(out);
  }
  else if (is("lanes_leave"))
  {
    lanes_leave<<<blocks, threads>>>(out);
  }
  else if (is("branches"))
  {
    branches<<<blocks, threads>>>(out);
  }
  else if (is("named_barriers"))
  {
    named_barriers<<<blocks, threads>>>(out);
  }
  else if (is("set_registers"))
  {
    set_registers<<<blocks, threads>>>(out);
  }
  else
  {
    quits<<<blocks, threads>>>(out);
  }
  CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
  const int count = blocks * threads;
  int *out;
  CHECK(cudaMalloc(&out, count * sizeof(int)));
  std::vector<int> host(count);
  for (const char *kernel : {"lane_by_lane", "warps_leave", "lanes_leave", "branches", "named_barriers",
                             "set_registers", "quits"})
  {
    if (argc > 1 && std::strcmp(argv[1], kernel) != 0)
    {
      continue;
    }
    CHECK(cudaMemset(out, 0, count * sizeof(int)));
    launch(kernel, out);
    CHECK(cudaMemcpy(host.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
    {
      if (host[i] != expected(kernel, i))
      {
        std::fprintf(stderr, "%s: thread %d: %d, expected %d\n", kernel, i, host[i], expected(kernel, i));
        return 1;
      }
    }
  }
  return 0;
}
