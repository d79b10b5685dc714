// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the blocks of a trace, for all kernels that are compared.
#include "report/DiffSamples.h"

#include "report/Extent.h"
#include "report/MarkCost.h"
#include "report/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// Bits of a double's fraction that are dropped.
static constexpr unsigned Dropped = 52 - 11;

uint32_t Durations::keyOf(double Value) {
  auto Bits = llvm::bit_cast<uint64_t>(std::max(Value, 0.0));
  return static_cast<uint32_t>((Bits + (uint64_t(1) << (Dropped - 1))) >>
                               Dropped);
}

double Durations::valueOf(uint32_t Key) {
  return llvm::bit_cast<double>(uint64_t(Key) << Dropped);
}

void Durations::join(const Durations &Other) {
  Total += Other.Total;
  for (auto [Key, N] : Other.Counts)
    Counts[Key] += N;
}

std::vector<std::pair<double, uint64_t>> Durations::sorted() const {
  std::vector<std::pair<double, uint64_t>> Out;
  for (auto [Key, N] : Counts)
    Out.emplace_back(valueOf(Key), N);
  llvm::sort(Out);
  return Out;
}

uint64_t Durations::upTo(double Value) const {
  uint64_t Sum = 0;
  for (auto [Key, N] : Counts)
    if (valueOf(Key) <= Value)
      Sum += N;
  return Sum;
}

void RowSamples::join(const RowSamples &Other) {
  Stays.join(Other.Stays);
  Sum += Other.Sum;
  Time += Other.Time;
  Marks += Other.Marks;
}

// ---- which launches belong together ----

static std::string shapeOf(const Launch &L) {
  std::string Out = "grid " + dims(L.Grid) + ", block " + dims(L.BlockDim);
  if (L.Cluster[0] * L.Cluster[1] * L.Cluster[2] > 1)
    Out += ", cluster " + dims(L.Cluster);
  return Out;
}

static bool isRow(const Site &At) {
  return At.Kind == SiteKind::Phase || At.Kind == SiteKind::Scope;
}

static RowName rowName(const Site &At) {
  return {At.Kind == SiteKind::Scope, At.Name};
}

/// Adds the selected rows of a launch's kernel that are not there yet.
static void addRows(const Trace &T, const Selection &S, uint32_t Launch,
                    std::vector<RowName> &Rows) {
  ArrayRef<Site> Sites = T.kernel(T.launches()[Launch]).Sites;
  for (size_t I = 0; I < Sites.size(); ++I)
    if (isRow(Sites[I]) && S.hasSite(Launch, I) &&
        !is_contained(Rows, rowName(Sites[I])))
      Rows.push_back(rowName(Sites[I]));
}

/// The mean of the launches' clocks, and how sure they are.
static ClockSummary clockOf(const Trace &T, ArrayRef<uint32_t> Launches) {
  ClockSummary Out;
  Out.Measured = true;
  bool Known = true;
  for (uint32_t I : Launches) {
    const LaunchClock &C = T.clock(I);
    Known &= C.Source != SlopeSource::None;
    Out.Measured &= C.Source == SlopeSource::Launch;
    Out.NsPerCycle += C.NsPerCycle;
    if (C.Source == SlopeSource::Launch)
      Out.Uncertainty += (C.MaxNsPerCycle - C.MinNsPerCycle) / 2 / C.NsPerCycle;
    double Error = C.oneSm() ? 0 : C.StepKnown ? C.AlignmentErrorNs : INFINITY;
    Out.AlignmentErrorNs = std::max(Out.AlignmentErrorNs, Error);
  }
  auto N = static_cast<double>(Launches.size());
  Out.Uncertainty = std::max(Out.Uncertainty / N, 0.0);
  Out.NsPerCycle = Known ? Out.NsPerCycle / N : 0;
  Out.Measured &= Known && std::isfinite(Out.Uncertainty);
  return Out;
}

std::vector<KernelGroup> groupByName(const Trace &T, const Selection &S) {
  std::vector<KernelGroup> Groups;
  StringMap<size_t> Known;
  for (uint32_t I : S.launches()) {
    const Launch &L = T.launches()[I];
    const Kernel &K = T.kernel(L);
    std::string Name = kernelName(T, L);
    auto [It, New] = Known.try_emplace(Name, Groups.size());
    if (New) {
      Groups.emplace_back();
      Groups.back().Name = Name;
      Groups.back().Source = K.Name;
    }
    KernelGroup &G = Groups[It->second];
    G.Launches.push_back(I);
    addRows(T, S, I, G.Rows);
    G.Shapes.insert(shapeOf(L));
    G.Places.insert(printable(T.module(L).fileOf(K)) + ":" + utostr(K.Line));
    G.Recorders.insert(printable(K.Buffer + ", " + K.Layout + ", " + K.Flow));
    G.Devices.insert(L.Device);
    if (std::optional<double> Cost = markCost(T, L))
      G.MarkCost = std::max(G.MarkCost.value_or(0), *Cost);
  }
  for (KernelGroup &G : Groups) {
    G.Clock = clockOf(T, G.Launches);
    llvm::stable_sort(G.Rows, [](const RowName &A, const RowName &B) {
      return A.IsScope < B.IsScope;
    });
  }
  return Groups;
}

