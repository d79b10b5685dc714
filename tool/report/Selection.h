// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches of a trace a report is about.
#ifndef KINSTR_REPORT_SELECTION_H
#define KINSTR_REPORT_SELECTION_H

#include "trace/Trace.h"
#include <optional>

namespace kinstr::report {

struct Filter {
  std::optional<uint32_t> Launch;
  std::string Kernel; ///< a valid regular expression on the name; "" all
};

/// Positions in Launches::List, ascending. An error where the launch does not
/// exist, or no kernel matches.
llvm::Expected<std::vector<uint32_t>> selectLaunches(const trace::Trace &T,
                                                     const Filter &F);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SELECTION_H
