// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any of the user's types as a number of 32 bits.
#include "trace/Number.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
// Behind the others: it gives words another meaning.
#include "Cuda.h"
#include <kinstr/detail/number.cuh>

namespace {

enum Plain { Three = 3 };
enum class Scoped : short { Minus = -1 };
struct Half { // has several conversions, as CUDA's has
  operator float() const { return 0.5f; }
  operator int() const { return 0; }
  operator bool() const { return true; }
};

/// As the report shows it.
template <typename T> std::string shown(T V) {
  kinstr::detail::number N = kinstr::detail::number_from<T>::make(V);
  return kinstr::trace::Number{N.type, N.bits}.str();
}

} // namespace

TEST(Number, IntegersKeepTheirSign) {
  EXPECT_EQ(shown(-7), "-7");
  EXPECT_EQ(shown(4000000000u), "4000000000");
  EXPECT_EQ(shown<short>(-1), "-1");
  EXPECT_EQ(shown<unsigned char>(200), "200");
  EXPECT_EQ(shown(true), "1");
  EXPECT_EQ(shown(Three), "3");
  EXPECT_EQ(shown(Scoped::Minus), "-1");
}

TEST(Number, WhatDoesNotFitIsTheNearestThatDoes) {
  EXPECT_EQ(shown<unsigned long long>(1ull << 40), "4294967295");
  EXPECT_EQ(shown<long long>(1ll << 40), "2147483647");
  EXPECT_EQ(shown<long long>(-(1ll << 40)), "-2147483648");
  EXPECT_EQ(shown<long long>(-5), "-5");
  EXPECT_EQ(shown<size_t>(5), "5");
}

TEST(Number, RealOnesAreOfSinglePrecision) {
  EXPECT_EQ(shown(0.1f), "0.1");
  EXPECT_EQ(shown(0.1), "0.1");
  EXPECT_EQ(shown(16777217.0), "16777216");
  EXPECT_EQ(shown(0.1f + 0.2f), "0.3");
  EXPECT_EQ(shown(std::nextafter(0.3f, 1.0f)), "0.30000004");
  EXPECT_EQ(shown(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(shown(std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(shown(Half()), "0.5");
}
