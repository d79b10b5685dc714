// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other file of shapes2: a function that its kernel calls, and a kernel that calls it too.
#include "shapes2.h"

__device__ int other_function(int v)
{
  // @phase triple
  v *= 3;
  // @phase plus
  return v + 1;
}

__global__ void other_kernel(int *out)
{
  // @phase other
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i]      = other_function(i) + 1;
}

void launch_other(int *out) { other_kernel<<<20, 64>>>(out); }
