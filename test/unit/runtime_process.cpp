// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole runtime, as a rewritten program drives it, on the CUDA of
// fake_cudart.cpp. Each test runs in a child process, because the trace is
// written when a process exits.
#include "RuntimeTest.h"
#include "fake_cudart.h"
#include "kinstr/detail/module.h"
#include "kinstr/kinstr.h"
#include "state.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace kinstr;
using testing::ExitedWithCode;

namespace {

//===----------------------------------------------------------------------===//
// A rewritten file with two launch sites: <<<g, b>>> and <<<g, b, shared,
// stream>>>.
//===----------------------------------------------------------------------===//

device_state constant; // the file's, on the device
const unsigned char arguments[] = {2, 4, 0};
const char tables[] =
    R"({"abi":1,"file":"t.cu","kernels":[{"name":"k","line":1,"buffer":"shared","layout":"slots",)"
    R"("flow":"uniform","sites":[{"kind":"phase","name":"load","line":2,"drain":"none"}]}],)"
    R"("launches":[{"line":5,"kernel":0},{"line":6,"kernel":0}]})";

int write_constant(const device_state *s, cudaStream_t stream) {
  return cudaMemcpyAsync(&constant, s, sizeof *s, cudaMemcpyHostToDevice,
                         stream);
}

kinstr_module module_of_file = {abi_version, tables, arguments, &write_constant,
                                nullptr,     0,      nullptr,   nullptr};

/// A warp found, in an empty region, a chunk of one that was emptied.
bool stale_chunk = false;

/// A warp leaves its chunk behind, as functions that it calls do.
void leave_chunk(std::uint32_t sm) {
  callee_chunk &chunk =
      constant.chunks[sm * warp_slots * callee_chunks_per_slot];
  const auto next = static_cast<std::uint32_t>(constant.heads[sm].next);
  stale_chunk |= next == 0 && chunk.next != 0;
  chunk = {1, 0, 1u << 8, next + 1};
}

/// One warp on SM `sm` with one site, which records `clock`.
void run_kernel(std::uint32_t sm, std::uint32_t clock) {
  if (constant.recording == 0) {
    return;
  }
  leave_chunk(sm);
  region_head &head = constant.heads[sm];
  const auto offset = head.next;
  head.next += 4;
  if (offset + 4 > constant.region_words) {
    ++head.dropped_records;
    head.dropped_events += 2;
    return;
  }
  std::uint32_t *words =
      constant.data + std::size_t{sm} * constant.region_words + offset;
  words[0] = pack_tag({false, false, 0, 4, 1});
  words[1] = 0;
  words[2] = clock;
  words[3] = clock + 1;
}

const void *const kernel = &module_of_file;

/// As detail/service.cuh has it.
void retire(std::uint32_t *data, region_head *heads, std::uint32_t region_words,
            region_head *lost, std::uint32_t regions) {
  for (std::uint32_t r = 0; r < regions; ++r) {
    std::uint32_t *const words = data + std::size_t{r} * region_words;
    const std::size_t size = std::min<std::size_t>(heads[r].next, region_words);
    const rt::record_counts counts = rt::count_records(words, size);
    lost[r].dropped_records += counts.records + heads[r].dropped_records;
    lost[r].dropped_events += counts.events + heads[r].dropped_events;
    std::fill_n(words, size, 0);
    heads[r] = region_head{};
  }
}

std::function<void()> launch_retire(dim3 grid, void **arguments) {
  const auto words = *static_cast<std::uint32_t **>(arguments[0]);
  const auto heads = *static_cast<region_head **>(arguments[1]);
  const auto size = *static_cast<std::uint32_t *>(arguments[2]);
  const auto lost = *static_cast<region_head **>(arguments[3]);
  return [=] { retire(words, heads, size, lost, grid.x); };
}

/// kernel<<<3, 64>>>()
void launch(std::uint32_t clock = 100) {
  kinstr_launch_block(&module_of_file, 0, 64, 1, 1);
  kinstr_launch_grid(&module_of_file, 0, kernel, 3, 1, 1);
  fake::enqueue(nullptr, [=] { run_kernel(0, clock); });
}

/// kernel<<<{3, 2}, 64, shared, stream>>>()
void launch(cudaStream_t stream, std::uint32_t clock, std::size_t shared = 16) {
  kinstr_launch_stream(&module_of_file, 1, stream);
  kinstr_launch_shared(&module_of_file, 1, shared);
  kinstr_launch_grid(&module_of_file, 1, kernel, 3, 2, 1);
  kinstr_launch_block(&module_of_file, 1, 64, 1, 1);
  fake::enqueue(stream, [=] { run_kernel(1, clock); });
}

/// A second file, whose library is loaded later.
device_state late_constant;
int write_late_constant(const device_state *s, cudaStream_t stream) {
  return cudaMemcpyAsync(&late_constant, s, sizeof *s, cudaMemcpyHostToDevice,
                         stream);
}

kinstr_module late = {abi_version, tables, arguments, &write_late_constant,
                      nullptr,     0,      nullptr,   nullptr};

/// The default stream between two others.
std::array<cudaStream_t, 3> three_streams(unsigned flags) {
  return {fake::create_stream(flags), nullptr, fake::create_stream(flags)};
}

void start(const std::string &options) {
  ::setenv("KINSTR_OPTIONS", ("arena=device," + options).c_str(), 1);
  kinstr_register(&module_of_file);
}

using RuntimeDeathTest =
    Runtime; // gtest runs these before tests that start threads

} // namespace

