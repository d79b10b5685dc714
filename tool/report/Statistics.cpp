// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins sums, and starts the pass over the blocks that are selected.
#include "report/Statistics.h"

#include "report/StatisticsSink.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

// ---- sums ----

void Moments::join(const Moments &Other) {
  Count += Other.Count;
  Sum += Other.Sum;
  Squares += Other.Squares;
}

void SlowBlocks::add(BlockId Block, double Mean) {
  // Of equal ones the same, whatever the order.
  auto Slower = [](const auto &A, const auto &B) {
    return std::tuple(-A.first, A.second.Launch, A.second.Number) <
           std::tuple(-B.first, B.second.Launch, B.second.Number);
  };
  std::pair<double, BlockId> New(Mean, Block);
  if (List.size() == Kept && !Slower(New, List.back()))
    return;
  List.insert(upper_bound(List, New, Slower), New);
  if (List.size() > Kept)
    List.pop_back();
}

void SlowBlocks::join(const SlowBlocks &Other) {
  for (const auto &[Mean, Block] : Other.List)
    add(Block, Mean);
}

template <typename T>
static void joinEach(std::vector<T> &Mine, const std::vector<T> &Theirs) {
  if (Mine.size() < Theirs.size())
    Mine.resize(Theirs.size());
  for (size_t I = 0; I < Theirs.size(); ++I)
    if constexpr (std::is_arithmetic_v<T>)
      Mine[I] += Theirs[I];
    else
      Mine[I].join(Theirs[I]);
}

void setWorst(MeetingStats &S, double Waited, BlockId Block) {
  auto Key = [](double W, BlockId B) {
    return std::tuple(-W, B.Launch, B.Number);
  };
  if (Key(Waited, Block) < Key(S.WorstWaited, S.Worst)) {
    S.WorstWaited = Waited;
    S.Worst = Block;
  }
}

void MeetingStats::join(const MeetingStats &Other) {
  Telling += Other.Telling;
  Together += Other.Together;
  LeftEarly += Other.LeftEarly;
  Waited += Other.Waited;
  Warps += Other.Warps;
  Late += Other.Late;
  joinEach(LastBy, Other.LastBy);
  setWorst(*this, Other.WorstWaited, Other.Worst);
}

static void join(SmRow &Mine, const SmRow &Theirs) {
  Mine.Blocks.join(Theirs.Blocks);
  Mine.Spans += Theirs.Spans;
  Mine.Cycles += Theirs.Cycles;
}

static void join(RowStats &Mine, const RowStats &Theirs) {
  Mine.Cycles.join(Theirs.Cycles);
  Mine.Ns16.join(Theirs.Ns16);
  Mine.Marks += Theirs.Marks;
  Mine.Open += Theirs.Open;
  Mine.InWarps += Theirs.InWarps;
  Mine.LongestWarps += Theirs.LongestWarps;
  Mine.MeanWarps += Theirs.MeanWarps;
  Mine.Squares += Theirs.Squares;
  Mine.Blocks.join(Theirs.Blocks);
  Mine.BlockSquares += Theirs.BlockSquares;
  joinEach(Mine.Warps, Theirs.Warps);
  Mine.Slowest.join(Theirs.Slowest);
}

void joinStatistics(Statistics &Mine, const Statistics &Theirs) {
  for (size_t I = 0; I < Mine.Rows.size(); ++I)
    join(Mine.Rows[I], Theirs.Rows[I]);
  joinEach(Mine.Meetings, Theirs.Meetings);
  Mine.Waits.join(Theirs.Waits);
  for (const auto &[Sm, Rows] : Theirs.Sms) {
    std::vector<SmRow> &Known = Mine.Sms[Sm];
    Known.resize(Rows.size());
    for (size_t I = 0; I < Rows.size(); ++I)
      join(Known[I], Rows[I]);
  }
  Mine.WarpCycles += Theirs.WarpCycles;
  Mine.UntrackedCycles += Theirs.UntrackedCycles;
  Mine.Events += Theirs.Events;
  Mine.Blocks += Theirs.Blocks;
  Mine.Warps += Theirs.Warps;
  Mine.ExpectedWarps += Theirs.ExpectedWarps;
  Mine.UnfinishedBlocks += Theirs.UnfinishedBlocks;
  Mine.UnfinishedWarps += Theirs.UnfinishedWarps;
  Mine.MovedBlocks += Theirs.MovedBlocks;
  Mine.WrappedWarps += Theirs.WrappedWarps;
  Mine.UnknownSites += Theirs.UnknownSites;
}

// ---- quantiles ----

static Quantiles quantilesOf(const Histogram &H, double Unit) {
  auto Value = [&](uint64_t V) { return static_cast<double>(V) * Unit; };
  return {Value(H.min()),          Value(H.quantile(0.50)),
          Value(H.quantile(0.95)), Value(H.quantile(0.99)),
          Value(H.max()),          H.mean() * Unit};
}

Quantiles Statistics::cyclesOf(const RowStats &R) const {
  return quantilesOf(R.Cycles, 1);
}

Quantiles Statistics::nsOf(const RowStats &R) const {
  return Launches == 1 ? quantilesOf(R.Cycles, NsPerCycle)
                       : quantilesOf(R.Ns16, 1.0 / 16);
}

Expected<std::vector<Statistics>>
computeStatistics(const Trace &T, const Selection &S,
                  ArrayRef<LaunchGroup> Groups, const StatisticsOptions &O) {
  StatisticsTask Work(T, S, Groups, O);
  VisitOptions Visit;
  Visit.Wanted = [&](uint32_t Launch, const Block &) {
    return Work.GroupOf.count(Launch) != 0;
  };
  Expected<StatisticsSink> All =
      collectSelected(T, S, Visit, StatisticsSink(Work));
  if (!All)
    return All.takeError();
  return All->finish();
}

Statistics noStatistics(const Kernel &K) {
  Statistics S;
  S.Rows.resize(PhaseRows(K).size());
  return S;
}

} // namespace kinstr::report
