// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring what a mark costs, when a device is attached.
#include "RewrittenFile.h"
#include "state.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

namespace {

/// A kernel that measures: it sees the state of its own arena, or does nothing.
std::function<void()> launch_calibrate(dim3, void **arguments) {
  const auto talk = *static_cast<calibration_talk **>(arguments[0]);
  const auto found = *static_cast<std::uint32_t **>(arguments[1]);
  return [=] {
    __atomic_store_n(&talk->started, 1u, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&talk->cancelled, __ATOMIC_SEQ_CST) != 0) {
      return;
    }
    const std::uint32_t *const words = constant.data;
    if (constant.recording != record_all || constant.last_region != 0 ||
        reinterpret_cast<std::uintptr_t>(words) % 8 != 0) {
      std::_Exit(99);
    }
    for (std::uint32_t i = 0; i < calibrated_count; ++i) {
      found[i] = 123 + i;
    }
    found[calibrated_timer_step] = 32;
  };
}

void start_calibrated(const std::string &options) {
  module_of_file.calibrate = &module_of_file.calibrate;
  fake::gpu.kernels[module_of_file.calibrate] = launch_calibrate;
  start(options);
}

} // namespace

TEST_F(RuntimeDeathTest, CostOfAMarkIsInTheTrace) {
  for (const fake::hurry first : {fake::hurry::program, fake::hurry::runtime}) {
    EXPECT_EXIT(
        {
          fake::gpu.first = first;
          start_calibrated(out());
          const cudaStream_t s = fake::create_stream();
          fake::begin_capture(s); // nothing may disturb it
          launch();
          fake::end_capture(s);
          std::exit(0);
        },
        ExitedWithCode(0), "^[^\n]*1 launch, 2 events, 0 dropped\n$");
    EXPECT_TRUE(read_trace(path).says(
        R"("timer_step_ns":32,"mark_costs":[{"buffer":"shared","layout":"slots","cycles":15.375},)"))
        << read_trace(path).meta;
  }
}

TEST_F(RuntimeDeathTest, MeasuredWhileOffLeavesRecordingOff) {
  EXPECT_EXIT(
      {
        start_calibrated(out() + ",launches=1000");
        launch();
        std::exit(constant.recording == record_nothing &&
                          constant.data ==
                              rt::the_process().devices[0]->segments[0].data
                      ? 0
                      : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(RuntimeDeathTest, CalibrationWaitsForNobody) {
  EXPECT_EXIT(
      {
        ::alarm(20);
        start_calibrated(out());
        // The kernel comes behind one that does not end.
        fake::gpu.kernels[module_of_file.calibrate] =
            [](dim3, void **) -> std::function<void()> {
          const cudaStream_t stuck = fake::create_stream();
          fake::enqueue_endless(stuck);
          fake::hold_up_next(stuck);
          return [] { std::_Exit(1); };
        };
        launch();
        kinstr_stop();
        std::_Exit(constant.data != nullptr &&
                           rt::the_process().devices[0]->calibrated.empty() &&
                           rt::the_process().devices[0]->segments[0].data ==
                               constant.data
                       ? 0
                       : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(RuntimeDeathTest, CalibrationThatHasBegunIsNotDisturbed) {
  EXPECT_EXIT(
      {
        static const char slow = 0;
        fake::gpu.kernels[&slow] = [](dim3, void **) {
          return
              [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
        };
        start_calibrated(out());
        // It has begun, and takes longer than there is patience.
        fake::gpu.kernels[module_of_file.calibrate] = [](dim3 grid,
                                                         void **arguments) {
          auto *const talk = *static_cast<calibration_talk **>(arguments[0]);
          __atomic_store_n(&talk->started, 1u, __ATOMIC_SEQ_CST);
          const auto found = *static_cast<std::uint32_t **>(arguments[1]);
          const cudaStream_t others = fake::create_stream();
          for (int i = 0; i < 200; ++i) {
            cudaLaunchKernel(&slow, grid, dim3(1), nullptr, 0, others);
          }
          fake::hold_up_next(others);
          return [found] {
            if (constant.recording != record_all || constant.last_region != 0) {
              std::_Exit(99);
            }
            std::fill_n(found, calibrated_words, 32u);
          };
        };
        launch();
        std::exit(rt::the_process().devices[0]->calibrated.empty() ? 98 : 0);
      },
      ExitedWithCode(0), "1 launch");
}
