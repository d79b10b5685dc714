// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces that are written before the end: kinstr_flush(), cudaDeviceReset().
#include "RewrittenFile.h"

#include <cstdlib>
#include <vector>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

TEST_F(RuntimeDeathTest, ResetWritesAndTheNextLaunchAttachesAgain) {
  EXPECT_EXIT(
      {
        start(out());
        launch(1);
        kinstr_device_reset();
        constant = {};
        launch(2);
        std::exit(0);
      },
      ExitedWithCode(0),
      "t.kitrace: 1 launch, 2 events, 0 dropped\n"
      "kinstr: .*t.1.kitrace: 1 launch, 2 events, 0 dropped\n$");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(read_trace(file("t.1.kitrace")).clocks(),
            (std::vector<std::uint32_t>{2}));
}

TEST_F(RuntimeDeathTest, ResetAtTheEndWritesOneFile) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        kinstr_device_reset();
        std::exit(0);
      },
      ExitedWithCode(0), "^[^\n]*t.kitrace: 1 launch, 2 events, 0 dropped\n$");
}

TEST_F(RuntimeDeathTest, ResetBehindTheRuntimesBackIsNoticed) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        cudaDeviceReset(); // in a file that was not rewritten
        std::exit(0);
      },
      ExitedWithCode(0), "the records of device 0 are lost");
}

TEST_F(RuntimeDeathTest, FlushNumbersTheFiles) {
  EXPECT_EXIT(
      {
        start(out());
        for (std::uint32_t i = 1; i <= 3; ++i) {
          launch(i);
          if (i < 3 && kinstr_flush() != 0) {
            std::_Exit(1);
          }
        }
        std::exit(stale_chunk);
      },
      ExitedWithCode(0), "t.2.kitrace: 1 launch, 2 events, 0 dropped");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(read_trace(file("t.1.kitrace")).clocks(),
            (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(read_trace(file("t.2.kitrace")).clocks(),
            (std::vector<std::uint32_t>{3}));
}
