// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do not come to their end, for check_hang.py:
//
//   hang deadlock          block 1 waits for a flag that nobody sets, the others come to their end
//   hang trap|illegal      warp 0 of block 1 traps, or stores to nowhere, once all warps have begun
//                          to wait
//   hang abort             the same as trap, and the program aborts
//
// So it is known what each warp's last event is. The program says "begun" when all warps are there,
// and waits for the device.
#define CHECK_STATUS 3
#include "check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

constexpr int blocks = 6, warps = 4;

enum class end
{
  never,
  trap,
  illegal
};

__device__ void arrive(volatile int *begun)
{
  __syncwarp();
  if (threadIdx.x % 32 == 0)
  {
    atomicAdd_system(const_cast<int *>(begun), 1);
  }
}

__global__ void stuck(volatile int *begun, volatile int *flag, end how)
{
  // @phase load
  const int seen = *flag;
  // @phase wait
  arrive(begun);
  if (how == end::never)
  {
    while (blockIdx.x == 1 && *flag == seen)
    {
    }
  }
  else if (blockIdx.x == 1 && threadIdx.x < 32)
  {
    while (*begun < blocks * warps)
    {
    }
  }
  else
  {
    while (*flag == seen)
    {
    }
  }
  // @phase fall
  if (how == end::trap)
  {
    __trap();
  }
  if (how == end::illegal)
  {
    *static_cast<volatile int *>(nullptr) = 1;
  }
}

/// Comes to its end: something to be complete in the trace.
__global__ void fine(int *out)
{
  // @phase add
  atomicAdd(out, 1);
}

int main(int, char **arguments)
{
  const char *const mode = arguments[1];
  const end how          = std::strcmp(mode, "deadlock") == 0  ? end::never
                           : std::strcmp(mode, "illegal") == 0 ? end::illegal
                                                               : end::trap;
  int *memory            = nullptr;
  int *begun             = nullptr;
  CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
  CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
  CHECK(cudaHostAlloc(&begun, sizeof(int), cudaHostAllocMapped));
  *begun = 0;

  fine<<<2, 32 * warps>>>(memory + 1);
  CHECK(cudaDeviceSynchronize());
  stuck<<<blocks, 32 * warps>>>(begun, memory, how);
  while (*static_cast<volatile int *>(begun) < blocks * warps)
  {
    ::usleep(1000);
  }
  ::usleep(100000);
  std::puts("begun");
  std::fflush(stdout);
  const cudaError_t result = cudaDeviceSynchronize();
  if (std::strcmp(mode, "abort") == 0 && result != cudaSuccess)
  {
    std::abort();
  }
  CHECK(result);
  return 0;
}
