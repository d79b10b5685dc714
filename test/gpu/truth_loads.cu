// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the time of loads goes: chains of dependent loads that hit in L1, in L2, or nowhere. Phase
// `load` issues them, `use` is the first to need the last one's value, `again` needs it once more. In
// `drained` the mark after `load` waits for it, in `plain` it does not. `reference` times load and
// first use without marks.
#include "truth.cuh"

constexpr int turns = 8; // of a launch; the first brings the code to the SM

struct alignas(256) Node // lines of their own, and no neighbours
{
  const Node *next;
};

enum Level
{
  l1,  // read just before, through L1
  l2,  // read just before, past L1
  dram // never read
};

template <Level From>
__device__ __forceinline__ const Node *follow(const Node *p)
{
  const Node *next;
  if (From == l1)
  {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
  }
  else
  {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
  }
  return next;
}

/// One link goes without a loop: behind one the compiler may copy the value to another register, which
/// waits for it, before the mark that follows.
template <Level From, bool Single>
__device__ __forceinline__ const Node *walk(const Node *p, int links)
{
  if constexpr (Single)
  {
    return follow<From>(p);
  }
  else
  {
#pragma unroll 1
    for (int i = 0; i < links; ++i)
    {
      p = follow<From>(p);
    }
    return p;
  }
}

/// Waits for the value, not for the store.
__device__ __forceinline__ void use(const Node *value, const Node **out)
{
  asm volatile("st.global.u64 [%0], %1;" ::"l"(out), "l"(value) : "memory");
}

/// The chain of this block and turn; where it is to be found in a cache, brought there.
template <Level From, bool Single>
__device__ __forceinline__ const Node *prepare(const Node *nodes, int links, int turn, const Node **out)
{
  const Node *start = nodes + static_cast<size_t>(blockIdx.x * turns + turn) * links;
  if (From != dram)
  {
    use(walk<From, Single>(start, links), out);
    use(walk<From, Single>(start, links), out);
  }
  return start;
}

template <Level From, bool Single>
__global__ void plain(const Node *nodes, int links, const Node **out)
{
#pragma unroll 1
  for (int t = 0; t < turns; ++t)
  {
    // @phase other
    const Node *p = prepare<From, Single>(nodes, links, t, out);
    // @phase empty
    // @phase load
    p = walk<From, Single>(p, links);
    // @phase use
    use(p, out);
    // @phase again
    use(p, out + 1);
    // @phase rest
  }
}

template <Level From, bool Single>
__global__ void drained(const Node *nodes, int links, const Node **out)
{
#pragma unroll 1
  for (int t = 0; t < turns; ++t)
  {
    // @phase other
    const Node *p = prepare<From, Single>(nodes, links, t, out);
    // @phase empty
    // @phase load
    p = walk<From, Single>(p, links);
    // @phase use drain
    use(p, out);
    // @phase again
    use(p, out + 1);
    // @phase rest
  }
}

/// Not traced.
template <Level From, bool Single>
__global__ void reference(const Node *nodes, int links, const Node **out, ticks *known)
{
#pragma unroll 1
  for (int t = 0; t < turns; ++t)
  {
    const Node *p     = prepare<From, Single>(nodes, links, t, out);
    const ticks start = now();
    p                 = walk<From, Single>(p, links);
    use(p, out);
    const ticks middle = now();
    use(p, out + 1);
    const ticks end                    = now();
    known[blockIdx.x * turns + t] = middle - start - (end - middle);
  }
}

__global__ void link(Node *nodes, size_t count)
{
  for (size_t i = thread_in_grid(); i < count; i += gridDim.x * blockDim.x)
  {
    nodes[i].next = nodes + (i + 1) % count;
  }
}

constexpr int blocks   = 8;
constexpr int launches = 6;

template <Level From, bool Single>
static void measure(const char *level, int links, Node *&fresh, Node *cached, const Node **out)
{
  const size_t used = static_cast<size_t>(blocks) * turns * links;
  ticks *known      = device_array<ticks>(blocks * turns);
  const auto nodes  = [&]
  {
    Node *const here = From == dram ? fresh : cached;
    fresh += From == dram ? used : 0;
    return here;
  };
  const auto print = [&](const char *kernel, const char *more, const std::string &list)
  {
    std::printf("{\"kernel\":\"%s\",\"level\":\"%s\",\"links\":%d,%s\"known\":%s}\n", kernel, level,
                links, more, list.c_str());
  };
  for (int l = 0; l < launches; ++l)
  {
    plain<From, Single><<<blocks, 32>>>(nodes(), links, out);
    print("plain", "", "[]");
    drained<From, Single><<<blocks, 32>>>(nodes(), links, out);
    print("drained", "", "[]");
    reference<From, Single><<<blocks, 32>>>(nodes(), links, out, known);
    CHECK(cudaDeviceSynchronize());
    print("reference", "\"reference\":true,", as_json(known, blocks, turns));
  }
  CHECK(cudaFree(known));
}

int main()
{
  // Far more than fits into L2, in the order in which it is written: its beginning has left L2.
  const size_t count = static_cast<size_t>(4) << 20;
  Node *nodes        = device_array<Node>(count);
  link<<<1024, 256>>>(nodes, count);
  CHECK(cudaDeviceSynchronize());
  const Node **out = device_array<const Node *>(2);
  Node *cached     = nodes + count / 2;
  Node *fresh      = nodes;
  measure<l1, false>("L1", 32, fresh, cached, out);
  measure<l2, true>("L2", 1, fresh, cached, out);
  measure<l2, false>("L2", 8, fresh, cached, out);
  measure<dram, true>("DRAM", 1, fresh, cached, out);
  measure<dram, false>("DRAM", 8, fresh, cached, out);
  return 0;
}
