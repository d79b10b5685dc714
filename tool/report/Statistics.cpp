// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the warps of the chosen launches.
#include "report/Statistics.h"

#include "report/Extent.h"
#include "report/MarkCost.h"
#include "trace/Visit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

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

/// The durations of one row in one launch.
struct Samples {
  std::vector<double> Cycles; ///< exact up to 2^53
  double OpenCycles = 0;
};

/// What blocks of one launch add.
struct LaunchPart {
  LaunchPart(const LaunchClock &Clock, size_t NumRows)
      : Rows(NumRows), E(Clock) {}

  std::vector<Samples> Rows;
  Extent E;
};

class Collector final : public BlockSink {
public:
  Collector(const Trace &T, const PhaseRows &Phases, ArrayRef<uint32_t> Indices,
            bool SubtractMarkCost)
      : T(T), Phases(Phases), Indices(Indices),
        SubtractMarkCost(SubtractMarkCost) {
    Out.Rows.resize(Phases.size());
  }

  bool wants(uint32_t Launch) const { return is_contained(Indices, Launch); }
  void block(const BlockView &V) override;
  void join(Collector &&Part);
  Statistics finish();

private:
  LaunchPart &partOf(uint32_t Launch);
  void addWarp(const Launch &L, const WarpView &W, LaunchPart &P);
  void finishRow(size_t Row);

  const Trace &T;
  const PhaseRows &Phases;
  ArrayRef<uint32_t> Indices;
  bool SubtractMarkCost;
  std::map<uint32_t, LaunchPart> Parts;
  SmallVector<Event> Events;
  double PhaseCycles = 0;
  Statistics Out;
};

} // namespace

LaunchPart &Collector::partOf(uint32_t Launch) {
  return Parts.try_emplace(Launch, T.clock(Launch), Phases.size())
      .first->second;
}

void Collector::addWarp(const Launch &L, const WarpView &W, LaunchPart &P) {
  Events.assign(W.Events.begin(), W.Events.end());
  if (std::optional<double> Cost = markCost(T, L); Cost && SubtractMarkCost)
    subtractMarkCost(Events, T.kernel(L), *Cost);
  Out.Events += Events.size();
  ++Out.Warps;
  auto OnSpan = [&](const Span &S) {
    int Row = Phases.rowOf(S.Site);
    PhaseCycles += static_cast<double>(S.cycles());
    if (S.Interrupted)
      return;
    auto Cycles = static_cast<double>(S.Before + S.cycles());
    if (S.Open) {
      ++Out.Rows[Row].Open;
      P.Rows[Row].OpenCycles += Cycles;
    } else {
      P.Rows[Row].Cycles.push_back(Cycles);
    }
  };
  auto OnMark = [&](const Event &E) { ++Out.Rows[Phases.rowOf(E.Site)].Count; };
  WarpTime Time =
      forEachSpan(Events, T.kernel(L), OnSpan, OnMark, Out.UnknownSites);
  Out.WarpCycles += static_cast<double>(Time.cycles());
  if (!Time.Finished)
    ++Out.UnfinishedWarps;
}

void Collector::block(const BlockView &V) {
  const Launch &L = T.launches()[V.Launch];
  LaunchPart &P = partOf(V.Launch);
  ++Out.Blocks;
  Out.ExpectedWarps += T.meta().Samples.warpsOf(L.warpsPerBlock());
  Out.UnfinishedBlocks += !V.B.Finished;
  Out.MovedBlocks += V.B.moved();
  P.E.beginBlock(V.B);
  for (const WarpView &W : V.Warps) {
    Out.WrappedWarps += W.MayHaveWrapped;
    P.E.addWarp(W.Events); // on the time axis marks have their length
    addWarp(L, W, P);
  }
  P.E.endBlock();
}

void Collector::join(Collector &&Part) {
  for (auto &[Launch, From] : Part.Parts) {
    LaunchPart &To = partOf(Launch);
    To.E.join(From.E);
    for (auto [A, B] : zip_equal(To.Rows, From.Rows)) {
      llvm::append_range(A.Cycles, B.Cycles);
      A.OpenCycles += B.OpenCycles;
    }
  }
  for (auto [A, B] : zip_equal(Out.Rows, Part.Out.Rows)) {
    A.Count += B.Count;
    A.Open += B.Open;
  }
  PhaseCycles += Part.PhaseCycles;
  for (auto Field :
       {&Statistics::Events, &Statistics::Blocks, &Statistics::Warps,
        &Statistics::ExpectedWarps, &Statistics::UnfinishedBlocks,
        &Statistics::UnfinishedWarps, &Statistics::MovedBlocks,
        &Statistics::WrappedWarps, &Statistics::UnknownSites})
    Out.*Field += Part.Out.*Field;
  Out.WarpCycles += Part.Out.WarpCycles;
}

void Collector::finishRow(size_t Row) {
  RowStats &Stats = Out.Rows[Row];
  std::vector<double> Cycles, Ns;
  double Total = 0;
  // The rate may differ from launch to launch, and with it the order.
  for (auto &[Launch, P] : Parts) {
    Samples S = std::exchange(P.Rows[Row], {});
    Total += S.OpenCycles;
    for (double C : S.Cycles) {
      Total += C;
      Cycles.push_back(C);
      Ns.push_back(C * T.clock(Launch).NsPerCycle);
    }
  }
  Stats.Count += Cycles.size();
  Stats.Share = Out.WarpCycles > 0 ? Total / Out.WarpCycles : 0;
  Stats.Ns = quantiles(Ns);
  Stats.Cycles = quantiles(Cycles);
}

Statistics Collector::finish() {
  for (uint32_t I : Indices) {
    const Launch &L = T.launches()[I];
    bool HasNs = T.clock(I).Source != SlopeSource::None;
    ++Out.Launches;
    Out.GridBlocks += L.gridBlocks();
    Out.ExpectedBlocks += T.meta().Samples.Blocks.countOf(L.gridBlocks());
    Out.HasNs &= HasNs;
    if (HasNs)
      Out.LongestNs = std::max(Out.LongestNs, partOf(I).E.launch().length());
  }
  for (size_t I = 0; I < Phases.size(); ++I)
    finishRow(I);
  if (!T.meta().Samples.Sms.all())
    Out.ExpectedBlocks = Out.Blocks;
  if (Out.WarpCycles > 0)
    Out.UntrackedShare = 1 - PhaseCycles / Out.WarpCycles;
  return std::move(Out);
}

Expected<Statistics> computeStatistics(const Trace &T, const PhaseRows &Phases,
                                       ArrayRef<uint32_t> Indices,
                                       bool SubtractMarkCost) {
  Collector Empty(T, Phases, Indices, SubtractMarkCost);
  VisitOptions O;
  O.Wanted = [&](uint32_t Launch, const Block &) {
    return Empty.wants(Launch);
  };
  Expected<Collector> All = collectBlocks(T, O, Empty);
  if (!All)
    return All.takeError();
  return All->finish();
}

} // namespace kinstr::report
