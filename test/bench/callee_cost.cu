// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an activation of an annotated function costs: a thousand calls in a loop, of a function with
// two phases and of the same function without. One block of one warp, then one of 16; the least of
// five launches. With -DKINSTR_OFF both cost the same.
//
//   kinstr callee_cost.cu -o c.cu && nvcc -O3 c.cu $(kinstr --nvcc-flags) -o c && ./c
#include <cstdio>

constexpr int calls = 1000;

__device__ __noinline__ int plain(int v)
{
  v = v * 3 + 1;
  return v ^ 5;
}

__device__ __noinline__ int marked(int v)
{
  // @phase half
  v = v * 3 + 1;
  // @phase other
  return v ^ 5;
}

/// Cycles of all calls, by the first warp.
template <typename Function>
__device__ void measure(Function function, int *p, long long *cycles)
{
  int v                 = p[threadIdx.x];
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < calls; ++i)
  {
    v = function(v);
  }
  const long long end = clock64();
  p[threadIdx.x]      = v;
  if (threadIdx.x == 0)
  {
    *cycles = end - begin;
  }
}

__global__ void calls_plain(int *p, long long *cycles)
{
  measure([](int v) { return plain(v); }, p, cycles);
}

__global__ void calls_marked(int *p, long long *cycles)
{
  measure([](int v) { return marked(v); }, p, cycles);
}

using kernel = void (*)(int *, long long *);

static long long least(kernel k, int threads, int *p, long long *cycles)
{
  long long best = 0;
  for (int repeat = 0; repeat < 5; ++repeat)
  {
    k<<<1, threads>>>(p, cycles);
    if (cudaDeviceSynchronize() != cudaSuccess)
    {
      return -1;
    }
    best = repeat == 0 || *cycles < best ? *cycles : best;
  }
  return best;
}

int main()
{
  int *p            = nullptr;
  long long *cycles = nullptr;
  if (cudaMalloc(&p, 512 * sizeof(int)) != cudaSuccess ||
      cudaMallocManaged(&cycles, sizeof(long long)) != cudaSuccess)
  {
    std::fprintf(stderr, "no GPU\n");
    return 1;
  }
  std::printf("cycles a call: without marks, with two, difference\n");
  for (int threads : {32, 512})
  {
    const double without = static_cast<double>(least(calls_plain, threads, p, cycles)) / calls;
    const double with    = static_cast<double>(least(calls_marked, threads, p, cycles)) / calls;
    std::printf("%2d warps: %7.1f %7.1f %7.1f\n", threads / 32, without, with, with - without);
  }
  const cudaError_t error = cudaGetLastError();
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
