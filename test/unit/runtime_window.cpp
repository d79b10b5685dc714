// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// launches=SKIP:COUNT. Nothing runs before the end, so the order is the
// streams' and events' alone.
#include "RewrittenFile.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

TEST_F(RuntimeDeathTest, WithoutAWindowStreamsAreNotTouched) {
  EXPECT_EXIT(
      {
        start(out());
        const cudaStream_t s = fake::create_stream();
        for (int i = 0; i < 10; ++i) {
          launch(s, 1);
          launch();
        }
        std::exit(fake::operations_in_program_streams());
      },
      ExitedWithCode(0), "20 launches, 40 events");
}

namespace {

struct window_case {
  bool context_events;
  fake::hurry first;
};

std::string name_of(const testing::TestParamInfo<window_case> &c) {
  return std::string(c.param.context_events ? "ContextEvents"
                                            : "StreamEvents") +
         (c.param.first == fake::hurry::program ? "ProgramFirst"
                                                : "RuntimeFirst");
}

class RuntimeWindow : public Runtime,
                      public testing::WithParamInterface<window_case> {
protected:
  void start_window(const std::string &window) {
    fake::gpu.context_events = GetParam().context_events;
    fake::gpu.first = GetParam().first;
    start("launches=" + window + ',' + out());
  }
};

using RuntimeWindowDeathTest = RuntimeWindow;

} // namespace

INSTANTIATE_TEST_SUITE_P(
    AnyOrder, RuntimeWindowDeathTest,
    testing::Values(window_case{true, fake::hurry::program},
                    window_case{true, fake::hurry::runtime},
                    window_case{false, fake::hurry::program},
                    window_case{false, fake::hurry::runtime}),
    name_of);

TEST_P(RuntimeWindowDeathTest, IsExactInOneStream) {
  EXPECT_EXIT(
      {
        start_window("3:2");
        const cudaStream_t s = fake::create_stream();
        for (std::uint32_t i = 0; i < 8; ++i) {
          launch(s, 100 + i);
        }
        std::exit(0);
      },
      ExitedWithCode(0), "2 launches, 4 events");
  const trace_file t = read_trace(path);
  EXPECT_EQ(t.clocks(), (std::vector<std::uint32_t>{103, 104}));
  EXPECT_EQ(t.launches(), 2u);
}

TEST_P(RuntimeWindowDeathTest,
       IsExactInStreamsThatSynchroniseWithTheDefaultOne) {
  EXPECT_EXIT(
      {
        start_window("3:2");
        const auto s = three_streams(cudaStreamDefault);
        for (std::uint32_t i = 0; i < 9; ++i) {
          launch(s[i % 3], 100 + i);
        }
        std::exit(0);
      },
      ExitedWithCode(0), "2 launches, 4 events");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{103, 104}));
}

TEST_P(RuntimeWindowDeathTest, LaterLaunchesInOtherStreamsSeeTheSwitch) {
  EXPECT_EXIT(
      {
        start_window("1");
        const cudaStream_t s = fake::create_stream();
        launch(s, 100);
        launch(s, 101);
        launch(fake::create_stream(), 102);
        launch(fake::create_stream(), 103);
        std::exit(0);
      },
      ExitedWithCode(0), "3 launches, 6 events");
}

TEST_P(RuntimeWindowDeathTest, NoDeadStreamIsUsed) {
  EXPECT_EXIT(
      {
        start_window("1:1");
        const cudaStream_t s = fake::create_stream();
        launch(s, 100);
        cudaDeviceSynchronize();
        cudaStreamDestroy(s);
        launch(101);
        const cudaStream_t other = fake::create_stream();
        launch(other, 102);
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch, 2 events");
}

TEST_P(RuntimeWindowDeathTest, StartAndStopWorkLikeIt) {
  EXPECT_EXIT(
      {
        start_window("0");
        kinstr_stop();
        launch(100);
        kinstr_start();
        launch(101);
        launch(102);
        kinstr_stop();
        launch(103);
        std::exit(0);
      },
      ExitedWithCode(0), "2 launches, 4 events");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{101, 102}));
}

TEST_P(RuntimeWindowDeathTest, LaunchesStoppedCountAsSkipped) {
  EXPECT_EXIT(
      {
        start_window("2");
        kinstr_stop();
        launch(100);
        launch(101);
        kinstr_start();
        launch(102);
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch, 2 events");
}

namespace {

class RuntimeExactWindow : public RuntimeWindow {};

using RuntimeExactWindowDeathTest = RuntimeExactWindow;

} // namespace

INSTANTIATE_TEST_SUITE_P(
    DriverWithContextEvents, RuntimeExactWindowDeathTest,
    testing::Values(window_case{true, fake::hurry::program},
                    window_case{true, fake::hurry::runtime}),
    name_of);

TEST_P(RuntimeExactWindowDeathTest, IsExactInAllStreams) {
  EXPECT_EXIT(
      {
        start_window("3:2");
        const auto s = three_streams(cudaStreamNonBlocking);
        for (std::uint32_t i = 0; i < 9; ++i) {
          launch(s[i % 3], 100 + i);
        }
        std::exit(0);
      },
      ExitedWithCode(0), "2 launches, 4 events");
  EXPECT_EQ(read_trace(path).clocks().size(), 2u);
}
