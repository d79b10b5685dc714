// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who released whom: from the warp that came last to a barrier to each that
// waited there for it. Which phases are barriers, the whole trace says; so it
// is looked through once before any flow is drawn.
#ifndef KINSTR_REPORT_FLOWS_H
#define KINSTR_REPORT_FLOWS_H

#include "report/Meetings.h"
#include "report/Selection.h"
#include "report/Statistics.h"
#include "report/TimeAxis.h"

namespace kinstr::report {

/// Looks at blocks; those of several parts are joined.
class FlowSurvey {
public:
  /// Where not all warps recorded, or are selected with all their phases,
  /// nothing is found: what is left does not show who waited for whom.
  FlowSurvey(const trace::Trace &T, const Selection &S)
      : T(&T), Whole(T.meta().Samples.Warps.all() && S.filter().Warps.all() &&
                     S.filter().Phase.empty() && S.filter().allTime()) {}

  void block(const trace::BlockView &V);
  void join(const FlowSurvey &Other);

  /// Whether all that is known of the phase says that it is a barrier.
  bool isBarrier(const trace::Launch &L, uint32_t Site) const;
  bool anyBarrier(const trace::Launch &L) const;
  /// More flows than this no block has.
  uint64_t mostInBlock() const { return Most; }

private:
  using Kernel = std::pair<uint32_t, uint32_t>; ///< module and kernel

  const trace::Trace *T;
  bool Whole;
  std::map<Kernel, std::vector<MeetingStats>> Sites;
  uint64_t Most = 0;
  Meetings Met; ///< of the current block
};

/// One end of a flow.
struct FlowEnd {
  uint64_t Begin = 0; ///< of the stay that it is at [cycles]
  uint64_t Flow = 0;
};

/// The flows of a block, numbered from 0 on: each from the stay at a barrier of
/// the warp that came last to what one that waited did next, if that began
/// later, in whole nanoseconds as well: else a viewer could not tell which way
/// it goes.
class BlockFlows {
public:
  void find(const trace::BlockView &V, const trace::Trace &T,
            const BlockTimes &Times, const FlowSurvey &Survey);

  /// Of the warp at position \p Warp in BlockView::Warps, in order of time.
  llvm::ArrayRef<FlowEnd> out(size_t Warp) const { return Out[Warp]; }
  llvm::ArrayRef<FlowEnd> into(size_t Warp) const { return Into[Warp]; }

private:
  using Ends = std::vector<llvm::SmallVector<FlowEnd, 0>>;

  Meetings Met;
  Ends Out, Into;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_FLOWS_H
