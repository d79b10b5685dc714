// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bootstrap, on sums of units.
#include "report/DiffBootstrap.h"

#include "report/Student.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>
#include <numeric>

using namespace llvm;

namespace kinstr::report {

/// The standard error of so many drawings is itself off by 1.6 %.
static constexpr unsigned Drawings = 2000;

namespace {

/// Steele, Lea and Flood's SplitMix64: small, and the same on every platform.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}
  /// Below \p Limit, which is far below 2^32.
  uint32_t below(uint32_t Limit) {
    uint64_t Z = State += 0x9E3779B97F4A7C15;
    Z = (Z ^ Z >> 30) * 0xBF58476D1CE4E5B9;
    Z = (Z ^ Z >> 27) * 0x94D049BB133111EB;
    return static_cast<uint32_t>(((Z ^ Z >> 31) >> 32) * Limit >> 32);
  }

private:
  uint64_t State;
};

/// How often each unit is in each drawing.
class Draws {
public:
  Draws(size_t Units, uint64_t Seed) : Units(Units) {
    if (Units < 2)
      return;
    Random R(Seed);
    Times.resize(Units * Drawings);
    for (unsigned D = 0; D < Drawings; ++D)
      for (size_t I = 0; I < Units; ++I)
        ++Times[D * Units + R.below(Units)];
  }

  /// The variance of \p Value over the drawings, which is given the times of
  /// each unit; nothing of a drawing that says nothing.
  double variance(
      function_ref<std::optional<double>(ArrayRef<uint16_t>)> Value) const {
    double Mean = 0, Squares = 0, N = 0; // Welford
    for (unsigned D = 0; D < Drawings && Units > 1; ++D)
      if (std::optional<double> V =
              Value(ArrayRef(Times).slice(D * Units, Units))) {
        double Off = *V - Mean;
        Mean += Off / ++N;
        Squares += Off * (*V - Mean);
      }
    return N > 1 ? Squares / (N - 1) : 0;
  }

private:
  size_t Units;
  std::vector<uint16_t> Times;
};

} // namespace

static double weighted(ArrayRef<uint16_t> Times, ArrayRef<double> Values) {
  double Sum = 0;
  for (size_t I = 0; I < Values.size(); ++I)
    Sum += Times[I] * Values[I];
  return Sum;
}

/// As many units as are worth what these are, of which some weigh more.
static double worth(ArrayRef<double> Weights) {
  double Sum = 0, Squares = 0;
  for (double W : Weights) {
    Sum += W;
    Squares += W * W;
  }
  return Squares > 0 ? Sum * Sum / Squares : 0;
}

/// Sets the freedom, and makes the variance that of a sample: units that were
/// drawn vary less, by one unit in all, than those they stand for.
static void judge(Estimate &E, ArrayRef<double> Weights, double Variance) {
  double Units = worth(Weights);
  if (Units < 2 - 1e-9)
    return;
  E.Freedom = Units - 1;
  E.Variance = Variance * Units / (Units - 1);
}

/// A sum of one thing over a sum of another.
static Estimate ratio(const Draws &D, ArrayRef<double> Over,
                      ArrayRef<double> Under) {
  Estimate E;
  double All = std::accumulate(Under.begin(), Under.end(), 0.0);
  if (All <= 0)
    return E;
  E.Value = std::accumulate(Over.begin(), Over.end(), 0.0) / All;
  auto Drawn = [&](ArrayRef<uint16_t> Times) -> std::optional<double> {
    double Sum = weighted(Times, Under);
    if (Sum <= 0)
      return std::nullopt;
    return weighted(Times, Over) / Sum;
  };
  judge(E, Under, D.variance(Drawn));
  return E;
}

namespace {

/// Values that are there, and what part of all does not exceed each.
class Distribution {
public:
  explicit Distribution(const Durations &All) {
    uint64_t Sum = 0;
    for (auto [Value, N] : All.sorted()) {
      Sum += N;
      Values.push_back(Value);
      UpTo.push_back(static_cast<double>(Sum) /
                     static_cast<double>(All.count()));
    }
  }
  /// The smallest value that at least this part does not exceed.
  double at(double Part) const {
    size_t I = llvm::lower_bound(UpTo, Part - 1e-12) - UpTo.begin();
    return Values[std::min(I, Values.size() - 1)];
  }

private:
  std::vector<double> Values, UpTo;
};

} // namespace

