// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said of the numbers of a value, and which sites are one.
#include "TraceTest.h"
#include "report/HtmlSurvey.h"
#include "report/NumberStats.h"
#include "report/Phases.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;
using trace::Number;
using trace::SiteKind;

static Number real(float V) {
  return {number_type::floating_point, llvm::bit_cast<uint32_t>(V)};
}
static Number whole(int32_t V) {
  return {number_type::signed_integer, static_cast<uint32_t>(V)};
}

TEST(NumberStats, SmallestLargestAndMean) {
  NumberStats S;
  EXPECT_EQ(S.count(), 0u);
  EXPECT_FALSE(S.hasRange());
  for (int32_t V : {3, -7, 5, 1})
    S.add(whole(V), {});
  EXPECT_EQ(S.count(), 4u);
  EXPECT_EQ(S.min().str(), "-7");
  EXPECT_EQ(S.max().str(), "5");
  EXPECT_EQ(S.mean(), 0.5);
  // Each of its own type.
  S.add({number_type::unsigned_integer, 0xFFFFFFFF}, {});
  S.add(real(-7.5), {});
  EXPECT_EQ(S.max().str(), "4294967295");
  EXPECT_EQ(S.min().str(), "-7.5");
}

TEST(NumberStats, OfWhatIsNotFiniteThereIsNoMean) {
  const float Infinity = std::numeric_limits<float>::infinity();
  NumberStats S;
  S.add(real(std::numeric_limits<float>::quiet_NaN()), {1});
  S.add(real(Infinity), {2});
  S.add(real(-Infinity), {3});
  EXPECT_EQ(S.count(), 3u);
  EXPECT_FALSE(S.hasRange());
  EXPECT_EQ(S.last().str(), "-inf");
  S.add(real(2), {0});
  S.add(real(4), {0});
  EXPECT_EQ(S.count(), 5u);
  EXPECT_EQ(S.min().str(), "2");
  EXPECT_EQ(S.max().str(), "4");
  EXPECT_EQ(S.mean(), 3);
}

TEST(NumberStats, MeansAsText) {
  auto MeanOf = [](std::initializer_list<Number> All) {
    NumberStats S;
    for (const Number &N : All)
      S.add(N, {});
    return S.meanText();
  };
  EXPECT_EQ(MeanOf({whole(1), whole(2)}), "1.5");
  EXPECT_EQ(MeanOf({real(0.1F)}), "0.1");
  EXPECT_EQ(MeanOf({whole(1), whole(1), whole(2)}), "1.333333");
  EXPECT_EQ(MeanOf({{number_type::unsigned_integer, 4000000000}}),
            "4000000000.0");
  EXPECT_EQ(MeanOf({real(-2e20F), real(-4e20F)}), "-3e+20");
}

TEST(NumberStats, TheLastIsThatOfTheLatestTime) {
  // In this order by time, then by block, warp and clock.
  const NumberPlace Places[] = {{1, 9, 9, 9}, {2, 1, 0, 5}, {2, 1, 0, 6},
                                {2, 1, 1, 0}, {2, 2, 0, 0}, {3, 0, 0, 0}};
  for (size_t Last = 1; Last <= std::size(Places); ++Last) {
    // However they come, and in however many parts.
    for (size_t First = 0; First < Last; ++First) {
      NumberStats Parts[2], One;
      for (size_t I = 0; I < Last; ++I) {
        size_t At = (First + I) % Last;
        One.add(whole(static_cast<int32_t>(At)), Places[At]);
        Parts[I % 2].add(whole(static_cast<int32_t>(At)), Places[At]);
      }
      Parts[0].join(Parts[1]);
      EXPECT_EQ(One.last().str(), std::to_string(Last - 1));
      EXPECT_EQ(Parts[0].last().str(), One.last().str());
      EXPECT_EQ(Parts[0].count(), One.count());
      EXPECT_EQ(Parts[0].min().str(), One.min().str());
      EXPECT_EQ(Parts[0].max().str(), One.max().str());
      EXPECT_EQ(Parts[0].mean(), One.mean());
    }
  }
  NumberStats None, Some;
  Some.add(whole(4), {-1});
  None.join(Some);
  None.join({});
  EXPECT_EQ(None.last().str(), "4"); // no 0 of those that are not there
  EXPECT_EQ(None.min().str(), "4");
}

