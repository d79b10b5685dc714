// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the trace says of the process and its launches.
#include "RewrittenFile.h"
#include "state.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

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
