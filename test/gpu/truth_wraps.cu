// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases and kernels longer than 2^32 cycles, all at the same time. Each warp knows how long its phases
// were: the report must have them right, or say that it has not.
#include "truth.cuh"

constexpr int phases = 4;

struct Lengths
{
  ticks of[phases];
};

__global__ void slots(Lengths n, ticks *out)
{
  // @phase p0
  const ticks p0 = length(spin(n.of[0]));
  // @phase p1
  const ticks p1 = length(spin(n.of[1]));
  // @phase p2
  const ticks p2 = length(spin(n.of[2]));
  // @phase p3
  const ticks p3 = length(spin(n.of[3]));
  // @end
  out += thread_in_grid() / 32 * phases;
  out[0] = p0;
  out[1] = p1;
  out[2] = p2;
  out[3] = p3;
}

__global__ void stream(Lengths n, ticks *out)
{
  out += thread_in_grid() / 32 * phases;
#pragma unroll 1
  for (int i = 0; i < phases; ++i)
  {
    // @phase p
    const ticks known = length(spin(n.of[i]));
    // @end
    out[i] = known;
  }
}

/// The recorder for divergent flow, because of the lane that returns.
__global__ void divergent(Lengths n, ticks *out)
{
  // @phase p0
  const ticks p0 = length(spin(n.of[0]));
  // @phase p1
  const ticks p1 = length(spin(n.of[1]));
  // @phase p2
  const ticks p2 = length(spin(n.of[2]));
  // @phase p3
  const ticks p3 = length(spin(n.of[3]));
  // @end
  if (threadIdx.x % 32 == 31)
  {
    return;
  }
  out += thread_in_grid() / 32 * phases;
  out[0] = p0;
  out[1] = p1;
  out[2] = p2;
  out[3] = p3;
}

int main()
{
  constexpr ticks giga  = 1000000000; // 2^32 is 4.3 of them
  const Lengths lists[] = {
      {{1000000, 3 * giga, 3 * giga, 1000000}}, // the kernel wraps, no phase does
      {{1000000, 6 * giga, 2 * giga, 1000000}}, // a phase does
      {{1000000, 4294967296, 1000, 1000}},      // by so little that nothing seems missing
      {{5 * giga, 5 * giga, 1000, 1000}},       // two phases do
      {{1000000, 100000, 1000, 1000}},          // nothing of the kind
  };
  constexpr int warps = 2;
  struct Launch
  {
    const char *kernel;
    int list;
    ticks *known;
  };
  std::vector<Launch> launches;
  ticks *known = device_array<ticks>(15 * warps * phases); // now: allocating waits for kernels
  for (int list = 0; list < 5; ++list)
  {
    for (const char *kernel : {"slots", "stream", "divergent"})
    {
      cudaStream_t s;
      CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      const Launch l{kernel, list, known + launches.size() * warps * phases};
      launches.push_back(l);
      if (kernel[1] == 'l')
      {
        slots<<<1, 32 * warps, 0, s>>>(lists[list], l.known);
      }
      else if (kernel[1] == 't')
      {
        stream<<<1, 32 * warps, 0, s>>>(lists[list], l.known);
      }
      else
      {
        divergent<<<1, 32 * warps, 0, s>>>(lists[list], l.known);
      }
      CHECK(cudaGetLastError());
    }
  }
  CHECK(cudaDeviceSynchronize());
  for (const Launch &l : launches)
  {
    std::printf("{\"kernel\":\"%s\",\"list\":%d,\"known\":%s}\n", l.kernel, l.list,
                as_json(l.known, warps, phases).c_str());
  }
  return 0;
}
