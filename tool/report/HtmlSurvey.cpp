// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over blocks. All of integers: parts may be joined in any grouping.
#include "report/HtmlSurvey.h"

#include "report/Pauses.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

BlockPlace placeOf(const Trace &T, const BlockView &V) {
  const LaunchClock &Clock = T.clock(V.Launch);
  BlockPlace P;
  P.First = V.B.ClockStart;
  P.Last = V.B.Finished && !V.B.moved() ? V.B.ClockEnd : V.B.ClockStart;
  Extent Times(Clock);
  Times.beginBlock(V.B);
  for (const WarpView &W : V.Warps) {
    Times.addWarp(W.Events);
    if (W.Events.empty())
      continue;
    P.First = std::min(P.First, W.Events.front().Clock);
    P.Last = std::max(P.Last, W.Events.back().Clock);
  }
  P.Ns = Clock.Source == SlopeSource::None
             ? TimeRange{0, static_cast<double>(P.Last - P.First)}
             : Times.endBlock();
  return P;
}

/// Adds to an entry of an array that grows as needed.
static void addAt(std::vector<uint64_t> &Sums, size_t I, uint64_t Value) {
  if (I >= Sums.size())
    Sums.resize(I + 1);
  Sums[I] += Value;
}

static void addAll(std::vector<uint64_t> &Sums,
                   const std::vector<uint64_t> &Other) {
  for (size_t I = 0; I < Other.size(); ++I)
    addAt(Sums, I, Other[I]);
}

/// In which eighth of an octave; the first one holds 0 as well.
static size_t eighthOf(uint64_t Cycles) {
  if (Cycles < 2)
    return 0;
  // Exact powers of two may come out a little below.
  return static_cast<size_t>(std::log2(static_cast<double>(Cycles)) * 8 + 1e-9);
}

void SiteSurvey::join(const SiteSurvey &Other) {
  Closed.join(Other.Closed);
  addAll(Eighths, Other.Eighths);
  Passes += Other.Passes;
  Open += Other.Open;
  Cycles += Other.Cycles;
  addAll(WarpCycles, Other.WarpCycles);
  Numbers.join(Other.Numbers);
}

void LaunchSurvey::join(const LaunchSurvey &Other) {
  Sites.resize(std::max(Sites.size(), Other.Sites.size()));
  for (size_t I = 0; I < Other.Sites.size(); ++I)
    Sites[I].join(Other.Sites[I]);
  addAll(WarpsByIndex, Other.WarpsByIndex);
  if (Other.Range)
    Range = Range ? TimeRange{std::min(Range->Begin, Other.Range->Begin),
                              std::max(Range->End, Other.Range->End)}
                  : *Other.Range;
  Blocks += Other.Blocks;
  Warps += Other.Warps;
  Events += Other.Events;
  Spans += Other.Spans;
  Scopes += Other.Scopes;
  Numbers += Other.Numbers;
  WarpCycles += Other.WarpCycles;
  PhaseCycles += Other.PhaseCycles;
  PausedCycles += Other.PausedCycles;
  UnfinishedBlocks += Other.UnfinishedBlocks;
  UnfinishedWarps += Other.UnfinishedWarps;
  MovedBlocks += Other.MovedBlocks;
  WrappedWarps += Other.WrappedWarps;
  UnknownSites += Other.UnknownSites;
}

uint64_t Survey::spans() const {
  uint64_t N = 0;
  for (const LaunchSurvey &L : Launches)
    N += L.Spans + L.Scopes + L.Numbers;
  return N;
}

uint64_t Survey::blocks() const {
  uint64_t N = 0;
  for (const LaunchSurvey &L : Launches)
    N += L.Blocks;
  return N;
}

namespace {

class SurveySink final : public BlockSink {
public:
  SurveySink(const Trace &T, const Selection &S, const PageLaunches &Launches)
      : T(&T), S(&S), Launches(&Launches) {
    All.Launches.resize(Launches.size());
  }

  void block(const BlockView &V) override {
    LaunchSurvey &L = All.Launches[Launches->positionOf(V.Launch)];
    L.Sites.resize(T->kernel(T->launches()[V.Launch]).Sites.size());
    TimeRange R = placeOf(*T, V).Ns;
    L.Range = L.Range ? TimeRange{std::min(L.Range->Begin, R.Begin),
                                  std::max(L.Range->End, R.End)}
                      : R;
    ++L.Blocks;
    L.UnfinishedBlocks += !V.B.Finished;
    L.MovedBlocks += V.B.moved();
    for (const WarpView &W : V.Warps)
      addWarp(L, V, W);
  }

