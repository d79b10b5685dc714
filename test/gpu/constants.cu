// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All 64 KB of constant memory are the program's own: what the recorder must know is kept elsewhere.
#include <cstdio>
#include <vector>

constexpr int count = 16384;
__constant__ int table[count];

__global__ void lookup(int *out)
{
  // @phase look
  const int v = table[threadIdx.x + 64 * blockIdx.x];
  // @phase store
  out[threadIdx.x + 64 * blockIdx.x] = v;
}

__global__ void looped(int *out)
{
  for (int i = threadIdx.x; i < count; i += blockDim.x)
  {
    // @phase turn
    out[i] += table[count - 1 - i];
  }
}

int main()
{
  std::vector<int> host(count);
  for (int i = 0; i < count; ++i)
  {
    host[i] = i;
  }
  int *out = nullptr;
  cudaMalloc(&out, count * sizeof(int));
  cudaMemcpyToSymbol(table, host.data(), count * sizeof(int));
  lookup<<<count / 64, 64>>>(out);
  looped<<<1, 1024>>>(out);
  if (const cudaError_t error = cudaMemcpy(host.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost))
  {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < count; ++i)
  {
    if (host[i] != count - 1)
    {
      std::fprintf(stderr, "%d at %d\n", host[i], i);
      return 1;
    }
  }
  return 0;
}
