// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numbers of a value were.
#ifndef KINSTR_REPORT_NUMBERSTATS_H
#define KINSTR_REPORT_NUMBERSTATS_H

#include "trace/Visit.h"
#include <tuple>

namespace kinstr::report {

/// When a number was recorded, to tell which was the last.
struct NumberPlace {
  double Ns = 0; ///< on the launch's axis; without one, when its block began
  uint32_t Block = 0, Warp = 0;
  uint64_t Clock = 0;

  bool operator<(const NumberPlace &O) const {
    return std::tie(Ns, Block, Warp, Clock) <
           std::tie(O.Ns, O.Block, O.Warp, O.Clock);
  }
};

NumberPlace placeOfNumber(const trace::Trace &T, const trace::BlockView &V,
                          const trace::WarpView &W, const trace::Value &N);

/// Numbers that are none (NaN) or infinite count; the smallest, the largest and
/// the mean are of the others.
class NumberStats {
public:
  void add(const trace::Number &N, const NumberPlace &At);
  void join(const NumberStats &Other);

  uint64_t count() const { return Count; }
  bool hasRange() const { return Finite > 0; }
  // Only where hasRange():
  const trace::Number &min() const { return Min; }
  const trace::Number &max() const { return Max; }
  double mean() const { return Sum / static_cast<double>(Finite); }
  /// As many digits as a number of single precision has, and whole ones before
  /// a power of ten.
  std::string meanText() const;
  // Only where there are any:
  const trace::Number &last() const { return Last; }

private:
  void addRange(const trace::Number &Low, const trace::Number &High);

  uint64_t Count = 0, Finite = 0;
  double Sum = 0;
  trace::Number Min, Max, Last;
  NumberPlace LastAt;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_NUMBERSTATS_H
