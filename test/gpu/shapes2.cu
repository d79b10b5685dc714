// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that are more than a grid of blocks: clusters, grids that synchronise, kernels that stay, two
// contexts and a third that is destroyed, two devices, several host threads, a function in another file. The results are checked here;
// check_shapes2.py knows which events the trace must hold. Built with shapes2_other.cu, and -rdc=true.
//
//   shapes2 cluster | cooperative | persistent | contexts | threads | files | devices
#include "shapes2.h"
#include <cooperative_groups.h>
#include <cstring>
#include <cuda.h>
#include <thread>

namespace cg = cooperative_groups;

/// Each block adds up what the blocks of its cluster put into their shared memory.
__global__ void __cluster_dims__(4, 1, 1) cluster(int *out)
{
  __shared__ int mine;
  cg::cluster_group group = cg::this_cluster();
  // @phase put
  if (threadIdx.x == 0)
  {
    mine = blockIdx.x;
  }
  // @phase meet
  group.sync();
  // @phase sum
  int total = 0;
  for (unsigned i = 0; i < 4; ++i)
  {
    total += *group.map_shared_rank(&mine, i);
  }
  // @phase part
  group.sync(); // nobody leaves while others read
  // @phase store
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

constexpr int rounds = 5;

/// All blocks wait for each other, round after round.
__global__ void cooperative(int *out)
{
  cg::grid_group grid = cg::this_grid();
  const int i         = blockIdx.x * blockDim.x + threadIdx.x;
  const int all       = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; ++r)
  {
    // @phase add
    const int from = r == 0 ? 0 : out[(r - 1) * all + (i + blockDim.x) % all]; // of the next block
    out[r * all + i] = from + 1;
    // @phase meet
    grid.sync();
  }
}

/// As many blocks as SMs; each fetches tiles until none is left.
__global__ void persistent(int *out, int *next, int tiles)
{
  __shared__ int tile;
  while (true)
  {
    // @phase fetch
    if (threadIdx.x == 0)
    {
      tile = atomicAdd(next, 1);
    }
    __syncthreads();
    const int t = tile;
    __syncthreads();
    if (t >= tiles)
    {
      return;
    }
    // @phase tile
    out[t * blockDim.x + threadIdx.x] += t;
  }
}

__global__ void simple(int *out)
{
  // @phase add
  atomicAdd(out, 1);
  // @phase again
  atomicAdd(out, 1);
}

/// Calls what shapes2_other.cu has.
__global__ void across_files(int *out)
{
  // @phase before
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // @phase call
  out[i] = other_function(i);
}

static int device_count()
{
  int count;
  CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

static void run_cluster()
{
  int *out = device_ints(64 * 96);
  cluster<<<64, 96>>>(out);
  const std::vector<int> host = fetch(out, 64 * 96);
  for (int i = 0; i < 64 * 96; ++i)
  {
    const int first = i / 96 / 4 * 4;
    require(host[i] == 4 * first + 6, "cluster", i);
  }
}

static void run_cooperative()
{
  const int blocks = device_count(), all = blocks * 64;
  int *out         = device_ints(rounds * all);
  void *arguments[] = {&out};
  CHECK(cudaLaunchCooperativeKernel(cooperative, dim3(blocks), dim3(64), arguments));
  const std::vector<int> host = fetch(out, rounds * all);
  for (int i = 0; i < rounds * all; ++i)
  {
    require(host[i] == i / all + 1, "cooperative", i);
  }
}

static void run_persistent()
{
  constexpr int tiles = 5000;
  int *out = device_ints(tiles * 64), *next = device_ints(1);
  persistent<<<device_count(), 64>>>(out, next, tiles);
  const std::vector<int> host = fetch(out, tiles * 64);
  for (int i = 0; i < tiles * 64; ++i)
  {
    require(host[i] == i / 64, "persistent", i);
  }
}

static void launch_simple(int count, int blocks)
{
  int *out = device_ints(1);
  for (int i = 0; i < count; ++i)
  {
    simple<<<blocks, 64>>>(out);
    CHECK(cudaGetLastError());
  }
  require(fetch(out, 1)[0] == count * blocks * 64 * 2, "simple", count);
}

static CUcontext create_context()
{
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  require(cuCtxCreate(&context, nullptr, 0, 0) == CUDA_SUCCESS, "cuCtxCreate", 0);
#else
  require(cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS, "cuCtxCreate", 0);
#endif
  return context;
}

/// The same kernel in the primary context, in another one, and in the primary again. Then in one that
/// is destroyed.
static void run_contexts()
{
  launch_simple(3, 10);
  CUcontext primary = nullptr;
  require(cuCtxGetCurrent(&primary) == CUDA_SUCCESS, "cuCtxGetCurrent", 0);
  create_context(); // lives on until the program ends
  launch_simple(4, 10);
  require(cuCtxSetCurrent(primary) == CUDA_SUCCESS, "cuCtxSetCurrent", 0);
  launch_simple(5, 10);
  CUcontext third = create_context();
  launch_simple(2, 10);
  require(cuCtxDestroy(third) == CUDA_SUCCESS, "cuCtxDestroy", 0);
  require(cuCtxSetCurrent(primary) == CUDA_SUCCESS, "cuCtxSetCurrent", 1);
}

/// On two devices, in turn: more blocks than either has SMs.
static void run_devices()
{
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2)
  {
    std::printf("two GPUs are needed, there is %d\n", devices);
    std::exit(77);
  }
  for (int i = 0; i < 10; ++i)
  {
    int sms = 0;
    CHECK(cudaSetDevice(i % 2));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, i % 2));
    launch_simple(1, 8 * sms);
  }
}

static void run_threads()
{
  constexpr int threads = 8, launches = 50;
  int *out = device_ints(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
  {
    running.emplace_back(
        [=]
        {
          cudaStream_t stream;
          CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
          for (int l = 0; l < launches; ++l)
          {
            simple<<<3, 64, 0, stream>>>(out + t);
            CHECK(cudaGetLastError());
          }
          CHECK(cudaStreamSynchronize(stream));
        });
  }
  for (std::thread &t : running)
  {
    t.join();
  }
  const std::vector<int> host = fetch(out, threads);
  for (int t = 0; t < threads; ++t)
  {
    require(host[t] == launches * 3 * 64 * 2, "threads", t);
  }
}

static void run_files()
{
  int *out = device_ints(20 * 64), *other = device_ints(20 * 64);
  across_files<<<20, 64>>>(out);
  launch_other(other);
  const std::vector<int> host = fetch(out, 20 * 64), others = fetch(other, 20 * 64);
  for (int i = 0; i < 20 * 64; ++i)
  {
    require(host[i] == 3 * i + 1, "files", i);
    require(others[i] == 3 * i + 2, "files", i);
  }
}

int main(int argc, char **argv)
{
  const struct
  {
    const char *name;
    void (*run)();
  } all[] = {{"cluster", run_cluster},   {"cooperative", run_cooperative}, {"persistent", run_persistent},
             {"contexts", run_contexts}, {"threads", run_threads},         {"files", run_files},
             {"devices", run_devices}};
  for (const auto &each : all)
  {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0)
    {
      each.run();
      return 0;
    }
  }
  std::fprintf(stderr, "usage: shapes2 cluster | cooperative | persistent | contexts | threads | files | devices\n");
  return 2;
}
