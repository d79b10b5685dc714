// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds blocks to sums, and makes figures of them when all are in.
#include "report/StatisticsSink.h"

#include "report/CriticalPath.h"
#include "report/Extent.h"
#include "report/MarkCost.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

// ---- a block ----

/// The spans of a warp that are selected, without what its marks cost.
ArrayRef<Span> StatisticsSink::subtracted(const BlockView &V, const WarpView &W,
                                          double Cost, WarpTime &Time) {
  Events.assign(W.Events.begin(), W.Events.end());
  subtractMarkCost(Events, *K, Cost);
  Before.clear();
  After.clear();
  uint64_t Unknown = 0;
  auto None = [](const auto &) {};
  forEachSpan(
      W.Events, *K, [&](const Span &S) { Before.push_back(S); }, None, None,
      Unknown);
  size_t I = 0; // the same spans in the same order, at other times
  Time = forEachSpan(
      Events, *K,
      [&](const Span &S) {
        const Span &Was = Before[I++];
        if (Work->S.hasSite(V.Launch, S.Site) &&
            Work->S.hasTime(V.Launch, V.B, Was.Begin, Was.End))
          After.push_back(S);
      },
      None, None, Unknown);
  return After;
}

void StatisticsSink::addSpan(const BlockView &V, const WarpView &W,
                             const Span &S) {
  int Which = Phases->rowOf(S.Site);
  RowStats &R = Out->Rows[Which];
  BlockRow &B = Rows[Which];
  double Cycles = Work->S.cyclesWithin(V.Launch, V.B, S.Begin, S.End);
  PhaseCycles += Cycles;
  R.InWarps += Cycles;
  B.Warp += Cycles;
  B.WarpWasIn = true;
  if (S.Interrupted)
    return;
  if (S.Open) {
    ++R.Open;
    return;
  }
  uint64_t Length = S.Before + S.cycles();
  R.Cycles.add(Length);
  auto Value = static_cast<double>(Length);
  if (SeveralLaunches && Clock->NsPerCycle > 0)
    R.Ns16.add(
        static_cast<uint64_t>(std::min(Value * Clock->NsPerCycle * 16, 1e18)));
  R.Squares += Value * Value;
  if (R.Warps.size() <= W.Index)
    R.Warps.resize(W.Index + 1);
  R.Warps[W.Index].add(Value);
  ++B.Spans;
  B.Cycles += Value;
}

void StatisticsSink::addWarp(const BlockView &V, const WarpView &W) {
  ++Out->Warps;
  Out->Events += W.numEvents();
  Out->UnknownSites += W.UnknownSites;
  Out->WrappedWarps += W.MayHaveWrapped;
  Out->UnfinishedWarps += !W.Time.Finished;
  WarpTime Time = W.Time;
  ArrayRef<Span> Spans = W.Spans;
  if (MarkCycles)
    Spans = subtracted(V, W, *MarkCycles, Time);
  PhaseCycles = 0;
  for (const Span &S : Spans)
    addSpan(V, W, S);
  for (const Event &E : W.Marks)
    ++Out->Rows[Phases->rowOf(E.Site)].Marks;
  double Cycles = Work->S.cyclesWithin(V.Launch, V.B, Time.Begin, Time.End);
  Out->WarpCycles += Cycles;
  auto Paused = static_cast<double>(Time.Paused);
  if (!Work->S.filter().allTime())
    Paused = Work->S.pausedWithin(V, W, Time.Begin, Time.End);
  Out->PausedCycles += Paused;
  if (Work->S.filter().Phase.empty())
    Out->UntrackedCycles += std::max(0.0, Cycles - PhaseCycles - Paused);
  closeWarp();
}

void StatisticsSink::closeWarp() {
  for (BlockRow &R : Rows) {
    if (!R.WarpWasIn)
      continue;
    ++R.Warps;
    R.Longest = std::max(R.Longest, R.Warp);
    R.Total += R.Warp;
    R.Warp = 0;
    R.WarpWasIn = false;
  }
}

