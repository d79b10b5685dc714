// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, percentiles, shares and what else is told of the phases of a kernel,
// over one launch or several. All of it comes from one pass over the trace, in
// memory that does not grow with the number of events or blocks.
#ifndef KINSTR_REPORT_STATISTICS_H
#define KINSTR_REPORT_STATISTICS_H

#include "report/Histogram.h"
#include "report/Phases.h"
#include "report/Selection.h"
#include "report/Tail.h"
#include "report/WarpWaits.h"

namespace kinstr::report {

/// Of a set of durations, in cycles or in ns. Percentiles are nearest-rank and
/// within Histogram::Resolution.
struct Quantiles {
  double Min = 0, P50 = 0, P95 = 0, P99 = 0, Max = 0, Mean = 0;
};

struct BlockId {
  uint32_t Launch = 0, Number = 0;
};

/// Members of a group: how many, their sum and that of their squares.
struct Moments {
  uint64_t Count = 0;
  double Sum = 0, Squares = 0;

  void add(double Value) {
    ++Count;
    Sum += Value;
    Squares += Value * Value;
  }
  void join(const Moments &Other);
  double mean() const { return Count ? Sum / static_cast<double>(Count) : 0; }
};

/// The blocks with the longest stays in a phase, by their mean.
class SlowBlocks {
public:
  void add(BlockId Block, double Mean);
  void join(const SlowBlocks &Other);
  /// The slowest first.
  llvm::ArrayRef<std::pair<double, BlockId>> list() const { return List; }

private:
  static constexpr size_t Kept = 3;
  llvm::SmallVector<std::pair<double, BlockId>, Kept + 1> List;
};

struct RowStats {
  bool Selected = true; ///< Selection::hasSite()
  Histogram Cycles;     ///< of spans that were closed
  Histogram Ns16;       ///< likewise [ns / 16]; only of several launches
  uint64_t Marks = 0;   ///< passes of a mark
  uint64_t Open = 0;    ///< last phases of warps that left no exit
  double InWarps = 0;   ///< open spans included [cycles]
  double Path = 0;      ///< on the critical path [cycles]

  /// Over blocks: of the warps that were in it, the longest total, and the mean
  /// total [cycles].
  double LongestWarps = 0, MeanWarps = 0;

  // Where spans differ [cycles].
  double Squares = 0;         ///< of spans
  Moments Blocks;             ///< of blocks' means
  double BlockSquares = 0;    ///< over blocks: sum² / count
  std::vector<Moments> Warps; ///< of spans, by the warp's index
  SlowBlocks Slowest;

  uint64_t count() const { return Cycles.count() + Marks; }
  /// 0: all warps of a block are in it equally long, to 1.
  double imbalance() const {
    return LongestWarps > 0 ? 1 - MeanWarps / LongestWarps : 0;
  }
};

/// What the passings of a site say (Meetings.h).
struct MeetingStats {
  uint64_t Telling = 0, Together = 0, LeftEarly = 0;
  double Waited = 0;  ///< by all warps, in those Together [cycles]
  uint64_t Warps = 0; ///< in those, over passings
  double Late = 0;    ///< in those: the last after the mean of all [cycles]
  std::vector<uint64_t> LastBy; ///< in those, by the index of the last warp
  BlockId Worst;                ///< with the longest wait of one passing
  double WorstWaited = 0;

  void join(const MeetingStats &Other);
};

/// One of the first launches of a group, which more is known of.
struct FollowedLaunch {
  uint32_t Launch = 0;
  uint64_t Blocks = 0;
  double Ns = 0; ///< first block's start to last one's end
};

/// A row on one SM.
struct SmRow {
  Moments Blocks; ///< of blocks' means [cycles]
  uint64_t Spans = 0;
  double Cycles = 0;
};

/// What was recorded of a set of launches.
struct Statistics {
  std::vector<RowStats> Rows;         ///< as PhaseRows::rows()
  std::vector<MeetingStats> Meetings; ///< by site
  WarpWaits Waits;
  std::map<uint16_t, std::vector<SmRow>> Sms; ///< rows by SM

  double WarpCycles = 0;      ///< sum over warps
  double UntrackedCycles = 0; ///< of it, in no phase
  bool HasNs = true;          ///< a clock rate was known for every launch
  double NsPerCycle = 0;      ///< of the only launch

  uint64_t Launches = 0;
  uint64_t Events = 0;
  uint64_t Blocks = 0, GridBlocks = 0;
  /// Blocks that should have recorded. Where SMs were sampled nobody knows:
  /// then as many as did.
  uint64_t ExpectedBlocks = 0;
  uint64_t Warps = 0, ExpectedWarps = 0; ///< of the blocks recorded
  uint64_t UnfinishedBlocks = 0, UnfinishedWarps = 0;
  uint64_t MovedBlocks = 0;
  uint64_t WrappedWarps = 0; ///< WarpView::MayHaveWrapped
  uint64_t UnknownSites = 0;
  double LongestNs = 0; ///< of a launch: first block's start to last one's end

  bool WholeLaunches = true; ///< no filter within launches
  /// Tails and critical paths are of these launches.
  std::vector<FollowedLaunch> Followed;
  Tail Tails; ///< of those that have one, together
  uint64_t NumTails = 0;
  double TailedNs = 0;     ///< their durations
  double TailedSlotNs = 0; ///< durations times slots
  bool HasPath = false;
  double PathCycles = 0; ///< together, phases or not
  uint64_t PathSms = 0;  ///< that may have ended last, over launches
  /// The largest alignment error; nothing where one is unknown.
  std::optional<double> AlignmentNs = 0;

  bool incomplete() const {
    return Blocks < ExpectedBlocks || Warps < ExpectedWarps;
  }
  double shareOf(double Cycles) const {
    return WarpCycles > 0 ? Cycles / WarpCycles : 0;
  }
  double pathShareOf(const RowStats &R) const {
    return PathCycles > 0 ? R.Path / PathCycles : 0;
  }
  /// Nothing is missing that tails depend on.
  bool hasTail() const {
    return NumTails > 0 && TailedNs > 0 && WholeLaunches &&
           Blocks == GridBlocks && UnfinishedBlocks == 0;
  }
  double tailShare() const { return TailedNs > 0 ? Tails.Ns / TailedNs : 0; }
  /// Of the time of all slots, what was idle in tails.
  double idleShare() const {
    return TailedSlotNs > 0 ? Tails.IdleNs / TailedSlotNs : 0;
  }
  Quantiles cyclesOf(const RowStats &R) const;
  /// Only where HasNs.
  Quantiles nsOf(const RowStats &R) const;
};

/// Launches of one kernel, which one table sums up: positions in
/// Trace::launches().
using LaunchGroup = std::vector<uint32_t>;

struct StatisticsOptions {
  /// Where the cost of a mark is known, durations and shares are without it.
  bool SubtractMarkCost = false;
};

/// One pass over the trace for all of \p Groups. Their number should be
/// bounded.
llvm::Expected<std::vector<Statistics>>
computeStatistics(const trace::Trace &T, const Selection &S,
                  llvm::ArrayRef<LaunchGroup> Groups,
                  const StatisticsOptions &O = {});

/// Of a kernel that recorded nothing.
Statistics noStatistics(const trace::Kernel &K);

} // namespace kinstr::report

#endif // KINSTR_REPORT_STATISTICS_H
