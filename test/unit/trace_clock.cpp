// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64-bit clocks from their low bits.
#include "trace/Clock.h"
#include "gtest/gtest.h"

using namespace kinstr::trace;

TEST(TraceClock, NearestLooksBothWays) {
  EXPECT_EQ(nearestClock(0x500000010, 0x20, 32), 0x500000020u);
  EXPECT_EQ(nearestClock(0x500000010, 0x08, 32), 0x500000008u);
  EXPECT_EQ(nearestClock(0x4FFFFFFF0, 0x10, 32), 0x500000010u);
  EXPECT_EQ(nearestClock(0x500000010, 0xFFFFFFF0, 32), 0x4FFFFFFF0u);
}

TEST(TraceClock, NothingLiesBeforeZero) {
  EXPECT_EQ(nearestClock(5, 0xFFFFFFF0, 32), 0xFFFFFFF0u);
}

TEST(TraceClock, NextNeverGoesBack) {
  EXPECT_EQ(nextClock(0x500000010, 0x10, 32), 0x500000010u);
  EXPECT_EQ(nextClock(0x500000010, 0x0F, 32), 0x60000000Fu);
  EXPECT_EQ(nextClock(0x5FFFFFFFF, 0x01, 32), 0x600000001u);
}

TEST(TraceClock, WiderClocks) {
  uint64_t Near = 0x7000000000010000;
  EXPECT_EQ(nearestClock(Near, (Near + 99) & lowMask(48), 48), Near + 99);
  EXPECT_EQ(nearestClock(Near, (Near - 99) & lowMask(48), 48), Near - 99);
}
