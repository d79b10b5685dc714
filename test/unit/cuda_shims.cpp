// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers a toolkit may lack are there, and clang is told where.
#include "cuda/ClangArgs.h"
#include "cuda/Shims.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace kinstr;

TEST(CudaShims, AreInTheFileSystem) {
  auto Files = fileSystemWithShims();
  std::string Folder = ShimFolder;
  EXPECT_TRUE(Files->exists(Folder + "/curand_mtgp32_kernel.h"));
  EXPECT_TRUE(Files->exists(Folder + "/texture_fetch_functions.h"));
  EXPECT_TRUE(Files->exists("/")); // and so is everything else
}

TEST(CudaShims, AreSearchedAfterEverythingElse) {
  Toolkit Cuda;
  Cuda.Root = "/cuda";
  Cuda.Version = 13000;
  std::vector<std::string> Args = clangArguments("a.cu", "sm_90", {}, Cuda);
  auto Flag = llvm::find(Args, "-idirafter");
  ASSERT_NE(Flag, Args.end());
  EXPECT_EQ(*std::next(Flag), ShimFolder);
}
