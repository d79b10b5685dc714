// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the blocks that are selected.
#include "report/Statistics.h"

#include "report/CriticalPath.h"
#include "report/Extent.h"
#include "report/MarkCost.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

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

static void setWorst(MeetingStats &S, double Waited, BlockId Block) {
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

static void join(Statistics &Mine, const Statistics &Theirs) {
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

namespace {

/// Launches of a group of which tails and critical paths are looked at.
constexpr size_t MostFollowed = 32;

/// What is the same for all parts of a trace.
struct Task {
  const Trace &T;
  const Selection &S;
  ArrayRef<LaunchGroup> Groups;
  StatisticsOptions Options;
  std::vector<PhaseRows> Phases;              ///< by group
  DenseMap<uint32_t, uint32_t> GroupOf;       ///< by launch
  DenseMap<uint32_t, uint32_t> FollowedGroup; ///< likewise, of those followed
  bool WholeWarps; ///< all warps and spans of a block are seen

  Task(const Trace &T, const Selection &S, ArrayRef<LaunchGroup> Groups,
       const StatisticsOptions &O)
      : T(T), S(S), Groups(Groups), Options(O),
        WholeWarps(S.filter().Warps.all() && S.filter().Phase.empty() &&
                   S.filter().allTime()) {
    for (uint32_t G = 0; G < Groups.size(); ++G) {
      Phases.emplace_back(T.kernel(T.launches()[Groups[G].front()]));
      for (uint32_t I : Groups[G]) {
        GroupOf[I] = G;
        if (isFollowed(G, I))
          FollowedGroup[I] = G;
      }
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

struct LaunchSums {
  std::optional<TimeRange> Time;
  uint64_t NumBlocks = 0;
  // Of a launch that is followed:
  TailFinder Ends;
  std::map<uint16_t, SmPath> Paths;

  void add(const TimeRange &R) {
    Time = Time ? TimeRange{std::min(Time->Begin, R.Begin),
                            std::max(Time->End, R.End)}
                : R;
  }
  void join(const LaunchSums &Other) {
    if (Other.Time)
      add(*Other.Time);
    NumBlocks += Other.NumBlocks;
    Ends.join(Other.Ends);
    for (const auto &[Sm, P] : Other.Paths)
      Paths[Sm].join(P);
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

class Collector final : public BlockSink {
public:
  explicit Collector(const Task &Work) : Work(&Work) {
    for (const PhaseRows &P : Work.Phases) {
      Sums.emplace_back();
      Sums.back().Rows.resize(P.size());
    }
  }

  void block(const BlockView &V) override;
  void join(Collector &&Other);
  std::vector<Statistics> finish();

private:
  // Of the current block.
  void addWarp(const BlockView &V, const WarpView &W);
  void addSpan(const BlockView &V, const WarpView &W, const Span &S);
  ArrayRef<Span> subtracted(const BlockView &V, const WarpView &W,
                            WarpTime &Time);
  double within(const BlockView &V, uint64_t Begin, uint64_t End) const;
  void closeWarp();
  void closeRows(const BlockView &V);
  void addMeetings(const BlockView &V);
  void addPath(const BlockView &V, SmPath &P);
  void addTimes(const BlockView &V, LaunchSums &L);
  size_t mostSlots(uint32_t Launch) const;

  void finish(uint32_t G);
  void finishPath(Statistics &Out, const LaunchSums &L, const LaunchClock &C);
  void finishTail(Statistics &Out, const LaunchSums &L) const;

  const Task *Work;
  std::vector<Statistics> Sums; ///< by group
  DenseMap<uint32_t, LaunchSums> Launches;

  // Of the current block, used again.
  Statistics *Out = nullptr;
  const PhaseRows *Phases = nullptr;
  const Kernel *K = nullptr;
  const LaunchClock *Clock = nullptr;
  bool SeveralLaunches = false;
  std::optional<double> MarkCycles; ///< to be subtracted
  std::vector<BlockRow> Rows;
  double PhaseCycles = 0; ///< of the current warp
  Meetings Met;
  SmallVector<Event, 0> Events;
  SmallVector<Span, 0> Before, After;
};

} // namespace

// ---- a block ----

/// How much of a time is in what is selected [cycles].
double Collector::within(const BlockView &V, uint64_t Begin,
                         uint64_t End) const {
  auto Cycles = static_cast<double>(End - Begin);
  const Filter &F = Work->S.filter();
  if (F.allTime() || V.B.moved() || Cycles == 0)
    return Cycles;
  const SmLine &Line = *Clock->find(V.B.SmStart);
  double BeginNs = Clock->toNs(Line, Begin), EndNs = Clock->toNs(Line, End);
  double Ns = std::min(EndNs, F.ToNs) - std::max(BeginNs, F.FromNs);
  return EndNs > BeginNs ? Cycles * std::clamp(Ns / (EndNs - BeginNs), 0., 1.)
                         : Cycles;
}

/// The spans of a warp that are selected, without what its marks cost.
ArrayRef<Span> Collector::subtracted(const BlockView &V, const WarpView &W,
                                     WarpTime &Time) {
  Events.assign(W.Events.begin(), W.Events.end());
  subtractMarkCost(Events, *K, *MarkCycles);
  Before.clear();
  After.clear();
  uint64_t Unknown = 0;
  auto NoMark = [](const Event &) {};
  forEachSpan(
      W.Events, *K, [&](const Span &S) { Before.push_back(S); }, NoMark,
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
      NoMark, Unknown);
  return After;
}

void Collector::addSpan(const BlockView &V, const WarpView &W, const Span &S) {
  int Which = Phases->rowOf(S.Site);
  RowStats &R = Out->Rows[Which];
  BlockRow &B = Rows[Which];
  double Cycles = within(V, S.Begin, S.End);
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

void Collector::addWarp(const BlockView &V, const WarpView &W) {
  ++Out->Warps;
  Out->Events += W.Events.size();
  Out->UnknownSites += W.UnknownSites;
  Out->WrappedWarps += W.MayHaveWrapped;
  Out->UnfinishedWarps += !W.Time.Finished;
  WarpTime Time = W.Time;
  ArrayRef<Span> Spans = W.Spans;
  if (MarkCycles)
    Spans = subtracted(V, W, Time);
  PhaseCycles = 0;
  for (const Span &S : Spans)
    addSpan(V, W, S);
  for (const Event &E : W.Marks)
    ++Out->Rows[Phases->rowOf(E.Site)].Marks;
  double Cycles = within(V, Time.Begin, Time.End);
  Out->WarpCycles += Cycles;
  if (Work->S.filter().Phase.empty())
    Out->UntrackedCycles += std::max(0.0, Cycles - PhaseCycles);
  closeWarp();
}

void Collector::closeWarp() {
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

void Collector::closeRows(const BlockView &V) {
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

void Collector::addMeetings(const BlockView &V) {
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

void Collector::addPath(const BlockView &V, SmPath &P) {
  P.Rows.resize(Phases->size());
  criticalPath(V, Met, [&](const PathStep &S) {
    auto Cycles = static_cast<double>(S.Cycles);
    P.Cycles += Cycles;
    if (S.Site != PathStep::NoSite)
      P.Rows[Phases->rowOf(S.Site)] += Cycles;
  });
}

/// More blocks of a launch than this are on the device at no time.
size_t Collector::mostSlots(uint32_t Launch) const {
  constexpr uint64_t MostPerSm = 32, MostSms = 1024;
  const trace::Launch &L = Work->T.launches()[Launch];
  uint64_t PerSm =
      L.BlocksPerSm ? std::min<uint64_t>(L.BlocksPerSm, MostPerSm) : MostPerSm;
  uint64_t Sms = std::min<uint64_t>(Work->T.device(L).SmCount, MostSms);
  return std::min(L.gridBlocks(), Sms * PerSm);
}

void Collector::addTimes(const BlockView &V, LaunchSums &L) {
  Extent E(*Clock);
  E.beginBlock(V.B);
  for (const WarpView &W : V.Warps)
    E.addWarp(W.Events); // on the time axis marks have their length
  TimeRange R = E.endBlock();
  L.add(R);
  ++L.NumBlocks;
  if (!Work->FollowedGroup.count(V.Launch))
    return;
  if (L.NumBlocks == 1)
    L.Ends = TailFinder(mostSlots(V.Launch));
  L.Ends.add(R);
  if (!Work->WholeWarps)
    return;
  SmPath &P = L.Paths[V.B.SmStart];
  P.EndNs = std::max(P.EndNs, R.End);
  addPath(V, P);
}

void Collector::block(const BlockView &V) {
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
  addTimes(V, Launches[V.Launch]);
}

// ---- all blocks ----

void Collector::join(Collector &&Other) {
  for (size_t I = 0; I < Sums.size(); ++I)
    report::join(Sums[I], Other.Sums[I]);
  for (auto &[Index, L] : Other.Launches) {
    auto [It, New] = Launches.try_emplace(Index);
    if (New)
      It->second = std::move(L);
    else
      It->second.join(L);
  }
}

/// Of the SMs that may have ended last, as far as their clocks are aligned.
void Collector::finishPath(Statistics &Out, const LaunchSums &L,
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

void Collector::finishTail(Statistics &Out, const LaunchSums &L) const {
  std::optional<Tail> T = L.Ends.tail();
  if (!T)
    return;
  ++Out.NumTails;
  Out.Tails.Ns += T->Ns;
  Out.Tails.IdleNs += T->IdleNs;
  Out.Tails.Slots += T->Slots;
  Out.TailedNs += L.Time->length();
  Out.TailedSlotNs += L.Time->length() * static_cast<double>(T->Slots);
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

void Collector::finish(uint32_t G) {
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
    double Ns = C.Source == SlopeSource::None ? 0 : Sum.Time->length();
    S.LongestNs = std::max(S.LongestNs, Ns);
    if (!Work->isFollowed(G, I))
      continue;
    S.Followed.push_back({I, Sum.NumBlocks, Ns});
    finishPath(S, Sum, C);
    if (C.Source == SlopeSource::None)
      continue;
    if (!C.oneSm() && !C.StepKnown)
      S.AlignmentNs.reset();
    else if (!C.oneSm() && S.AlignmentNs)
      S.AlignmentNs = std::max(*S.AlignmentNs, C.AlignmentErrorNs);
    finishTail(S, Sum);
  }
  if (!Samples.Sms.all() || !S.WholeLaunches)
    S.ExpectedBlocks = S.Blocks;
  if (!S.WholeLaunches)
    S.ExpectedWarps = S.Warps;
}

std::vector<Statistics> Collector::finish() {
  for (uint32_t G = 0; G < Sums.size(); ++G)
    finish(G);
  return std::move(Sums);
}

Expected<std::vector<Statistics>>
computeStatistics(const Trace &T, const Selection &S,
                  ArrayRef<LaunchGroup> Groups, const StatisticsOptions &O) {
  Task Work(T, S, Groups, O);
  VisitOptions Visit;
  Visit.Wanted = [&](uint32_t Launch, const Block &) {
    return Work.GroupOf.count(Launch) != 0;
  };
  Expected<Collector> All = collectSelected(T, S, Visit, Collector(Work));
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