static trace::Site site(SiteKind Kind, llvm::StringRef Name, uint32_t Line) {
  trace::Site S;
  S.Kind = Kind;
  S.Name = Name.str();
  S.Line = Line;
  return S;
}

TEST(NamedSites, OneRowForAName) {
  trace::Kernel K;
  K.Sites = {site(SiteKind::Phase, "a", 1),    site(SiteKind::Scope, "b", 2),
             site(SiteKind::Scope, "a", 3),    site(SiteKind::ScopeEnd, "a", 3),
             site(SiteKind::ScopeEnd, "b", 4), site(SiteKind::Value, "a", 5),
             site(SiteKind::Scope, "b", 6),    site(SiteKind::Scope, "b", 6)};
  NamedSites Scopes(K, SiteKind::Scope), Values(K, SiteKind::Value);
  ASSERT_EQ(Scopes.size(), 2u);
  EXPECT_EQ(Scopes.rows()[0].Name, "b");
  EXPECT_EQ(Scopes.rows()[0].lines(), "L2,L6");
  EXPECT_EQ(Scopes.rows()[1].Name, "a");
  ASSERT_EQ(Values.size(), 1u);
  const int RowOf[][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, -1},
                          {-1, -1}, {-1, 0}, {0, -1}, {0, -1}};
  for (uint32_t I = 0; I < K.Sites.size(); ++I) {
    EXPECT_EQ(Scopes.rowOf(I), RowOf[I][0]) << I;
    EXPECT_EQ(Values.rowOf(I), RowOf[I][1]) << I;
  }
}

TEST(HtmlSurvey, ScopesAreInNoShareOfPhases) {
  SimulatedGpu G;
  SimSite Count{"value", "n", 5, 10, 0};
  Count.First = 7;
  Count.Step = 2;
  G.Kernels = {{"k",
                1,
                /*Stream=*/true,
                3,
                {{"phase", "a", 2, 300, 90},
                 {"scope", "s", 3, 20, 5},
                 {"phase", "b", 4, 100, 50},
                 Count,
                 {"scope-end", "s", 3, 40, 0}}}};
  SimLaunch L;
  L.Grid = 10;
  L.Threads = 64;
  G.Launches = {L};
  trace::Trace T = understood(G.build());
  Selection Sel = llvm::cantFail(Selection::make(T, {}));
  Survey S = llvm::cantFail(survey(T, Sel, PageLaunches(Sel.launches())));
  const LaunchSurvey &Found = S.Launches[0];
  EXPECT_EQ(Found.Spans, 120u); // 20 warps, 3 rounds
  EXPECT_EQ(Found.Scopes, 60u);
  EXPECT_EQ(Found.Numbers, 60u);
  EXPECT_EQ(S.spans(), 240u); // what a page's limit is of
  EXPECT_EQ(Found.PhaseCycles, Found.Sites[0].Cycles + Found.Sites[2].Cycles);
  EXPECT_EQ(Found.PhaseCycles, Found.WarpCycles);
  const SiteSurvey &Scope = Found.Sites[1];
  EXPECT_EQ(Scope.Closed.count(), 60u);
  EXPECT_EQ(Scope.Open, 0u);
  EXPECT_EQ(Scope.Cycles, Scope.Closed.sum());
  EXPECT_GE(Scope.Closed.min(), 20u + 100 + 10);
  EXPECT_LE(Scope.Closed.max(), 25u + 150 + 10);
  EXPECT_EQ(Found.Sites[4].Closed.count(), 0u);
  const NumberStats &N = Found.Sites[3].Numbers;
  EXPECT_EQ(N.count(), 60u);
  EXPECT_EQ(N.min().str(), "7");
  EXPECT_EQ(N.max().str(), "11");
  EXPECT_EQ(N.mean(), 9);
  EXPECT_EQ(N.last().str(), "11");
}