// ---- the pass ----

/// Number \p I of \p N, in parts that differ by one at most.
static size_t partOf(uint64_t I, uint64_t N) {
  return N <= MostUnits ? I : I * MostUnits / N;
}

namespace {

/// What all sinks look up and none changes.
struct Plan {
  const Trace &T;
  const Selection &S;
  ArrayRef<KernelGroup> Groups;
  ArrayRef<TimeUnit> Units;
  std::vector<int> GroupOf;     ///< of a launch, -1 none
  std::vector<uint32_t> Number; ///< of a launch in its group
  /// The row of a site, -1 none, by module and kernel.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<int>> Rows;

  Plan(const Trace &T, const Selection &S, ArrayRef<KernelGroup> Groups,
       ArrayRef<TimeUnit> Units);

  ArrayRef<int> rowsOf(const Launch &L) const {
    return Rows.at({L.Module, L.Kernel});
  }
  /// What a cycle of a launch is in its group's unit.
  double scaleOf(uint32_t Launch) const {
    return Units[GroupOf[Launch]] == TimeUnit::Ns ? T.clock(Launch).NsPerCycle
                                                  : 1;
  }
  size_t unitOf(uint32_t Launch, const Block &B) const;
};

/// What was seen of a launch as a whole.
struct LaunchExtent {
  TimeRange Range;
  uint64_t Finished = 0; ///< blocks

  void join(const LaunchExtent &Other) {
    Range = {std::min(Range.Begin, Other.Range.Begin),
             std::max(Range.End, Other.Range.End)};
    Finished += Other.Finished;
  }
};

class SampleSink final : public BlockSink {
public:
  explicit SampleSink(const Plan &P) : P(&P), Groups(P.Groups.size()) {
    for (auto [G, Info] : zip_equal(Groups, P.Groups))
      G.Units.resize(MostUnits);
  }

  void block(const BlockView &V) override;
  void join(SampleSink &&Other);
  std::vector<KernelSamples> finish();

private:
  void warp(const BlockView &V, const WarpView &W, UnitSamples &U);
  void add(uint32_t Launch, const LaunchExtent &E);
  void addLaunchTimes(KernelSamples &G, const KernelGroup &Info) const;

  const Plan *P;
  std::vector<KernelSamples> Groups;
  std::map<uint32_t, LaunchExtent> Extents;
  std::vector<uint64_t> Marks; ///< of a warp: their clocks, ascending
};

} // namespace

Plan::Plan(const Trace &T, const Selection &S, ArrayRef<KernelGroup> Groups,
           ArrayRef<TimeUnit> Units)
    : T(T), S(S), Groups(Groups), Units(Units),
      GroupOf(T.launches().size(), -1), Number(T.launches().size(), 0) {
  for (auto [G, Info] : enumerate(Groups))
    for (auto [N, I] : enumerate(Info.Launches)) {
      const Launch &L = T.launches()[I];
      GroupOf[I] = static_cast<int>(G);
      Number[I] = static_cast<uint32_t>(N);
      auto [It, New] = Rows.try_emplace({L.Module, L.Kernel});
      if (!New)
        continue;
      for (const Site &At : T.kernel(L).Sites) {
        auto Row = find(Info.Rows, rowName(At));
        bool IsRow = isRow(At) && Row != Info.Rows.end();
        It->second.push_back(IsRow ? Row - Info.Rows.begin() : -1);
      }
    }
}

size_t Plan::unitOf(uint32_t Launch, const Block &B) const {
  const KernelGroup &G = Groups[GroupOf[Launch]];
  if (G.severalLaunches())
    return partOf(Number[Launch], G.Launches.size());
  // Among the blocks that may be there.
  const Sample &Sampled = T.meta().Samples.Blocks;
  const IndexRange &Range = S.filter().Blocks;
  uint64_t First = std::max<uint64_t>(Sampled.First, Range.First);
  uint64_t End = std::min(T.launches()[Launch].gridBlocks(),
                          uint64_t(Sampled.First) + Sampled.Count);
  End = Range.Last < End ? Range.Last + 1 : End;
  if (B.Number < First || B.Number >= End)
    return 0; // of a damaged trace
  return partOf((B.Number - First) / Sampled.Every,
                (End - First + Sampled.Every - 1) / Sampled.Every);
}

