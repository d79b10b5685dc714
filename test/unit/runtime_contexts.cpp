// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with several CUDA contexts on one device, on the CUDA of
// fake_cudart.cpp.
#include "RuntimeTest.h"
#include "fake_cudart.h"
#include "kinstr/detail/module.h"
#include "kinstr/kinstr.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

using namespace kinstr;
using testing::ExitedWithCode;

namespace {

std::map<void *, device_state> constants; ///< the file's, in each context
const unsigned char arguments[] = {2, 0};
const char tables[] =
    R"({"abi":1,"file":"t.cu","kernels":[{"name":"k","line":1,"buffer":"global","layout":"slots",)"
    R"("flow":"uniform","sites":[]}],"launches":[{"line":5,"kernel":0}]})";

int write_constant(const device_state *s, cudaStream_t stream) {
  return cudaMemcpyAsync(&constants[fake::get_current_context()], s, sizeof *s,
                         cudaMemcpyHostToDevice, stream);
}

kinstr_module file_module = {abi_version, tables, arguments, &write_constant,
                             nullptr,     0,      nullptr,   nullptr};

/// A warp that records `clock`, in the current context.
void launch(std::uint32_t clock) {
  kinstr_launch_block(&file_module, 0, 32, 1, 1);
  kinstr_launch_grid(&file_module, 0, &file_module, 1, 1, 1);
  fake::enqueue(nullptr, [clock, context = fake::get_current_context()] {
    const device_state &s = constants[context];
    if (s.recording != 0) {
      const std::uint32_t record[] = {pack_tag({false, false, 0, 4, 1}), 0,
                                      clock, clock + 1};
      std::copy(record, record + 4, s.data + s.heads[0].next);
      s.heads[0].next += 4;
    }
  });
}

class RuntimeContextsDeathTest : public Runtime {
protected:
  void start(const std::string &options = "") {
    ::setenv("KINSTR_OPTIONS", ("arena=device," + out() + options).c_str(), 1);
    kinstr_register(&file_module);
  }
  std::vector<std::uint32_t> clocks() const {
    return read_trace(path).clocks();
  }
};

using Clocks = std::vector<std::uint32_t>;

} // namespace

TEST_F(RuntimeContextsDeathTest, EachHasItsOwnArena) {
  EXPECT_EXIT(
      {
        start();
        launch(10);
        void *const primary = fake::get_current_context();
        fake::create_context(0);
        launch(20);
        launch(30);
        fake::set_current_context(primary);
        launch(40);
        std::exit(0);
      },
      ExitedWithCode(0), "^kinstr: [^\n]*: 4 launches, 8 events, 0 dropped\n$");
  EXPECT_EQ(clocks(), (Clocks{10, 40, 20, 30}));
  const trace_file t = read_trace(path);
  EXPECT_EQ(t.count(R"({"index":0,"context":)"), 2u);
  EXPECT_TRUE(t.says(R"({"index":0,"context":1,)"));
  EXPECT_EQ(t.count(R"({"device":0,"module":0,)"), 2u);
  EXPECT_EQ(t.count(R"({"device":1,"module":0,)"), 2u);
}

TEST_F(RuntimeContextsDeathTest, TheProgramsStaysTheCurrentOne) {
  EXPECT_EXIT(
      {
        start();
        launch(10);
        void *const second = fake::create_context(0);
        launch(20);
        kinstr_stop();
        launch(30);
        kinstr_start();
        launch(40);
        kinstr_flush();
        std::_Exit(fake::get_current_context() == second ? 0 : 1);
      },
      ExitedWithCode(0), "3 launches, 6 events");
  EXPECT_EQ(clocks(), (Clocks{10, 20, 40}));
}

TEST_F(RuntimeContextsDeathTest, AProgramMayHaveNoPrimaryOne) {
  EXPECT_EXIT(
      {
        start();
        fake::create_context(0);
        launch(10);
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch, 2 events");
  EXPECT_EQ(read_trace(path).count(R"("context":)"), 1u);
}

TEST_F(RuntimeContextsDeathTest, OneThatIsGoneIsNotTouchedAndThatIsSaid) {
  EXPECT_EXIT(
      {
        start();
        launch(10);
        void *const primary = fake::get_current_context();
        void *const second = fake::create_context(0);
        launch(20);
        cudaDeviceSynchronize();
        fake::destroy_context(second);
        fake::set_current_context(primary);
        launch(30);
        const bool said = kinstr_flush() != 0;
        launch(40);
        std::exit(said && kinstr_flush() == 0 ? 0 : 1);
      },
      ExitedWithCode(0),
      "^kinstr: error: the records of device 0, context 1 are lost: [^\n]*; "
      "call kinstr_flush\\(\\) before cuCtxDestroy\\(\\)\n"
      "kinstr: [^\n]*: 3 launches, 4 events, 0 dropped\n"
      "kinstr: [^\n]*: 1 launch, 2 events, 0 dropped\n$");
  EXPECT_EQ(clocks(), (Clocks{10, 30}));
}

TEST_F(RuntimeContextsDeathTest, OneThatEndsLeavesItsRecords) {
  EXPECT_EXIT(
      {
        start();
        launch(10);
        void *const primary = fake::get_current_context();
        for (const std::uint32_t clock : {20, 30}) {
          void *const other = fake::create_context(0);
          launch(clock);
          fake::set_current_context(primary);
          kinstr_context_ends(other);
          fake::destroy_context(other);
        }
        kinstr_context_ends(primary); // no context that is destroyed so
        launch(40);
        std::exit(0);
      },
      ExitedWithCode(0), "^kinstr: [^\n]*: 4 launches, 8 events, 0 dropped\n$");
  EXPECT_EQ(clocks(), (Clocks{20, 30, 10, 40}));
  EXPECT_TRUE(read_trace(path).says(R"({"index":0,"context":2,)"));
}

TEST_F(RuntimeContextsDeathTest, WhatIsLeftIsWrittenOnce) {
  EXPECT_EXIT(
      {
        start();
        void *const only = fake::create_context(0);
        launch(10);
        kinstr_context_ends(only);
        fake::destroy_context(only);
        kinstr_flush();
        std::exit(0);
      },
      ExitedWithCode(0), "^kinstr: [^\n]*: 1 launch, 2 events, 0 dropped\n$");
  EXPECT_EQ(clocks(), (Clocks{10}));
}

TEST_F(RuntimeContextsDeathTest, ADriverThatCannotTellThemHasOne) {
  EXPECT_EXIT(
      {
        fake::gpu.contexts = false;
        start();
        launch(10);
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch, 2 events");
  EXPECT_EQ(clocks(), (Clocks{10}));
}
