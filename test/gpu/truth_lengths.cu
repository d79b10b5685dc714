// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases of known length, of 50 to 100000 cycles, in blocks of one warp and of 16.
//
// `spin` reads the clock itself, so that each phase knows its own length; what a mark and the reads
// outside that interval add is seen in `nothing`, a spin of no cycles. `chain` is a run of dependent
// loads from shared memory, which takes as long wherever it stands: chain_reference times it without any mark. What a
// mark adds is seen in `empty`. Each warp also times itself from its first mark to its exit.
#include "truth.cuh"

constexpr int repeats = 16; // of a phase in a launch of a kernel with a loop; else 4
constexpr int known   = 2 * repeats + 1; // numbers a warp writes down: spins, nothings, its time

/// What the chain needs, in registers: read from memory, or the compiler would fetch it at each chain.
struct Chain
{
  unsigned n, zero, one; ///< one: address of a 1 in shared memory

  __device__ __forceinline__ Chain(unsigned length, unsigned nothing)
  {
    __shared__ volatile unsigned words[4];
    words[0] = length;
    words[1] = nothing;
    words[2] = static_cast<unsigned>(__cvta_generic_to_shared(const_cast<unsigned *>(words + 3)));
    words[3] = 1;
    __syncthreads();
    n    = words[0];
    zero = words[1];
    one  = words[2];
  }
};

/// `n` loads from shared memory, each of which needs the last one's value, and so does the end.
__device__ __forceinline__ void chain(const Chain &c)
{
  unsigned x = 0;
#pragma unroll 1
  do
  {
    asm volatile("{\n\t"
                 ".reg .u32 t;\n\t"
                 "mad.lo.u32 t, %0, %2, %1;\n\t"
                 "ld.shared.u32 t, [t];\n\t"
                 "add.u32 %0, %0, t;\n\t"
                 "}"
                 : "+r"(x)
                 : "r"(c.one), "r"(c.zero)
                 : "memory");
  } while (x < c.n);
  __syncwarp(); // as a mark has it: the same code with and without marks
}

__global__ void __launch_bounds__(512) spin_slots(ticks n, ticks *out)
{
  const ticks first = now();
  // @phase other
  // @phase other
  // @phase empty
  // @phase nothing
  const ticks nothing0 = spin(0);
  // @phase empty
  // @phase spin
  const ticks spin0 = spin(n);
  // @phase empty
  // @phase nothing
  const ticks nothing1 = spin(0);
  // @phase empty
  // @phase spin
  const ticks spin1 = spin(n);
  // @phase empty
  // @phase nothing
  const ticks nothing2 = spin(0);
  // @phase empty
  // @phase spin
  const ticks spin2 = spin(n);
  // @phase empty
  // @phase nothing
  const ticks nothing3 = spin(0);
  // @phase empty
  // @phase spin
  const ticks spin3 = spin(n);
  // @phase rest
  out += thread_in_grid() / 32 * known;
  out[0] = spin0;
  out[1] = spin1;
  out[2] = spin2;
  out[3] = spin3;
  out[repeats]     = nothing0;
  out[repeats + 1] = nothing1;
  out[repeats + 2] = nothing2;
  out[repeats + 3] = nothing3;
  out[2 * repeats] = now() - first;
}

__global__ void __launch_bounds__(512) spin_stream(ticks n, ticks *out)
{
  const ticks first = now();
  out += thread_in_grid() / 32 * known;
#pragma unroll 1
  for (int i = 0; i < repeats; ++i)
  {
    // @phase other
    // @phase empty
    // @phase nothing
    const ticks nothing = spin(0);
    // @phase empty
    // @phase spin
    const ticks length = spin(n);
    // @phase rest
    out[i]           = length;
    out[repeats + i] = nothing;
  }
  out[2 * repeats] = now() - first;
}

