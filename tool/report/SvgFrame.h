// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the graphics have in common: title lines and legend. Internal to
// tool/report.
#ifndef KINSTR_REPORT_SVGFRAME_H
#define KINSTR_REPORT_SVGFRAME_H

#include "report/Phases.h"
#include "report/Svg.h"
#include "trace/Trace.h"

namespace kinstr::report {

constexpr double PageWidth = 1000;
constexpr double PlotLeft = 64, PlotRight = 980;

/// Title, two lines about device and launch, legend; the y below them.
double drawHead(Svg &S, const trace::Trace &T, uint32_t Launch,
                const PhaseRows &Phases, llvm::StringRef Title,
                llvm::StringRef Subtitle, bool Untracked);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SVGFRAME_H
