// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a page says in words and figures, as JSON: of the trace, of its kernels
// and of each launch. viewer/model.js reads it.
#ifndef KINSTR_REPORT_HTMLTABLES_H
#define KINSTR_REPORT_HTMLTABLES_H

#include "report/HtmlDetail.h"
#include "report/HtmlSource.h"
#include "report/Statistics.h"
#include "llvm/Support/JSON.h"

namespace kinstr::report {

/// Text of a trace for JSON: printable, valid UTF-8.
std::string pageText(llvm::StringRef Text);

/// What is known before a launch is looked at: devices, kernels, source files,
/// and a line for each launch of the page. \p Notes say what is not in the
/// page.
llvm::json::Value traceTable(const trace::Trace &T, const Selection &S,
                             const PageLaunches &Launches, const Survey &Found,
                             llvm::ArrayRef<std::string> Notes,
                             SourceFiles &Sources);

/// One launch: its shape, how good the measurement is, a row for each phase,
/// findings.
llvm::json::Object launchTable(const trace::Trace &T, uint32_t Launch,
                               const LaunchSurvey &Found,
                               const Statistics &Stats);

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTMLTABLES_H
