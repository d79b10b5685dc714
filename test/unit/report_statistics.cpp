// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Percentiles, rows, shares.
#include "TraceTest.h"
#include "report/Extent.h"
#include "report/MarkCost.h"
#include "report/Statistics.h"

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;

TEST(ReportStatistics, QuantilesAreNearestRank) {
  auto Of = [](std::vector<double> V) { return quantiles(V); };
  EXPECT_EQ(Of({}).Max, 0);
  Quantiles One = Of({7});
  EXPECT_EQ(One.Min, 7);
  EXPECT_EQ(One.P50, 7);
  EXPECT_EQ(One.P95, 7);
  Quantiles Four = Of({40, 10, 30, 20});
  EXPECT_EQ(Four.P50, 20); // rank ceil(0.5 * 4) = 2
  EXPECT_EQ(Four.P95, 40); // rank ceil(0.95 * 4) = 4
  std::vector<double> Hundred;
  for (int I = 1; I <= 100; ++I)
    Hundred.push_back(I);
  EXPECT_EQ(Of(Hundred).P50, 50);
  EXPECT_EQ(Of(Hundred).P95, 95);
}

TEST(ReportPhases, OneRowPerNameAndKind) {
  trace::Kernel K;
  K.Sites = {{trace::SiteKind::Phase, "barrier", 10, ""},
             {trace::SiteKind::Phase, "load", 20, ""},
             {trace::SiteKind::End, "", 25, ""},
             {trace::SiteKind::Phase, "barrier", 30, ""},
             {trace::SiteKind::Mark, "load", 40, ""}};
  PhaseRows P(K);
  ASSERT_EQ(P.size(), 3u);
  EXPECT_EQ(P.rows()[0].Name, "barrier");
  EXPECT_EQ(P.rows()[0].lines(), "L10,L30");
  EXPECT_EQ(P.rowOf(2), -1);
  EXPECT_EQ(P.rowOf(3), 0);
  EXPECT_TRUE(P.rows()[2].Instant);
}

TEST(ReportStatistics, SharesOfWarpTimeSumToOne) {
  SimulatedGpu G;
  G.Kernels = {{"k",
                1,
                false,
                1,
                {{"phase", "a", 2, 300, 90},
                 {"mark", "m", 3, 40},
                 {"end", "", 4, 200},
                 {"phase", "b", 5, 100, 50}}}};
  SimLaunch L;
  L.Grid = 20;
  L.Threads = 96;
  L.Unfinished = 5;
  G.Launches = {L};
  trace::Trace T = understood(G.build());
  PhaseRows P(T.kernel(T.Ls.List[0]));
  Statistics S = llvm::cantFail(computeStatistics(T, P, {0}));
  double Sum = S.UntrackedShare;
  for (const RowStats &R : S.Rows)
    Sum += R.Share;
  EXPECT_NEAR(Sum, 1, 1e-12);
  EXPECT_GT(S.UntrackedShare, 0.1);
  EXPECT_EQ(S.Rows[1].Count, 60u); // all warps came to the mark
  EXPECT_EQ(S.Rows[2].Count, 45u); // 15 were cut off before b
  EXPECT_EQ(S.Rows[0].Open, 15u);
  EXPECT_EQ(S.UnfinishedBlocks, 5u);
  EXPECT_EQ(S.UnfinishedWarps, 15u);
  EXPECT_FALSE(S.incomplete());
}

TEST(ReportStatistics, EachLaunchHasItsOwnClock) {
  SimulatedGpu G;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2, 100000}}}};
  SimLaunch L;
  L.Grid = 4;
  L.Ghz = 1;
  G.Launches = {L, L};
  G.Launches[1].Ghz = 2;
  G.Launches[1].AtNs = 1000000;
  trace::Trace T = understood(G.build());
  PhaseRows P(T.kernel(T.Ls.List[0]));
  Statistics S = llvm::cantFail(computeStatistics(T, P, {0, 1}));
  EXPECT_EQ(S.Rows[0].Cycles.Min, 100000);
  EXPECT_EQ(S.Rows[0].Cycles.Max, 100000);
  EXPECT_NEAR(S.Rows[0].Ns.Min, 50000, 100);
  EXPECT_NEAR(S.Rows[0].Ns.Max, 100000, 100);
}

TEST(ReportStatistics, ALaunchLastsUntilItsLastWarpLeaves) {
  // Warp 0 leaves, and writes the end anchor, long before warp 1.
  TraceBuilder B;
  TestAnchor A;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5100, 0, 25000}, &A));
  append(B.region(0, 0), slotsRecord(1, 0, 1, {4000, 6000, 205000}));
  trace::Trace T = understood(B);
  PhaseRows P(T.kernel(T.Ls.List[0]));
  double Ns = llvm::cantFail(launchDurationNs(T, 0));
  EXPECT_NEAR(Ns, 201000 / 2.0, 1);
  EXPECT_EQ(llvm::cantFail(computeStatistics(T, P, {0})).LongestNs, Ns);
}

TEST(ReportStatistics, OfABlockThatMovedOnlyTheAnchorsCount) {
  TraceBuilder B;
  TestAnchor A;
  A.SmEnd = 1; // whose clock is far ahead
  A.ClockEnd = 900000000;
  B.region(0, 0) = slotsRecord(1, 0, 0, {5100, 899990000, 899999000}, &A);
  trace::Trace T = understood(B);
  EXPECT_NEAR(llvm::cantFail(launchDurationNs(T, 0)), 10000, 1);
}

TEST(ReportMarkCost, MovesEventsTogetherAndNeverPastEachOther) {
  trace::Kernel K;
  K.Sites.resize(3);
  K.Sites[2].Callee = 1;
  // Site 2 is a callee's: its mark costs something else.
  trace::Event Events[] = {
      {1000, 0}, {1100, 1}, {1105, 1}, {1205, 2}, {1305, exit_site}};
  subtractMarkCost(Events, K, 19.6); // 20
  uint64_t Expected[] = {1000, 1080, 1080, 1180, 1260};
  for (size_t I = 0; I < 5; ++I)
    EXPECT_EQ(Events[I].Clock, Expected[I]) << I;
  subtractMarkCost({}, K, 20);
}
