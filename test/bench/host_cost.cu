// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host pays, for host_cost.py:
//
//   host_cost launches N [STREAMS]    ns of host time for a launch of an almost empty kernel
//   host_cost drain                   fills the arena; then the trace is written. With a kinstr that
//                                     is off (-DKINSTR_OFF) there is nothing to do
//
// Launches come in batches that the device's queue has room for, and the device is waited for
// between batches, outside of what is timed. Printed: "median p95 worst" over the batches.
#include "../gpu/check.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifndef KINSTR_OFF
#  include <kinstr/kinstr.h>
#endif

__global__ void empty(int *out)
{
  // @phase all
  if (out != nullptr)
  {
    *out = 1;
  }
}

/// Every warp leaves a record of nine slots and its exit.
__global__ void full(int *out)
{
  // @phase a
  const int x = threadIdx.x;
  // @phase b
  const int y = x * 3;
  // @phase c
  const int z = y + x;
  // @phase d
  if (z == -1)
  {
    *out = z;
  }
  // @phase e
  __syncwarp();
  // @phase f
  __syncwarp();
  // @phase g
  __syncwarp();
  // @phase h
  __syncwarp();
  // @phase i
  __syncwarp();
}

double now()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void launches(int count, int streams)
{
  constexpr int batch = 200;
  std::vector<cudaStream_t> stream(streams);
  for (cudaStream_t &s : stream)
  {
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  }
  std::vector<double> ns;
  for (int done = -2 * batch; done < count; done += batch) // two batches to warm up
  {
    const double begin = now();
    for (int i = 0; i < batch; ++i)
    {
      empty<<<1, 32, 0, stream[i % streams]>>>(nullptr);
    }
    const double end = now();
    CHECK(cudaDeviceSynchronize());
    if (done >= 0)
    {
      ns.push_back((end - begin) / batch * 1e9);
    }
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%.0f %.0f %.0f\n", ns[ns.size() / 2], ns[ns.size() * 95 / 100], ns.back());
}

void drain()
{
#ifndef KINSTR_OFF
  for (int i = 0; i < 40; ++i)
  {
    full<<<16384, 512>>>(nullptr);
  }
  CHECK(cudaDeviceSynchronize());
  const double begin = now();
  const int result   = kinstr_flush();
  const double end   = now();
  std::printf("%d %.6f\n", result, end - begin);
#endif
}

int main(int argc, char **arguments)
{
  if (argc > 2 && std::strcmp(arguments[1], "launches") == 0)
  {
    launches(std::atoi(arguments[2]), argc > 3 ? std::atoi(arguments[3]) : 1);
  }
  else
  {
    drain();
  }
  return 0;
}
