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

/// A warp's recorder where warps are whole, as here and in nearly all blocks: no mark asks.
template <typename Recorder>
struct kinstr_whole
{
  using type = Recorder;
};
template <typename If, typename Else, typename Progress>
struct kinstr_whole<
    detail::kernel_recorder<detail::either<detail::whole_warps, If, Else>, Progress>>
{
  using type = detail::kernel_recorder<If, Progress>;
};

/// What a phase is about, for some hundred cycles: behind it nothing of the last mark is under way.
KINSTR_DEVICE void kinstr_work()
{
  const unsigned long long from = ptx::clock();
#pragma unroll 1
  while (ptx::clock() - from < 300)
  {
  }
}

/// Adds what a mark adds to a phase that has work in it: the time between two readings of the clock
/// around it. That of a reading is taken off later. In 64 bits to the end: of one that only its low
/// word is needed of, ptxas makes S2UR, which takes longer.
#define KINSTR_CALIBRATE_MARK(SITE)                                                                \
  {                                                                                                \
    kinstr_work();                                                                                 \
    const unsigned long long before = ptx::clock();                                                \
    KINSTR_MARK(SITE)                                                                              \
    all += static_cast<long long>(ptx::clock() - before);                                          \
  }

#define KINSTR_ROLLED _Pragma("unroll 1")

// Sites as they are in kernels: slots where each is passed once, streams in loops.
#define KINSTR_CALIBRATE_slots                                                                     \
  KINSTR_CALIBRATE_MARK(1)                                                                         \
  KINSTR_CALIBRATE_MARK(2)                                                                         \
  KINSTR_CALIBRATE_MARK(3)                                                                         \
  KINSTR_CALIBRATE_MARK(4)                                                                         \
  KINSTR_CALIBRATE_MARK(5)                                                                         \
  KINSTR_CALIBRATE_MARK(6)                                                                         \
  KINSTR_CALIBRATE_MARK(7)                                                                         \
  KINSTR_CALIBRATE_MARK(8)
#define KINSTR_CALIBRATE_stream                                                                    \
  KINSTR_ROLLED for (int mark = 0; mark < marks; mark += 2)                                        \
  {                                                                                                \
    KINSTR_CALIBRATE_MARK(1)                                                                       \
    KINSTR_CALIBRATE_MARK(2)                                                                       \
  }

/// Cycles of calibration_marks marks, less those of reading the clock: the least of some rounds, of
/// which the first finds the code in no cache. Each round leaves a record.
#define KINSTR_CALIBRATE(BUFFER, LAYOUT, CYCLES)                                                   \
  CYCLES = 0x7FFFFFFF;                                                                             \
  KINSTR_ROLLED for (int round = 0; round < 4; ++round)                                            \
  {                                                                                                \
    kinstr_whole<                                                                                  \
        kinstr_recorder_of<kinstr_buffer::kinstr_##BUFFER, kinstr_layout::kinstr_##LAYOUT,         \
                           kinstr_flow::kinstr_uniform, 0, marks + 1, 32>>::type kinstr_recorder;  \
    KINSTR_MARK(0)                                                                                 \
    kinstr_work();                                                                                 \
    const unsigned long long before = ptx::clock();                                                \
    long long all                   = -marks * static_cast<long long>(ptx::clock() - before);      \
    KINSTR_CALIBRATE_##LAYOUT;                                                                     \
    CYCLES = min(CYCLES, max(all, 0LL));                                                           \
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
  long long cycles[calibrated_count];
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
#undef KINSTR_CALIBRATE_slots
#undef KINSTR_CALIBRATE_stream
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
