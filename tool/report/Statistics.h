// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, percentiles and shares per phase, over one launch or several launches
// of one kernel.
#ifndef KINSTR_REPORT_STATISTICS_H
#define KINSTR_REPORT_STATISTICS_H

#include "report/Phases.h"
#include "trace/Trace.h"

namespace kinstr::report {

/// Of a set of durations. Percentiles are nearest-rank: pN is the smallest
/// value that at least N % of all values do not exceed, so it always is one of
/// the values.
struct Quantiles {
  double Min = 0, P50 = 0, P95 = 0, Max = 0;
};

struct RowStats {
  uint64_t Count = 0; ///< spans that were closed; of a mark, its passes
  uint64_t Open = 0;  ///< last phases of warps that left no exit
  Quantiles Cycles;   ///< of closed spans; all 0 where Count is 0
  Quantiles Ns;       ///< as Cycles; only where Statistics::HasNs
  double Share = 0;   ///< of warp time, 0 to 1, open spans included
};

/// What was recorded of a set of launches.
struct Statistics {
  std::vector<RowStats> Rows; ///< as PhaseRows::rows()
  double UntrackedShare = 0;  ///< warp time in no phase
  bool HasNs = true;          ///< a clock rate was known for every launch

  uint64_t Launches = 0;
  uint64_t Events = 0;
  uint64_t Blocks = 0, GridBlocks = 0;
  /// Blocks that should have recorded. Where SMs were sampled nobody knows:
  /// then as many as did.
  uint64_t ExpectedBlocks = 0;
  uint64_t Warps = 0, ExpectedWarps = 0; ///< of the blocks recorded
  uint64_t UnfinishedBlocks = 0, UnfinishedWarps = 0;
  uint64_t MovedBlocks = 0;
  uint64_t WrappedWarps = 0; ///< Launches::mayHaveWrapped()
  uint64_t UnknownSites = 0;
  double WarpCycles = 0; ///< sum over warps
  double LongestNs = 0;  ///< of a launch: Extent::launch()

  bool incomplete() const {
    return Blocks < ExpectedBlocks || Warps < ExpectedWarps;
  }
};

/// \p Indices are positions in Launches::List, all of one kernel. Where the
/// cost of a mark is known, phases are without it if that is asked for.
llvm::Expected<Statistics> computeStatistics(const trace::Trace &T,
                                             const PhaseRows &Phases,
                                             llvm::ArrayRef<uint32_t> Indices,
                                             bool SubtractMarkCost = false);

/// Nearest-rank quantiles. Reorders \p Values.
Quantiles quantiles(llvm::MutableArrayRef<double> Values);

} // namespace kinstr::report

#endif // KINSTR_REPORT_STATISTICS_H