TEST_F(RuntimeDeathTest, OneLaunchIsOneRow) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        std::exit(7);
      },
      ExitedWithCode(7),
      "^kinstr: .*t.kitrace: 1 launch, 2 events, 0 dropped\n$");

  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.ended);
  EXPECT_EQ(t.words, (std::vector<std::uint32_t>{
                         pack_tag({false, false, 0, 4, 1}), 0, 100, 101}));
  EXPECT_TRUE(t.says(R"("abi":1)"));
  EXPECT_TRUE(t.says(R"("options":"arena=device,out=)"));
  EXPECT_TRUE(t.says(
      R"("devices":[{"index":0,"context":0,"name":"Fake \"GPU\"","uuid":"800f20616e6420666f75727465656e00","compute_capability":"9.0","sm_count":4,)"
      R"("clock_khz":1980000,"memory_bytes":2147483648,"shared_per_sm":233472,"driver":"13.0",)"
      R"("runtime":"12.9","regions":4,"region_words":3355442}])"))
      << t.meta;
  EXPECT_TRUE(t.says(std::string("\"modules\":[") + tables + "]"));
  EXPECT_TRUE(t.says(
      R"("functions":[{"module":0,"kernel":0,"name":"_Z6kernelPf","registers":40,)"
      R"("static_shared":1024,"local_bytes":0}])"))
      << t.meta;
  EXPECT_TRUE(t.says(
      R"("launches":[{"device":0,"module":0,"site":0,"function":0,"grid":[3,1,1],)"
      R"("block":[64,1,1],"dynamic_shared":0,"stream":0,"host_unix_ns":)"))
      << t.meta;
  EXPECT_TRUE(t.says(
      R"("blocks_per_sm":32,"captured":false}],"dropped":[],"totals":{"records":1,"events":2,)"
      R"("dropped_records":0,"dropped_events":0,"launches_not_listed":0}})"))
      << t.meta;
}

/// The rank that a process with these variables has in its trace.
std::string rank_with(const std::string &path,
                      std::map<const char *, const char *> variables) {
  EXPECT_EXIT(
      {
        for (const auto &[name, value] : variables) {
          ::setenv(name, value, 1);
        }
        start("arena=device,out=" + path);
        launch();
        std::exit(0);
      },
      ExitedWithCode(0), "");
  const std::string meta = read_trace(path).meta;
  const std::size_t at = meta.find("\"rank\":");
  return at == std::string::npos
             ? ""
             : meta.substr(at + 7, meta.find(',', at) - at - 7);
}

