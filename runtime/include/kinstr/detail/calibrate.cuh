// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mark costs on this device: the runtime runs this once, when it attaches.
#ifndef KINSTR_DETAIL_CALIBRATE_CUH
#define KINSTR_DETAIL_CALIBRATE_CUH

// Which includes this, behind the macros: what is timed is what kernels use.
#include <kinstr/trace.cuh>

namespace kinstr
{
namespace
{

/// Cycles of 8 marks, one behind another, less those of reading the clock: the least of some
/// rounds, of which the first finds the code in no cache. Each round leaves a record. Thread 0's
/// clock, by the instruction that marks use.
#define KINSTR_CALIBRATE(BUFFER, LAYOUT, CYCLES)                                                   \
  CYCLES = 0xFFFFFFFFu;                                                                            \
  _Pragma("unroll 1") for (int round = 0; round < 4; ++round)                                      \
  {                                                                                                \
    KINSTR_KERNEL(0, BUFFER, LAYOUT, uniform, 9, 32)                                               \
    KINSTR_MARK(0)                                                                                 \
    std::uint32_t t0 = 0, t1 = 0, t2 = 0;                                                          \
    ptx::clock_low_of(threadIdx.x, 0, t0);                                                         \
    ptx::clock_low_of(threadIdx.x, 0, t1);                                                         \
    KINSTR_MARK(1)                                                                                 \
    KINSTR_MARK(2)                                                                                 \
    KINSTR_MARK(3)                                                                                 \
    KINSTR_MARK(4)                                                                                 \
    KINSTR_MARK(5)                                                                                 \
    KINSTR_MARK(6)                                                                                 \
    KINSTR_MARK(7)                                                                                 \
    KINSTR_MARK(8)                                                                                 \
    ptx::clock_low_of(threadIdx.x, 0, t2);                                                         \
    const std::uint32_t of_clock = t1 - t0;                                                        \
    const std::uint32_t all      = t2 - t1;                                                        \
    CYCLES                       = min(CYCLES, all > of_clock ? all - of_clock : 0);               \
  }

/// One warp. `cycles`: of calibration_marks marks of each of calibrated_recorders. Does nothing
/// where the state is another by the time this runs.
__global__ void kinstr_calibrate(const std::uint32_t *scratch, std::uint32_t *cycles)
{
  if (state.data != scratch)
  {
    return;
  }
  std::uint32_t found[calibrated_count];
  KINSTR_CALIBRATE(shared, slots, found[0])
  KINSTR_CALIBRATE(shared, stream, found[1])
  KINSTR_CALIBRATE(lanes, slots, found[2])
  KINSTR_CALIBRATE(lanes, stream, found[3])
  KINSTR_CALIBRATE(global, slots, found[4])
  KINSTR_CALIBRATE(global, stream, found[5])
  if (threadIdx.x == 0)
  {
    for (std::uint32_t i = 0; i < calibrated_count; ++i)
    {
      cycles[i] = found[i];
    }
  }
}

#undef KINSTR_CALIBRATE

/// Before the module is registered, which is at the file's end.
struct kinstr_calibration
{
  kinstr_calibration()
  {
    this_module.calibrate = reinterpret_cast<const void *>(&kinstr_calibrate);
  }
} const this_calibration;

} // namespace
} // namespace kinstr

#endif // KINSTR_DETAIL_CALIBRATE_CUH
