// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bootstrap promises, on units whose distribution is known: false
// alarms as often as stated, true changes found. All numbers are drawn from
// fixed seeds.
#include "report/DiffBootstrap.h"
#include "report/Student.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace kinstr::report;

namespace {

/// How a unit of a phase comes about. Stays of a block have its luck in common.
struct World {
  unsigned Units = 100;
  unsigned Stays = 20; ///< in each unit
  double Mean = 1000;
  double UnitSpread = 0.05; ///< of units, standard deviation of the logarithm
  double StaySpread = 0.1;  ///< of stays in a unit
  bool Whole = true;        ///< cycles, no fractions
  bool LastIsHalf = false;
  unsigned Phases = 1;
};

class Maker {
public:
  explicit Maker(uint64_t Seed) : Random(Seed) {}

  std::vector<UnitSamples> make(const World &W) {
    std::vector<UnitSamples> Out(W.Units);
    for (unsigned U = 0; U < W.Units; ++U) {
      unsigned Stays = W.LastIsHalf && U + 1 == W.Units ? W.Stays / 2 : W.Stays;
      Out[U].Rows.resize(W.Phases);
      for (RowSamples &Row : Out[U].Rows)
        fill(Row, W, Stays);
      for (const RowSamples &Row : Out[U].Rows)
        Out[U].WarpTime += Row.Time;
      // The phases that are not looked at
      Out[U].WarpTime +=
          Stays * W.Mean * W.Phases * std::exp(W.UnitSpread * Normal(Random));
    }
    return Out;
  }

private:
  void fill(RowSamples &Row, const World &W, unsigned Stays) {
    double Luck = W.UnitSpread * Normal(Random);
    for (unsigned I = 0; I < Stays; ++I) {
      double V = W.Mean * std::exp(Luck + W.StaySpread * Normal(Random));
      V = W.Whole ? std::round(V) : V;
      Row.Stays.add(V);
      Row.Sum += V;
      Row.Time += V;
    }
  }