TEST_F(RuntimeDeathTest, TraceSaysWhoTheProcessIs) {
  EXPECT_EQ(rank_with(path, {}), "");
  EXPECT_EQ(rank_with(path, {{"RANK", "12"}, {"SLURM_PROCID", "3"}}), "12");
  EXPECT_EQ(rank_with(path, {{"RANK", "a"}, {"SLURM_PROCID", "3"}}), "3");
  EXPECT_EQ(rank_with(path, {{"OMPI_COMM_WORLD_RANK", "0"}}), "0");
  for (const char *none :
       {"", "-1", "3x", " 3", "+3", "99999999999999999999"}) {
    EXPECT_EQ(rank_with(path, {{"PMI_RANK", none}}), "") << none;
  }

  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says("\"host\":\"" + std::string(host) + "\"")) << t.meta;
  std::string boot_id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot_id;
  EXPECT_TRUE(t.says("\"boot_id\":\"" + boot_id + "\"")) << t.meta;
}

TEST_F(RuntimeDeathTest, LaunchHasFourArguments) {
  EXPECT_EXIT(
      {
        start(out());
        launch(fake::create_stream(), 1);
        launch(fake::create_stream(), 2,
               100000); // more than the occupancy query accepts
        if (cudaGetLastError() != cudaSuccess) {
          std::_Exit(1);
        }
        std::exit(0);
      },
      ExitedWithCode(0), "2 launches, 4 events, 0 dropped");

  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(
      R"("grid":[3,2,1],"block":[64,1,1],"dynamic_shared":16,"stream":1,)"));
  EXPECT_TRUE(t.says(R"("dynamic_shared":100000,"stream":2,)"));
  EXPECT_TRUE(t.says(R"("blocks_per_sm":0,"captured":false}])"));
}

