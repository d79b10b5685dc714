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

TEST(RuntimeNames, NamespaceOfStaticKernels) {
  EXPECT_EQ(qualified_name("_ZN21_INTERNAL_00_4_a_cu_k1kEPi"), "k");
  EXPECT_EQ(qualified_name("_ZN21_INTERNAL_00_4_a_cu_k2ns1kEPi"), "ns::k");
}

TEST(RuntimeNames, WhatCannotBeReadIsEmpty) {
  EXPECT_EQ(qualified_name("_Z?"), "");
  EXPECT_EQ(qualified_name(""), "");
}
