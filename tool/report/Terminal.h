// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report on a terminal: per launch or kernel a header, a phase table and
// what the numbers say.
#ifndef KINSTR_REPORT_TERMINAL_H
#define KINSTR_REPORT_TERMINAL_H

#include "report/PhaseTable.h"

namespace kinstr::report {

struct TerminalOptions {
  bool AllLaunches = false; ///< a table for each, however many
  bool Colour = false;
  bool Wrap = false;             ///< break text at Table.Width
  bool SubtractMarkCost = false; ///< from the phases, where it is known
  PhaseTableOptions Table;
};

/// More launches than fit a screen are summed up per kernel unless AllLaunches.
llvm::Error printReport(const trace::Trace &T, const Selection &S,
                        const TerminalOptions &O, llvm::raw_ostream &OS);

} // namespace kinstr::report

#endif // KINSTR_REPORT_TERMINAL_H