  void join(SurveySink &&Other) {
    for (auto [L, O] : zip_equal(All.Launches, Other.All.Launches))
      L.join(O);
  }

  Survey All;

private:
  /// How much is in the time that was asked for; whole cycles.
  uint64_t within(const BlockView &V, uint64_t Begin, uint64_t End) const {
    return S->filter().allTime()
               ? End - Begin
               : static_cast<uint64_t>(
                     std::round(S->cyclesWithin(V.Launch, V.B, Begin, End)));
  }

  void addWarp(LaunchSurvey &L, const BlockView &V, const WarpView &W) const {
    ++L.Warps;
    addAt(L.WarpsByIndex, W.Index, 1);
    L.Events += W.numEvents();
    L.Spans += W.Spans.size();
    L.Scopes += W.Scopes.size();
    L.Numbers += W.Values.size();
    L.WarpCycles += within(V, W.Time.Begin, W.Time.End);
    forEachPause(W, [&](uint64_t Begin, uint64_t End) {
      if (S->hasTime(V.Launch, V.B, Begin, End))
        L.PausedCycles += within(V, Begin, End);
    });
    L.UnfinishedWarps += !W.Time.Finished;
    L.WrappedWarps += W.MayHaveWrapped;
    L.UnknownSites += W.UnknownSites;
    for (const Span &P : W.Spans) {
      SiteSurvey &Site = L.Sites[P.Site];
      uint64_t Cycles = within(V, P.Begin, P.End);
      L.PhaseCycles += Cycles;
      addCycles(Site, W, Cycles);
      if (!P.Open && !P.Interrupted)
        addClosed(Site, P.Before + P.cycles());
    }
    for (const Event &E : W.Marks)
      ++L.Sites[E.Site].Passes;
    addScopes(L, V, W);
    addNumbers(L, V, W);
  }

  static void addCycles(SiteSurvey &Site, const WarpView &W, uint64_t Cycles) {
    Site.Cycles += Cycles;
    addAt(Site.WarpCycles, W.Index, Cycles);
  }
  static void addClosed(SiteSurvey &Site, uint64_t Cycles) {
    Site.Closed.add(Cycles);
    addAt(Site.Eighths, eighthOf(Cycles), 1);
  }

  /// A scope holds what lies in it: nothing is added to the phases' time.
  void addScopes(LaunchSurvey &L, const BlockView &V, const WarpView &W) const {
    for (const ScopeSpan &P : W.Scopes) {
      SiteSurvey &Site = L.Sites[P.Site];
      uint64_t Cycles = P.cycles();
      if (!S->filter().allTime())
        Cycles = static_cast<uint64_t>(
            std::round(S->cyclesWithin(V.Launch, V.B, P.Begin, P.End) -
                       S->pausedWithin(V, W, P.Begin, P.End)));
      addCycles(Site, W, Cycles);
      Site.Open += P.Open;
      if (!P.Open)
        addClosed(Site, P.cycles());
    }
  }

  void addNumbers(LaunchSurvey &L, const BlockView &V,
                  const WarpView &W) const {
    for (const Value &N : W.Values)
      L.Sites[N.Site].Numbers.add(N.N, placeOfNumber(*T, V, W, N));
  }

  const Trace *T;
  const Selection *S;
  const PageLaunches *Launches;
};

} // namespace

Expected<Survey> survey(const Trace &T, const Selection &S,
                        const PageLaunches &Launches) {
  VisitOptions O;
  O.Wanted = [&](uint32_t Launch, const Block &) {
    return Launches.has(Launch);
  };
  Expected<SurveySink> Sink =
      collectSelected(T, S, std::move(O), SurveySink(T, S, Launches));
  if (!Sink)
    return Sink.takeError();
  for (auto [I, L] : zip_equal(Launches.all(), Sink->All.Launches)) {
    // Launches of which nothing was selected have sites as well.
    L.Sites.resize(T.kernel(T.launches()[I]).Sites.size());
    L.Axis = L.Range.value_or(TimeRange());
    if (!S.wholeLaunches() && T.clock(I).Source != SlopeSource::None)
      L.Axis.Begin = std::min(L.Axis.Begin, 0.0);
  }
  return std::move(Sink->All);
}

} // namespace kinstr::report
