// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What interleave.cu asks of a variant: one kernel, compiled in one way, in a shared library of its
// own with its own copy of kinstr's runtime. All variants of a kernel work on the same inputs, made
// by the first of them, so that none is luckier with its addresses.
#ifndef KINSTR_BENCH_VARIANT_CUH
#define KINSTR_BENCH_VARIANT_CUH

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

/// What a kernel takes of the device, as CUDA sees it.
struct bench_resources
{
  int registers;
  int local_bytes; ///< a thread's: spills, and arrays that are indexed
  int static_shared_bytes;
  int dynamic_shared_bytes;
  int blocks_per_sm;
};

/// What the recorders took of the arena so far.
struct bench_recorded
{
  unsigned long long words;
  unsigned long long dropped_records;
};

extern "C"
{
  void *bench_setup(int count, char **arguments); ///< the inputs, for all variants of the kernel
  void bench_launch(void *inputs);                ///< into the default stream; does not wait
  bool bench_is_right(void *inputs);              ///< launches once more and compares the result
  bench_resources bench_take_resources(void *inputs);
  bench_recorded bench_count_records();
}

namespace bench
{

inline void check(cudaError_t status, const char *call, const char *file, int line)
{
  if (status != cudaSuccess)
  {
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
    std::_Exit(1);
  }
}

#define BENCH_CHECK(CALL) ::bench::check((CALL), #CALL, __FILE__, __LINE__)

template <typename Kernel>
bench_resources take_resources(Kernel *kernel, int threads, int dynamic_shared_bytes)
{
  cudaFuncAttributes a;
  BENCH_CHECK(cudaFuncGetAttributes(&a, kernel));
  int blocks = 0;
  BENCH_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                            dynamic_shared_bytes));
  return {a.numRegs, static_cast<int>(a.localSizeBytes), static_cast<int>(a.sharedSizeBytes),
          dynamic_shared_bytes, blocks};
}

} // namespace bench

// Once in each variant, behind the code that kinstr rewrote, if it did: what it includes tells.
#ifdef KINSTR_TRACE_CUH
#  define BENCH_COUNT_RECORDS                                                                      \
    bench_recorded bench_count_records()                                                           \
    {                                                                                              \
      kinstr::device_state state = {};                                                             \
      BENCH_CHECK(cudaMemcpyFromSymbol(&state, kinstr::state, sizeof state));                      \
      bench_recorded sum = {0, 0};                                                                 \
      for (unsigned i = 0; i <= state.last_region; ++i)                                            \
      {                                                                                            \
        kinstr::region_head head;                                                                  \
        BENCH_CHECK(cudaMemcpy(&head, state.heads + i, sizeof head, cudaMemcpyDeviceToHost));      \
        sum.words += head.next;                                                                    \
        sum.dropped_records += head.dropped_records;                                               \
      }                                                                                            \
      return sum;                                                                                  \
    }
#else
#  define BENCH_COUNT_RECORDS                                                                      \
    bench_recorded bench_count_records() { return {0, 0}; }
#endif

#endif // KINSTR_BENCH_VARIANT_CUH