__global__ void __launch_bounds__(512) chain_slots(unsigned n, unsigned zero, ticks *out)
{
  const Chain c(n, zero);
  const ticks first = now();
  // @phase other
  // @phase other
  // @phase empty
  // @phase chain
  chain(c);
  // @phase empty
  // @phase chain
  chain(c);
  // @phase empty
  // @phase chain
  chain(c);
  // @phase empty
  // @phase chain
  chain(c);
  // @phase rest
  out[thread_in_grid() / 32 * known + 2 * repeats] = now() - first;
}

__global__ void __launch_bounds__(512) chain_stream(unsigned n, unsigned zero, ticks *out)
{
  const Chain c(n, zero);
  const ticks first = now();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i)
  {
    // @phase other
    // @phase empty
    // @phase chain
    chain(c);
    // @phase empty
    // @phase rest
  }
  out[thread_in_grid() / 32 * known + 2 * repeats] = now() - first;
}

/// Not traced: the chain between two readings of the clock, then the two readings alone.
__global__ void __launch_bounds__(512) chain_reference(unsigned n, unsigned zero, ticks *out)
{
  const Chain c(n, zero);
  out += thread_in_grid() / 32 * known;
#pragma unroll 1
  for (int i = 0; i < repeats; ++i)
  {
    const ticks before = now();
    chain(c);
    const ticks middle = now();
    const ticks end    = now();
    out[i]             = middle - before;
    out[repeats + i]   = end - middle;
  }
}

/// Not traced: spin_slots without annotations, for its time.
__global__ void __launch_bounds__(512) spin_untraced(ticks n, ticks *out)
{
  ticks sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i)
  {
    sum += spin(0);
    sum += spin(n);
  }
  out[thread_in_grid() / 32 * known] = sum;
}

struct Shape
{
  int blocks, warps;
  ticks *out;
};

/// Launches it, times it by events, and prints what it wrote down.
template <typename Launch>
static void run(const char *kernel, ticks n, const Shape &s, bool reference, Launch launch)
{
  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cudaEventRecord(before));
  launch();
  CHECK(cudaEventRecord(after));
  CHECK(cudaDeviceSynchronize());
  float ms;
  CHECK(cudaEventElapsedTime(&ms, before, after));
  std::printf("{\"kernel\":\"%s\",\"n\":%lld,\"warps\":%d,\"ns\":%.0f,%s\"known\":%s}\n", kernel, n,
              s.warps, ms * 1e6, reference ? "\"reference\":true," : "",
              as_json(s.out, s.blocks * s.warps, known).c_str());
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));
}

int main()
{
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  for (const int warps : {1, 16})
  {
    const int blocks   = warps == 1 ? device.multiProcessorCount : device.multiProcessorCount / 4;
    const int threads  = 32 * warps;
    const int launches = warps == 1 ? 6 : 3; // the first warms the instruction caches
    const Shape s{blocks, warps, device_array<ticks>(blocks * warps * known)};
    for (const int n : {50, 100, 200, 500, 1000, 5000, 20000, 100000})
    {
      const int links = n / 50 > 0 ? n / 50 : 1; // about as many cycles as that: chain_reference tells
      for (int l = 0; l < launches; ++l)
      {
        run("spin_slots", n, s, false, [&] { spin_slots<<<blocks, threads>>>(n, s.out); });
        run("spin_untraced", n, s, true, [&] { spin_untraced<<<blocks, threads>>>(n, s.out); });
        run("spin_stream", n, s, false, [&] { spin_stream<<<blocks, threads>>>(n, s.out); });
        run("chain_slots", n, s, false, [&] { chain_slots<<<blocks, threads>>>(links, 0, s.out); });
        run("chain_reference", n, s, true,
            [&] { chain_reference<<<blocks, threads>>>(links, 0, s.out); });
        run("chain_stream", n, s, false, [&] { chain_stream<<<blocks, threads>>>(links, 0, s.out); });
      }
    }
  }
  return 0;
}
