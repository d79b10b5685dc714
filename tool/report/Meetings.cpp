// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the spans of a block's warps together by site and number.
#include "report/Meetings.h"

#include <algorithm>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

uint32_t Meetings::passingOf(uint32_t Site, uint32_t Nth) {
  if (Nth == OfSite[Site].size()) {
    OfSite[Site].push_back(static_cast<uint32_t>(All.size()));
    Passing P;
    P.Site = Site;
    P.FirstBegin = P.FirstEnd = std::numeric_limits<uint64_t>::max();
    All.push_back(P);
  }
  return OfSite[Site][Nth];
}

void Meetings::find(const BlockView &V, size_t NumSites) {
  All.clear();
  FirstSpan.clear();
  OfSpan.clear();
  OfSite.resize(std::max(OfSite.size(), NumSites));
  for (size_t I = 0; I < NumSites; ++I)
    OfSite[I].clear();
  for (size_t W = 0; W < V.Warps.size(); ++W) {
    FirstSpan.push_back(OfSpan.size());
    Times.assign(NumSites, 0);
    for (const Span &S : V.Warps[W].Spans) {
      bool Piece = S.Interrupted || S.Before != 0;
      if (Piece || V.B.moved()) {
        OfSpan.push_back(None);
        continue;
      }
      uint32_t Which = passingOf(S.Site, Times[S.Site]++);
      OfSpan.push_back(Which);
      Passing &P = All[Which];
      ++P.Warps;
      P.FirstBegin = std::min(P.FirstBegin, S.Begin);
      if (P.Warps == 1 || S.Begin > P.LastBegin) {
        P.LastBegin = S.Begin;
        P.LastWarp = static_cast<uint32_t>(W);
      }
      P.FirstEnd = std::min(P.FirstEnd, S.End);
      P.LastEnd = std::max(P.LastEnd, S.End);
      P.SumBegins += S.Begin - V.B.ClockStart;
      P.Closed &= !S.Open;
    }
  }
}

} // namespace kinstr::report
