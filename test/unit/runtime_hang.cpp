// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that never end or break the device, arena=host, and signals.
#include "RewrittenFile.h"
#include "state.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

TEST_F(RuntimeDeathTest, AnArenaOnTheHostOutlivesTheDevice) {
  EXPECT_EXIT(
      {
        start("arena=host," + out());
        launch(7);
        cudaDeviceSynchronize();
        fake::gpu.broken = cudaErrorIllegalAddress;
        std::exit(6);
      },
      ExitedWithCode(6),
      "^kinstr: 't.cu': a hang or trap loses what warps of 'k' still keep in "
      "[^\n]*\n"
      "kinstr: warning: device 0: an illegal memory access was encountered: "
      "the trace ends there\nkinstr: .*: 1 launch, 2 events, 0 dropped");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{7}));
}

TEST_F(RuntimeDeathTest, WhatAHangLosesIsSaidOnceAtTheStart) {
  EXPECT_EXIT(
      {
        ::setenv("KINSTR_OPTIONS", out().c_str(), 1);
        kinstr_register(&module_of_file);
        launch();
        cudaSetDevice(1);
        launch();
        std::exit(0);
      },
      ExitedWithCode(0),
      "^kinstr: a trap or a hang will lose the trace; "
      "KINSTR_OPTIONS=arena=host "
      "[^\n]*\nkinstr: [^\n]*: 2 launches, 4 events, 0 dropped\n$");
  EXPECT_EXIT(
      {
        start("arena=host," + out());
        launch();
        cudaSetDevice(1);
        kinstr_register(&late); // its kernel is said, and no other again
        launch();
        std::exit(0);
      },
      ExitedWithCode(0),
      "^kinstr: 't.cu': [^\n]*\nkinstr: 't.cu': [^\n]*\n"
      "kinstr: [^\n]*: 2 launches, 4 events, 0 dropped\n$");
}

TEST_F(RuntimeDeathTest, AnArenaOnTheHostIsReadUnderAKernelThatNeverEnds) {
  EXPECT_EXIT(
      {
        start("exit_wait=0,arena=host," + out());
        const cudaStream_t s = fake::create_stream();
        launch(s, 7);
        cudaDeviceSynchronize();
        fake::enqueue_endless(s);
        std::exit(9);
      },
      ExitedWithCode(9), "still busy.*\n.*: 1 launch, 2 events, 0 dropped");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{7}));
}

TEST_F(RuntimeDeathTest, ASignalDuringAHangWritesWhatIsOnTheHost) {
  for (const int signal : {SIGINT, SIGTERM, SIGABRT}) {
    EXPECT_EXIT(
        {
          ::alarm(20);
          start("arena=host," + out());
          launch(7);
          cudaDeviceSynchronize();
          fake::enqueue_endless(nullptr);
          ::raise(signal);
          std::_Exit(1);
        },
        testing::KilledBySignal(signal),
        "warning: signal [0-9]+: the trace is written as far as it "
        "goes\nkinstr: .*: 1 launch, 2 events, 0 dropped");
    EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{7}));
    EXPECT_TRUE(read_trace(path).ended);
  }
}

TEST_F(RuntimeDeathTest, AWarpThatStillWaitsKeepsThePlaceOfItsExit) {
  EXPECT_EXIT(
      {
        ::alarm(20);
        start("arena=host," + out());
        launch(7);
        cudaDeviceSynchronize();
        constant.data[3] = 0; // it has not come to its end
        fake::enqueue_endless(nullptr);
        ::raise(SIGTERM);
        std::_Exit(1);
      },
      testing::KilledBySignal(SIGTERM), "1 launch, 1 event, 0 dropped");
  EXPECT_EQ(
      read_trace(path).words,
      (std::vector<std::uint32_t>{pack_tag({false, false, 0, 4, 1}), 0, 7, 0}));
}

