// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scopes of a kernel took and which values it recorded.
#ifndef KINSTR_REPORT_SCOPESTATISTICS_H
#define KINSTR_REPORT_SCOPESTATISTICS_H

#include "report/Statistics.h"

namespace kinstr::report {

/// The scopes of one name. They are inclusive: those of a kernel overlap each
/// other and its phases, so their shares add up to nothing.
struct ScopeStats {
  std::string Name;
  uint32_t Line = 0; ///< of the first site
  RowStats R;        ///< Cycles, Ns16, InWarps, Open
};

/// The values of one name.
struct ValueStats {
  std::string Name;
  uint32_t Line = 0;   ///< of the first site
  uint64_t Count = 0;  ///< of all
  uint64_t Finite = 0; ///< what the rest is of
  double Min = INFINITY, Max = -INFINITY, Sum = 0;

  double mean() const { return Sum / static_cast<double>(Finite); }
  void add(double Value);
  void join(const ValueStats &Other);
};

/// In source order of their first sites.
struct ScopeStatistics {
  std::vector<ScopeStats> Scopes;
  std::vector<ValueStats> Values;
};

/// One pass over the trace for all of \p Groups, and none where their kernels
/// have neither. Of a scope that a time filter cuts, the share is of what lies
/// in that time.
llvm::Expected<std::vector<ScopeStatistics>>
computeScopeStatistics(const trace::Trace &T, const Selection &S,
                       llvm::ArrayRef<LaunchGroup> Groups);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SCOPESTATISTICS_H