  std::mt19937_64 Random;
  /// The library's own differs from platform to platform.
  struct {
    double operator()(std::mt19937_64 &R) const {
      double Sum = 0; // of twelve uniform ones: normal enough
      for (int I = 0; I < 12; ++I)
        Sum += static_cast<double>(R() >> 11) * 0x1p-53;
      return Sum - 6;
    }
  } Normal;
};

struct Rates {
  double Median = 0, Mean = 0, Share = 0;
  double Covered = 0; ///< intervals of the mean that hold the true change
};

/// How often a change is called one, at 5 %.
Rates alarms(const World &A, const World &B, unsigned Pairs) {
  Rates R;
  const double True =
      (B.Mean - A.Mean) *
      std::exp((A.UnitSpread * A.UnitSpread + A.StaySpread * A.StaySpread) / 2);
  for (unsigned I = 0; I < Pairs; ++I) {
    Maker M(I * 7919 + 1);
    RowEstimates EA = estimateRows(M.make(A), A.Phases, 1).front();
    RowEstimates EB = estimateRows(M.make(B), B.Phases, 2).front();
    R.Median += difference(EA.Median, EB.Median).P < 0.05;
    R.Mean += difference(EA.Mean, EB.Mean).P < 0.05;
    R.Share += difference(EA.Share, EB.Share).P < 0.05;
    Difference D = difference(EA.Mean, EB.Mean);
    R.Covered += D.Low <= True && True <= D.High;
  }
  for (double *V : {&R.Median, &R.Mean, &R.Share, &R.Covered})
    *V /= Pairs;
  return R;
}

/// Of 500 pairs, 5 % are found 4 to 46 times in all but one of 10^5 cases.
constexpr unsigned Pairs = 500;
void expectStatedRate(const Rates &R, double Least = 0.02,
                      double Most = 0.085) {
  for (auto [Name, Rate] :
       {std::pair("median", R.Median), std::pair("mean", R.Mean),
        std::pair("share", R.Share)}) {
    EXPECT_GE(Rate, Least) << Name;
    EXPECT_LE(Rate, Most) << Name;
  }
  EXPECT_GE(R.Covered, 1 - Most);
}

TEST(Student, KnownValues) {
  EXPECT_NEAR(studentQuantile(0.05, 1), 12.7062, 1e-3);
  EXPECT_NEAR(studentQuantile(0.05, 10), 2.22814, 1e-4);
  EXPECT_NEAR(studentQuantile(0.05, 1e6), 1.95996, 1e-4);
  EXPECT_NEAR(studentTails(2.22814, 10), 0.05, 1e-6);
  EXPECT_NEAR(studentTails(0, 3), 1, 1e-12);
  EXPECT_NEAR(studentTails(1, 1), 0.5, 1e-9);
  EXPECT_EQ(studentTails(INFINITY, 5), 0);
  EXPECT_NEAR(studentTails(-2, 7.5), studentTails(2, 7.5), 1e-12);
}

TEST(Durations, KeepSmallWholeNumbersAndAreNearToLargeOnes) {
  Durations D;
  for (unsigned V = 0; V < 4096; ++V)
    D.add(V);
  auto Sorted = D.sorted();
  ASSERT_EQ(Sorted.size(), 4096U);
  for (unsigned V = 0; V < 4096; ++V)
    EXPECT_EQ(Sorted[V].first, V);
  EXPECT_EQ(D.upTo(99), 100U);
  for (double V : {5001.0, 123456789.0, 1e15, 0.3}) {
    Durations One;
    One.add(V);
    EXPECT_NEAR(One.sorted().front().first / V, 1, 1.0 / 4096);
  }
}

TEST(Bootstrap, FalseAlarmsAreAsRareAsStated) {
  World W;
  expectStatedRate(alarms(W, W, Pairs));
}

TEST(Bootstrap, SoWhereUnitsAreFew) {
  World W;
  W.Units = 5;
  expectStatedRate(alarms(W, W, Pairs), 0.01);
  World Three = W;
  Three.Units = 3;
  expectStatedRate(alarms(Three, Three, Pairs), 0.005);
}

TEST(Bootstrap, SoWhereGridsDiffer) {
  World A, B;
  A.Units = 12;
  B.Units = 200;
  B.LastIsHalf = true;
  expectStatedRate(alarms(A, B, Pairs));
}

TEST(Bootstrap, SoWhereUnitsHaveOneStay) {
  World W;
  W.Units = 80;
  W.Stays = 1;
  expectStatedRate(alarms(W, W, Pairs));
}

TEST(Bootstrap, SoWhereAllStaysOfABlockAreAlike) {
  World W;
  W.Units = 40;
  W.Stays = 32;
  W.UnitSpread = 0.2;
  W.StaySpread = 0.01;
  expectStatedRate(alarms(W, W, Pairs));
}

// Stays that were measurements of their own would raise the alarm here.
TEST(Bootstrap, SoWhereValuesAreCoarse) {
  World W;
  W.Mean = 12;
  Rates R = alarms(W, W, Pairs);
  EXPECT_LE(R.Median, 0.085); // most medians are the same whole number
  EXPECT_LE(R.Mean, 0.085);
}

TEST(Bootstrap, FindsAChangeOfFivePercent) {
  World A, B;
  B.Mean = A.Mean * 1.05;
  Rates R = alarms(A, B, 100);
  EXPECT_GE(R.Median, 0.95);
  EXPECT_GE(R.Mean, 0.95);
  EXPECT_GE(R.Covered, 0.88);
}

TEST(Bootstrap, FindsAChangeBetweenLaunchesThatVaryLittle) {
  World A, B;
  A.Units = B.Units = 5;
  A.Stays = B.Stays = 2000;
  A.UnitSpread = B.UnitSpread = 0.01;
  B.Mean = A.Mean * 1.05;
  Rates R = alarms(A, B, 100);
  EXPECT_GE(R.Median, 0.95);
  EXPECT_GE(R.Mean, 0.95);
}

TEST(Bootstrap, AllPhasesTogetherRaiseNoMoreFalseAlarms) {
  World W;
  W.Units = 30;
  W.Phases = 8;
  unsigned Any = 0, AnyPlain = 0;
  for (unsigned I = 0; I < 200; ++I) {
    Maker M(I * 104729 + 3);
    auto A = estimateRows(M.make(W), W.Phases, 1);
    auto B = estimateRows(M.make(W), W.Phases, 2);
    std::vector<double> P;
    for (unsigned Row = 0; Row < W.Phases; ++Row) {
      P.push_back(difference(A[Row].Median, B[Row].Median).P);
      P.push_back(difference(A[Row].Mean, B[Row].Mean).P);
      P.push_back(difference(A[Row].Share, B[Row].Share).P);
    }
    auto Alarm = [](double V) { return V < 0.05; };
    AnyPlain += llvm::any_of(P, Alarm);
    Any += llvm::any_of(holm(P), Alarm);
  }
  EXPECT_LE(Any, 20U); // 5 % are 10
  EXPECT_GE(AnyPlain, 60U);
}

TEST(Bootstrap, OneUnitHasNoInterval) {
  World One, Many;
  One.Units = 1;
  Maker M(1);
  RowEstimates A = estimateRows(M.make(One), 1, 1).front();
  RowEstimates B = estimateRows(M.make(Many), 1, 2).front();
  EXPECT_GT(A.Mean.Value, 0);
  EXPECT_EQ(A.Mean.Freedom, 0);
  EXPECT_FALSE(difference(A.Mean, B.Mean).HasInterval);
  EXPECT_FALSE(difference(B.Median, A.Median).HasInterval);
  EXPECT_EQ(difference(A.Mean, B.Mean).P, 1);
}

TEST(Bootstrap, AUnitThatHasAllStaysIsOneUnit) {
  World W;
  Maker M(1);
  auto Units = M.make(W);
  for (size_t I = 1; I < Units.size(); ++I)
    Units[I].Rows[0] = RowSamples();
  RowEstimates E = estimateRows(Units, 1, 1).front();
  EXPECT_EQ(E.Count, W.Stays);
  EXPECT_EQ(E.Mean.Freedom, 0);
  EXPECT_GT(E.Share.Freedom, 90);
}

TEST(Bootstrap, NoStaysAndNoUnits) {
  std::vector<UnitSamples> Units(10);
  for (UnitSamples &U : Units) {
    U.Rows.resize(1);
    U.WarpTime = 100;
  }
  RowEstimates E = estimateRows(Units, 1, 1).front();
  EXPECT_EQ(E.Count, 0U);
  EXPECT_EQ(E.Median.Freedom, 0);
  EXPECT_EQ(E.Share.Value, 0);
  EXPECT_EQ(estimateRows({}, 1, 1).front().Count, 0U);
  EXPECT_EQ(estimateRow({}, 1).Mean.Freedom, 0);
}

TEST(Bootstrap, WhatNeverVariesIsCertain) {
  World W;
  W.UnitSpread = W.StaySpread = 0;
  Maker M(1);
  RowEstimates A = estimateRows(M.make(W), 1, 1).front();
  World Longer = W;
  Longer.Mean = 1001;
  RowEstimates B = estimateRows(M.make(Longer), 1, 2).front();
  EXPECT_EQ(difference(A.Median, A.Median).P, 1);
  Difference D = difference(A.Median, B.Median);
  EXPECT_EQ(D.P, 0);
  EXPECT_EQ(D.Low, 1);
  EXPECT_EQ(D.High, 1);
}

TEST(Bootstrap, SeedsDecide) {
  World W;
  Maker M(1);
  auto Units = M.make(W);
  EXPECT_EQ(estimateRows(Units, 1, 5).front().Mean.Variance,
            estimateRows(Units, 1, 5).front().Mean.Variance);
  EXPECT_NE(estimateRows(Units, 1, 5).front().Mean.Variance,
            estimateRows(Units, 1, 6).front().Mean.Variance);
}

TEST(Holm, KnownValues) {
  std::vector<double> Out = holm({0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(Out[0], 0.03, 1e-12);
  EXPECT_NEAR(Out[1], 0.06, 1e-12);
  EXPECT_NEAR(Out[2], 0.06, 1e-12);
  EXPECT_NEAR(Out[3], 0.02, 1e-12);
  EXPECT_TRUE(holm({}).empty());
  EXPECT_EQ(holm({0.9, 0.8}).front(), 1);
}

} // namespace