TEST_F(RuntimeDeathTest, ASignalWhileTheLockIsHeldWritesToo) {
  EXPECT_EXIT(
      {
        ::alarm(20);
        start("arena=host," + out());
        launch(7);
        cudaDeviceSynchronize();
        rt::the_process().mutex.lock(); // by a thread stuck in a CUDA call
        ::raise(SIGTERM);
        std::_Exit(1);
      },
      testing::KilledBySignal(SIGTERM), "1 launch, 2 events");
}

TEST_F(RuntimeDeathTest, SignalsAreTheProgramsWhereItHandlesThem) {
  EXPECT_EXIT(
      {
        ::signal(SIGTERM, [](int) { std::_Exit(3); });
        ::signal(SIGINT, SIG_IGN);
        start("arena=host," + out());
        launch(7);
        ::raise(SIGINT);
        ::raise(SIGTERM);
        std::_Exit(1);
      },
      ExitedWithCode(3), "");
  EXPECT_FALSE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, SignalOfAForkedChildIsItsOwn) {
  EXPECT_EXIT(
      {
        ::alarm(20);
        start("arena=host," + out());
        launch(7);
        const pid_t child = ::fork();
        if (child == 0) {
          ::raise(SIGTERM);
          std::_Exit(1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        std::_Exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 8 : 1);
      },
      ExitedWithCode(8), "");
  EXPECT_FALSE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, BrokenDeviceLosesItsRecordsOnly) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        fake::gpu.broken = cudaErrorIllegalAddress;
        std::exit(6);
      },
      ExitedWithCode(6),
      "error: the records of device 0 are lost: an illegal memory access was "
      "encountered; arena=host in KINSTR_OPTIONS keeps them\nkinstr: .*: 1 "
      "launch, 0 events, 0 dropped");
  EXPECT_EQ(read_trace(path).launches(), 1u);
}

TEST_F(RuntimeDeathTest, KernelThatNeverEndsHoldsUpNothing) {
  for (const bool context_events : {false, true}) {
    EXPECT_EXIT(
        {
          ::alarm(20);
          fake::gpu.context_events = context_events;
          start("exit_wait=1," + out());
          launch(fake::create_stream(), 7);
          fake::enqueue_endless(context_events ? fake::create_stream()
                                               : nullptr);
          std::exit(9);
        },
        ExitedWithCode(9),
        "^kinstr: warning: device 0 is still busy after 1 s [^\n]*\nkinstr: "
        ".*: 1 launch, 2 events, 0 dropped\n$");
    EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{7}));
  }
}

TEST_F(RuntimeDeathTest, SwitchBehindAKernelThatNeverEndsHoldsUpNothing) {
  EXPECT_EXIT(
      {
        start("exit_wait=0,launches=0:1," + out());
        const cudaStream_t s = fake::create_stream();
        launch(s, 7);
        fake::enqueue_endless(s);
        launch(s, 8);
        std::exit(9);
      },
      ExitedWithCode(9),
      "warning: device 0 is still busy.*\n.*records of device 0 are lost.*\n"
      ".*: 1 launch, ");
  EXPECT_TRUE(read_trace(path).ended);
}

TEST_F(RuntimeDeathTest, SwitchOfStreamsBehindAKernelThatNeverEndsToo) {
  EXPECT_EXIT(
      {
        fake::gpu.context_events = false;
        start("exit_wait=1,launches=0:1," + out());
        launch(7);
        fake::enqueue_endless(nullptr);
        launch(8);
        std::exit(9);
      },
      ExitedWithCode(9),
      "^[^\n]*device 0 is still busy[^\n]*\n[^\n]*: 1 launch, 2 "
      "events[^\n]*\n$");
  EXPECT_EQ(read_trace(path).clocks(), (std::vector<std::uint32_t>{7}));
}

TEST_F(RuntimeDeathTest, ResetUnderAKernelThatNeverEndsHoldsUpNothing) {
  EXPECT_EXIT(
      {
        start("exit_wait=0," + out());
        launch();
        fake::enqueue_endless(nullptr);
        kinstr_device_reset();
        std::exit(9);
      },
      ExitedWithCode(9), "warning: device 0 is still busy.*\n.*: 1 launch, ");
}
