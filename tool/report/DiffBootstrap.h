// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far chance reaches: the bootstrap. Units are drawn again, with
// replacement, and the estimate is made of those drawn; how it varies from
// drawing to drawing is how it would from run to run.
#ifndef KINSTR_REPORT_DIFFBOOTSTRAP_H
#define KINSTR_REPORT_DIFFBOOTSTRAP_H

#include "report/DiffSamples.h"

namespace kinstr::report {

struct Estimate {
  double Value = 0;
  /// Of the estimate, as if there were no fewer units than there are. Of one
  /// unit nobody knows: then Freedom is 0.
  double Variance = 0;
  /// Degrees of freedom: one less than there are units, or than as many equal
  /// ones would be worth (Kish).
  double Freedom = 0;
};

/// Of a phase or scope. Value is 0 where there was no stay.
struct RowEstimates {
  uint64_t Count = 0; ///< stays
  uint64_t Marks = 0; ///< in all of them
  Estimate Median;    ///< nearest-rank
  Estimate Mean;
  Estimate Share; ///< of the time of all warps, as 1
};

/// The rows of \p Units. The same \p Seed gives the same numbers everywhere.
std::vector<RowEstimates> estimateRows(llvm::ArrayRef<UnitSamples> Units,
                                       size_t Rows, uint64_t Seed);

/// One row, of which each unit has a piece. No share.
RowEstimates estimateRow(llvm::ArrayRef<RowSamples> Units, uint64_t Seed);

/// Two estimates of the same thing.
struct Difference {
  double A = 0, B = 0;
  bool HasInterval = false;
  double Low = 0, High = 0; ///< 95 % confidence interval of B - A
  double P = 1;             ///< how likely chance alone makes so large a change

  double change() const { return B - A; }
};

Difference difference(const Estimate &A, const Estimate &B);

/// Holm's correction: so many comparisons find by chance what one would not.
/// Returns \p P in their order, each as large as if it had been the only one.
/// Of all together, one in twenty lists has any below 0.05 by chance alone.
std::vector<double> holm(llvm::ArrayRef<double> P);

} // namespace kinstr::report

#endif // KINSTR_REPORT_DIFFBOOTSTRAP_H
