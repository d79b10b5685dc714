// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums up scopes and values by name.
#include "report/ScopeStatistics.h"

#include "report/Phases.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

/// The rows of a kernel's sites.
struct Rows {
  ScopeStatistics Empty;
  NamedSites Scopes, Values;

  Rows(const Kernel &K, function_ref<bool(uint32_t Site)> IsSelected)
      : Scopes(K, SiteKind::Scope), Values(K, SiteKind::Value) {
    for (const PhaseRow &R : Scopes.rows())
      Empty.Scopes.push_back({R, {}});
    for (const PhaseRow &R : Values.rows())
      Empty.Values.push_back({R, /*Selected=*/false, {}});
    for (ScopeStats &S : Empty.Scopes)
      S.R.Selected = false;
    for (uint32_t I = 0; I < K.Sites.size(); ++I) {
      if (!IsSelected(I))
        continue;
      if (int Row = Scopes.rowOf(I); Row >= 0)
        Empty.Scopes[Row].R.Selected = true;
      if (int Row = Values.rowOf(I); Row >= 0)
        Empty.Values[Row].Selected = true;
    }
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
      uint32_t First = Launches.front();
      const Rows &R = OfGroup.emplace_back(
          T.kernel(T.launches()[First]),
          [&](uint32_t Site) { return S.hasSite(First, Site); });
      if (R.Empty.anyScope() || R.Empty.anyValue())
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
    const Rows &Of = Work->OfGroup[G];
    for (const WarpView &W : V.Warps) {
      for (const ScopeSpan &S : W.Scopes)
        add(V, W, S, Work->Groups[G].size() > 1,
            Sums[G].Scopes[Of.Scopes.rowOf(S.Site)].R);
      for (const Value &N : W.Values)
        Sums[G].Values[Of.Values.rowOf(N.Site)].N.add(
            N.N, placeOfNumber(Work->T, V, W, N));
    }
  }
  void join(Sink &&Other) {
    for (auto [To, From] : zip_equal(Sums, Other.Sums)) {
      for (auto [A, B] : zip_equal(To.Scopes, From.Scopes))
        join(A.R, B.R);
      for (auto [A, B] : zip_equal(To.Values, From.Values))
        A.N.join(B.N);
    }
  }

  std::vector<ScopeStatistics> Sums;

private:
  void add(const BlockView &V, const WarpView &W, const ScopeSpan &S,
           bool SeveralLaunches, RowStats &R) const {
    R.InWarps += Work->S.filter().allTime()
                     ? static_cast<double>(S.cycles())
                     : Work->S.cyclesWithin(V.Launch, V.B, S.Begin, S.End) -
                           Work->S.pausedWithin(V, W, S.Begin, S.End);
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
