// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with several threads, devices and files.
#include "RewrittenFile.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

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
