// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of phases as text: its columns, which of them fit, and the order of
// its rows.
#ifndef KINSTR_REPORT_PHASETABLE_H
#define KINSTR_REPORT_PHASETABLE_H

#include "report/ScopeStatistics.h"

namespace kinstr::report {

struct PhaseTableOptions {
  unsigned Width = 80; ///< of a line
  /// Names of columns, in this order; empty: those that fit.
  std::vector<std::string> Columns;
  /// A column: numbers descending, names and lines ascending; a `-` in front
  /// turns that round. Empty: in source order.
  std::string Sort;
};

/// Names of all columns.
llvm::ArrayRef<llvm::StringRef> phaseColumns();

void printPhaseTable(const PhaseRows &Phases, const Statistics &S,
                     const PhaseTableOptions &O, llvm::raw_ostream &OS);

/// The same for scopes: what is asked of phases only is left out, unless it was
/// asked for by name.
void printScopeTable(llvm::ArrayRef<ScopeStats> Scopes, const Statistics &S,
                     const PhaseTableOptions &O, llvm::raw_ostream &OS);

/// Their numbers; columns and order are always the same.
void printValueTable(llvm::ArrayRef<ValueStats> Values,
                     const PhaseTableOptions &O, llvm::raw_ostream &OS);

/// Eighths of a character: a share of 1 fills \p Width of them.
std::string bar(double Share, unsigned Width);

} // namespace kinstr::report

#endif // KINSTR_REPORT_PHASETABLE_H