void StatisticsSink::closeRows(const BlockView &V) {
  std::vector<SmRow> &Sm = Out->Sms[V.B.SmStart];
  Sm.resize(Rows.size());
  for (size_t I = 0; I < Rows.size(); ++I) {
    const BlockRow &B = Rows[I];
    RowStats &R = Out->Rows[I];
    if (B.Warps > 1) { // alone, a warp is balanced
      R.LongestWarps += B.Longest;
      R.MeanWarps += B.Total / static_cast<double>(B.Warps);
    }
    if (!B.Spans)
      continue;
    double Mean = B.Cycles / static_cast<double>(B.Spans);
    R.Blocks.add(Mean);
    R.BlockSquares += B.Cycles * Mean;
    R.Slowest.add({V.Launch, V.B.Number}, Mean);
    Sm[I].Blocks.add(Mean);
    Sm[I].Spans += B.Spans;
    Sm[I].Cycles += B.Cycles;
  }
}

void StatisticsSink::addMeetings(const BlockView &V) {
  Met.find(V, K->Sites.size());
  Out->Meetings.resize(K->Sites.size());
  for (const Passing &P : Met.passings()) {
    MeetingStats &M = Out->Meetings[P.Site];
    M.Telling += P.telling();
    M.LeftEarly += P.telling() && P.leftEarly();
    if (!P.together())
      continue;
    ++M.Together;
    double Waited = Meetings::waited(P, V.B);
    M.Waited += Waited;
    M.Warps += P.Warps;
    M.Late += Waited / P.Warps;
    uint32_t Last = V.Warps[P.LastWarp].Index;
    if (M.LastBy.size() <= Last)
      M.LastBy.resize(Last + 1);
    ++M.LastBy[Last];
    setWorst(M, Waited, {V.Launch, V.B.Number});
  }
  Out->Waits.add(V, K->Sites.size());
}

void StatisticsSink::addPath(const BlockView &V, SmPath &P) {
  P.Rows.resize(Phases->size());
  criticalPath(V, Met, [&](const PathStep &S) {
    auto Cycles = static_cast<double>(S.Cycles);
    P.Cycles += Cycles;
    if (S.Site != PathStep::NoSite)
      P.Rows[Phases->rowOf(S.Site)] += Cycles;
  });
}

/// More blocks of a launch than this are on the device at no time.
size_t StatisticsSink::mostSlots(uint32_t Launch) const {
  constexpr uint64_t MostPerSm = 32, MostSms = 1024;
  const trace::Launch &L = Work->T.launches()[Launch];
  uint64_t PerSm =
      L.BlocksPerSm ? std::min<uint64_t>(L.BlocksPerSm, MostPerSm) : MostPerSm;
  uint64_t Sms = std::min<uint64_t>(Work->T.device(L).SmCount, MostSms);
  return std::min(L.gridBlocks(), Sms * PerSm);
}

void StatisticsSink::addTimes(const BlockView &V, uint32_t G) {
  Extent E(*Clock);
  E.beginBlock(V.B);
  for (const WarpView &W : V.Warps)
    E.addWarp(W.Events); // on the time axis marks have their length
  TimeRange R = E.endBlock();
  Launches[V.Launch].add(R, 1);
  if (!Work->isFollowed(G, V.Launch))
    return;
  auto [It, New] = Followed.try_emplace(V.Launch);
  FollowedSums &L = It->second;
  if (New)
    L.Ends = TailFinder(mostSlots(V.Launch));
  L.Ends.add(R);
  if (!Work->WholeWarps)
    return;
  SmPath &P = L.Paths[V.B.SmStart];
  P.EndNs = std::max(P.EndNs, R.End);
  addPath(V, P);
}

void StatisticsSink::block(const BlockView &V) {
  auto Group = Work->GroupOf.find(V.Launch);
  if (Group == Work->GroupOf.end())
    return;
  const Launch &L = Work->T.launches()[V.Launch];
  Out = &Sums[Group->second];
  Phases = &Work->Phases[Group->second];
  K = &Work->T.kernel(L);
  Clock = &Work->T.clock(V.Launch);
  SeveralLaunches = Work->Groups[Group->second].size() > 1;
  MarkCycles =
      Work->Options.SubtractMarkCost ? markCost(Work->T, L) : std::nullopt;
  Rows.assign(Phases->size(), BlockRow());

  ++Out->Blocks;
  Out->UnfinishedBlocks += !V.B.Finished;
  Out->MovedBlocks += V.B.moved();
  Out->ExpectedWarps += Work->T.meta().Samples.warpsOf(L.warpsPerBlock());
  for (const WarpView &W : V.Warps)
    addWarp(V, W);
  closeRows(V);
  if (Work->WholeWarps)
    addMeetings(V);
  addTimes(V, Group->second);
}

// ---- all blocks ----

