// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a block began and ended: from the earlier of its anchor and its warps'
// first event to the later of its anchor and their last one.
#ifndef KINSTR_REPORT_EXTENT_H
#define KINSTR_REPORT_EXTENT_H

#include "trace/Trace.h"
#include <optional>

namespace kinstr::report {

/// [ns] from the launch's origin. Without a clock rate it means nothing.
struct TimeRange {
  double Begin = 0, End = 0;

  double length() const { return End - Begin; }
};

/// Takes the blocks of a launch one after another, and of each block the warps.
class Extent {
public:
  explicit Extent(const trace::LaunchClock &Clock) : Clock(Clock) {}

  void beginBlock(const trace::Block &B);
  /// \p Events of a warp of the block, by clock.
  void addWarp(llvm::ArrayRef<trace::Event> Events);
  /// The range of the block, which is now part of the launch's. The events of a
  /// block that moved between SMs are of two clocks: of it, only the anchors
  /// count.
  TimeRange endBlock();

  /// Of the blocks so far.
  TimeRange launch() const { return Whole.value_or(TimeRange()); }

private:
  const trace::LaunchClock &Clock;
  const trace::Block *Current = nullptr;
  uint64_t First = 0, Last = 0; ///< [cycles]
  std::optional<TimeRange> Whole;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_EXTENT_H
