// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers and instructions the recorder uses, one function each.
#ifndef KINSTR_DETAIL_PTX_CUH
#define KINSTR_DETAIL_PTX_CUH

#include <cstdint>

#define KINSTR_DEVICE __device__ __forceinline__

namespace kinstr
{
namespace ptx
{

/// Low word of %clock64 [cycles of this SM]. The clobber keeps memory accesses on their side of it.
KINSTR_DEVICE std::uint32_t clock_low()
{
  unsigned long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return static_cast<std::uint32_t>(t);
}

/// %clock64 [cycles of this SM].
KINSTR_DEVICE unsigned long long clock()
{
  unsigned long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

/// Low word of %clock64 into `v` of one lane. Predicated by hand: where ptxas makes a branch of the
/// condition instead, it reads the clock there by S2UR.
KINSTR_DEVICE void clock_low_of(std::uint32_t lane, std::uint32_t which, std::uint32_t &v)
{
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               ".reg .b64 t;\n\t"
               "setp.eq.u32 p, %1, %2;\n\t"
               "mov.u64 t, %%clock64;\n\t"
               "@p cvt.u32.u64 %0, t;\n\t"
               "}"
               : "+r"(v)
               : "r"(lane), "r"(which)
               : "memory");
}

/// Lets a few hundred cycles pass, or none before sm_70.
KINSTR_DEVICE void rest()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  asm volatile("nanosleep.u32 200;" ::: "memory");
#endif
}

/// %globaltimer [ns], one clock for the whole device.
KINSTR_DEVICE unsigned long long globaltimer()
{
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

/// The SM this thread is on. Volatile: a preempted block may come back on another one.
KINSTR_DEVICE std::uint32_t smid()
{
  std::uint32_t v;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(v));
  return v;
}

/// Index of the block, read here and not where it is used.
struct index3
{
  std::uint32_t x, y, z;
};
KINSTR_DEVICE index3 block_index()
{
  index3 v;
  asm volatile("mov.u32 %0, %%ctaid.x;\n\tmov.u32 %1, %%ctaid.y;\n\tmov.u32 %2, %%ctaid.z;"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z));
  return v;
}

/// The hardware slot this warp is in. Volatile for the same reason.
KINSTR_DEVICE std::uint32_t warpid()
{
  std::uint32_t v;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(v));
  return v;
}

KINSTR_DEVICE std::uint32_t laneid()
{
  std::uint32_t v;
  asm("mov.u32 %0, %%laneid;" : "=r"(v));
  return v;
}

/// Identity of the launch in its context: grows by one a launch; a graph's node keeps its own.
KINSTR_DEVICE unsigned long long gridid()
{
  unsigned long long v;
  asm("mov.u64 %0, %%gridid;" : "=l"(v));
  return v;
}

KINSTR_DEVICE std::uint32_t dynamic_shared_bytes()
{
  std::uint32_t v;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v));
  return v;
}

/// Cluster dimensions in blocks, packed as anchor_words::cluster_dim; 0 before sm_90.
KINSTR_DEVICE std::uint32_t cluster_dim()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  std::uint32_t x, y, z;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(z));
  return x | y << 8 | z << 16;
#else
  return 0;
#endif
}

/// 32-bit address in the shared window, for the accesses below.
KINSTR_DEVICE std::uint32_t shared_address(const void *p)
{
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

KINSTR_DEVICE void store_shared(std::uint32_t address, std::uint32_t v)
{
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}

KINSTR_DEVICE void store_shared(std::uint32_t address, std::uint32_t v0, std::uint32_t v1)
{
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(v0), "r"(v1) : "memory");
}

/// By the lanes that say so, without a way around it for the others.
KINSTR_DEVICE void store_shared_if(bool stores, std::uint32_t address, std::uint32_t v)
{
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "setp.ne.u32 p, %2, 0;\n\t"
               "@p st.shared.u32 [%0], %1;\n\t"
               "}" ::"r"(address),
               "r"(v), "r"(stores ? 1u : 0u)
               : "memory");
}

