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
               "@p mov.u64 t, %%clock64;\n\t"
               "@p cvt.u32.u64 %0, t;\n\t"
               "}"
               : "+r"(v)
               : "r"(lane), "r"(which)
               : "memory");
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
