// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of squares by warps with roles:  sums[b] = sum of x[i]^2 over the tiles of block b
//
// In each block one warp copies tiles of x into a ring in shared memory, ahead of four warps that
// add up what has arrived. Who waits for whom is what the trace shows. The program checks every sum
// against a double-precision one computed on the CPU.
//
// With -DWHOLE_TILES one lane copies a tile at once, otherwise each lane copies 16 bytes at a time.
// On sm_90 that is slow: README.md shows how the trace tells.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 pipeline.cu -o pipeline && ./pipeline

#include <cuda/barrier>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int stages         = 4;
constexpr int consumer_warps = 4;
constexpr int tile_vectors   = 512; // of four floats: 8 KiB a stage

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// ---------------------------------------------------------------------------------------- kernel

// The sum over the warp, in every lane.
__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
  {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

// Grid: one block for each element of sums. Block: one warp that copies, then the consumers.
__global__ void __launch_bounds__((1 + consumer_warps) * 32)
    sum_of_squares(const float4 *__restrict__ x, float *__restrict__ sums, int tiles)
{
  __shared__ float4 ring[stages][tile_vectors];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier full[stages], empty[stages];

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // @phase set_up
  if (threadIdx.x < stages)
  {
    init(&full[threadIdx.x], blockDim.x);
    init(&empty[threadIdx.x], blockDim.x);
  }
  __syncthreads();

  if (warp == 0)
  {
    x += static_cast<size_t>(blockIdx.x) * tiles * tile_vectors;
    // @scope produce
    for (int tile = 0; tile < tiles; ++tile)
    {
      const int stage = tile % stages;
      // @phase wait_for_room
      empty[stage].arrive_and_wait();
      // @value copied = tile
      // @phase copy
      const float4 *const source = x + static_cast<size_t>(tile) * tile_vectors;
#ifdef WHOLE_TILES
      if (lane == 0)
      {
        cuda::memcpy_async(ring[stage], source, cuda::aligned_size_t<16>(sizeof ring[stage]),
                           full[stage]);
      }
#else
      for (int i = lane; i < tile_vectors; i += 32)
      {
        cuda::memcpy_async(&ring[stage][i], source + i, cuda::aligned_size_t<16>(16), full[stage]);
      }
#endif
      (void)full[stage].arrive();
    }
    return;
  }

  for (int stage = 0; stage < stages; ++stage)
  {
    (void)empty[stage].arrive(); // there is room in all of them
  }
  float sum = 0;
  // @scope consume
  for (int tile = 0; tile < tiles; ++tile)
  {
    const int stage = tile % stages;
    // @phase wait_for_tile
    full[stage].arrive_and_wait();
    // @value added = tile
    // @phase add
    for (int i = threadIdx.x - 32; i < tile_vectors; i += consumer_warps * 32)
    {
      const float4 v = ring[stage][i];
      sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    (void)empty[stage].arrive();
  }
  // @phase reduce
  sum = warp_sum(sum);
  // @value sum = sum
  if (lane == 0)
  {
    atomicAdd(&sums[blockIdx.x], sum);
  }
}

// ------------------------------------------------------------------------------------------- main

void check(cudaError_t error, const char *what)
{
  if (error != cudaSuccess)
  {
    std::fprintf(stderr, "pipeline: error: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

float input(size_t i) { return static_cast<float>(i % 1021) * 0.001f - 0.5f; }

// The largest relative error of the sums.
double worst_error(const std::vector<float> &x, const std::vector<float> &sums, size_t per_block)
{
  double worst = 0;
  for (size_t block = 0; block < sums.size(); ++block)
  {
    double sum = 0;
    for (size_t i = block * per_block; i < (block + 1) * per_block; ++i)
    {
      sum += static_cast<double>(x[i]) * x[i];
    }
    worst = std::max(worst, std::abs(sums[block] - sum) / sum);
  }
  return worst;
}

int main(int argc, char **argv)
{
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 132;
  const int tiles  = argc > 2 ? std::atoi(argv[2]) : 48;
  if (blocks < 1 || tiles < 1 || argc > 3)
  {
    std::fprintf(stderr, "usage: pipeline [BLOCKS [TILES]]\n");
    return 2;
  }
  const size_t per_block = static_cast<size_t>(tiles) * tile_vectors * 4;
  std::vector<float> x(blocks * per_block);
  for (size_t i = 0; i < x.size(); ++i)
  {
    x[i] = input(i);
  }
  std::vector<float> sums(blocks);
  float *device_x = nullptr, *device_sums = nullptr;
  check(cudaMalloc(&device_x, x.size() * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&device_sums, sums.size() * sizeof(float)), "cudaMalloc");
  check(cudaMemcpy(device_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice), "copy");
  for (int launch = 0; launch < 3; ++launch)
  {
    check(cudaMemset(device_sums, 0, sums.size() * sizeof(float)), "cudaMemset");
    sum_of_squares<<<blocks, (1 + consumer_warps) * 32>>>(
        reinterpret_cast<const float4 *>(device_x), device_sums, tiles);
    check(cudaGetLastError(), "launch");
  }
  check(cudaMemcpy(sums.data(), device_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost),
        "sum_of_squares");
  const double worst = worst_error(x, sums, per_block);
  std::printf("pipeline: %d blocks of %d tiles, %s (worst relative error %.2e)\n", blocks, tiles,
              worst < 1e-4 ? "correct" : "WRONG", worst);
  return worst < 1e-4 ? 0 : 1;
}