TEST_F(RuntimeDeathTest, ProgramThatLaunchesNothingIsSilent) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_flush();
        std::exit(3);
      },
      ExitedWithCode(3), "^$");
  EXPECT_FALSE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, SamplesAreInTheStateAndInTheTrace) {
  EXPECT_EXIT(
      {
        start("blocks=16,warps=1:2,sms=0:3," + out());
        launch();
        cudaDeviceSynchronize();
        const bool right =
            constant.recording == record_samples && constant.warps == 6 &&
            contains(constant.blocks, 32) && !contains(constant.blocks, 33) &&
            contains(constant.sms, 2) && !contains(constant.sms, 3);
        std::exit(right ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch");
  EXPECT_TRUE(read_trace(path).says(
      R"("sampling":{"blocks":{"every":16},"warps":{"first":1,"count":2},)"
      R"("sms":{"first":0,"count":3}},)"));
}

TEST_F(RuntimeDeathTest, WithoutSamplesAllIsRecorded) {
  EXPECT_EXIT(
      {
        start("blocks=1," + out());
        launch();
        cudaDeviceSynchronize();
        std::exit(constant.recording == record_all ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch");
  EXPECT_TRUE(read_trace(path).says(R"("sampling":{},)"));
}

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

TEST_F(RuntimeDeathTest, AbandonedLaunchIsDropped) {
  EXPECT_EXIT(
      {
        start(out());
        for (int i = 0; i < 1000; ++i) { // their grid argument threw
          kinstr_launch_stream(&module_of_file, 1, nullptr);
          kinstr_launch_block(&module_of_file, 0, 9, 9, 9);
        }
        launch();
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch, 2 events");
  EXPECT_TRUE(read_trace(path).says(R"("grid":[3,1,1],"block":[64,1,1])"));
}

TEST_F(RuntimeDeathTest, LaunchInAnArgumentOfALaunchIsListedToo) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_launch_stream(&module_of_file, 1, nullptr);
        kinstr_launch_shared(&module_of_file, 1, 48);
        kinstr_launch_block(&module_of_file, 0, 9, 9, 9); // abandoned
        launch();
        launch(nullptr, 101); // the same site again
        kinstr_launch_grid(&module_of_file, 1, kernel, 5, 1, 1);
        kinstr_launch_block(&module_of_file, 1, 32, 1, 1);
        std::exit(0);
      },
      ExitedWithCode(0), "3 launches, 4 events");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(R"("grid":[3,1,1],"block":[64,1,1],"dynamic_shared":0)"));
  EXPECT_TRUE(t.says(R"("grid":[3,2,1],"block":[64,1,1],"dynamic_shared":16)"));
  EXPECT_TRUE(t.says(R"("grid":[5,1,1],"block":[32,1,1],"dynamic_shared":48)"));
}

TEST_F(RuntimeDeathTest, LaunchesBeyondTheTableAreCounted) {
  EXPECT_EXIT(
      {
        start(out());
        rt::the_process().most_launches = 3;
        for (int i = 0; i < 5; ++i) {
          launch();
        }
        kinstr_flush();
        launch();
        std::exit(0);
      },
      ExitedWithCode(0),
      "t.kitrace: 5 launches .3 of them listed., 10 events, 0 dropped\n"
      "kinstr: .*t.1.kitrace: 1 launch, 2 events");
  EXPECT_EQ(read_trace(path).launches(), 3u);
  EXPECT_TRUE(read_trace(path).says(R"("launches_not_listed":2}})"));
  EXPECT_TRUE(
      read_trace(file("t.1.kitrace")).says(R"("launches_not_listed":0}})"));
}

TEST_F(RuntimeDeathTest, UnknownKernelHasNoFunction) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_launch_grid(&module_of_file, 0, nullptr, 3, 1, 1);
        kinstr_launch_block(&module_of_file, 0, 64, 1, 1);
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch, 0 events");
  EXPECT_TRUE(read_trace(path).says(R"("function":-1,)"));
}

TEST_F(RuntimeDeathTest, ModuleOfAnotherAbiIsIgnored) {
  EXPECT_EXIT(
      {
        module_of_file.abi = 99;
        start(out());
        launch();
        std::exit(0);
      },
      ExitedWithCode(0),
      "^kinstr: error: a file rewritten for ABI 99 is not recorded[^\n]*\n$");
  EXPECT_FALSE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, LaunchBeforeRegistrationIsIgnored) {
  EXPECT_EXIT(
      {
        launch();
        std::exit(0);
      },
      ExitedWithCode(0), "^$");
}

TEST_F(RuntimeDeathTest, BadOptionIsSaidAndTheRestHolds) {
  EXPECT_EXIT(
      {
        start("buffer_mb=lots," + out());
        launch();
        std::exit(0);
      },
      ExitedWithCode(0),
      "error: KINSTR_OPTIONS: invalid value in 'buffer_mb=lots'");
  EXPECT_TRUE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, RelativePathIsOfTheFolderAtStart) {
  EXPECT_EXIT(
      {
        (void)!::chdir(folder.c_str());
        start("out=t.kitrace");
        launch();
        (void)!::chdir("/");
        std::exit(0);
      },
      ExitedWithCode(0), "kinstr: /.*/t.kitrace: 1 launch");
  EXPECT_TRUE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, FullRegionDropsAndSaysSo) {
  EXPECT_EXIT(
      {
        fake::gpu.sm_count = 1024;
        start("buffer_mb=1," + out()); // 256 words a region: 64 records
        for (int i = 0; i < 70; ++i) {
          launch();
        }
        std::exit(0);
      },
      ExitedWithCode(0),
      "70 launches, 128 events, 12 dropped .raise buffer_mb");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(
      t.says(R"("dropped":[{"device":0,"sm":0,"records":6,"events":12}])"));
  EXPECT_TRUE(t.says(R"("dropped_records":6,"dropped_events":12)"));
}

//===----------------------------------------------------------------------===//
// overflow=grow and ring, arena=host
//===----------------------------------------------------------------------===//

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

TEST_F(RuntimeDeathTest, NoMemoryForTheArenaLeavesTheProgramAlone) {
  EXPECT_EXIT(
      {
        start("buffer_mb=4096," + out());
        launch();
        launch();
        if (cudaGetLastError() != cudaSuccess) {
          std::_Exit(1);
        }
        std::exit(5);
      },
      ExitedWithCode(5),
      "^kinstr: error: device 0 is not traced: allocating 4096 MiB failed: "
      "out of memory\n$");
  EXPECT_FALSE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, ErrorOfTheProgramStaysPending) {
  EXPECT_EXIT(
      {
        start(out());
        fake::set_last_error(cudaErrorInvalidConfiguration);
        launch();
        std::exit(cudaGetLastError() == cudaErrorInvalidConfiguration ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch");
}

TEST_F(RuntimeDeathTest, FullDiskIsSaid) {
  EXPECT_EXIT(
      {
        start("out=/dev/full");
        launch();
        std::exit(4);
      },
      ExitedWithCode(4),
      "^kinstr: error: cannot write '/dev/full': No space left on device\n$");
}

TEST_F(RuntimeDeathTest, FileSizeLimitIsSaid) {
  EXPECT_EXIT(
      {
        rlimit limit;
        limit.rlim_cur = limit.rlim_max = 512; // less than the tables need
        ::setrlimit(RLIMIT_FSIZE, &limit);
        start(out());
        launch();
        std::exit(4);
      },
      ExitedWithCode(4),
      "^kinstr: error: cannot write '.*': File too large\n$");
}

TEST_F(RuntimeDeathTest, StderrThatNobodyReadsIsNoError) {
  EXPECT_EXIT(
      {
        int ends[2];
        (void)!::pipe(ends);
        ::close(ends[0]);
        ::dup2(ends[1], STDERR_FILENO);
        start(out());
        launch();
        std::exit(4);
      },
      ExitedWithCode(4), "^$");
  EXPECT_TRUE(read_trace(path).ended);
}

TEST_F(RuntimeDeathTest, SignalOfTheProgramStaysPending) {
  EXPECT_EXIT(
      {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        ::raise(SIGPIPE);
        start("unknown=1," + out()); // says so
        ::sigpending(&set);
        ::_exit(sigismember(&set, SIGPIPE) ? 0 : 1);
      },
      ExitedWithCode(0), "unknown key");
}

TEST_F(RuntimeDeathTest, PipeWithoutAReaderIsSaid) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::alarm(5);
        start(out());
        launch();
        std::exit(4);
      },
      ExitedWithCode(4), "^kinstr: error: cannot write '.*': No such device");
}

namespace {

/// A process that reads the pipe at `from` late, to its end, into the file
/// `to`.
pid_t start_slow_reader(const std::string &from, const std::string &to) {
  const int pipe = ::open(from.c_str(), O_RDONLY | O_NONBLOCK);
  const pid_t reader = ::fork();
  if (reader != 0) {
    ::close(pipe);
    return reader;
  }
  pollfd readable = {pipe, POLLIN, 0};
  ::poll(&readable, 1, -1);
  ::usleep(50000); // the pipe is full by now
  ::fcntl(pipe, F_SETFL, 0);
  std::ofstream copy(to, std::ios::binary);
  std::array<char, 4096> part;
  for (ssize_t n; (n = ::read(pipe, part.data(), part.size())) > 0;) {
    copy.write(part.data(), n);
  }
  copy.close();
  ::_exit(0);
}

} // namespace

TEST_F(RuntimeDeathTest, SlowReaderOfAPipeGetsAll) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::alarm(20);
        static const pid_t reader =
            start_slow_reader(path, file("t.1.kitrace"));
        std::atexit([] { ::waitpid(reader, nullptr, 0); });
        start(out());
        for (int i = 0; i < 1000; ++i) { // more than a pipe holds
          launch();
        }
        std::exit(4);
      },
      ExitedWithCode(4), "1000 launches");
  EXPECT_TRUE(read_trace(file("t.1.kitrace")).ended);
  EXPECT_EQ(read_trace(file("t.1.kitrace")).launches(), 1000u);
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

TEST_F(RuntimeDeathTest, ForkedChildWritesNothing) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        if (const pid_t child = ::fork(); child != 0) {
          int status = 0;
          ::waitpid(child, &status, 0);
          std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
        }
        kinstr_flush();
        std::exit(8);
      },
      ExitedWithCode(8), "^$");
  EXPECT_FALSE(read_trace(path).found);
}

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

