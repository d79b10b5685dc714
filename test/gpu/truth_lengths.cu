// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases of known length, of 50 to 100000 cycles.
//
// `spin` reads the clock directly behind the mark before it and directly before the next one, and
// writes down both: so each phase knows when it was, to what those readings and the second mark
// take. How long that is is seen in `nothing`: the same code, with a length of 0 that the compiler
// does not know. In blocks of one warp and of 16; there each warp spins for a time of its own, so
// that they come to their marks at different times.
//
// `chain` is a run of dependent loads from shared memory, which takes as long wherever it is called
// from, if the warp has the SM for itself. Each warp times it before its first mark. It is a
// function that is not inlined, of which each kernel has a copy: of two copies one took 55 cycles a
// link and the other 57. What a mark adds is seen in the shortest, a chain of one link.
//
// In spin_* each warp also reads the clock directly before two marks, `other` and `rest` (in a loop
// those of the last turn), and as the last thing it does.
#include "truth.cuh"

constexpr int in_slots  = 4; // spins of a warp where they are written out,
constexpr int in_stream = 8; // and where they are in a loop

/// What a warp writes down.
template <int Spins>
struct Own
{
  Spin spins[Spins], nothings[Spins];
  Spin enter; ///< two readings, one behind the other, directly before `other`
  ticks exit;
};

/// The last thing a warp does. Nothing else is under way then, and the address is at hand: what it
/// takes to load that is no time of the recorder's.
__device__ __forceinline__ void write_exit(ticks *where)
{
  __threadfence();
  asm volatile("" : "+l"(where));
  *where = now();
}

__device__ __forceinline__ unsigned warp_in_block() { return threadIdx.x / 32; }

__global__ void __launch_bounds__(512) spin_slots(ticks n, ticks zero, Own<in_slots> *out)
{
  out += thread_in_grid() / 32;
  n += 29 * warp_in_block();
  const ticks first = 53 * warp_in_block();
  ticks none        = zero * warp_in_block();        // as n, in a register and one of each thread
  asm volatile("" : "+l"(n), "+l"(none), "+l"(out)); // now
  spin(300 + first); // or all warps come to the first mark at once
  const Spin enter{now(), now()};
  // @phase other
  spin(first);
  // @phase empty
  // @phase nothing
  const Spin nothing0 = spin(none);
  // @phase empty
  // @phase spin
  const Spin spin0 = spin(n);
  // @phase empty
  // @phase nothing
  const Spin nothing1 = spin(none);
  // @phase empty
  // @phase spin
  const Spin spin1 = spin(n);
  // @phase empty
  // @phase nothing
  const Spin nothing2 = spin(none);
  // @phase empty
  // @phase spin
  const Spin spin2 = spin(n);
  // @phase empty
  // @phase nothing
  const Spin nothing3 = spin(none);
  // @phase empty
  // @phase spin
  const Spin spin3 = spin(n);
  // @phase rest
  // @end
  *out = {{spin0, spin1, spin2, spin3}, {nothing0, nothing1, nothing2, nothing3}, enter, 0};
  write_exit(&out->exit);
}

__global__ void __launch_bounds__(512) spin_stream(ticks n, ticks zero, Own<in_stream> *out)
{
  out += thread_in_grid() / 32;
  n += 29 * warp_in_block();
  const ticks apart_by = 53 * warp_in_block();
  ticks first          = apart_by;
  ticks none           = zero * warp_in_block();
  asm volatile("" : "+l"(n), "+l"(none), "+l"(out));
#pragma unroll 1
  for (int i = 0; i < in_stream; ++i)
  {
    const Spin enter{now(), now()};
    // @phase other
    spin(first);
    // @phase empty
    // @phase nothing
    const Spin nothing = spin(none);
    // @phase empty
    // @phase spin
    const Spin known = spin(n);
    // @phase rest
    out->spins[i]    = known;
    out->nothings[i] = nothing;
    out->enter       = enter;
    first            = 0;
    spin(300 + apart_by); // until those are stored
  }
  // @end
  write_exit(&out->exit);
}

/// What the chain needs, in registers: read from memory, or the compiler would fetch it at each
/// chain.
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

/// `n` loads from shared memory, each of which needs the last one's value, and so does the end. Not
/// inlined: the same instructions wherever it stands.
__device__ __noinline__ void chain(Chain c)
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
}

/// What a warp of chain_* writes down.
struct OwnChain
{
  ticks length; ///< of the chain, without marks
  ticks part;   ///< of the SM that the warp is in; each has an instruction cache of its own
};

/// Before the first mark.
__device__ __forceinline__ void time_chain(Chain c, OwnChain *out)
{
  unsigned warp;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  ticks length = 0;
#pragma unroll 1
  for (int again = 0; again < 2; ++again) // the first brings the code
  {
    const ticks before = now();
    chain(c);
    const ticks middle = now();
    const ticks end    = now();
    length             = middle - before - (end - middle);
  }
  out[thread_in_grid() / 32] = {length, warp % 4};
}

