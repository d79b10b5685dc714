// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of numbers and of time, as they are written on a command line.
#ifndef KINSTR_REPORT_RANGES_H
#define KINSTR_REPORT_RANGES_H

#include "report/Extent.h"
#include <limits>
#include <optional>

namespace kinstr::report {

/// Both ends belong to it.
struct IndexRange {
  static constexpr uint64_t NoEnd = std::numeric_limits<uint64_t>::max();

  uint64_t First = 0, Last = NoEnd;

  bool has(uint64_t I) const { return First <= I && I <= Last; }
  bool all() const { return First == 0 && Last == NoEnd; }
};

/// `N` or `A-B`. Nothing where it is neither, or empty.
std::optional<IndexRange> parseIndexRange(llvm::StringRef Text);

/// `FROM:TO`, each a number and a unit, `ns`, `us`, `ms` or `s`; an end that is
/// left out is infinite. Nothing where it is not that, or ends before it
/// begins.
std::optional<TimeRange> parseTimeRange(llvm::StringRef Text);

/// `block 7`, `blocks 7 to 9`.
std::string rangeText(const IndexRange &R, llvm::StringRef Noun);

} // namespace kinstr::report

#endif // KINSTR_REPORT_RANGES_H
