// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for ends of phases that fall together, against how often they would by
// chance.
#include "report/WarpWaits.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

void WaitPair::add(uint64_t Length, uint64_t Ends, uint64_t Lag) {
  ++Stays;
  Cycles += static_cast<double>(Length);
  if (Ends && Lag / Bin < MostBins)
    ++Lags[Lag / Bin];
  for (size_t I = 0; I < Widths.size(); ++I)
    Chances[I] += std::min(1.0, static_cast<double>(Ends * Widths[I] * Bin) /
                                    static_cast<double>(Length));
}

void WaitPair::join(const WaitPair &Other) {
  Stays += Other.Stays;
  Cycles += Other.Cycles;
  for (size_t I = 0; I < MostBins; ++I)
    Lags[I] += Other.Lags[I];
  for (size_t I = 0; I < Widths.size(); ++I)
    Chances[I] += Other.Chances[I];
}

std::optional<WaitPair::Match> WaitPair::match(const Demand &D) const {
  if (Stays < D.Stays)
    return std::nullopt;
  const auto All = static_cast<double>(Stays);
  // Phases that take turns in step end at like distances, too, but not in each
  // other's last quarter.
  const auto Latest = static_cast<size_t>(
      std::min(std::max(Cycles / All / 4 / Bin, 2.0), double(MostBins)));
  for (size_t W = 0; W < Widths.size() && Widths[W] <= Latest; ++W) {
    Match Best;
    Best.Chance = Chances[W];
    for (size_t First = 0; First + Widths[W] <= Latest; ++First) {
      uint64_t Hits =
          std::accumulate(&Lags[First], &Lags[First] + Widths[W], uint64_t(0));
      if (Hits > Best.Hits)
        Best = {First * Bin, (First + Widths[W]) * Bin, Hits, Chances[W]};
    }
    auto Hits = static_cast<double>(Best.Hits);
    if (Hits >= D.Share * All && Best.Chance <= D.Chance * All &&
        Hits - Best.Chance >= D.Sigmas * std::sqrt(Best.Chance + 1))
      return Best;
  }
  return std::nullopt;
}

namespace {

/// More stays than this of a warp in a block tell nothing new.
constexpr size_t MostStays = 64;

struct BlockSites {
  std::vector<uint64_t> Users;             ///< of a site: a bit for each warp
  std::vector<std::vector<uint64_t>> Ends; ///< of its stays, ascending

  BlockSites(const BlockView &V, size_t NumSites)
      : Users(NumSites), Ends(NumSites) {
    for (const WarpView &W : V.Warps)
      for (const Span &S : W.Spans) {
        Users[S.Site] |= uint64_t(1) << W.Index;
        if (!S.Interrupted && !S.Open)
          Ends[S.Site].push_back(S.End);
      }
    for (std::vector<uint64_t> &E : Ends)
      llvm::sort(E);
  }
};

/// The warps of a block are not all in the same phases.
bool hasKinds(const BlockView &V) {
  auto SitesOf = [](const WarpView &W) {
    uint64_t Sites = 0;
    for (const Span &S : W.Spans)
      Sites |= uint64_t(1) << S.Site;
    return Sites;
  };
  uint64_t First = SitesOf(V.Warps.front());
  return any_of(V.Warps.drop_front(),
                [&](const WarpView &W) { return SitesOf(W) != First; });
}

void addStay(WaitPair &P, const Span &S, ArrayRef<uint64_t> Ends) {
  auto First = upper_bound(Ends, S.Begin), Last = upper_bound(Ends, S.End);
  P.add(S.cycles(), Last - First, First != Last ? S.End - Last[-1] : 0);
}

} // namespace

static bool isLong(const Span &S) {
  return !S.Interrupted && !S.Open && S.Before == 0 &&
         S.cycles() >= WarpWaits::LongEnough;
}

static double longCycles(const WarpView &W, uint32_t Site) {
  double Sum = 0;
  for (const Span &S : W.Spans)
    if (S.Site == Site && isLong(S))
      Sum += static_cast<double>(S.cycles());
  return Sum;
}

void WarpWaits::addStays(const WarpView &W, uint32_t Site, uint32_t Other,
                         ArrayRef<uint64_t> Ends) {
  WaitPair &P = Pairs[{Site, Other}];
  size_t Stays = 0;
  for (const Span &S : W.Spans)
    if (S.Site == Site && isLong(S) && Stays++ < MostStays)
      addStay(P, S, Ends);
}

void WarpWaits::add(const BlockView &V, size_t NumSites) {
  if (NumSites > MostSites || V.Warps.size() < 2 || V.B.moved() ||
      V.Warps.back().Index >= 64 || !hasKinds(V))
    return;
  BlockSites B(V, NumSites);
  for (const WarpView &W : V.Warps)
    for (uint32_t Site = 0; Site < NumSites; ++Site) {
      if (!(B.Users[Site] >> W.Index & 1))
        continue;
      Users[Site].Warps |= uint64_t(1) << W.Index;
      Users[Site].Cycles += static_cast<double>(W.Time.cycles());
      Users[Site].LongCycles += longCycles(W, Site);
      for (uint32_t Other = 0; Other < NumSites; ++Other)
        if (!B.Ends[Other].empty() && !(B.Users[Site] & B.Users[Other]))
          addStays(W, Site, Other, B.Ends[Other]);
    }
}

void WarpWaits::join(const WarpWaits &Other) {
  for (const auto &[Sites, P] : Other.Pairs)
    Pairs[Sites].join(P);
  for (const auto &[Site, U] : Other.Users) {
    Users[Site].Warps |= U.Warps;
    Users[Site].Cycles += U.Cycles;
    Users[Site].LongCycles += U.LongCycles;
  }
}

} // namespace kinstr::report
