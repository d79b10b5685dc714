// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins histograms and looks for ranks in them.
#include "report/Histogram.h"

#include <cmath>

namespace kinstr::report {

void Histogram::join(const Histogram &Other) {
  for (size_t I = 0; I < Other.Where.size(); ++I) {
    if (Other.Where[I] == NoPage)
      continue;
    Page &Mine = pageOf(I);
    const Page &Theirs = Other.Pages[Other.Where[I]];
    for (size_t J = 0; J < PageSize; ++J)
      Mine[J] += Theirs[J];
  }
  Count += Other.Count;
  Sum += Other.Sum;
  Min = std::min(Min, Other.Min);
  Max = std::max(Max, Other.Max);
}

/// The inverse of bucketOf(). Buckets 2048 to 4095 of a shift follow those of
/// the shift before.
uint64_t Histogram::middleOf(size_t Bucket) {
  constexpr size_t PerShift = size_t(1) << LinearBits;
  if (Bucket < 2 * PerShift)
    return Bucket;
  unsigned Shift = static_cast<unsigned>(Bucket / PerShift) - 1;
  uint64_t First = uint64_t(Bucket % PerShift + PerShift) << Shift;
  return First + (uint64_t(1) << Shift) / 2;
}

uint64_t Histogram::quantile(double P) const {
  if (Count == 0)
    return 0;
  double Exact = std::ceil(P * static_cast<double>(Count));
  uint64_t Rank = std::clamp<uint64_t>(
      Exact < 1 ? 1 : static_cast<uint64_t>(Exact), 1, Count);
  if (Rank == Count) // and 2^53 values on
    return Max;
  uint64_t Seen = 0;
  for (size_t I = 0; I < Where.size(); ++I) {
    if (Where[I] == NoPage)
      continue;
    const Page &P = Pages[Where[I]];
    for (size_t J = 0; J < PageSize; ++J) {
      Seen += P[J];
      if (Seen >= Rank)
        return std::clamp(middleOf(I * PageSize + J), Min, Max);
    }
  }
  return Max;
}

} // namespace kinstr::report