/// Where more of the values drawn are below the median than half, theirs is
/// lower: by how much is read off the distribution of all (Bahadur).
static Estimate median(const Draws &D, ArrayRef<const RowSamples *> Units,
                       ArrayRef<double> Counts) {
  Durations All;
  for (const RowSamples *U : Units)
    All.join(U->Stays);
  Estimate E;
  if (All.count() == 0)
    return E;
  const Distribution Stays(All);
  E.Value = Stays.at(0.5);
  std::vector<double> UpTo;
  for (const RowSamples *U : Units)
    UpTo.push_back(static_cast<double>(U->Stays.upTo(E.Value)));
  double Part = std::accumulate(UpTo.begin(), UpTo.end(), 0.0) /
                static_cast<double>(All.count());
  auto Drawn = [&](ArrayRef<uint16_t> Times) -> std::optional<double> {
    double Sum = weighted(Times, Counts);
    if (Sum <= 0)
      return std::nullopt;
    return Stays.at(0.5 + Part - weighted(Times, UpTo) / Sum);
  };
  judge(E, Counts, D.variance(Drawn));
  return E;
}

static RowEstimates estimate(const Draws &D,
                             ArrayRef<const RowSamples *> Units) {
  RowEstimates Out;
  std::vector<double> Counts, Sums;
  for (const RowSamples *U : Units) {
    Out.Count += U->Stays.count();
    Out.Marks += U->Marks;
    Counts.push_back(static_cast<double>(U->Stays.count()));
    Sums.push_back(U->Sum);
  }
  Out.Median = median(D, Units, Counts);
  Out.Mean = ratio(D, Sums, Counts);
  return Out;
}

std::vector<RowEstimates> estimateRows(ArrayRef<UnitSamples> Units, size_t Rows,
                                       uint64_t Seed) {
  const Draws D(Units.size(), Seed);
  std::vector<double> WarpTimes;
  for (const UnitSamples &U : Units)
    WarpTimes.push_back(U.WarpTime);
  std::vector<RowEstimates> Out;
  for (size_t R = 0; R < Rows; ++R) {
    std::vector<const RowSamples *> Pieces;
    std::vector<double> Times;
    for (const UnitSamples &U : Units) {
      Pieces.push_back(&U.Rows[R]);
      Times.push_back(U.Rows[R].Time);
    }
    Out.push_back(estimate(D, Pieces));
    Out.back().Share = ratio(D, Times, WarpTimes);
  }
  return Out;
}

RowEstimates estimateRow(ArrayRef<RowSamples> Units, uint64_t Seed) {
  std::vector<const RowSamples *> Pieces;
  for (const RowSamples &U : Units)
    Pieces.push_back(&U);
  return estimate(Draws(Units.size(), Seed), Pieces);
}

Difference difference(const Estimate &A, const Estimate &B) {
  Difference D;
  D.A = A.Value;
  D.B = B.Value;
  D.HasInterval = A.Freedom > 0 && B.Freedom > 0;
  if (!D.HasInterval)
    return D;
  double Variance = A.Variance + B.Variance;
  if (Variance <= 0) { // everything took the same time
    D.Low = D.High = D.change();
    D.P = D.change() == 0 ? 1 : 0;
    return D;
  }
  // Welch and Satterthwaite
  double Freedom = Variance * Variance /
                   (A.Variance * A.Variance / A.Freedom +
                    B.Variance * B.Variance / B.Freedom);
  double Error = std::sqrt(Variance);
  double Reach = studentQuantile(0.05, Freedom) * Error;
  D.Low = D.change() - Reach;
  D.High = D.change() + Reach;
  D.P = studentTails(D.change() / Error, Freedom);
  return D;
}

std::vector<double> holm(ArrayRef<double> P) {
  std::vector<size_t> Order(P.size());
  std::iota(Order.begin(), Order.end(), 0);
  llvm::stable_sort(Order, [&](size_t I, size_t J) { return P[I] < P[J]; });
  std::vector<double> Out(P.size());
  double Least = 0;
  for (size_t I = 0; I < Order.size(); ++I) {
    Least = std::max(
        Least, std::min(1.0, P[Order[I]] * static_cast<double>(P.size() - I)));
    Out[Order[I]] = Least;
  }
  return Out;
}

} // namespace kinstr::report
