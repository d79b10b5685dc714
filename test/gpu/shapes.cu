// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every recorder on every awkward launch shape, with results that are checked.
// Which events the trace must hold follows from the shape alone;
// check_shapes.py works it out and compares.
//
//   shapes KERNEL GRID_X GRID_Y GRID_Z BLOCK_X BLOCK_Y BLOCK_Z LAUNCHES STREAMS
#include "check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int iterations = 50; // of the loops: more events than any buffer holds

__device__ unsigned thread_in_block()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ size_t thread_in_grid()
{
  const size_t block =
      blockIdx.x + static_cast<size_t>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
  return block * (blockDim.x * blockDim.y * blockDim.z) + thread_in_block();
}

// Slots, uniform flow.
__global__ void straight(int *out)
{
  // @phase first
  const size_t i = thread_in_grid();
  out[i] += 1;
  // @phase second
  out[i] += 2;
  // @end
  out[i] += 3;
}

// Slots, uniform flow; every other block leaves early, all its warps together.
__global__ void early_blocks(int *out)
{
  // @phase first
  out[thread_in_grid()] += 1;
  if (blockIdx.x % 2 == 1)
  {
    return;
  }
  // @phase second
  out[thread_in_grid()] += 5;
}

// Stream, uniform flow.
__global__ void looped(int *out, int n)
{
  const size_t i = thread_in_grid();
  for (int k = 0; k < n; ++k)
  {
    // @phase odd
    out[i] += 1;
    // @phase even
    out[i] += 1;
  }
}

// Slots, divergent flow: lanes leave one by one, lane 0 among the first.
__global__ void early_lanes(int *out)
{
  // @phase first
  const size_t i      = thread_in_grid();
  const unsigned lane = thread_in_block() % 32;
  out[i] += 1;
  if (lane % 3 == 0)
  {
    return;
  }
  // @phase second
  out[i] += 2;
  if (lane % 3 == 1)
  {
    return;
  }
  // @phase third
  out[i] += 4;
}

// Stream, divergent flow: every lane makes another number of turns.
__global__ void branchy(int *out, int n)
{
  const size_t i      = thread_in_grid();
  const unsigned lane = thread_in_block() % 32;
  // @phase start
  for (int k = 0; k < n; ++k)
  {
    if (lane >= 16)
    {
      // @phase upper
      out[i] += 1;
    }
    else
    {
      // @phase lower
      out[i] += 2;
    }
  }
}

static int expected(const char *kernel, size_t i, size_t block_size, unsigned grid_x)
{
  const size_t block  = i / block_size;
  const size_t thread = i % block_size;
  const size_t lane   = thread % 32;
  if (std::strcmp(kernel, "straight") == 0)
  {
    return 6;
  }
  if (std::strcmp(kernel, "early_blocks") == 0)
  {
    return block % grid_x % 2 == 1 ? 1 : 6;
  }
  if (std::strcmp(kernel, "looped") == 0)
  {
    return 2 * iterations;
  }
  if (std::strcmp(kernel, "early_lanes") == 0)
  {
    return lane % 3 == 0 ? 1 : lane % 3 == 1 ? 3 : 7;
  }
  return lane >= 16 ? iterations : 2 * iterations; // branchy
}

static void launch(const char *kernel, dim3 grid, dim3 block, cudaStream_t stream, int *out)
{
  if (std::strcmp(kernel, "straight") == 0)
  {
    straight<<<grid, block, 0, stream>>>(out);
  }
  else if (std::strcmp(kernel, "early_blocks") == 0)
  {
    early_blocks<<<grid, block, 0, stream>>>(out);
  }
  else if (std::strcmp(kernel, "looped") == 0)
  {
    looped<<<grid, block, 0, stream>>>(out, iterations);
  }
  else if (std::strcmp(kernel, "early_lanes") == 0)
  {
    early_lanes<<<grid, block, 0, stream>>>(out);
  }
  else
  {
    branchy<<<grid, block, 0, stream>>>(out, iterations);
  }
  CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
  if (argc != 10)
  {
    std::fprintf(stderr, "usage: shapes KERNEL GX GY GZ BX BY BZ LAUNCHES STREAMS\n"
                         "KERNEL mixed: all of them, one after the other\n");
    return 2;
  }
  const char *all[] = {"straight", "early_blocks", "looped", "early_lanes", "branchy"};
  const bool mixed  = std::strcmp(argv[1], "mixed") == 0;
  const dim3 grid(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  const dim3 block(std::atoi(argv[5]), std::atoi(argv[6]), std::atoi(argv[7]));
  const int launches      = std::atoi(argv[8]);
  const int stream_count  = std::atoi(argv[9]);
  const size_t block_size = static_cast<size_t>(block.x) * block.y * block.z;
  const size_t threads    = block_size * grid.x * grid.y * grid.z;
  const auto kernel_of    = [&](int l) { return mixed ? all[l % 5] : argv[1]; };

  std::vector<cudaStream_t> streams(stream_count);
  std::vector<int *> out(stream_count);
  for (int s = 0; s < stream_count; ++s)
  {
    CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    CHECK(cudaMalloc(&out[s], threads * sizeof(int)));
    CHECK(cudaMemset(out[s], 0, threads * sizeof(int)));
  }
  CHECK(cudaDeviceSynchronize());
  for (int l = 0; l < launches; ++l)
  {
    launch(kernel_of(l), grid, block, streams[l % stream_count], out[l % stream_count]);
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<int> host(threads);
  for (int s = 0; s < stream_count; ++s)
  {
    CHECK(cudaMemcpy(host.data(), out[s], threads * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < threads; ++i)
    {
      int want = 0;
      for (int l = s; l < launches; l += stream_count)
      {
        want += expected(kernel_of(l), i, block_size, grid.x);
      }
      if (host[i] != want)
      {
        std::fprintf(stderr, "%s: thread %zu: %d, expected %d\n", argv[1], i, host[i], want);
        return 1;
      }
    }
  }
  return 0;
}
