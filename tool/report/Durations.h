// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often which duration occurred. Exact as long as there are not too many
// different ones; beyond that, to a thousandth, in bounded memory.
#ifndef KINSTR_REPORT_DURATIONS_H
#define KINSTR_REPORT_DURATIONS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <vector>

namespace kinstr::report {

/// Durations and how many spans lasted so long, ascending.
struct SortedDurations {
  std::vector<std::pair<uint64_t, uint64_t>> Counts; ///< [cycles], spans
  uint64_t Number = 0;

  /// Nearest-rank, \p P from 0 to 1; 0 where there is nothing.
  uint64_t quantile(double P) const;
  uint64_t least() const { return Counts.empty() ? 0 : Counts.front().first; }
  uint64_t most() const { return Counts.empty() ? 0 : Counts.back().first; }
};

class Durations {
public:
  /// As many different values are kept exactly.
  static constexpr size_t MostValues = 65536;

  void add(uint64_t Cycles, uint64_t Times = 1);
  /// Does not depend on the order in which parts are joined.
  void join(const Durations &Other);
  SortedDurations sorted() const;
  bool exact() const { return !Rounded; }

private:
  void round();

  llvm::DenseMap<uint64_t, uint64_t> Counts;
  bool Rounded = false;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_DURATIONS_H
