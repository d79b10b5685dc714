// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ends of flows in the passings of a block.
#include "report/Flows.h"

#include "report/Findings.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// Whether a stay of a warp was a wait for the last one, worth an arrow.
static bool waited(const Passing *P, const Span &S) {
  constexpr uint64_t Least = 2 * Passing::Apart;
  return P && P->together() && P->LastBegin >= S.Begin + Least;
}

/// Calls \p Wait(position of the warp, passing, its spans from the wait on) for
/// each of them.
template <typename Fn>
static void forEachWait(const BlockView &V, const Meetings &Met, Fn Wait) {
  for (size_t W = 0; W < V.Warps.size(); ++W)
    for (size_t I = 0; I < V.Warps[W].Spans.size(); ++I) {
      ArrayRef<Span> From = V.Warps[W].Spans.drop_front(I);
      if (const Passing *P = Met.of(W, I); waited(P, From.front()))
        Wait(W, *P, From);
    }
}

void FlowSurvey::block(const BlockView &V) {
  if (!Whole)
    return;
  const Launch &L = T->launches()[V.Launch];
  std::vector<MeetingStats> &Stats = Sites[{L.Module, L.Kernel}];
  Stats.resize(T->kernel(L).Sites.size());
  Met.find(V, Stats.size());
  for (const Passing &P : Met.passings()) {
    MeetingStats &M = Stats[P.Site];
    M.Telling += P.telling();
    M.LeftEarly += P.telling() && P.leftEarly();
    M.Together += P.together();
  }
  uint64_t Waits = 0;
  forEachWait(V, Met, [&](auto &&...) { ++Waits; });
  Most = std::max(Most, Waits);
}

void FlowSurvey::join(const FlowSurvey &Other) {
  for (const auto &[K, Stats] : Other.Sites) {
    std::vector<MeetingStats> &Mine = Sites[K];
    Mine.resize(Stats.size());
    for (auto [To, From] : zip_equal(Mine, Stats))
      To.join(From);
  }
  Most = std::max(Most, Other.Most);
}

bool FlowSurvey::isBarrier(const Launch &L, uint32_t Site) const {
  auto It = Sites.find({L.Module, L.Kernel});
  return It != Sites.end() && report::isBarrier(It->second[Site]);
}

bool FlowSurvey::anyBarrier(const Launch &L) const {
  auto It = Sites.find({L.Module, L.Kernel});
  return It != Sites.end() && any_of(It->second, report::isBarrier);
}

void BlockFlows::find(const BlockView &V, const Trace &T,
                      const BlockTimes &Times, const FlowSurvey &Survey) {
  for (Ends *E : {&Out, &Into}) {
    E->resize(std::max(E->size(), V.Warps.size()));
    for (auto &OfWarp : *E)
      OfWarp.clear();
  }
  const Launch &L = T.launches()[V.Launch];
  if (!Survey.anyBarrier(L))
    return;
  Met.find(V, T.kernel(L).Sites.size());
  uint64_t Flow = 0;
  forEachWait(V, Met, [&](size_t Warp, const Passing &P, ArrayRef<Span> From) {
    if (!Survey.isBarrier(L, P.Site))
      return;
    // Pieces do not overlap: the first that is no later piece of a stay.
    const Span *Next =
        find_if(From.drop_front(), [](const Span &S) { return S.Before == 0; });
    if (Next == From.end() || Times.ns(Next->Begin) <= Times.ns(P.LastBegin))
      return;
    Out[P.LastWarp].push_back({P.LastBegin, Flow});
    Into[Warp].push_back({Next->Begin, Flow});
    ++Flow;
  });
  auto ByTime = [](const FlowEnd &A, const FlowEnd &B) {
    return std::pair(A.Begin, A.Flow) < std::pair(B.Begin, B.Flow);
  };
  for (Ends *E : {&Out, &Into})
    for (auto &OfWarp : *E)
      llvm::sort(OfWarp, ByTime);
}

} // namespace kinstr::report
