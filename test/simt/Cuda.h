// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of CUDA C++ that kinstr's device headers use, for the host
// compiler: lanes of the SIMT machine execute them. To be included last.
#ifndef KINSTR_TEST_SIMT_CUDA_H
#define KINSTR_TEST_SIMT_CUDA_H

#include "Machine.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(N) __attribute__((aligned(N)))
#define __shared__ static // of a block all the same: see sharedAddress()

#define threadIdx (::simt::threadIndex())
#define blockIdx (::simt::blockIndex())
#define blockDim (::simt::threadsDim())
#define gridDim (::simt::blocksDim())

#define KINSTR_SIMT_LINE                                                       \
  const char *File = __builtin_FILE(), int Number = __builtin_LINE()

inline unsigned __activemask(KINSTR_SIMT_LINE) {
  return simt::activeMask({File, Number});
}
inline void __syncwarp(unsigned Mask = 0xFFFFFFFF, KINSTR_SIMT_LINE) {
  simt::meet(simt::WarpOp::Sync, Mask, {File, Number});
}
template <typename T>
T __shfl_sync(unsigned Mask, T V, int From, KINSTR_SIMT_LINE) {
  return static_cast<T>(simt::meet(simt::WarpOp::Shuffle, Mask, {File, Number},
                                   static_cast<uint64_t>(V), From));
}
inline unsigned __ballot_sync(unsigned Mask, int Predicate, KINSTR_SIMT_LINE) {
  return static_cast<unsigned>(simt::meet(simt::WarpOp::Ballot, Mask,
                                          {File, Number}, Predicate ? 1 : 0));
}
inline int __any_sync(unsigned Mask, int Predicate, KINSTR_SIMT_LINE) {
  return __ballot_sync(Mask, Predicate, File, Number) != 0;
}
inline int __all_sync(unsigned Mask, int Predicate, KINSTR_SIMT_LINE) {
  return __ballot_sync(Mask, !Predicate, File, Number) == 0;
}

inline void __syncthreads() { simt::blockBarrier(); }
inline void __threadfence_block() { simt::fence(); }
inline void __threadfence() { simt::fence(); }

inline unsigned long long atomicAdd(unsigned long long *P,
                                    unsigned long long V) {
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "");
  return simt::atomicAdd(reinterpret_cast<uint64_t *>(P), V);
}

inline int __ffs(int V) { return __builtin_ffs(V); }
inline int __popc(unsigned V) { return __builtin_popcount(V); }
inline int __clz(int V) { return V == 0 ? 32 : __builtin_clz(V); }
using std::max;
using std::min;

#undef KINSTR_SIMT_LINE

#endif // KINSTR_TEST_SIMT_CUDA_H
