// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graphics of a report, each a complete SVG file.
#ifndef KINSTR_REPORT_SVGREPORT_H
#define KINSTR_REPORT_SVGREPORT_H

#include "trace/Trace.h"
#include <optional>

namespace kinstr::report {

/// With more blocks than this, those narrower than half a pixel are drawn
/// together.
constexpr uint64_t MostBars = 1 << 18;

/// All blocks of a launch on one time axis, grouped by SM, coloured by the
/// phase that most of the block's warps are in. Of a launch with more than
/// \p Limit blocks, those narrower than half a pixel share one line an SM: what
/// is kept does not grow with their number.
llvm::Expected<std::string> drawBlocks(const trace::Trace &T, uint32_t Launch,
                                       uint64_t Limit = MostBars);

/// The warps of one block. Nothing where block \p Number left no record.
llvm::Expected<std::optional<std::string>>
drawWarps(const trace::Trace &T, uint32_t Launch, uint32_t Number);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SVGREPORT_H
