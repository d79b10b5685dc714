// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of every form, each with a grid of its own, and what each computes checked on the CPU.
//
//   launch_forms all | capture | driver | library | errors | nested-device
//
// Prints a line "launch KERNEL LINE GRID BLOCK" for each, which check_launch_forms.py looks for in
// the trace. LINE is 0 where the trace cannot know it, -1 where the host does not see the launch at
// all. Exits 1 if a result is wrong.
#include "launch_forms.h"

#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

namespace cg = cooperative_groups;

// Each thread adds `value` to *out.

__global__ void plain(int *out, int value)
{
  // @phase add
  atomicAdd(out, value);
}
template <typename T, int N = 1>
__global__ void templated(T *out, T value)
{
  // @phase add
  atomicAdd(out, value);
}
namespace inner
{
namespace
{
__global__ void hidden(int *out, int value)
{
  // @phase add
  atomicAdd(out, value);
}
} // namespace
} // namespace inner
static __global__ void of_file(int *out, int value)
{
  // @phase add
  atomicAdd(out, value);
}
extern "C" __global__ void of_c(int *out, int value)
{
  // @phase add
  atomicAdd(out, value);
}
// @kernel renamed
__global__ void another_name(int *out, int value)
{
  // @phase add
  atomicAdd(out, value);
}
__global__ void cooperative(int *out, int value)
{
  // @phase add
  atomicAdd(out, value);
  cg::this_grid().sync();
  // @phase after
  if (*static_cast<volatile int *>(out) !=
      value * static_cast<int>(gridDim.x * blockDim.x * gridDim.y * gridDim.z))
  {
    atomicAdd(out, 1000000); // not all blocks had come
  }
}
__global__ void in_cluster(int *out, int value)
{
  // @phase add
#if __CUDA_ARCH__ >= 900
  if (cg::this_cluster().num_blocks() == 2)
#endif
  {
    atomicAdd(out, value);
  }
}
__global__ void __cluster_dims__(2, 1, 1) of_clusters(int *out, int value)
{
  // @phase add
#if __CUDA_ARCH__ >= 900
  if (cg::this_cluster().num_blocks() == 2)
#endif
  {
    atomicAdd(out, value);
  }
}
__global__ void not_annotated(int *out, int value) { atomicAdd(out, value); }

static int *out; // managed
static int failures = 0;

static void check(cudaError_t error, int line)
{
  if (error != cudaSuccess)
  {
    std::printf("line %d: %s\n", line, cudaGetErrorString(error));
    ++failures;
  }
}
#define CHECK(...) check((__VA_ARGS__), __LINE__)

static void expect(int line, const char *kernel, int at, dim3 grid, dim3 block)
{
  check(cudaGetLastError(), line);
  check(cudaDeviceSynchronize(), line);
  const int threads = static_cast<int>(grid.x * grid.y * grid.z * block.x * block.y * block.z);
  if (*out != 3 * threads)
  {
    std::printf("line %d: %d instead of %d\n", line, *out, 3 * threads);
    ++failures;
  }
  *out = 0;
  std::printf("launch %s %d %ux%ux%u %ux%ux%u\n", kernel, at, grid.x, grid.y, grid.z, block.x,
              block.y, block.z);
}
/// Behind a launch on the same line.
#define EXPECT(KERNEL, ...) expect(__LINE__, KERNEL, __LINE__, __VA_ARGS__)
/// Behind one that the trace has at another line, or at none.
#define EXPECT_AT(LINE, KERNEL, ...) expect(__LINE__, KERNEL, LINE, __VA_ARGS__)

// Below here a launch and its EXPECT share a line.
// clang-format off
constexpr int line_of_launch = __LINE__ + 1;
#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
constexpr int line_of_dispatch = __LINE__ + 2;
#define DISPATCH(n, g) switch (n) { \
    case 1: templated<int, 1><<<g, 32>>>(out, 3); break; \
    default: templated<int, 2><<<g, 32>>>(out, 3); }
