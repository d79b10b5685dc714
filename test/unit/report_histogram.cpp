// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The histogram against sorted values.
#include "report/Histogram.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace kinstr::report;

namespace {

Histogram histogramOf(const std::vector<uint64_t> &Values) {
  Histogram H;
  for (uint64_t V : Values)
    H.add(V);
  return H;
}

/// Nearest-rank, of all values.
uint64_t exactQuantile(std::vector<uint64_t> Values, double P) {
  std::sort(Values.begin(), Values.end());
  auto Rank = static_cast<size_t>(std::ceil(P * double(Values.size())));
  return Values[std::max<size_t>(Rank, 1) - 1];
}

const double Ranks[] = {0, 0.01, 0.5, 0.95, 0.99, 1};

TEST(ReportHistogram, QuantilesAreNearestRank) {
  EXPECT_EQ(histogramOf({}).quantile(0.5), 0u);
  EXPECT_EQ(histogramOf({}).min(), 0u);
  Histogram One = histogramOf({7});
  for (double P : Ranks)
    EXPECT_EQ(One.quantile(P), 7u);
  Histogram Four = histogramOf({40, 10, 30, 20});
  EXPECT_EQ(Four.quantile(0.5), 20u);  // rank ceil(0.5 * 4) = 2
  EXPECT_EQ(Four.quantile(0.95), 40u); // rank ceil(0.95 * 4) = 4
  std::vector<uint64_t> Hundred;
  for (uint64_t I = 1; I <= 100; ++I)
    Hundred.push_back(I);
  EXPECT_EQ(histogramOf(Hundred).quantile(0.5), 50u);
  EXPECT_EQ(histogramOf(Hundred).quantile(0.95), 95u);
}

TEST(ReportHistogram, IsExactBelow4096) {
  std::vector<uint64_t> All;
  for (uint64_t I = 0; I < 4096; ++I)
    All.push_back(I * 2731 % 4096);
  Histogram H = histogramOf(All);
  for (size_t I = 1; I <= 4096; ++I)
    ASSERT_EQ(H.quantile(double(I) / 4096), I - 1);
}

TEST(ReportHistogram, IsWithinItsResolutionAnywhere) {
  std::mt19937_64 Random(1);
  for (unsigned Bits : {12, 13, 20, 33, 47, 60, 64}) {
    std::vector<uint64_t> Values;
    for (int I = 0; I < 2000; ++I)
      Values.push_back(Random() >> (64 - Bits) >> Random() % 6);
    Histogram H = histogramOf(Values);
    for (double P : Ranks) {
      auto Exact = double(exactQuantile(Values, P));
      EXPECT_NEAR(double(H.quantile(P)), Exact,
                  Exact * Histogram::Resolution / 2)
          << Bits << " bits, " << P;
    }
    EXPECT_EQ(H.min(), exactQuantile(Values, 0));
    EXPECT_EQ(H.max(), exactQuantile(Values, 1));
  }
}

TEST(ReportHistogram, BordersOfBuckets) {
  for (unsigned Bit = 11; Bit < 64; ++Bit)
    for (uint64_t V : {(uint64_t(1) << Bit) - 1, uint64_t(1) << Bit,
                       (uint64_t(1) << Bit) + 1}) {
      Histogram H = histogramOf({V, V, ~uint64_t(0)});
      EXPECT_NEAR(double(H.quantile(0.5)), double(V), double(V) / 4096);
    }
}

TEST(ReportHistogram, JoinedIsAsIfAllHadGoneIntoOne) {
  std::mt19937_64 Random(2);
  Histogram All, Parts[3];
  for (int I = 0; I < 5000; ++I) {
    uint64_t V = Random() >> (30 + Random() % 30);
    All.add(V);
    Parts[I % 3].add(V);
  }
  Histogram Joined; // an empty one may stand first
  for (const Histogram &P : Parts)
    Joined.join(P);
  Joined.join(Histogram());
  EXPECT_EQ(Joined.count(), 5000u);
  EXPECT_EQ(Joined.sum(), All.sum());
  EXPECT_EQ(Joined.min(), All.min());
  EXPECT_EQ(Joined.max(), All.max());
  for (double P : Ranks)
    EXPECT_EQ(Joined.quantile(P), All.quantile(P));
}

} // namespace