__global__ void __launch_bounds__(512) chain_slots(unsigned n, unsigned zero, OwnChain *out)
{
  const Chain c(n, zero);
  time_chain(c, out);
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
  // @end
}

/// A recorder that copies its events out asks for the next place and goes on, but at a call ptxas
/// has the warp wait for the answer. So this happens at `other`, the 32nd mark, or at `rest` before
/// it, and no chain follows at once.
__global__ void __launch_bounds__(512) chain_stream(unsigned n, unsigned zero, OwnChain *out)
{
  const Chain c(n, zero);
  time_chain(c, out);
  // @phase start
#pragma unroll 1
  for (int i = 0; i < in_stream; ++i)
  {
    // @phase other
    spin(2000);
    // @phase empty
    // @phase chain
    chain(c);
    // @phase empty
    // @phase rest
  }
}

/// Not traced: spin_slots without annotations, for its time.
__global__ void __launch_bounds__(512) spin_untraced(ticks n, ticks *out)
{
  n += 29 * warp_in_block();
  ticks sum = length(spin(53 * warp_in_block()));
#pragma unroll 1
  for (int i = 0; i < in_slots; ++i)
  {
    sum += length(spin(0));
    sum += length(spin(n));
  }
  out[thread_in_grid() / 32] = sum;
}

/// So much shared memory that two blocks never share an SM.
constexpr int apart = 120 * 1024;

template <typename... Parameters>
static void allow_apart(void (*kernel)(Parameters...))
{
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, apart));
}

static ticks *memory; // of all launches, large enough for each

/// Launches it, times it by events, and prints what it wrote down: `each` numbers a warp.
template <typename Launch>
static void run(const char *kernel, ticks n, int blocks, int warps, size_t each, const char *more,
                Launch launch)
{
  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cudaEventRecord(before));
  launch(blocks, 32 * warps);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(after));
  CHECK(cudaDeviceSynchronize());
  float ms;
  CHECK(cudaEventElapsedTime(&ms, before, after));
  std::printf("{\"kernel\":\"%s\",\"n\":%lld,\"warps\":%d,\"ns\":%.0f,%s\"known\":%s}\n", kernel, n,
              warps, ms * 1e6, more, as_json(memory, blocks * warps, each).c_str());
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));
}

template <int Spins>
constexpr size_t numbers()
{
  return sizeof(Own<Spins>) / sizeof(ticks);
}

static void spins(ticks n, int warps, int sms)
{
  // The first block of an SM brings the code there.
  const int blocks = 3 * sms;
  run("spin_slots", n, blocks, warps, numbers<in_slots>(), "", [&](int grid, int block)
      { spin_slots<<<grid, block, apart>>>(n, 0, reinterpret_cast<Own<in_slots> *>(memory)); });
  run("spin_untraced", n, blocks, warps, 1, "\"reference\":true,",
      [&](int grid, int block) { spin_untraced<<<grid, block, apart>>>(n, memory); });
  run("spin_stream", n, warps == 1 ? blocks : 2 * sms, warps, numbers<in_stream>(), "",
      [&](int grid, int block)
      { spin_stream<<<grid, block, apart>>>(n, 0, reinterpret_cast<Own<in_stream> *>(memory)); });
}

constexpr size_t numbers_of_chain = sizeof(OwnChain) / sizeof(ticks);

static void chains(int n, int sms)
{
  const int links = n / 50 > 0 ? n / 50 : 1; // about as many cycles as that
  // So many blocks that the code is in each part of an SM before the last ones.
  run("chain_slots", n, 12 * sms, 1, numbers_of_chain, "", [&](int grid, int block)
      { chain_slots<<<grid, block, apart>>>(links, 0, reinterpret_cast<OwnChain *>(memory)); });
  run("chain_stream", n, sms, 1, numbers_of_chain, "", [&](int grid, int block)
      { chain_stream<<<grid, block, apart>>>(links, 0, reinterpret_cast<OwnChain *>(memory)); });
}

int main()
{
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int sms = device.multiProcessorCount;
  allow_apart(spin_slots);
  allow_apart(spin_untraced);
  allow_apart(spin_stream);
  allow_apart(chain_slots);
  allow_apart(chain_stream);
  memory = device_array<ticks>(3 * sms * 16 * numbers<in_stream>());
  for (const int n : {50, 100, 200, 500, 1000, 5000, 20000, 100000})
  {
    for (int again = 0; again < 2; ++again)
    {
      spins(n, 1, sms);
      chains(n, sms);
    }
    spins(n, 16, sms);
  }
  return 0;
}
