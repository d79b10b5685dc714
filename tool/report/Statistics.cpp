// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the warps of the chosen launches.
#include "report/Statistics.h"

#include "report/Extent.h"
#include "report/MarkCost.h"
#include "trace/Spans.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

Quantiles quantiles(MutableArrayRef<double> Values) {
  Quantiles Q;
  if (Values.empty())
    return Q;
  llvm::sort(Values);
  auto Rank = [&](double P) {
    auto R =
        static_cast<size_t>(std::ceil(P * static_cast<double>(Values.size())));
    return Values[std::max<size_t>(R, 1) - 1];
  };
  Q.Min = Values.front();
  Q.P50 = Rank(0.50);
  Q.P95 = Rank(0.95);
  Q.Max = Values.back();
  return Q;
}

namespace {

/// The durations of one row, launch after launch.
struct Samples {
  std::vector<double> Cycles; ///< exact up to 2^53
  std::vector<size_t> Ends;   ///< of each launch in Cycles
  double OpenCycles = 0;
};

class Collector {
public:
  Collector(const Trace &T, const PhaseRows &Phases, bool SubtractMarkCost)
      : T(T), Phases(Phases), SubtractMarkCost(SubtractMarkCost),
        Rows(Phases.size()) {
    Out.Rows.resize(Phases.size());
  }

  void add(uint32_t Index);
  Statistics finish();

private:
  void addBlock(const Launch &L, const Block &B, Extent &E);
  void addWarp(const Launch &L);
  void finishRow(RowStats &Stats, Samples &S);

  const Trace &T;
  const PhaseRows &Phases;
  bool SubtractMarkCost;
  std::vector<Samples> Rows;
  std::vector<double> Slopes; ///< of each launch added
  SmallVector<Event> Events;
  double PhaseCycles = 0, PausedCycles = 0;
  Statistics Out;
};

} // namespace

/// The one whose events were read.
void Collector::addWarp(const Launch &L) {
  if (std::optional<double> Cost = markCost(T, L); Cost && SubtractMarkCost)
    subtractMarkCost(Events, T.kernel(L), *Cost);
  Out.Events += llvm::count_if(
      Events, [](const Event &E) { return E.Site != pause_site; });
  ++Out.Warps;
  auto OnSpan = [&](const Span &S) {
    int Row = Phases.rowOf(S.Site);
    PhaseCycles += static_cast<double>(S.cycles());
    if (S.Interrupted)
      return;
    auto Cycles = static_cast<double>(S.Before + S.cycles());
    if (S.Open) {
      ++Out.Rows[Row].Open;
      Rows[Row].OpenCycles += Cycles;
    } else {
      Rows[Row].Cycles.push_back(Cycles);
    }
  };
  auto OnMark = [&](const Event &E) { ++Out.Rows[Phases.rowOf(E.Site)].Count; };
  WarpTime Time =
      forEachSpan(Events, T.kernel(L), OnSpan, OnMark, Out.UnknownSites);
  Out.WarpCycles += static_cast<double>(Time.cycles());
  PausedCycles += static_cast<double>(Time.Paused);
  if (!Time.Finished)
    ++Out.UnfinishedWarps;
}

void Collector::addBlock(const Launch &L, const Block &B, Extent &E) {
  if (!B.Finished)
    ++Out.UnfinishedBlocks;
  if (B.moved())
    ++Out.MovedBlocks;
  E.beginBlock(B);
  for (const Warp &W : T.Ls.warps(B)) {
    T.Ls.events(B, W, Events);
    Out.WrappedWarps += T.Ls.mayHaveWrapped(B, W, Events);
    E.addWarp(Events); // on the time axis marks have their length
    addWarp(L);
  }
  E.endBlock();
}

void Collector::add(uint32_t Index) {
  const Launch &L = T.Ls.List[Index];
  const LaunchClock &Clock = T.Time.Launches[Index];
  ++Out.Launches;
  Out.GridBlocks += L.gridBlocks();
  Out.ExpectedBlocks += T.meta().Samples.Blocks.countOf(L.gridBlocks());
  Extent E(Clock);
  std::optional<uint32_t> LastNumber;
  for (const Block &B : T.Ls.blocks(L)) { // sorted by number
    bool Repeated = LastNumber == B.Number;
    LastNumber = B.Number;
    Out.RepeatedBlocks += Repeated;
    Out.Blocks += !Repeated;
    Out.ExpectedWarps += T.meta().Samples.warpsOf(L.warpsPerBlock());
    addBlock(L, B, E);
  }
  if (Clock.Source != SlopeSource::None)
    Out.LongestNs = std::max(Out.LongestNs, E.launch().length());
  Slopes.push_back(Clock.NsPerCycle);
  Out.HasNs &= Clock.Source != SlopeSource::None;
  for (Samples &S : Rows)
    S.Ends.push_back(S.Cycles.size());
}

void Collector::finishRow(RowStats &Stats, Samples &S) {
  double Total = S.OpenCycles;
  for (double C : S.Cycles)
    Total += C;
  Stats.Count += S.Cycles.size();
  Stats.Share = Out.WarpCycles > 0 ? Total / Out.WarpCycles : 0;
  // The rate may differ from launch to launch, and with it the order.
  std::vector<double> Ns = S.Cycles;
  size_t Begin = 0;
  for (size_t I = 0; I < Slopes.size(); Begin = S.Ends[I++])
    for (size_t J = Begin; J < S.Ends[I]; ++J)
      Ns[J] *= Slopes[I];
  Stats.Ns = quantiles(Ns);
  Stats.Cycles = quantiles(S.Cycles);
}

Statistics Collector::finish() {
  for (size_t I = 0; I < Rows.size(); ++I) {
    finishRow(Out.Rows[I], Rows[I]);
    Rows[I] = Samples(); // one row's copy at a time
  }
  if (!T.meta().Samples.Sms.all())
    Out.ExpectedBlocks = Out.Blocks;
  if (Out.WarpCycles > 0) {
    Out.PausedShare = PausedCycles / Out.WarpCycles;
    Out.UntrackedShare = 1 - PhaseCycles / Out.WarpCycles - Out.PausedShare;
  }
  return std::move(Out);
}

Statistics computeStatistics(const Trace &T, const PhaseRows &Phases,
                             ArrayRef<uint32_t> Indices,
                             bool SubtractMarkCost) {
  Collector C(T, Phases, SubtractMarkCost);
  for (uint32_t I : Indices)
    C.add(I);
  return C.finish();
}

} // namespace kinstr::report
