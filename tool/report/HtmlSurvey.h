// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first pass over a trace that becomes an HTML page: the figures of each
// launch, and how much there is, which decides what the page can hold.
#ifndef KINSTR_REPORT_HTMLSURVEY_H
#define KINSTR_REPORT_HTMLSURVEY_H

#include "report/Extent.h"
#include "report/Histogram.h"
#include "report/NumberStats.h"
#include "report/Selection.h"
#include "llvm/ADT/STLExtras.h"

namespace kinstr::report {

/// Where a block lies, on its SM's clock and on the launch's axis.
struct BlockPlace {
  uint64_t First = 0, Last = 0; ///< of its anchor and events [cycles]
  TimeRange Ns;                 ///< without a clock rate: 0 to its cycles
};
BlockPlace placeOf(const trace::Trace &T, const trace::BlockView &V);

/// Of a phase, a mark, a scope or a value.
struct SiteSurvey {
  /// Whole phases, pieces put together, and scopes, all of each [cycles].
  Histogram Closed;
  /// The same for drawing: entry N holds those of 2^(N/8) cycles and more.
  std::vector<uint64_t> Eighths;
  uint64_t Passes = 0; ///< of a mark
  uint64_t Open = 0;   ///< scopes that did not end
  /// All pieces, open ones too; of what the time asked for cuts, the part in
  /// it. So are WarpCycles here and the cycles of a LaunchSurvey.
  uint64_t Cycles = 0;
  std::vector<uint64_t> WarpCycles; ///< Cycles by warp in block
  NumberStats Numbers;              ///< of a value

  void join(const SiteSurvey &Other);
};

struct LaunchSurvey {
  std::vector<SiteSurvey> Sites;      ///< as trace::Kernel::Sites
  std::vector<uint64_t> WarpsByIndex; ///< how many recorded, by warp in block
  std::optional<TimeRange> Range;     ///< from its first block to its last
  TimeRange Axis; ///< Range; of a part of a launch, from where that begins
  uint64_t Blocks = 0, Warps = 0, Events = 0, Spans = 0;
  uint64_t Scopes = 0, Numbers = 0;
  uint64_t WarpCycles = 0, PhaseCycles = 0;
  uint64_t PausedCycles = 0; ///< of WarpCycles, in no phase
  uint64_t UnfinishedBlocks = 0, UnfinishedWarps = 0, MovedBlocks = 0;
  uint64_t WrappedWarps = 0, UnknownSites = 0;

  void join(const LaunchSurvey &Other);
};

/// The launches of a page, ascending.
class PageLaunches {
public:
  explicit PageLaunches(llvm::ArrayRef<uint32_t> All) : All(All) {}

  llvm::ArrayRef<uint32_t> all() const { return All; }
  size_t size() const { return All.size(); }
  bool has(uint32_t Launch) const {
    size_t I = positionOf(Launch);
    return I < All.size() && All[I] == Launch;
  }
  /// Of one that is there.
  size_t positionOf(uint32_t Launch) const {
    return llvm::lower_bound(All, Launch) - All.begin();
  }

private:
  llvm::ArrayRef<uint32_t> All;
};

struct Survey {
  std::vector<LaunchSurvey> Launches; ///< as PageLaunches::all()

  /// Scopes and numbers too.
  uint64_t spans() const;
  uint64_t blocks() const;
};

llvm::Expected<Survey> survey(const trace::Trace &T, const Selection &S,
                              const PageLaunches &Launches);

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTMLSURVEY_H
