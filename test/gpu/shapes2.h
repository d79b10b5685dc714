// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What shapes2.cu and shapes2_other.cu share.
#ifndef SHAPES2_H
#define SHAPES2_H

#include "check.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(bool right, const char *what, int where)
{
  if (!right)
  {
    std::fprintf(stderr, "%s: wrong at %d\n", what, where);
    std::exit(1);
  }
}

inline int *device_ints(int count)
{
  int *p;
  CHECK(cudaMalloc(&p, count * sizeof(int)));
  CHECK(cudaMemset(p, 0, count * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  return p;
}

inline std::vector<int> fetch(const int *device, int count)
{
  std::vector<int> host(count);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost));
  return host;
}

__device__ int other_function(int v); ///< 3 v + 1
void launch_other(int *out);          ///< 20 blocks of 64 threads: 3 i + 2

#endif // SHAPES2_H