TEST_F(RuntimeDeathTest, ModuleLoadedLateIsAttached) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        kinstr_register(&late);
        kinstr_register(&late);
        kinstr_launch_grid(&late, 0, nullptr, 1, 1, 1);
        kinstr_launch_block(&late, 0, 1, 1, 1);
        std::exit(late_constant.data == constant.data &&
                          late_constant.chunks == constant.chunks + 1 &&
                          late_constant.module == 1
                      ? 0
                      : 1);
      },
      ExitedWithCode(0), "2 launches");
  EXPECT_TRUE(read_trace(path).says(std::string("\"modules\":[") + tables +
                                    "," + tables + "]"));
}

TEST_F(RuntimeDeathTest, UnloadedModuleIsNotTouchedAndStaysInTheTrace) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_register(&late);
        launch();
        kinstr_launch_block(&late, 0, 1, 1, 1);
        kinstr_launch_grid(&late, 0, nullptr, 1, 1, 1);
        kinstr_unregister(&late);
        kinstr_unregister(&late);
        late.write_state = [](const device_state *, cudaStream_t) -> int {
          std::_Exit(1);
        };
        kinstr_stop();
        std::exit(0);
      },
      ExitedWithCode(0), "^[^\n]*2 launches, 2 events[^\n]*\n$");
  EXPECT_TRUE(read_trace(path).says(std::string("\"modules\":[") + tables +
                                    "," + tables + "]"));
}

