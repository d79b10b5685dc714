// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimises convex functions of the slope; see SlopeFit.h for what they mean.
#include "trace/SlopeFit.h"

#include <algorithm>

namespace kinstr::trace {

/// One half of a convex hull (Andrew's monotone chain). \p Sign is 1 for the
/// points that can be highest above a line, -1 for the lowest.
static std::vector<AnchorPoint> hull(const std::vector<AnchorPoint> &Points,
                                     double Sign) {
  std::vector<AnchorPoint> H;
  for (const AnchorPoint &P : Points) {
    auto Hidden = [&] { // the last point lies under the line around it
      const AnchorPoint &A = H[H.size() - 2], &B = H.back();
      return Sign * ((B.Cycles - A.Cycles) * (P.Ns - A.Ns) -
                     (P.Cycles - A.Cycles) * (B.Ns - A.Ns)) >=
             0;
    };
    while (H.size() >= 2 && Hidden())
      H.pop_back();
    H.push_back(P);
  }
  return H;
}

SmAnchors::SmAnchors(std::vector<AnchorPoint> Points) {
  std::sort(Points.begin(), Points.end(),
            [](const AnchorPoint &A, const AnchorPoint &B) {
              return A.Cycles != B.Cycles ? A.Cycles < B.Cycles : A.Ns < B.Ns;
            });
  if (!Points.empty())
    Span = Points.back().Cycles - Points.front().Cycles;
  Upper = hull(Points, 1);
  Lower = hull(Points, -1);
}

double SmAnchors::highest(double Slope) const {
  double Best = Upper.front().Ns - Slope * Upper.front().Cycles;
  for (const AnchorPoint &P : Upper)
    Best = std::max(Best, P.Ns - Slope * P.Cycles);
  return Best;
}

double SmAnchors::lowest(double Slope) const {
  double Best = Lower.front().Ns - Slope * Lower.front().Cycles;
  for (const AnchorPoint &P : Lower)
    Best = std::min(Best, P.Ns - Slope * P.Cycles);
  return Best;
}

/// Where the convex function \p F is smallest in [\p Low, \p High].
template <typename Fn> static double minimise(double Low, double High, Fn F) {
  for (int I = 0; I < 100; ++I) {
    double A = Low + (High - Low) / 3, B = High - (High - Low) / 3;
    if (F(A) <= F(B))
      High = B;
    else
      Low = A;
  }
  return (Low + High) / 2;
}

/// The last point from \p Inside towards \p Outside where \p Holds.
template <typename Fn>
static double boundary(double Inside, double Outside, Fn Holds) {
  if (Holds(Outside))
    return Outside;
  for (int I = 0; I < 60; ++I) {
    double Middle = (Inside + Outside) / 2;
    (Holds(Middle) ? Inside : Outside) = Middle;
  }
  return Inside;
}

SlopeFit fitSlope(const std::vector<SmAnchors> &Sms, double StepNs) {
  auto Worst = [&](double Slope) {
    double F = -StepNs;
    for (const SmAnchors &S : Sms)
      F = std::max(F, S.conflict(Slope, StepNs));
    return F;
  };
  SlopeFit Fit;
  double Centre = minimise(MinSlope, MaxSlope, Worst);
  // A reading of the clock can be late by more than a step (the warp waits for
  // its turn between the two reads), and then no slope satisfies all anchors.
  // Twice the smallest allowance that makes them consistent bounds the slope.
  double Allow = 2 * std::max(0.0, Worst(Centre));
  auto Holds = [&](double Slope) { return Worst(Slope) <= Allow; };
  Fit.Min = boundary(Centre, MinSlope, Holds);
  Fit.Max = boundary(Centre, MaxSlope, Holds);
  if (Allow == 0) {
    Fit.Best = (Fit.Min + Fit.Max) / 2;
    return Fit;
  }
  // Late readings are few: the slope that the SMs together contradict least
  // does not follow the worst one.
  Fit.Best = minimise(Fit.Min, Fit.Max, [&](double Slope) {
    double Sum = 0;
    for (const SmAnchors &S : Sms)
      Sum += std::max(0.0, S.conflict(Slope, StepNs));
    return Sum;
  });
  return Fit;
}

} // namespace kinstr::trace
