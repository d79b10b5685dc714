// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of options, split as nvcc 13 splits them (each case tried with it).
#include "cuda/OptionValues.h"
#include "gtest/gtest.h"

using namespace kinstr;

using Values = std::vector<std::string>;

TEST(OptionValues, CommasSeparateMacros) {
  EXPECT_EQ(splitMacros("A=1,B"), (Values{"A=1", "B"}));
  EXPECT_EQ(splitMacros("A=(1,2)"), (Values{"A=(1", "2)"}));
  EXPECT_EQ(splitMacros(",A=1,,2,"), (Values{"A=1", "2"}));
}

TEST(OptionValues, QuotesAreTheMacros) {
  EXPECT_EQ(splitMacros("A=\"1,2\",B"), (Values{"A=\"1,2\"", "B"}));
  EXPECT_EQ(splitMacros("A='1,2'"), (Values{"A='1", "2'"}));
}

TEST(OptionValues, BackslashTakesTheNextCharacterOfMacros) {
  EXPECT_EQ(splitMacros("A=1\\,2"), (Values{"A=1,2"}));
  EXPECT_EQ(splitMacros("A=\\\"1,2\\\""), (Values{"A=\"1", "2\""}));
  EXPECT_EQ(splitMacros("A=\"a\\\",b\""), (Values{"A=\"a\",b\""}));
  EXPECT_EQ(splitMacros("A=\"a\\\\\",b"), (Values{"A=\"a\\\"", "b"}));
}

TEST(OptionValues, QuotesAreNoPartOfPaths) {
  EXPECT_EQ(splitPaths("/x,/y"), (Values{"/x", "/y"}));
  EXPECT_EQ(splitPaths("\"/x,y\",/z"), (Values{"/x,y", "/z"}));
  EXPECT_EQ(splitPaths("h\\1.h"), (Values{"h\\1.h"}));
}
