// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture.
#include "RewrittenFile.h"

#include <cstdlib>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

TEST_F(RuntimeDeathTest, FirstLaunchInsideACaptureKeepsItValid) {
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    EXPECT_EXIT(
        {
          start(out());
          const cudaStream_t s = fake::create_stream(flags);
          fake::begin_capture(s);
          launch(s, 1);
          launch(s, 1);
          fake::end_capture(s);
          launch(2);
          std::exit(0);
        },
        ExitedWithCode(0), "^[^\n]*3 launches, 2 events, 0 dropped\n$");
    // The two captured ones are known as such.
    EXPECT_EQ(read_trace(path).count(R"("captured":true)"), 2u);
    EXPECT_EQ(read_trace(path).count(R"("captured":false)"), 1u);
  }
}

TEST_F(RuntimeDeathTest, SwitchInsideACaptureIsSaidOnce) {
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    EXPECT_EXIT(
        {
          start("launches=1:1," + out());
          const cudaStream_t s = fake::create_stream(flags);
          fake::begin_capture(s);
          launch(s, 1);
          launch(s, 2);
          launch(s, 3);
          fake::end_capture(s);
          std::exit(0);
        },
        ExitedWithCode(0),
        "^kinstr: warning: recording is switched on during a stream "
        "capture[^\n]*\n"
        "[^\n]*1 launch, 0 events, 0 dropped\n$");
  }
}

TEST_F(RuntimeDeathTest, CaptureInAnotherStreamSurvivesASwitch) {
  EXPECT_EXIT(
      {
        start("launches=1," + out());
        const cudaStream_t captured = fake::create_stream();
        fake::begin_capture(captured);
        launch(captured, 1);
        launch(fake::create_stream(), 2);
        launch(captured, 3);
        launch(fake::create_stream(), 4);
        fake::end_capture(captured);
        std::exit(0);
      },
      ExitedWithCode(0), "3 launches, 4 events");
}
