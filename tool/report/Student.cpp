// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Student's distribution by the incomplete beta function, and its inverse by
// halving.
#include "report/Student.h"

#include <cmath>

namespace kinstr::report {

/// The continued fraction of the incomplete beta function (Abramowitz and
/// Stegun 26.5.8), from the front by Lentz's method. Converges fast for X below
/// (A + 1) / (A + B + 2).
static double betaFraction(double A, double B, double X) {
  constexpr double Tiny = 1e-300, Enough = 1e-14;
  constexpr int MostTerms = 500;
  auto NotZero = [](double V) { return std::abs(V) < Tiny ? Tiny : V; };
  double C = 1, D = 1 / NotZero(1 - (A + B) * X / (A + 1)), F = D;
  for (int M = 1; M <= MostTerms; ++M) {
    double Even = M * (B - M) * X / ((A + 2 * M - 1) * (A + 2 * M));
    D = 1 / NotZero(1 + Even * D);
    C = NotZero(1 + Even / C);
    F *= C * D;
    double Odd = -(A + M) * (A + B + M) * X / ((A + 2 * M) * (A + 2 * M + 1));
    D = 1 / NotZero(1 + Odd * D);
    C = NotZero(1 + Odd / C);
    F *= C * D;
    if (std::abs(C * D - 1) < Enough)
      break;
  }
  return F;
}

/// The incomplete beta function, regularized. \p Y is 1 - X, given as well
/// because it may be tiny.
static double incompleteBeta(double A, double B, double X, double Y) {
  if (X <= 0)
    return 0;
  if (Y <= 0)
    return 1;
  double Front = std::exp(std::lgamma(A + B) - std::lgamma(A) - std::lgamma(B) +
                          A * std::log(X) + B * std::log(Y));
  return X < (A + 1) / (A + B + 2) ? Front * betaFraction(A, B, X) / A
                                   : 1 - Front * betaFraction(B, A, Y) / B;
}

double studentTails(double T, double Freedom) {
  if (std::isinf(T))
    return 0;
  double Square = T * T, Sum = Freedom + Square;
  return incompleteBeta(Freedom / 2, 0.5, Freedom / Sum, Square / Sum);
}

double studentQuantile(double Tails, double Freedom) {
  double Low = 0, High = 1;
  while (studentTails(High, Freedom) > Tails && High < 1e12)
    High *= 2;
  for (int I = 0; I < 100; ++I) {
    double Middle = (Low + High) / 2;
    (studentTails(Middle, Freedom) > Tails ? Low : High) = Middle;
  }
  return High;
}

} // namespace kinstr::report
