// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scopes of a kernel took and which values it recorded.
#ifndef KINSTR_REPORT_SCOPESTATISTICS_H
#define KINSTR_REPORT_SCOPESTATISTICS_H

#include "report/NumberStats.h"
#include "report/Statistics.h"
#include "llvm/ADT/STLExtras.h"

namespace kinstr::report {

/// The scopes of one name. They are inclusive: those of a kernel overlap each
/// other and its phases, so their shares add up to nothing.
struct ScopeStats {
  PhaseRow Site;
  RowStats R; ///< Selected, Cycles, Ns16, InWarps, Open
};

/// The values of one name.
struct ValueStats {
  PhaseRow Site;
  bool Selected = true; ///< Selection::hasSite()
  NumberStats N;
};

/// In source order of their first sites.
struct ScopeStatistics {
  std::vector<ScopeStats> Scopes;
  std::vector<ValueStats> Values;

  bool anyScope() const {
    return llvm::any_of(Scopes, [](const auto &S) { return S.R.Selected; });
  }
  bool anyValue() const {
    return llvm::any_of(Values, [](const auto &V) { return V.Selected; });
  }
};

/// One pass over the trace for all of \p Groups, and none where their kernels
/// have neither. Of a scope that a time filter cuts, the share is of what lies
/// in that time.
llvm::Expected<std::vector<ScopeStatistics>>
computeScopeStatistics(const trace::Trace &T, const Selection &S,
                       llvm::ArrayRef<LaunchGroup> Groups);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SCOPESTATISTICS_H
