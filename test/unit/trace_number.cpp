// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of kernels as text.
#include "trace/Number.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <limits>

using namespace kinstr;
using trace::Number;

static std::string real(float V) {
  return Number{number_type::floating_point, llvm::bit_cast<uint32_t>(V)}.str();
}

TEST(Number, AsFewDigitsAsTellItFromItsNeighbours) {
  EXPECT_EQ(real(0.1f), "0.1");
  EXPECT_EQ(real(16777217.0f / 3), "5592405.5");
  EXPECT_EQ(real(-0.0f), "-0");
  EXPECT_EQ((Number{number_type::signed_integer, 0xFFFFFFFFu}.str()), "-1");
  EXPECT_EQ((Number{number_type::unsigned_integer, 0xFFFFFFFFu}.str()),
            "4294967295");
}

// Of these std::stof() throws: rounded to fewer digits the largest is too
// large, and the smallest are smaller than any normal number.
TEST(Number, TheLargestAndTheSmallest) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(real(Limits::max()), "3.4028235e+38");
  EXPECT_EQ(real(Limits::lowest()), "-3.4028235e+38");
  EXPECT_EQ(real(Limits::denorm_min()), "1.4013e-45");
  EXPECT_EQ(real(Limits::min() / 2), "5.877472e-39");
  EXPECT_EQ(real(Limits::infinity()), "inf");
  EXPECT_EQ(real(Limits::quiet_NaN()), "nan");
}
