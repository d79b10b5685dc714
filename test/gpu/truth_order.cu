// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two SMs hand a flag to each other, by release and acquire. A block marks `have` once it has the flag and
// `pass` before it lets it go: each `have` comes after the other block's `pass` before it, whatever
// the clocks of the two SMs say. `across` keeps the flag in global memory; `nearby` in the shared
// memory of a cluster, which is several times faster and so leaves less time to be wrong in.
//
//   truth_order KERNEL PASSES LAUNCHES [busy]    busy: other SMs work in fits and starts meanwhile, so
//                                                that the clock rate changes
#include "truth.cuh"
#include <cstring>
#include <unistd.h>

/// So much shared memory that two blocks never share an SM.
constexpr int apart = 120 * 1024;

__global__ void across(unsigned *flag, unsigned passes)
{
#pragma unroll 1
  for (unsigned i = blockIdx.x; i < passes; i += 2)
  {
    unsigned seen;
    do
    {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen != i);
    // @phase have
    // @phase pass
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(i + 1) : "memory");
  }
}

__global__ void __cluster_dims__(2, 1, 1) nearby(unsigned passes)
{
  __shared__ unsigned flag; // what the other block says; read here, written there
  const unsigned mine = static_cast<unsigned>(__cvta_generic_to_shared(&flag));
  unsigned theirs;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(mine), "r"(1 - blockIdx.x));
  flag = 0;
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
#pragma unroll 1
  for (unsigned i = blockIdx.x; i < passes; i += 2)
  {
    unsigned seen;
    do
    {
      asm volatile("ld.acquire.cluster.shared.u32 %0, [%1];" : "=r"(seen) : "r"(mine) : "memory");
    } while (seen != i);
    // @phase have
    // @phase pass
    asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(theirs), "r"(i + 1) : "memory");
  }
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

/// Not traced.
__global__ void burn(float *out, int n)
{
  float x = static_cast<float>(threadIdx.x), y = x + 1;
  for (int i = 0; i < n; ++i)
  {
    x = x * y + 1.0f;
    y = y * x + 2.0f;
  }
  out[thread_in_grid()] = x + y;
}

int main(int argc, char **argv)
{
  if (argc < 4)
  {
    std::fprintf(stderr, "usage: truth_order across|nearby PASSES LAUNCHES [busy]\n");
    return 2;
  }
  const bool is_across  = std::strcmp(argv[1], "across") == 0;
  const unsigned passes = std::atoi(argv[2]);
  const int launches    = std::atoi(argv[3]);
  const bool busy       = argc > 4;
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaFuncSetAttribute(across, cudaFuncAttributeMaxDynamicSharedMemorySize, apart));
  CHECK(cudaFuncSetAttribute(nearby, cudaFuncAttributeMaxDynamicSharedMemorySize, apart));
  unsigned *flags = device_array<unsigned>(launches * 32);
  float *sink     = device_array<float>(100 * 1024);
  for (int l = 0; l < launches; ++l)
  {
    if (is_across)
    {
      across<<<2, 32, apart, stream>>>(flags + l * 32, passes);
    }
    else
    {
      nearby<<<2, 32, apart, stream>>>(passes);
    }
    CHECK(cudaGetLastError());
  }
  while (busy && cudaStreamQuery(stream) == cudaErrorNotReady)
  {
    burn<<<100, 1024, 0, other>>>(sink, 4000000);
    CHECK(cudaStreamSynchronize(other));
    usleep(10000);
  }
  CHECK(cudaStreamSynchronize(stream));
  std::printf("{\"kernel\":\"%s\",\"passes\":%u,\"launches\":%d}\n", argv[1], passes, launches);
  return 0;
}