TEST_F(RuntimeDeathTest, UnloadedModuleMayComeBack) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_register(&late);
        launch();
        kinstr_unregister(&late);
        kinstr_register(&late);
        launch();
        std::exit(late_constant.module == 2 ? 0 : 1);
      },
      ExitedWithCode(0), "2 launches");
}

TEST_F(RuntimeDeathTest, TraceIsWrittenAfterTheModulesAreGone) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        kinstr_unregister(&module_of_file);
        module_of_file.abi = 99; // what is there now is something else
        kinstr_unregister(&module_of_file);
        module_of_file.tables = nullptr;
        std::exit(0);
      },
      ExitedWithCode(0), "^[^\n]*1 launch, 2 events[^\n]*\n$");
  EXPECT_TRUE(
      read_trace(path).says(std::string("\"modules\":[") + tables + "]"));
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

TEST_F(RuntimeDeathTest, ModuleWithoutCodeForTheDeviceIsLeftOut) {
  EXPECT_EXIT(
      {
        module_of_file.write_state = [](const device_state *,
                                        cudaStream_t) -> int {
          fake::set_last_error(cudaErrorNoKernelImageForDevice);
          return cudaErrorNoKernelImageForDevice;
        };
        start(out());
        launch();
        std::exit(cudaGetLastError());
      },
      ExitedWithCode(0),
      "warning: kernels of 't.cu' are not recorded on device 0");
  EXPECT_TRUE(read_trace(path).found);
}

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

//===----------------------------------------------------------------------===//
// launches=SKIP:COUNT. Nothing runs before the end, so the order is the
// streams' and events' alone.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Stream capture, threads.
//===----------------------------------------------------------------------===//

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