constexpr int line_of_call = __LINE__ + 1;
#define CALL(k, g) CHECK(cudaLaunchKernel((const void *)k, g, 32, arguments, 0, nullptr))
#define CONFIGURATION(g) g, 32

template <typename T>
void deduced_in_template(T *p, unsigned grid)
{
  templated<<<grid, 32>>>(p, T(3)); EXPECT("templated", grid, 32);
}

__host__ __device__ void on_host(unsigned grid)
{
#ifndef __CUDA_ARCH__
  plain<<<grid, 32>>>(out, 3); EXPECT("plain", grid, 32);
#endif
}

constexpr int line_of_default = __LINE__ + 1;
static int with_default(int value = (plain<<<12, 32>>>(out, 3), 0)) { return value; }

static int nested_value()
{
  plain<<<26, 32>>>(out, 0);
  return 3;
}

static void launch_all()
{
  int value = 3;
  void *arguments[] = {&out, &value};
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  plain<<<1, 32>>>(out, 3); EXPECT("plain", 1, 32);
  plain<<<{2, 3}, {32, 2}, 0, stream>>>(out, 3); EXPECT("plain", {2, 3}, {32, 2});
  CHECK((plain<<<3, 33>>>(out, 3), cudaGetLastError())); EXPECT("plain", 3, 33);
  LAUNCH(plain, 4, 32, out, 3); EXPECT_AT(line_of_launch, "plain", 4, 32);
  LAUNCH((templated<int, 2>), dim3(5, 2), 64, out, 3); EXPECT_AT(line_of_launch, "templated", {5, 2}, 64);
  LAUNCH(inner::hidden, 5, 32, out, 3); EXPECT_AT(line_of_launch, "inner::(anonymous namespace)::hidden", 5, 32);
  LAUNCH(of_file, 5, 32, out, 3); EXPECT_AT(line_of_launch, "of_file", 5, 32);
  LAUNCH(of_c, 5, 32, out, 3); EXPECT_AT(line_of_launch, "of_c", 5, 32);
  LAUNCH(another_name, 5, 32, out, 3); EXPECT_AT(line_of_launch, "renamed", 5, 32);
  LAUNCH(not_annotated, 5, 32, out, 3); EXPECT_AT(line_of_launch, "-", 5, 32);
  DISPATCH(1, 6) EXPECT_AT(line_of_dispatch, "templated", 6, 32);
  DISPATCH(2, 7) EXPECT_AT(line_of_dispatch + 1, "templated", 7, 32);
  templated<<<8, 32>>>(out, 3); EXPECT("templated", 8, 32);
  deduced_in_template(out, 9);
  auto later = [=] { plain<<<10, 32>>>(out, 3); EXPECT("plain", 10, 32); };
  later();
  on_host(11);
  with_default(); EXPECT_AT(line_of_default, "plain", 12, 32);
  void (*pointer)(int *, int) = of_c;
  pointer<<<13, 32>>>(out, 3); EXPECT("of_c", 13, 32);
  plain<<<CONFIGURATION(14)>>>(out, 3); EXPECT_AT(0, "plain", 14, 32);

  CHECK(cudaLaunchKernel((const void *)plain, 15, 32, arguments, 0, stream)); EXPECT("plain", 15, 32);
  CHECK(cudaLaunchKernel(of_file, 16, 32, arguments)); EXPECT("of_file", 16, 32);
  CHECK(::cudaLaunchKernel((void *)templated<int, 3>, 17, 32, arguments, 0, 0)); EXPECT("templated", 17, 32);
  CALL(plain, 18); EXPECT_AT(line_of_call, "plain", 18, 32);
  CHECK(cudaLaunchCooperativeKernel((void *)cooperative, 19, 32, arguments, 0, stream)); EXPECT("cooperative", 19, 32);

  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = 20;
  config.blockDim = 32;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelExC(&config, (void *)in_cluster, arguments)); EXPECT("in_cluster", 20, 32);
  config.gridDim = 22;
  CHECK(cudaLaunchKernelEx(&config, in_cluster, out, 3)); EXPECT("in_cluster", 22, 32);
  of_clusters<<<24, 32>>>(out, 3); EXPECT("of_clusters", 24, 32);

  // In an argument of a launch: both, in the order in which they ran.
  plain<<<25, 32>>>(out, nested_value()); EXPECT("plain", 25, 32);

  // A header's launches: which kernel, but not from where.
  CHECK(header_launch((const void *)in_cluster, 28, 32, arguments)); EXPECT_AT(0, "in_cluster", 28, 32);
  header_chevrons(plain, 29, 32, out, 3); EXPECT_AT(0, "plain", 29, 32);
  CHECK(cudaStreamDestroy(stream));
}