void SampleSink::warp(const BlockView &V, const WarpView &W, UnitSamples &U) {
  ArrayRef<int> Rows = P->rowsOf(P->T.launches()[V.Launch]);
  double Scale = P->scaleOf(V.Launch);
  auto Within = [&](uint64_t Begin, uint64_t End) {
    return Scale * P->S.cyclesWithin(V.Launch, V.B, Begin, End);
  };
  Marks.clear();
  for (const Event &E : W.Events)
    if (E.Site != pause_site)
      Marks.push_back(E.Clock);
  // What begins with a mark and ends with one has the cost of one in it.
  auto MarksWithin = [&](uint64_t Begin, uint64_t End) -> uint64_t {
    return llvm::upper_bound(Marks, End) - llvm::upper_bound(Marks, Begin);
  };
  ++U.Warps;
  U.Marks += Marks.size();
  U.WarpTime += Within(W.Time.Begin, W.Time.End);
  for (const Span &Piece : W.Spans) {
    RowSamples &Row = U.Rows[Rows[Piece.Site]];
    Row.Time += Within(Piece.Begin, Piece.End);
    Row.Marks += MarksWithin(Piece.Begin, Piece.End);
    if (Piece.Interrupted || Piece.Open)
      continue;
    double Stay = Scale * static_cast<double>(Piece.Before + Piece.cycles());
    Row.Stays.add(Stay);
    Row.Sum += Stay;
  }
  for (const ScopeSpan &S : W.Scopes) {
    RowSamples &Row = U.Rows[Rows[S.Site]];
    double Stay = Scale * static_cast<double>(S.cycles());
    // Where in it its pauses were, nobody has kept.
    Row.Time += P->S.filter().allTime() ? Stay : Within(S.Begin, S.End);
    Row.Marks += MarksWithin(S.Begin, S.End);
    if (S.Open)
      continue;
    Row.Stays.add(Stay);
    Row.Sum += Stay;
  }
}

void SampleSink::block(const BlockView &V) {
  int Group = P->GroupOf[V.Launch];
  if (Group < 0)
    return;
  UnitSamples &U = Groups[Group].Units[P->unitOf(V.Launch, V.B)];
  U.Rows.resize(P->Groups[Group].Rows.size());
  ++U.Blocks;
  for (const WarpView &W : V.Warps)
    warp(V, W, U);

  const LaunchClock &Clock = P->T.clock(V.Launch);
  if (Clock.Source == SlopeSource::None)
    return;
  Extent E(Clock);
  E.beginBlock(V.B);
  for (const WarpView &W : V.Warps)
    E.addWarp(W.Events);
  add(V.Launch, {E.endBlock(), V.B.Finished});
}

void SampleSink::add(uint32_t Launch, const LaunchExtent &E) {
  auto [It, New] = Extents.try_emplace(Launch, E);
  if (!New)
    It->second.join(E);
}

void SampleSink::join(SampleSink &&Other) {
  for (auto [Into, From] : zip_equal(Groups, Other.Groups))
    for (auto [To, U] : zip_equal(Into.Units, From.Units)) {
      To.Rows.resize(std::max(To.Rows.size(), U.Rows.size()));
      for (size_t I = 0; I < U.Rows.size(); ++I)
        To.Rows[I].join(U.Rows[I]);
      To.WarpTime += U.WarpTime;
      To.Warps += U.Warps;
      To.Marks += U.Marks;
      To.Blocks += U.Blocks;
    }
  for (const auto &[Launch, E] : Other.Extents)
    add(Launch, E);
}

void SampleSink::addLaunchTimes(KernelSamples &G,
                                const KernelGroup &Info) const {
  G.LaunchTimes.resize(std::min(Info.Launches.size(), MostUnits));
  for (auto [N, I] : enumerate(Info.Launches)) {
    auto It = Extents.find(I);
    if (It == Extents.end() ||
        It->second.Finished < P->T.launches()[I].gridBlocks()) {
      ++G.Incomplete;
      continue;
    }
    RowSamples &Row = G.LaunchTimes[partOf(N, Info.Launches.size())];
    Row.Stays.add(It->second.Range.length());
    Row.Sum += It->second.Range.length();
  }
  erase_if(G.LaunchTimes,
           [](const RowSamples &R) { return R.Stays.count() == 0; });
}

std::vector<KernelSamples> SampleSink::finish() {
  for (KernelSamples &G : Groups)
    erase_if(G.Units, [](const UnitSamples &U) { return U.Blocks == 0; });
  const Sampling &Sampled = P->T.meta().Samples;
  if (P->S.wholeLaunches() && Sampled.Blocks.all() && Sampled.Sms.all())
    for (auto [G, Info] : zip_equal(Groups, P->Groups))
      if (Info.Clock.NsPerCycle > 0)
        addLaunchTimes(G, Info);
  return std::move(Groups);
}

Expected<std::vector<KernelSamples>>
collectSamples(const Trace &T, const Selection &S, ArrayRef<KernelGroup> Groups,
               ArrayRef<TimeUnit> Units) {
  const Plan P(T, S, Groups, Units);
  Expected<SampleSink> All = collectSelected(T, S, {}, SampleSink(P));
  if (!All)
    return All.takeError();
  return All->finish();
}

} // namespace kinstr::report