void StatisticsSink::join(StatisticsSink &&Other) {
  for (size_t I = 0; I < Sums.size(); ++I)
    joinStatistics(Sums[I], Other.Sums[I]);
  for (auto &[Index, L] : Other.Launches)
    Launches[Index].join(L);
  for (auto &[Index, L] : Other.Followed) {
    auto [It, New] = Followed.try_emplace(Index);
    if (New)
      It->second = std::move(L);
    else
      It->second.join(L);
  }
}

/// Of the SMs that may have ended last, as far as their clocks are aligned.
void StatisticsSink::finishPath(Statistics &Out, const FollowedSums &L,
                                const LaunchClock &C) {
  double Last = -INFINITY;
  for (const auto &[Sm, P] : L.Paths)
    Last = std::max(Last, P.EndNs);
  bool Known = C.oneSm() || (C.StepKnown && C.Source != SlopeSource::None);
  double Error = Known ? C.AlignmentErrorNs : INFINITY;
  for (const auto &[Sm, P] : L.Paths) {
    if (P.EndNs < Last - Error || P.Rows.empty())
      continue;
    ++Out.PathSms;
    Out.PathCycles += P.Cycles;
    for (size_t I = 0; I < P.Rows.size(); ++I)
      Out.Rows[I].Path += P.Rows[I];
  }
}

void StatisticsSink::finishTail(Statistics &Out, const TailFinder &Ends,
                                double Ns) const {
  std::optional<Tail> T = Ends.tail();
  if (!T)
    return;
  ++Out.NumTails;
  Out.Tails.Ns += T->Ns;
  Out.Tails.IdleNs += T->IdleNs;
  Out.Tails.Slots += T->Slots;
  Out.TailedNs += Ns;
  Out.TailedSlotNs += Ns * static_cast<double>(T->Slots);
}

/// Which rows the filter has sites of.
static void markSelected(Statistics &S, const PhaseRows &Phases,
                         const Selection &Selected, uint32_t Launch,
                         size_t NumSites) {
  for (RowStats &R : S.Rows)
    R.Selected = false;
  for (uint32_t Site = 0; Site < NumSites; ++Site)
    if (int Row = Phases.rowOf(Site); Row >= 0)
      S.Rows[Row].Selected |= Selected.hasSite(Launch, Site);
}

void StatisticsSink::finish(uint32_t G) {
  Statistics &S = Sums[G];
  const Trace &T = Work->T;
  uint32_t First = Work->Groups[G].front();
  markSelected(S, Work->Phases[G], Work->S, First,
               T.kernel(T.launches()[First]).Sites.size());
  const Sampling &Samples = T.meta().Samples;
  S.Launches = Work->Groups[G].size();
  S.WholeLaunches = Work->S.wholeLaunches();
  S.HasPath = Work->WholeWarps;
  for (uint32_t I : Work->Groups[G]) {
    const Launch &L = T.launches()[I];
    const LaunchClock &C = T.clock(I);
    S.GridBlocks += L.gridBlocks();
    S.ExpectedBlocks += Samples.Blocks.countOf(L.gridBlocks());
    S.HasNs &= C.Source != SlopeSource::None;
    S.NsPerCycle = C.NsPerCycle;
    auto It = Launches.find(I);
    if (It == Launches.end())
      continue;
    const LaunchSums &Sum = It->second;
    double Ns = C.Source == SlopeSource::None ? 0 : Sum.Time.length();
    S.LongestNs = std::max(S.LongestNs, Ns);
    if (!Work->isFollowed(G, I))
      continue;
    S.Followed.push_back({I, Sum.NumBlocks, Ns});
    const FollowedSums &More = Followed.find(I)->second;
    finishPath(S, More, C);
    if (C.Source == SlopeSource::None)
      continue;
    if (!C.oneSm() && !C.StepKnown)
      S.AlignmentNs.reset();
    else if (!C.oneSm() && S.AlignmentNs)
      S.AlignmentNs = std::max(*S.AlignmentNs, C.AlignmentErrorNs);
    finishTail(S, More.Ends, Ns);
  }
  if (!Samples.Sms.all() || !S.WholeLaunches)
    S.ExpectedBlocks = S.Blocks;
  if (!S.WholeLaunches)
    S.ExpectedWarps = S.Warps;
}

std::vector<Statistics> StatisticsSink::finish() {
  for (uint32_t G = 0; G < Sums.size(); ++G)
    finish(G);
  return std::move(Sums);
}

} // namespace kinstr::report
