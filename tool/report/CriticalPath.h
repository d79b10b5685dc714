// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a block's duration consists of.
#ifndef KINSTR_REPORT_CRITICALPATH_H
#define KINSTR_REPORT_CRITICALPATH_H

#include "report/Meetings.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kinstr::report {

/// A piece of the path.
struct PathStep {
  static constexpr uint32_t NoSite = std::numeric_limits<uint32_t>::max();

  uint32_t Site = NoSite; ///< NoSite: in no phase
  uint32_t Warp = 0;      ///< position in BlockView::Warps
  uint64_t Cycles = 0;
};

/// Walks back from the end of the warp that ended last. Where that warp waited
/// with the others for the last of them to come (Passing::together()), the path
/// goes on with that one, from when it came. It ends where the warp it is at
/// then began. So the steps add up to the time between the two, and of a wait
/// the path holds only what came after the last arrival.
///
/// It knows of no dependence but these: a wait for another block, for memory or
/// at an mbarrier that times do not show as a meeting is on it as it is.
void criticalPath(const trace::BlockView &V, const Meetings &M,
                  llvm::function_ref<void(const PathStep &)> OnStep);

} // namespace kinstr::report

#endif // KINSTR_REPORT_CRITICALPATH_H
