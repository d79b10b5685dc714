// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How statistics come about: what Statistics.cpp and its tests need to know.
#ifndef KINSTR_REPORT_STATISTICSSINK_H
#define KINSTR_REPORT_STATISTICSSINK_H

#include "report/Meetings.h"
#include "report/Statistics.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

namespace kinstr::report {

/// Launches of a group of which tails and critical paths are looked at.
inline constexpr size_t MostFollowed = 32;

/// What is the same for all parts of a trace.
struct StatisticsTask {
  const trace::Trace &T;
  const Selection &S;
  llvm::ArrayRef<LaunchGroup> Groups;
  StatisticsOptions Options;
  std::vector<PhaseRows> Phases;              ///< by group
  llvm::DenseMap<uint32_t, uint32_t> GroupOf; ///< by launch
  bool WholeWarps; ///< all warps and spans of a block are seen

  StatisticsTask(const trace::Trace &T, const Selection &S,
                 llvm::ArrayRef<LaunchGroup> Groups, const StatisticsOptions &O)
      : T(T), S(S), Groups(Groups), Options(O),
        WholeWarps(S.filter().Warps.all() && S.filter().Phase.empty() &&
                   S.filter().allTime()) {
    for (uint32_t G = 0; G < Groups.size(); ++G) {
      Phases.emplace_back(T.kernel(T.launches()[Groups[G].front()]));
      for (uint32_t I : Groups[G])
        GroupOf[I] = G;
    }
  }
  bool isFollowed(uint32_t G, uint32_t Launch) const {
    const LaunchGroup &L = Groups[G];
    return Launch <= L[std::min(L.size(), MostFollowed) - 1];
  }
};

/// The critical paths of the blocks of an SM in a launch, together.
struct SmPath {
  double EndNs = -INFINITY;
  double Cycles = 0;
  std::vector<double> Rows;

  void join(const SmPath &Other) {
    EndNs = std::max(EndNs, Other.EndNs);
    Cycles += Other.Cycles;
    if (Rows.size() < Other.Rows.size())
      Rows.resize(Other.Rows.size());
    for (size_t I = 0; I < Other.Rows.size(); ++I)
      Rows[I] += Other.Rows[I];
  }
};

/// Of a launch that is followed.
struct FollowedSums {
  TailFinder Ends;
  std::map<uint16_t, SmPath> Paths;

  void join(const FollowedSums &Other) {
    Ends.join(Other.Ends);
    for (const auto &[Sm, P] : Other.Paths)
      Paths[Sm].join(P);
  }
};

/// Of any launch. There may be a million.
struct LaunchSums {
  uint64_t NumBlocks = 0;
  TimeRange Time; ///< of these

  void add(const TimeRange &R, uint64_t Blocks) {
    Time = NumBlocks ? TimeRange{std::min(Time.Begin, R.Begin),
                                 std::max(Time.End, R.End)}
                     : R;
    NumBlocks += Blocks;
  }
  void join(const LaunchSums &Other) {
    if (Other.NumBlocks)
      add(Other.Time, Other.NumBlocks);
  }
};

/// The rows of a block while its warps are added.
struct BlockRow {
  double Warp = 0; ///< the current warp's total
  bool WarpWasIn = false;
  double Longest = 0, Total = 0; ///< of warps' totals
  uint64_t Warps = 0;            ///< that were in it
  uint64_t Spans = 0;            ///< closed
  double Cycles = 0;             ///< of those
};

/// Takes the blocks of a part of a trace. Of several parts the first takes the
/// others in, in any order, and is finished.
class StatisticsSink final : public trace::BlockSink {
public:
  explicit StatisticsSink(const StatisticsTask &Work) : Work(&Work) {
    for (const PhaseRows &P : Work.Phases) {
      Sums.emplace_back();
      Sums.back().Rows.resize(P.size());
    }
  }

  void block(const trace::BlockView &V) override;
  void join(StatisticsSink &&Other);
  std::vector<Statistics> finish();

private:
  // Of the current block.
  void addWarp(const trace::BlockView &V, const trace::WarpView &W);
  void addSpan(const trace::BlockView &V, const trace::WarpView &W,
               const trace::Span &S);
  llvm::ArrayRef<trace::Span> subtracted(const trace::BlockView &V,
                                         const trace::WarpView &W, double Cost,
                                         trace::WarpTime &Time);
  void closeWarp();
  void closeRows(const trace::BlockView &V);
  void addMeetings(const trace::BlockView &V);
  void addPath(const trace::BlockView &V, SmPath &P);
  void addTimes(const trace::BlockView &V, uint32_t G);
  size_t mostSlots(uint32_t Launch) const;

  void finish(uint32_t G);
  void finishPath(Statistics &Out, const FollowedSums &L,
                  const trace::LaunchClock &C);
  void finishTail(Statistics &Out, const TailFinder &Ends, double Ns) const;

  const StatisticsTask *Work;
  std::vector<Statistics> Sums; ///< by group
  llvm::DenseMap<uint32_t, LaunchSums> Launches;
  llvm::DenseMap<uint32_t, FollowedSums> Followed;

  // Of the current block, used again.
  Statistics *Out = nullptr;
  const PhaseRows *Phases = nullptr;
  const trace::Kernel *K = nullptr;
  const trace::LaunchClock *Clock = nullptr;
  bool SeveralLaunches = false;
  std::optional<double> MarkCycles; ///< to be subtracted
  std::vector<BlockRow> Rows;
  double PhaseCycles = 0; ///< of the current warp
  Meetings Met;
  llvm::SmallVector<trace::Event, 0> Events;
  llvm::SmallVector<trace::Span, 0> Before, After;
};

/// Adds \p Theirs to \p Mine: what is summed up over blocks.
void joinStatistics(Statistics &Mine, const Statistics &Theirs);

/// Of equal waits the same, whatever the order.
void setWorst(MeetingStats &S, double Waited, BlockId Block);

} // namespace kinstr::report

#endif // KINSTR_REPORT_STATISTICSSINK_H
