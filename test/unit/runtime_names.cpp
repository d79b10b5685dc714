// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel names, as kinstr writes them into the tables.
#include "names.h"
#include "gtest/gtest.h"

using kinstr::rt::qualified_name;

TEST(RuntimeNames, ExternCIsItsOwn) { EXPECT_EQ(qualified_name("k"), "k"); }

TEST(RuntimeNames, ParametersAreLeftOut) {
  EXPECT_EQ(qualified_name("_Z6kernelPf"), "kernel");
  EXPECT_EQ(qualified_name("_ZN1a1b6kernelEPFviE"), "a::b::kernel");
}

TEST(RuntimeNames, ResultAndTemplateArgumentsAreLeftOut) {
  // void ns::k<float, 4>(float *, int)
  EXPECT_EQ(qualified_name("_ZN2ns1kIfLi4EEEvPT_i"), "ns::k");
  // void k<s<s<int> >>(s<s<int> >)
  EXPECT_EQ(qualified_name("_Z1kI1sIS0_IiEEEvT_"), "k");
}

TEST(RuntimeNames, UnnamedNamespace) {
  // As nvcc spells it: _GLOBAL__N__<hash>_<file>
  EXPECT_EQ(qualified_name("_ZN36_GLOBAL__N__3f314d10_6_d_i_cu_2933971kEi"),
            "(anonymous namespace)::k");
}

// Symbols that nvcc 13 gives to static kernels and those in unnamed namespaces.
TEST(RuntimeNames, StaticKernelsOfRelocatableCode) {
  EXPECT_EQ(qualified_name("__nv_static_37__b320ce89_15_launch_forms_cu_"
                           "ca89d242__Z7of_filePii"),
            "of_file");
  EXPECT_EQ(
      qualified_name("__nv_static_37__b320ce89_15_launch_forms_cu_ca89d242__"
                     "ZN5inner48_GLOBAL__N__b320ce89_15_launch_forms_cu_"
                     "ca89d2426hiddenEPii"),
      "inner::(anonymous namespace)::hidden");
  for (const char *odd : {"__nv_static_", "__nv_static_x", "__nv_static_99_a",
                          "__nv_static_99999999999999999999_a"})
    EXPECT_EQ(qualified_name(odd), odd);
}

TEST(RuntimeNames, WhatCannotBeReadIsEmpty) {
  EXPECT_EQ(qualified_name("_Z?"), "");
  EXPECT_EQ(qualified_name(""), "");
}
