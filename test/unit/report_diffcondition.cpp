// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of --fail-if.
#include "report/DiffCondition.h"
#include "gtest/gtest.h"

using namespace kinstr::report;

namespace {

Condition parsed(llvm::StringRef Text) {
  auto C = parseCondition(Text);
  if (C)
    return *C;
  ADD_FAILURE() << Text.str() << ": " << llvm::toString(C.takeError());
  return {};
}

std::string wrong(llvm::StringRef Text) {
  auto C = parseCondition(Text);
  return C ? "" : llvm::toString(C.takeError());
}

TEST(Condition, Phase) {
  Condition C = parsed("phase load > +5%");
  EXPECT_EQ(C.Subject, Condition::Of::Phase);
  EXPECT_EQ(C.Name, "load");
  EXPECT_FALSE(C.Mean);
  EXPECT_TRUE(C.Greater);
  EXPECT_EQ(C.Amount, 5);
  EXPECT_EQ(C.Unit, Condition::In::Percent);
  EXPECT_EQ(C.Text, "phase load > +5%");
}

TEST(Condition, Scope) {
  Condition C = parsed("scope tile mean < -2%");
  EXPECT_EQ(C.Subject, Condition::Of::Scope);
  EXPECT_EQ(C.Name, "tile");
  EXPECT_TRUE(C.Mean);
  EXPECT_EQ(wrong("scope > 1%"), "scope needs a name, or * for any");
  EXPECT_EQ(wrong("scope tile > 1pp"),
            "only a share changes by pp (percentage points)");
}

TEST(Condition, BlanksAreFreeAndUnitsMany) {
  EXPECT_EQ(parsed(" phase  load<-2.5 us ").Amount, -2500);
  EXPECT_FALSE(parsed("phase load<-2.5 us").Greater);
  EXPECT_EQ(parsed("phase load>1ms").Amount, 1e6);
  EXPECT_EQ(parsed("phase load>40cycles").Unit, Condition::In::Cycles);
  EXPECT_EQ(parsed("share load > 2pp").Unit, Condition::In::Points);
  EXPECT_EQ(parsed("share load > 2%").Subject, Condition::Of::Share);
}

TEST(Condition, NamesMayBeAnything) {
  EXPECT_EQ(parsed("phase load x mean > 1%").Name, "load x");
  EXPECT_TRUE(parsed("phase load x mean > 1%").Mean);
  EXPECT_EQ(parsed("phase mean > 1%").Name, "mean");
  EXPECT_EQ(parsed("phase 'mean' mean > 1%").Name, "mean");
  EXPECT_EQ(parsed("phase \"it's\" p50 > 1%").Name, "it's");
  EXPECT_EQ(parsed("phase a>b > 1%").Name, "a>b");
  EXPECT_EQ(parsed("phase * > 1%").Name, "*");
  EXPECT_EQ(parsed("kernel norm<5120> > 1%").Name, "norm<5120>");
  EXPECT_EQ(parsed("kernel > 1%").Name, "");
  EXPECT_TRUE(parsed("kernel norm mean > 300ns").Mean);
}

TEST(Condition, WhatIsWrongIsSaid) {
  EXPECT_EQ(wrong("phase load"), "there is no > or <");
  EXPECT_EQ(wrong("phrase load > 1%"),
            "'phrase' is none of phase, scope, share, kernel");
  EXPECT_EQ(wrong("phase > 1%"), "phase needs a name, or * for any");
  EXPECT_EQ(wrong("share load mean > 1%"), "a share has no mean");
  EXPECT_EQ(wrong("share load > 1ns"),
            "a share changes by % or pp (percentage points), not by ns");
  EXPECT_EQ(wrong("phase load > 1pp"),
            "only a share changes by pp (percentage points)");
  EXPECT_EQ(wrong("phase 'load > 1%"), "a quote is not closed");
  EXPECT_EQ(wrong("phase 'load' most > 1%"),
            "'most' is neither median nor mean");
  EXPECT_NE(wrong("kernel ( > 1%"), "");
  for (const char *Amount : {"", "5", "%", "5 %%", "+-5%", "5e3%", "nan%"})
    EXPECT_NE(wrong(std::string("phase load > ") + Amount), "") << Amount;
}

} // namespace
