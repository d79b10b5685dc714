// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graphics of a report, each a complete SVG file.
#ifndef KINSTR_REPORT_SVGREPORT_H
#define KINSTR_REPORT_SVGREPORT_H

#include "report/Selection.h"

namespace kinstr::report {

/// All blocks of a launch on one time axis, grouped by SM, coloured by the
/// phase that most of the block's warps are in.
std::string drawBlocks(const trace::Trace &T, uint32_t Launch);

/// The warps of one block. Nothing where block \p Number left no record.
std::optional<std::string> drawWarps(const trace::Trace &T, uint32_t Launch,
                                     uint32_t Number);

/// All of them into a folder, of as many launches as anyone looks at; names
/// the files in \p Log. The text of an error begins with a path.
llvm::Error writeSvgs(const trace::Trace &T, const Selection &S,
                      llvm::StringRef Folder, llvm::raw_ostream &Log);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SVGREPORT_H