TEST_F(RuntimeDeathTest, ThreadsDoNotMixTheirArguments) {
  EXPECT_EXIT(
      {
        start(out());
        const auto work = [] {
          for (int i = 0; i < 500; ++i) {
            launch();
            launch(nullptr, 1);
          }
        };
        std::thread a(work);
        std::thread b(work);
        a.join();
        b.join();
        std::exit(0);
      },
      ExitedWithCode(0), "2000 launches, 4000 events, 0 dropped");
}

TEST_F(RuntimeDeathTest, SecondDeviceHasItsOwnArena) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        cudaSetDevice(1);
        launch();
        int device = -1;
        cudaGetDevice(&device);
        std::exit(device);
      },
      ExitedWithCode(1), "2 launches");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(R"("devices":[{"index":0,"context":0,)"));
  EXPECT_TRUE(t.says(R"({"index":1,"context":0,)"));
  EXPECT_TRUE(t.says(R"("launches":[{"device":0,)"));
  EXPECT_TRUE(t.says(R"({"device":1,"module":0)"));
}

//===----------------------------------------------------------------------===//
// Two devices, two files, two threads at once.
//===----------------------------------------------------------------------===//

namespace {

/// The constants of each file on each device.
device_state constants[2][2];

template <int File>
int write_on_device(const device_state *s, cudaStream_t stream) {
  int device = 0;
  cudaGetDevice(&device);
  return cudaMemcpyAsync(&constants[File][device], s, sizeof *s,
                         cudaMemcpyHostToDevice, stream);
}

kinstr_module files[2] = {{abi_version, tables, arguments, &write_on_device<0>,
                           nullptr, 0, nullptr, nullptr},
                          {abi_version, tables, arguments, &write_on_device<1>,
                           nullptr, 0, nullptr, nullptr}};

/// Launches of one file on one device; each leaves a record there.
void launch_on(int device, int file, std::uint32_t clock) {
  cudaSetDevice(device);
  kinstr_launch_block(&files[file], 0, 64, 1, 1);
  kinstr_launch_grid(&files[file], 0, &files[file], 3, 1, 1);
  fake::enqueue(nullptr, [=] {
    const device_state &s = constants[file][device];
    const auto at = s.recording != 0 ? s.heads[2].next : s.region_words;
    if (at + 4 <= s.region_words) {
      s.heads[2].next += 4;
      std::uint32_t *words = s.data + std::size_t{2} * s.region_words + at;
      const std::uint32_t record[] = {pack_tag({false, false, 0, 4, 1}),
                                      s.module, clock, clock + 1};
      std::copy(record, record + 4, words);
    }
  });
}

} // namespace

TEST_F(RuntimeDeathTest, TwoDevicesTwoFilesAndTwoThreadsKeepApart) {
  EXPECT_EXIT(
      {
        ::setenv("KINSTR_OPTIONS", out().c_str(), 1);
        kinstr_register(&files[0]);
        kinstr_register(&files[1]);
        const auto work = [](int device) {
          for (std::uint32_t i = 0; i < 200; ++i) {
            launch_on(device, static_cast<int>(i % 2), 1000 * device + i + 1);
          }
        };
        std::thread a(work, 0);
        std::thread b(work, 1);
        a.join();
        b.join();
        std::exit(0);
      },
      ExitedWithCode(0), "400 launches, 800 events, 0 dropped");

  const trace_file t = read_trace(path);
  EXPECT_EQ(t.count(R"("device":0,"module":0,)"), 100u);
  EXPECT_EQ(t.count(R"("device":1,"module":1,)"), 100u);
  std::size_t right = 0;
  ASSERT_EQ(t.words.size(), 1600u);
  for (std::size_t i = 0; i < t.words.size(); i += 4) {
    // The region's device, the file as the state has it, and the launch agree.
    const std::uint32_t number = t.words[i + 2] % 1000 - 1;
    right += t.words[i + 1] == number % 2;
  }
  EXPECT_EQ(right, 400u);
  EXPECT_EQ(t.regions.size(), 2u);
  EXPECT_EQ(t.regions.count({0, 2}) + t.regions.count({1, 2}), 2u);
}
