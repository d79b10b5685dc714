// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arenas that are full: overflow=grow and overflow=ring.
#include "RewrittenFile.h"
#include "state.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

namespace {

/// An arena of 256 words a region: 64 records.
void start_small(const std::string &options) {
  fake::gpu.sm_count = 1024;
  fake::gpu.free = std::size_t{64} << 20;
  module_of_file.retire = &module_of_file.retire;
  fake::gpu.kernels[module_of_file.retire] = launch_retire;
  start("buffer_mb=1," + options);
}

/// Every so often the program waits for the device.
void launch_many(std::uint32_t count, std::uint32_t wait_every) {
  for (std::uint32_t i = 0; i < count; ++i) {
    launch(1000 + i);
    if (i % wait_every == wait_every - 1) {
      cudaDeviceSynchronize();
    }
  }
}

/// What is dropped, by the trace's totals.
std::uint64_t dropped_events(const trace_file &t) {
  const std::string key = "\"dropped_events\":";
  const std::size_t at = t.meta.find(key);
  return std::strtoull(t.meta.c_str() + at + key.size(), nullptr, 10);
}

/// The records of a region whose segments follow one another.
std::vector<std::uint32_t> sorted_clocks(const trace_file &t) {
  std::vector<std::uint32_t> clocks;
  for (std::size_t i = 0; i < t.words.size();) {
    if (t.words[i] == 0) {
      ++i;
      continue;
    }
    clocks.push_back(t.words[i + 2]);
    i += 4;
  }
  std::sort(clocks.begin(), clocks.end());
  return clocks;
}

} // namespace

TEST_F(RuntimeDeathTest, AGrowingArenaKeepsAll) {
  EXPECT_EXIT(
      {
        start_small("overflow=grow," + out());
        launch_many(1000, 10);
        std::exit(stale_chunk);
      },
      ExitedWithCode(0), "^[^\n]*1000 launches, 2000 events, 0 dropped\n$");
  const std::vector<std::uint32_t> clocks = sorted_clocks(read_trace(path));
  ASSERT_EQ(clocks.size(), 1000u);
  EXPECT_EQ(clocks.front(), 1000u);
  EXPECT_EQ(clocks.back(), 1999u);
}

TEST_F(RuntimeDeathTest, WhatDoesNotFitAGrowingArenaIsCounted) {
  for (const fake::hurry first : {fake::hurry::program, fake::hurry::runtime}) {
    EXPECT_EXIT(
        {
          fake::gpu.first = first;
          start_small("overflow=grow," + out());
          launch_many(3000, 3000); // the host is far ahead
          std::exit(stale_chunk);
        },
        ExitedWithCode(0), "3000 launches, ");
    const trace_file t = read_trace(path);
    EXPECT_EQ(2 * sorted_clocks(t).size() + dropped_events(t), 6000u);
    EXPECT_LE(t.count(R"({"device":0,"sm":0,)"), 1u)
        << "a row for each segment";
  }
}

TEST_F(RuntimeDeathTest, AnArenaThatCannotGrowSaysSoOnce) {
  EXPECT_EXIT(
      {
        start_small("overflow=grow," + out());
        // One more, twice the size; each has 4 MiB for chunks of callees.
        fake::gpu.free = std::size_t{12} << 20;
        launch_many(1000, 10);
        std::exit(stale_chunk);
      },
      ExitedWithCode(0),
      "^kinstr: warning: device 0: overflow=grow: there is no memory for "
      "more[^\n]*\n[^\n]*1000 launches, ");
  const trace_file t = read_trace(path);
  EXPECT_EQ(2 * sorted_clocks(t).size() + dropped_events(t), 2000u);
  EXPECT_GT(dropped_events(t), 0u);
}

