// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report for programs: what matters, as JSON of a bounded size.
// docs/verdict.schema.json describes it.
#ifndef KINSTR_REPORT_VERDICT_H
#define KINSTR_REPORT_VERDICT_H

#include "report/Findings.h"

namespace kinstr::report {

/// No verdict is longer, whatever the trace holds.
constexpr size_t MostVerdictBytes = 4096;

/// One line of JSON. Kernels with the most warp time, phases with the largest
/// shares and the most important findings come first; what does not fit is left
/// out, and counted.
llvm::Expected<std::string> verdict(const trace::Trace &T, const Selection &S,
                                    const StatisticsOptions &O = {});

/// Writes it to \p Path, or to \p Out where that is `-`. The text of an error
/// begins with the path.
llvm::Error writeVerdict(const trace::Trace &T, const Selection &S,
                         const StatisticsOptions &O, llvm::StringRef Path,
                         llvm::raw_ostream &Out);

} // namespace kinstr::report

#endif // KINSTR_REPORT_VERDICT_H
