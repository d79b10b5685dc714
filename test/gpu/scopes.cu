// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes and values of every kind. check_scopes.py knows which there are.
#include "check.h"
#include <vector>

constexpr int rounds = 70, blocks = 5, threads = 96;

// Longer than any buffer.
__global__ void loop(int *p, long long wide)
{
  // @scope all
  for (int i = 0; i < rounds; ++i)
  {
    // @scope round
    {
      // @value i = i - 3
      // @value thread = threadIdx.x
      // @value real = 0.25f * i
      p[blockIdx.x * threads + threadIdx.x] += i;
      // @mark between
      if (i % 2 == 0) // @scope even
      {
        // @value wide = wide * i
        p[blockIdx.x * threads + threadIdx.x] ^= 1;
      }
    }
  }
}

// Every way out of a scope: 2 rounds by continue, then a break or a return, or all of them.
__global__ void ways_out(int *p, int leave)
{
  // @phase rounds
  for (int i = 0; i < 6; ++i)
  {
    // @scope round
    {
      if (i < 2)
        continue;
      // @value late = i
      if (leave == 1 && i == 3)
        break;
      if (leave == 2 && i == 4)
        return;
      p[0] = i;
    }
  }
  // @phase end
  p[1] = leave;
}

// Slots: no loop, no value.
__global__ void straight(int *p)
{
  // @phase first
  p[0] = 1;
  // @scope outer
  {
    p[1] = 1;
    // @phase second
    // @scope inner drain
    p[2] = p[3];
    p[4] = 1;
  }
  p[5] = 1;
}

// Lanes come one by one, each with a number of its own.
__global__ void apart(int *p)
{
  // @scope all
  for (int i = 0; i < 20; ++i)
  {
    if ((threadIdx.x & 3) == (i & 3))
    {
      // @value lane = threadIdx.x
      p[threadIdx.x] += i;
    }
  }
}

__device__ __noinline__ int work(int v)
{
  // @scope work
  {
    // @value v = v
    if (v % 3 == 0)
      return v + 1;
    // @value again = v * 2u
    return v;
  }
}
__global__ void calls(int *p)
{
  // @scope calls
  for (int i = 0; i < 50; ++i)
    p[blockIdx.x] += work(blockIdx.x + i);
}

// What a value costs: from `second` to `third` lies one, from `first` to `second` none.
__global__ void costs(int *p)
{
  for (int i = 0; i < 200; ++i)
  {
    // @mark first
    // @mark second
    // @value number = i
    // @mark third
    p[threadIdx.x] += i;
  }
}

int main()
{
  int *p = nullptr;
  CHECK(cudaMalloc(&p, blocks * threads * sizeof(int)));
  CHECK(cudaMemset(p, 0, blocks * threads * sizeof(int)));
  loop<<<blocks, threads>>>(p, 1ll << 40);
  std::vector<int> found(blocks * threads);
  CHECK(cudaMemcpy(found.data(), p, found.size() * sizeof(int), cudaMemcpyDeviceToHost));
  int expected = 0;
  for (int i = 0; i < rounds; ++i)
    expected = (expected + i) ^ (i % 2 == 0);
  bool right = true;
  for (int v : found)
    right &= v == expected;
  for (int leave = 0; leave < 3; ++leave)
    ways_out<<<1, 64>>>(p, leave);
  straight<<<2, 64>>>(p);
  apart<<<1, 64>>>(p);
  calls<<<3, 64>>>(p);
  costs<<<1, 32>>>(p);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s\n", right ? "right" : "WRONG");
  return !right;
}
