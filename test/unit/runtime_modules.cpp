// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files whose libraries are loaded late, unloaded, or not for the device.
#include "RewrittenFile.h"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

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
