// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mark costs on this device, and the step of its timer: the runtime runs this once, when it
// attaches.
#ifndef KINSTR_DETAIL_CALIBRATE_CUH
#define KINSTR_DETAIL_CALIBRATE_CUH

// Which includes this, behind the macros: what is timed is what kernels use.
#include <kinstr/trace.cuh>

namespace kinstr
{
namespace
{

/// Lane 0's clock, by the instruction that marks use.
KINSTR_DEVICE std::uint32_t kinstr_now()
{
  std::uint32_t now = 0;
  ptx::clock_low_of(threadIdx.x, 0, now);
  return now;
}

/// Adds what a mark takes, and a reading of the clock. Marks are timed apart from each other, when
/// neither what the last one stored nor the registers that it came from are under way: a phase has
/// something in it. Where the last reading goes to the register of the mark's, it waits for the
/// mark's store, as what follows a mark may; `end` is in use before, so that not all do.
#define KINSTR_CALIBRATE_MARK(SITE)                                                                \
  {                                                                                                \
    ptx::rest();                                                                                   \
    std::uint32_t end         = kinstr_now();                                                      \
    const std::uint32_t start = kinstr_now();                                                      \
    KINSTR_MARK(SITE)                                                                              \
    ptx::clock_low_of(threadIdx.x, 0, end);                                                        \
    all += end - start;                                                                            \
  }

#define KINSTR_ROLLED _Pragma("unroll 1")

/// Cycles of calibration_marks marks, less those of reading the clock: the least of some rounds, of
/// which the first finds the code in no cache. Each round leaves a record.
#define KINSTR_CALIBRATE(BUFFER, LAYOUT, CYCLES)                                                   \
  CYCLES = 0x7FFFFFFF;                                                                             \
  KINSTR_ROLLED for (int round = 0; round < 4; ++round)                                            \
  {                                                                                                \
    KINSTR_KERNEL(0, BUFFER, LAYOUT, uniform, 2, 32)                                               \
    KINSTR_MARK(0)                                                                                 \
    ptx::rest();                                                                                   \
    const std::uint32_t before = kinstr_now();                                                     \
    int all                    = -marks * static_cast<int>(kinstr_now() - before);                 \
    KINSTR_ROLLED for (int mark = 0; mark < marks; ++mark) { KINSTR_CALIBRATE_MARK(1); }           \
    CYCLES = min(CYCLES, max(all, 0));                                                             \
  }

/// How long %globaltimer shows the same value [ns]: the longest of some times, in the round that
/// was disturbed least. 0: too long to wait for.
KINSTR_DEVICE std::uint32_t kinstr_timer_step()
{
  constexpr int patience  = 1 << 12; // some 50 µs
  unsigned long long step = ~0ull;
  int looks               = 0;
#pragma unroll 1
  for (int round = 0; round < 4; ++round)
  {
    unsigned long long longest = 0, last = ptx::globaltimer();
#pragma unroll 1
    for (int change = 0; change < 5; ++change)
    {
      unsigned long long next = last;
      while (next == last)
      {
        if (++looks == patience)
        {
          return 0;
        }
        next = ptx::globaltimer();
      }
      longest = change == 0 ? 0 : max(longest, next - last); // of the first one we saw a part
      last    = next;
    }
    step = min(step, longest);
  }
  return static_cast<std::uint32_t>(step);
}

/// Whether the host still waits for this; from here on it does. See calibration_talk.
KINSTR_DEVICE bool kinstr_awaited(volatile calibration_talk *talk)
{
  bool awaited = false;
  if (threadIdx.x == 0)
  {
    talk->started = 1;
    __threadfence_system();
    awaited = talk->cancelled == 0;
  }
  return detail::asked_by_lane_0(awaited);
}

/// One warp. `found`: calibrated_words.
__global__ void kinstr_calibrate(calibration_talk *talk, std::uint32_t *found)
{
  if (!kinstr_awaited(talk))
  {
    return;
  }
  constexpr int marks = calibration_marks;
  int cycles[calibrated_count];
  KINSTR_CALIBRATE(shared, slots, cycles[0])
  KINSTR_CALIBRATE(shared, stream, cycles[1])
  KINSTR_CALIBRATE(lanes, slots, cycles[2])
  KINSTR_CALIBRATE(lanes, stream, cycles[3])
  KINSTR_CALIBRATE(global, slots, cycles[4])
  KINSTR_CALIBRATE(global, stream, cycles[5])
  if (threadIdx.x == 0)
  {
    for (std::uint32_t i = 0; i < calibrated_count; ++i)
    {
      found[i] = static_cast<std::uint32_t>(cycles[i]);
    }
    found[calibrated_timer_step] = kinstr_timer_step();
  }
}

#undef KINSTR_CALIBRATE
#undef KINSTR_CALIBRATE_MARK
#undef KINSTR_ROLLED

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
