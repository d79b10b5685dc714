// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of a stay is in the time that was asked for.
#ifndef KINSTR_REPORT_TIMEWITHIN_H
#define KINSTR_REPORT_TIMEWITHIN_H

#include "report/Selection.h"
#include <algorithm>

namespace kinstr::report {

/// The part [cycles] of the time from \p Begin to \p End of the clock of \p B
/// that lies in the time of \p F. Of a block that moved: all of it.
inline double timeWithin(const Filter &F, const trace::LaunchClock &C,
                         const trace::Block &B, uint64_t Begin, uint64_t End) {
  auto Cycles = static_cast<double>(End - Begin);
  if (F.allTime() || B.moved() || Cycles == 0)
    return Cycles;
  const trace::SmLine &Line = *C.find(B.SmStart);
  double BeginNs = C.toNs(Line, Begin), EndNs = C.toNs(Line, End);
  if (EndNs <= BeginNs)
    return Cycles;
  double Ns = std::min(EndNs, F.ToNs) - std::max(BeginNs, F.FromNs);
  return Cycles * std::clamp(Ns / (EndNs - BeginNs), 0., 1.);
}

} // namespace kinstr::report

#endif // KINSTR_REPORT_TIMEWITHIN_H