/// The same with an event: { low word of the clock, its bits 32-47 << 16 | site }. In assembler
/// also what packs it, which is one instruction there and three in C++.
KINSTR_DEVICE void store_event_shared_if(bool stores, std::uint32_t address,
                                         unsigned long long clock, std::uint32_t site)
{
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               ".reg .b32 low, high;\n\t"
               "setp.ne.u32 p, %3, 0;\n\t"
               "mov.b64 {low, high}, %1;\n\t"
               "shl.b32 high, high, 16;\n\t"
               "add.u32 high, high, %2;\n\t"
               "@p st.shared.v2.u32 [%0], {low, high};\n\t"
               "}" ::"r"(address),
               "l"(clock), "r"(site), "r"(stores ? 1u : 0u)
               : "memory");
}

KINSTR_DEVICE std::uint32_t load_shared(std::uint32_t address)
{
  std::uint32_t v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

/// Atomic; returns the value before.
KINSTR_DEVICE std::uint32_t add_shared(std::uint32_t address, std::uint32_t v)
{
  std::uint32_t old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(v) : "memory");
  return old;
}

/// Atomic; returns the value before.
KINSTR_DEVICE std::uint32_t exchange_shared(std::uint32_t address, std::uint32_t v)
{
  std::uint32_t old;
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(v) : "memory");
  return old;
}

/// Atomic; returns the value before. In assembler, because ptxas adds up the lanes' requests before
/// an atomicAdd(), seven shuffles, where it cannot see that there is one lane.
KINSTR_DEVICE unsigned long long add_global(unsigned long long *p, unsigned long long v)
{
  unsigned long long old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
  return old;
}

/// The same by the lanes that say so, without a way around it for the others; `old` stays theirs.
KINSTR_DEVICE void add_global_if(bool adds, unsigned long long *p, unsigned long long v,
                                 unsigned long long &old)
{
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "setp.ne.u32 p, %3, 0;\n\t"
               "@p atom.global.add.u64 %0, [%1], %2;\n\t"
               "}"
               : "+l"(old)
               : "l"(p), "l"(v), "r"(adds ? 1u : 0u)
               : "memory");
}

/// Streaming store: trace data is not read again by the kernel and should not push out its cache
/// lines.
KINSTR_DEVICE void store_global(std::uint32_t *p, std::uint32_t v)
{
  asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

KINSTR_DEVICE void store_global(std::uint32_t *p, std::uint32_t v0, std::uint32_t v1)
{
  asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(v0), "r"(v1) : "memory");
}

/// If `stores`: an event { low word of %clock64, its bits 32-47 << 16 | site }, 8 * left bytes
/// before `end`. Predicated by hand, so that lanes that do not store need no way around it.
KINSTR_DEVICE void store_event_before(std::uint32_t *end, std::uint32_t left, std::uint32_t site,
                                      bool stores)
{
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               ".reg .b64 a, t;\n\t"
               ".reg .b32 low, high;\n\t"
               "setp.ne.u32 p, %3, 0;\n\t"
               "mad.wide.s32 a, %1, -8, %0;\n\t"
               "mov.u64 t, %%clock64;\n\t"
               "mov.b64 {low, high}, t;\n\t"
               "shl.b32 high, high, 16;\n\t"
               "add.u32 high, high, %2;\n\t"
               "@p st.global.cs.v2.u32 [a], {low, high};\n\t"
               "}" ::"l"(end),
               "r"(left), "r"(site), "r"(stores ? 1u : 0u)
               : "memory");
}

/// 16 bytes by one instruction, and cached: the thread that loads has stored last.
KINSTR_DEVICE void load_global(const void *p, std::uint32_t &v0, std::uint32_t &v1,
                               std::uint32_t &v2, std::uint32_t &v3)
{
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v0), "=r"(v1), "=r"(v2), "=r"(v3)
               : "l"(p)
               : "memory");
}

KINSTR_DEVICE void store_global(void *p, std::uint32_t v0, std::uint32_t v1, std::uint32_t v2,
                                std::uint32_t v3)
{
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v0), "r"(v1), "r"(v2),
               "r"(v3)
               : "memory");
}

/// Waits for this warp's outstanding loads (measured on sm_90; docs/annotations.md, `drain`).
KINSTR_DEVICE void drain_loads() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }

} // namespace ptx
} // namespace kinstr

#endif // KINSTR_DETAIL_PTX_CUH
