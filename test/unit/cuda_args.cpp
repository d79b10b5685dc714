// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's architectures, and the macros that go with them.
#include "cuda/ClangArgs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace kinstr;
using llvm::is_contained;

namespace {

Toolkit cuda13() {
  Toolkit Cuda;
  Cuda.Root = "/cuda";
  Cuda.Version = 13000;
  Cuda.Build = 88;
  return Cuda;
}

bool accepts(llvm::StringRef Arch) {
  std::vector<std::string> List;
  bool Accepted = !llvm::errorToBool(addArchitecture(Arch, List));
  EXPECT_EQ(Accepted, List.size() == 1);
  return Accepted;
}

std::vector<std::string> arguments(llvm::StringRef Arch) {
  CompileOptions Options;
  EXPECT_FALSE(llvm::errorToBool(addArchitecture(Arch, Options.Architectures)));
  return clangArguments("a.cu", Options.Architectures[0], Options, cuda13());
}

} // namespace

TEST(CudaArgs, KnowsWhatNvccKnows) {
  for (const char *Arch :
       {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_121a", "compute_80",
        "lto_90a", "native", "all", "all-major", " 'sm_90'"})
    EXPECT_TRUE(accepts(Arch)) << Arch;
  for (const char *Arch :
       {"", "rubbish", "sm_", "sm_33", "sm_91", "sm_80a", "sm_90f", "sm_90b",
        "sm_90ab", "sm90", "sm_90,sm_80", "sm_-90", "SM_90"})
    EXPECT_FALSE(accepts(Arch)) << Arch;
}

TEST(CudaArgs, BelievesInNewerArchitectures) {
  EXPECT_TRUE(accepts("sm_130"));
  EXPECT_TRUE(accepts("sm_200a"));
}

TEST(CudaArgs, ListsAnArchitectureOnce) {
  std::vector<std::string> List;
  EXPECT_FALSE(llvm::errorToBool(addArchitecture("compute_90", List)));
  EXPECT_FALSE(llvm::errorToBool(
      addGencode("arch=compute_90,code=[sm_90,sm_90a]", List)));
  EXPECT_FALSE(llvm::errorToBool(addGencode("arch=sm_80", List)));
  EXPECT_EQ(List, (std::vector<std::string>{"sm_90", "sm_80"}));
}

TEST(CudaArgs, ReadsANewerArchitectureAsAnOlderOneWithItsOwnMacros) {
  std::string Parsed = clangArchitecture("sm_999", cuda13());
  EXPECT_NE(Parsed, "sm_999");
  auto Args = arguments("sm_999a");
  EXPECT_TRUE(is_contained(Args, "--cuda-gpu-arch=" + Parsed));
  EXPECT_TRUE(is_contained(Args, "-D__CUDA_ARCH__=9990"));
  EXPECT_TRUE(is_contained(Args, "-D__CUDA_ARCH_FEAT_SM999_ALL"));
  if (Parsed.back() == 'a') {
    std::string Number = Parsed.substr(3, Parsed.size() - 4);
    EXPECT_TRUE(is_contained(Args, "-U__CUDA_ARCH_FEAT_SM" + Number + "_ALL"));
  }
}

TEST(CudaArgs, DefinesWhatSpecificArchitecturesHave) {
  auto Plain = arguments("sm_90");
  auto Own = arguments("sm_90a");
  auto Family = arguments("sm_100f");
  EXPECT_FALSE(is_contained(Plain, "-D__CUDA_ARCH_SPECIFIC__=900"));
  EXPECT_FALSE(is_contained(Plain, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=900"));
  EXPECT_TRUE(is_contained(Own, "-D__CUDA_ARCH_SPECIFIC__=900"));
  EXPECT_TRUE(is_contained(Own, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=900"));
  EXPECT_FALSE(is_contained(Family, "-D__CUDA_ARCH_SPECIFIC__=1000"));
  EXPECT_TRUE(is_contained(Family, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=1000"));
}

TEST(CudaArgs, ListsAllArchitecturesInOrder) {
  CompileOptions Options;
  Options.Architectures = {"sm_90a", "sm_80", "sm_90"};
  auto Args = clangArguments("a.cu", "sm_80", Options, cuda13());
  EXPECT_TRUE(is_contained(Args, "-D__CUDA_ARCH_LIST__=800,900"));
  Args = clangArguments("a.cu", "native", CompileOptions(), cuda13());
  EXPECT_TRUE(is_contained(Args, "-D__CUDA_ARCH_LIST__=750"));
}

TEST(CudaArgs, DefinesTheVersion) {
  auto Args = arguments("sm_90");
  for (const char *Macro :
       {"-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
        "-D__CUDACC_VER_BUILD__=88", "-D__CUDA_API_VER_MAJOR__=13"})
    EXPECT_TRUE(is_contained(Args, Macro)) << Macro;
}