TEST_F(RuntimeDeathTest, AfterAFlushAGrownArenaIsEmptyAndOne) {
  EXPECT_EXIT(
      {
        start_small("overflow=grow," + out());
        launch_many(200, 10);
        if (kinstr_flush() != 0 ||
            rt::the_process().devices[0]->segments.size() != 1) {
          std::_Exit(1);
        }
        launch_many(50, 10);
        std::exit(stale_chunk);
      },
      ExitedWithCode(0), "t.1.kitrace: 50 launches, 100 events, 0 dropped");
  EXPECT_EQ(sorted_clocks(read_trace(path)).size(), 200u);
  EXPECT_EQ(sorted_clocks(read_trace(file("t.1.kitrace"))).size(), 50u);
}

TEST_F(RuntimeDeathTest, ARingKeepsTheLatestAndCountsTheRest) {
  for (const fake::hurry first : {fake::hurry::program, fake::hurry::runtime}) {
    EXPECT_EXIT(
        {
          fake::gpu.first = first;
          start_small("overflow=ring," + out());
          launch_many(1000, 5);
          std::exit(stale_chunk);
        },
        ExitedWithCode(0), "1000 launches, ");
    const trace_file t = read_trace(path);
    const std::vector<std::uint32_t> clocks = sorted_clocks(t);
    // A third of the arena, in regions no smaller than they may be, holds 64.
    // Copies of the heads that come late, which is what the program's hurry
    // makes of them, make it change earlier.
    ASSERT_GT(clocks.size(), first == fake::hurry::runtime ? 63u : 2u);
    ASSERT_LE(clocks.size(), 192u);
    EXPECT_EQ(2 * clocks.size() + dropped_events(t), 2000u);
    // No gap: the latest ones.
    EXPECT_EQ(clocks.back(), 1999u);
    EXPECT_EQ(clocks.front(), 2000u - clocks.size());
    EXPECT_TRUE(t.says(R"("overflow":"ring")"));
  }
}

TEST_F(RuntimeDeathTest, WithoutOrderAFullArenaStaysFull) {
  for (const char *mode : {"ring", "grow"}) {
    EXPECT_EXIT(
        {
          fake::gpu.context_events = false;
          start_small(std::string("overflow=") + mode + ',' + out());
          launch_many(1000, 10);
          std::exit(0);
        },
        ExitedWithCode(0), "1000 launches, ");
    const trace_file t = read_trace(path);
    EXPECT_EQ(2 * sorted_clocks(t).size() + dropped_events(t), 2000u);
    EXPECT_EQ(sorted_clocks(t).front(), 1000u);
  }
}

TEST_F(RuntimeDeathTest, WithoutOrderNothingIsAllocated) {
  EXPECT_EXIT(
      {
        fake::gpu.context_events = false;
        start_small("overflow=grow," + out());
        launch_many(1000, 10);
        std::exit(rt::the_process().devices[0]->segments.size() == 1 ? 0 : 1);
      },
      ExitedWithCode(0),
      "^kinstr: warning: device 0: overflow=grow: the streams cannot be "
      "ordered[^\n]*\n[^\n]*1000 launches, ");
}

// A capture that something else of the device is recorded into is invalid.
TEST_F(RuntimeDeathTest, AFullArenaDisturbsNoCapture) {
  for (const char *mode : {"ring", "grow"}) {
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
      EXPECT_EXIT(
          {
            start_small(std::string("overflow=") + mode + ',' + out());
            const cudaStream_t captured = fake::create_stream(flags);
            const cudaStream_t other = fake::create_stream();
            // Only in a stream that synchronises with the default one is a
            // capture seen without a launch.
            if (flags == cudaStreamNonBlocking) {
              fake::begin_capture(captured);
              launch(captured, 1);
            } else {
              launch(other, 1);
              fake::begin_capture(captured);
            }
            std::thread([other] {
              for (std::uint32_t i = 0; i < 1000; ++i) {
                launch(other, 1000 + i);
              }
            }).join();
            fake::end_capture(captured);
            std::exit(0);
          },
          ExitedWithCode(0),
          "^kinstr: warning: device 0: overflow=[^\n]*: the streams cannot be "
          "ordered[^\n]*\n[^\n]*1001 launches, ")
          << mode << flags;
      const trace_file t = read_trace(path);
      EXPECT_GT(dropped_events(t), 0u);
    }
  }
}
