// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums up scopes and values by name.
#include "report/ScopeStatistics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

void ValueStats::add(double Value) {
  ++Count;
  if (!std::isfinite(Value))
    return;
  ++Finite;
  Min = std::min(Min, Value);
  Max = std::max(Max, Value);
  Sum += Value;
}

void ValueStats::join(const ValueStats &Other) {
  Count += Other.Count;
  Finite += Other.Finite;
  Min = std::min(Min, Other.Min);
  Max = std::max(Max, Other.Max);
  Sum += Other.Sum;
}

namespace {

/// The rows of a kernel's sites.
struct Rows {
  ScopeStatistics Empty;
  std::vector<size_t> OfSite; ///< in Scopes or Values

  explicit Rows(const Kernel &K) : OfSite(K.Sites.size()) {
    StringMap<size_t> Scopes, Values;
    for (auto [I, S] : enumerate(K.Sites)) {
      if (S.Kind == SiteKind::Scope)
        OfSite[I] = rowOf(S, Scopes, Empty.Scopes);
      if (S.Kind == SiteKind::Value)
        OfSite[I] = rowOf(S, Values, Empty.Values);
    }
  }

private:
  template <typename Row>
  static size_t rowOf(const Site &S, StringMap<size_t> &Known,
                      std::vector<Row> &All) {
    auto [It, New] = Known.try_emplace(S.Name, All.size());
    if (New) {
      All.emplace_back();
      All.back().Name = S.Name;
      All.back().Line = S.Line;
    }
    return It->second;
  }
};

struct Task {
  const Trace &T;
  const Selection &S;
  ArrayRef<LaunchGroup> Groups;
  std::vector<Rows> OfGroup;
  DenseMap<uint32_t, uint32_t> GroupOf; ///< by launch; of those that have some

  Task(const Trace &T, const Selection &S, ArrayRef<LaunchGroup> Groups)
      : T(T), S(S), Groups(Groups) {
    for (auto [G, Launches] : enumerate(Groups)) {
      const Rows &R =
          OfGroup.emplace_back(T.kernel(T.launches()[Launches.front()]));
      if (!R.Empty.Scopes.empty() || !R.Empty.Values.empty())
        for (uint32_t I : Launches)
          GroupOf[I] = static_cast<uint32_t>(G);
    }
  }
};

class Sink final : public BlockSink {
public:
  explicit Sink(const Task &Work) : Work(&Work) {
    for (const Rows &R : Work.OfGroup)
      Sums.push_back(R.Empty);
  }

  void block(const BlockView &V) override {
    uint32_t G = Work->GroupOf.at(V.Launch);
    ArrayRef<size_t> RowOf = Work->OfGroup[G].OfSite;
    for (const WarpView &W : V.Warps) {
      for (const ScopeSpan &S : W.Scopes)
        add(V, S, Work->Groups[G].size() > 1, Sums[G].Scopes[RowOf[S.Site]].R);
      for (const Value &N : W.Values)
        Sums[G].Values[RowOf[N.Site]].add(N.N.toDouble());
    }
  }
  void join(Sink &&Other) {
    for (auto [To, From] : zip_equal(Sums, Other.Sums)) {
      for (auto [A, B] : zip_equal(To.Scopes, From.Scopes))
        join(A.R, B.R);
      for (auto [A, B] : zip_equal(To.Values, From.Values))
        A.join(B);
    }
  }

  std::vector<ScopeStatistics> Sums;

private:
  void add(const BlockView &V, const ScopeSpan &S, bool SeveralLaunches,
           RowStats &R) const {
    double Within = Work->S.cyclesWithin(V.Launch, V.B, S.Begin, S.End);
    // Where in it its pauses were, nobody has kept.
    bool AllTime = Work->S.filter().allTime();
    R.InWarps += AllTime ? static_cast<double>(S.cycles()) : Within;
    if (S.Open) {
      ++R.Open;
      return;
    }
    R.Cycles.add(S.cycles());
    double NsPerCycle = Work->T.clock(V.Launch).NsPerCycle;
    if (SeveralLaunches && NsPerCycle > 0)
      R.Ns16.add(static_cast<uint64_t>(
          std::min(static_cast<double>(S.cycles()) * NsPerCycle * 16, 1e18)));
  }
  static void join(RowStats &To, const RowStats &From) {
    To.InWarps += From.InWarps;
    To.Open += From.Open;
    To.Cycles.join(From.Cycles);
    To.Ns16.join(From.Ns16);
  }

  const Task *Work;
};

} // namespace

Expected<std::vector<ScopeStatistics>>
computeScopeStatistics(const Trace &T, const Selection &S,
                       ArrayRef<LaunchGroup> Groups) {
  Task Work(T, S, Groups);
  if (Work.GroupOf.empty())
    return Sink(Work).Sums;
  VisitOptions O;
  O.Wanted = [&](uint32_t Launch, const Block &) {
    return Work.GroupOf.count(Launch) != 0;
  };
  Expected<Sink> All = collectSelected(T, S, O, Sink(Work));
  if (!All)
    return All.takeError();
  return std::move(All->Sums);
}

} // namespace kinstr::report
