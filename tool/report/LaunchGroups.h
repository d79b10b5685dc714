// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches one table sums up.
#ifndef KINSTR_REPORT_LAUNCHGROUPS_H
#define KINSTR_REPORT_LAUNCHGROUPS_H

#include "report/Statistics.h"

namespace kinstr::report {

/// Launches of one kernel instance and shape on one device, in the order of
/// their first launches.
std::vector<LaunchGroup> groupByKernel(const trace::Trace &T,
                                       llvm::ArrayRef<uint32_t> Launches);

/// Each alone.
std::vector<LaunchGroup> oneByOne(llvm::ArrayRef<uint32_t> Launches);

} // namespace kinstr::report

#endif // KINSTR_REPORT_LAUNCHGROUPS_H
