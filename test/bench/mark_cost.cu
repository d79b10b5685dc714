// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mark costs: phases with nothing in them. Their length is the cost of the mark that ends
// them. One block of one warp, then one of 16; the first mark of a kernel is not representative.
//
//   kinstr mark_cost.cu -o m.cu --buffer=shared && nvcc -O3 m.cu $(kinstr --nvcc-flags) -o m && ./m
//   kinstr-report m.kitrace
#include <cstdio>

__global__ void straight(int *out)
{
  // @phase first
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase last
  out[threadIdx.x] = 1;
}

__global__ void looped(int *out, int n)
{
  for (int i = 0; i < n; ++i)
  {
    // @phase first
    // @phase empty
    // @phase empty
    // @phase empty
    // @phase empty
    // @phase last
    out[threadIdx.x] = i;
  }
}

__global__ void divergent(int *out, int n)
{
  // @phase first
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase empty
  // @phase last
  if (static_cast<int>(threadIdx.x) == n)
  {
    return;
  }
  out[threadIdx.x] = 1;
}

int main()
{
  int *out;
  if (cudaMalloc(&out, 512 * sizeof(int)) != cudaSuccess)
  {
    std::fprintf(stderr, "no GPU\n");
    return 1;
  }
  for (int repeat = 0; repeat < 3; ++repeat)
  {
    for (int threads : {32, 512})
    {
      straight<<<1, threads>>>(out);
      looped<<<1, threads>>>(out, 100);
      divergent<<<1, threads>>>(out, -1);
    }
  }
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