/// The first launch of the program lies in a stream capture.
static void launch_captured()
{
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int value         = 3;
  void *arguments[] = {&out, &value};
  CHECK(cudaLaunchKernel((const void *)plain, 30, 32, arguments, 0, stream)); const int line = __LINE__;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_AT(line, "plain", 30, 32);
}

static void launch_by_driver()
{
  cudaFunction_t function;
  int value         = 3;
  void *arguments[] = {&out, &value};
  CHECK(cudaGetFuncBySymbol(&function, (const void *)plain));
  if (cuLaunchKernel(function, 31, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS)
  {
    ++failures;
  }
  EXPECT_AT(-1, "plain", 31, 32);
}

/// Needs KINSTR_OPTIONS=attach=load.
static void launch_in_library()
{
  int value         = 3;
  void *arguments[] = {&out, &value};
  CHECK(library_launch((const void *)plain, 32, 32, arguments));
  EXPECT_AT(-1, "plain", 32, 32);
}

/// A launch that fails does so as without kinstr.
static void launch_wrongly()
{
  int value         = 3;
  void *arguments[] = {&out, &value};
  const cudaError_t error = cudaLaunchKernel((const void *)plain, 1, 2048, arguments, 0, nullptr);
  failures += error != cudaErrorInvalidConfiguration && error != cudaErrorInvalidValue;
  failures += cudaGetLastError() != error;
  plain<<<1, 2048>>>(out, 3);
  failures += cudaGetLastError() != error;
  plain<<<33, 32>>>(out, 3); EXPECT("plain", 33, 32);
}

#ifdef WITH_DEVICE_LAUNCHES
__global__ void parent(int *out)
{
  if (threadIdx.x == 0)
  {
    plain<<<34, 32>>>(out, 3);
  }
}

static void launch_on_device()
{
  plain<<<35, 32>>>(out, 3); EXPECT("plain", 35, 32);
  parent<<<1, 32>>>(out);
  EXPECT_AT(-1, "plain", 34, 32);
}
#endif

// clang-format on

int main(int argc, char **argv)
{
  const char *const what = argc > 1 ? argv[1] : "all";
  CHECK(cudaMallocManaged(&out, sizeof *out));
  *out = 0;
  if (std::strcmp(what, "all") == 0)
  {
    launch_all();
  }
  else if (std::strcmp(what, "capture") == 0)
  {
    launch_captured();
  }
  else if (std::strcmp(what, "driver") == 0)
  {
    launch_by_driver();
  }
  else if (std::strcmp(what, "library") == 0)
  {
    launch_in_library();
  }
  else if (std::strcmp(what, "errors") == 0)
  {
    launch_wrongly();
  }
#ifdef WITH_DEVICE_LAUNCHES
  else if (std::strcmp(what, "nested-device") == 0)
  {
    launch_on_device();
  }
#endif
  else
  {
    return 2;
  }
  return failures == 0 ? 0 : 1;
}
