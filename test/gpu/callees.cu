// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotated functions of every kind, called by kernels of every kind. check_callees.py knows how
// often each phase is passed.
#include "callees.cuh"
#include <cstdio>
#include <vector>

__device__ __noinline__ int twice(int v)
{
  // @phase twice
  v *= 2;
  // @phase plus
  return v + 1;
}

// A tree of calls: fib(4) is entered 9 times.
__host__ __device__ inline int fib(int n)
{
  // @phase fib
  if (n < 2)
  {
    return n;
  }
  return fib(n - 1) + fib(n - 2);
}

__device__ int outer(int v)
{
  // @phase outer
  v = twice(v);
  v = twice(v);
  return v;
}

__device__ int odd_lanes(int v)
{
  // @phase odd
  return v + 100;
}

struct Scale
{
  int by;
  __device__ int apply(int v) const
  {
    // @phase scale
    return v * by;
  }
};

// A phase of its own around everything that is called.
__global__ void all(int *p, int n)
{
  // @phase kernel
  int v    = p[blockIdx.x * blockDim.x + threadIdx.x];
  v        = outer(v);
  auto add = [&](int a)
  {
    // @phase lambda
    return a + n;
  };
  v = add(v);
  v = Scale{3}.apply(v);
  v = Mainloop<int>{2}(v, n);
  // @phase recursion
  v += fib(4);
  // @phase store
  p[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// No annotation of its own, and lanes that part.
__global__ void apart(int *p)
{
  int v = p[threadIdx.x];
  if (threadIdx.x % 2 == 1)
  {
    v = odd_lanes(v);
  }
  p[threadIdx.x] = v;
}

// Warps that part are fine, where warps are rows.
__global__ void warps(int *p)
{
  int at = threadIdx.x + blockDim.x * threadIdx.y;
  int v  = p[at];
  if (threadIdx.y % 2 == 1)
  {
    v = twice(v);
  }
  p[at] = v;
}

// The kernel of a library, out of reach: its functor stands in for it.
template <typename Body>
__global__ void library(Body body, int *p)
{
  body(p);
}

struct Functor
{
  // @kernel stand_in
  __device__ void operator()(int *p) const
  {
    // @phase first
    int v = p[threadIdx.x];
    // @phase second
    p[threadIdx.x] = twice(v);
  }
};

// Called a thousand times by each warp.
__device__ __noinline__ int step(int v)
{
  // @phase half
  v = v * 3 + 1;
  // @phase other
  return v ^ 5;
}

__global__ void many(int *p, int calls)
{
  int v = p[threadIdx.x];
  for (int i = 0; i < calls; ++i)
  {
    v = step(v);
  }
  p[threadIdx.x] = v;
}

// In a graph: the warps of each replay have the names of those before.
__global__ void replayed(int *p)
{
  // @phase before
  p[threadIdx.x] = step(step(p[threadIdx.x]));
}

static void replay(int *p, int times)
{
  cudaStream_t stream    = nullptr;
  cudaGraph_t graph      = nullptr;
  cudaGraphExec_t played = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  replayed<<<1, 64, 0, stream>>>(p);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&played, graph, 0);
  for (int i = 0; i < times; ++i)
  {
    cudaGraphLaunch(played, stream);
  }
  cudaStreamSynchronize(stream);
}

static bool check(const char *what, const std::vector<int> &got, int (*expected)(int))
{
  for (int i = 0; i < static_cast<int>(got.size()); ++i)
  {
    if (got[i] != expected(i))
    {
      std::printf("%s: element %d is %d, expected %d\n", what, i, got[i], expected(i));
      return false;
    }
  }
  return true;
}

template <typename Launch>
static std::vector<int> run(int count, Launch launch)
{
  std::vector<int> data(count);
  for (int i = 0; i < count; ++i)
  {
    data[i] = i;
  }
  int *p = nullptr;
  cudaMalloc(&p, count * sizeof(int));
  cudaMemcpy(p, data.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  launch(p);
  cudaMemcpy(data.data(), p, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(p);
  return data;
}

static int host_twice(int v) { return v * 2 + 1; }

static int host_steps(int v, int count)
{
  unsigned u = static_cast<unsigned>(v);
  for (int i = 0; i < count; ++i)
  {
    u = (u * 3 + 1) ^ 5;
  }
  return static_cast<int>(u);
}

int main()
{
  bool right = true;
  right &= check("all", run(5 * 96, [](int *p) { all<<<5, 96>>>(p, 4); }),
                 [](int i)
                 {
                   int v = (host_twice(host_twice(i)) + 4) * 3 + 1;
                   for (int k = 0; k < 4; ++k)
                   {
                     v = v * 2 + k;
                   }
                   return v + fib(4);
                 });
  right &= check("apart", run(64, [](int *p) { apart<<<1, 64>>>(p); }),
                 [](int i) { return i % 2 == 1 ? i + 100 : i; });
  right &= check("warps", run(256, [](int *p) { warps<<<1, dim3(64, 4)>>>(p); }),
                 [](int i) { return i / 64 % 2 == 1 ? host_twice(i) : i; });
  // Rows that are no whole warps: the lanes of a warp part.
  right &= check("short rows", run(64, [](int *p) { warps<<<1, dim3(16, 4)>>>(p); }),
                 [](int i) { return i / 16 % 2 == 1 ? host_twice(i) : i; });
  right &= check("library", run(64, [](int *p) { library<<<1, 64>>>(Functor(), p); }), host_twice);
  right &= check("many", run(64, [](int *p) { many<<<1, 64>>>(p, 1000); }),
                 [](int i) { return host_steps(i, 1000); });
  right &= check("replayed", run(64, [](int *p) { replay(p, 20); }),
                 [](int i) { return host_steps(i, 40); });
  if (cudaError_t e = cudaDeviceSynchronize())
  {
    std::printf("%s\n", cudaGetErrorString(e));
    return 1;
  }
  std::printf(right ? "right\n" : "wrong\n");
  return right ? 0 : 1;
}
