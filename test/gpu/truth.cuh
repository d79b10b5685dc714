// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs truth_*.cu share. Each makes phases whose length it knows in another way, and
// prints what it knows as JSON, one line a traced launch, in the order of the launches; a line of a
// kernel that is not traced has the key "reference". check_truth.py compares.
#ifndef TRUTH_CUH
#define TRUTH_CUH

#include "check.h"
#include <cstdio>
#include <string>
#include <vector>

using ticks = long long; // cycles of an SM

__device__ __forceinline__ ticks now()
{
  ticks t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

/// What a phase knows of itself: it read the clock first and last.
struct Spin
{
  ticks from, to;
};

/// Spins for `n` cycles and the rest of a turn. The last reading comes when the loop is left: what
/// it takes to leave is the spin's.
__device__ __forceinline__ Spin spin(ticks n)
{
  Spin s;
  s.from = now();
#pragma unroll 1
  while (now() - s.from < n)
  {
  }
  s.to = now();
  return s;
}

__device__ __forceinline__ ticks length(const Spin &s) { return s.to - s.from; }

__device__ __forceinline__ unsigned thread_in_grid()
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/// Device memory for `count` values, zeroed.
template <typename T>
static T *device_array(size_t count)
{
  T *p;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

/// What a launch knows, as JSON: one list of numbers a warp, or nothing.
static std::string as_json(const ticks *device, size_t warps, size_t each)
{
  if (each == 0)
  {
    return "[]";
  }
  std::vector<ticks> host(warps * each);
  CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(ticks), cudaMemcpyDeviceToHost));
  std::string text = "[";
  for (size_t w = 0; w < warps; ++w)
  {
    for (size_t i = 0; i < each; ++i)
    {
      text += (i == 0 ? w == 0 ? "[" : ",[" : ",") + std::to_string(host[w * each + i]);
    }
    text += "]";
  }
  return text + "]";
}

#endif // TRUTH_CUH
