// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs for every recorder.
//
//   kinstr-simt [--number=N]... [--count=N] [gtest's options]
//     --number   runs that test alone, and shows its program
//     --count    tests for each recorder
#include "Scenario.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <iostream>
#include <sanitizer/common_interface_defs.h>

using namespace simt;

/// Small tests, many of them: freed memory need not be kept for long.
extern "C" const char *__asan_default_options() {
  return "quarantine_size_mb=8:malloc_context_size=4";
}

static std::vector<uint64_t> Numbers; ///< of the command line
static uint64_t Count = 32;

static uint64_t Running; ///< number of the test

/// A sanitizer ends the process: says in which test.
static void sayNumber() {
  std::cerr << "to see it alone: kinstr-simt --number=" << Running << "\n";
}

class Simt : public testing::TestWithParam<size_t> {};

TEST_P(Simt, RandomPrograms) {
  for (uint64_t I = 0; I < Count; ++I) {
    const uint64_t Number = GetParam() + I * kernelTypes().size();
    Running = Number;
    const std::string Wrong = runScenario(makeScenario(Number));
    ASSERT_EQ(Wrong, "") << "to see it alone: kinstr-simt --number=" << Number;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorders, Simt,
                         testing::Range(size_t(0), kernelTypes().size()),
                         [](const testing::TestParamInfo<size_t> &I) {
                           const KernelType &K = kernelTypes()[I.param];
                           return std::string(K.Buffer) + "_" + name(K.Lay) +
                                  "_" + name(K.Flw) + "_" +
                                  std::to_string(K.Sites);
                         });

static int runNumbers() {
  int Status = 0;
  for (uint64_t Number : Numbers) {
    const Scenario S = makeScenario(Number);
    const std::string Wrong = runScenario(S);
    std::cout << "test " << Number << ": " << text(S)
              << (Wrong.empty() ? "passed\n" : "FAILED\n" + Wrong);
    Status |= !Wrong.empty();
  }
  return Status;
}

int main(int Argc, char **Argv) {
  testing::InitGoogleTest(&Argc, Argv);
  __sanitizer_set_death_callback(sayNumber);
  for (int I = 1; I < Argc; ++I) {
    const std::string Arg = Argv[I];
    if (Arg.rfind("--number=", 0) == 0)
      Numbers.push_back(std::strtoull(Argv[I] + 9, nullptr, 10));
    else if (Arg.rfind("--count=", 0) == 0)
      Count = std::strtoull(Argv[I] + 8, nullptr, 10);
    else {
      std::cerr << "kinstr-simt: unknown argument '" << Arg << "'\n";
      return 2;
    }
  }
  return Numbers.empty() ? RUN_ALL_TESTS() : runNumbers();
}
