// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows, shares, times, and what is told of launches.
#include "ReportTest.h"
#include "report/MarkCost.h"
#include "report/StatisticsSink.h"

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;

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
  Statistics S = statisticsOf(understood(G.build()));
  double Untracked = S.shareOf(S.UntrackedCycles), Sum = Untracked;
  for (const RowStats &R : S.Rows)
    Sum += S.shareOf(R.InWarps);
  EXPECT_NEAR(Sum, 1, 1e-12);
  EXPECT_GT(Untracked, 0.1);
  EXPECT_EQ(S.Rows[1].count(), 60u); // all warps came to the mark
  EXPECT_EQ(S.Rows[2].count(), 45u); // 15 were cut off before b
  EXPECT_EQ(S.Rows[0].Open, 15u);
  EXPECT_EQ(S.UnfinishedBlocks, 5u);
  EXPECT_EQ(S.UnfinishedWarps, 15u);
  EXPECT_FALSE(S.incomplete());
  EXPECT_FALSE(S.hasTail()); // nobody knows when the last ones ended
}

TEST(ReportStatistics, QuantilesAreThoseOfTheSpans) {
  SimulatedGpu G;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2, 100, 3000}}}};
  SimLaunch L;
  L.Grid = 50;
  L.Threads = 128;
  G.Launches = {L};
  trace::Trace T = understood(G.build());
  std::vector<double> Values;
  for (uint32_t B = 0; B < 50; ++B)
    for (uint32_t W = 0; W < 4; ++W) {
      auto E = eventsOf(T, B, W);
      Values.push_back(double(E[1].Clock - E[0].Clock));
    }
  llvm::sort(Values);
  Statistics S = statisticsOf(T);
  Quantiles Q = S.cyclesOf(S.Rows[0]);
  EXPECT_EQ(Q.Min, Values.front());
  EXPECT_EQ(Q.P50, Values[99]);
  EXPECT_EQ(Q.P95, Values[189]);
  EXPECT_EQ(Q.P99, Values[197]);
  EXPECT_EQ(Q.Max, Values.back());
  EXPECT_NEAR(S.nsOf(S.Rows[0]).P50, Values[99] / 2, 5); // 2 GHz, measured
}

TEST(ReportStatistics, PausesAreNeitherPhaseNorUntracked) {
  TraceBuilder B;
  TestAnchor A;
  append(B.region(0, 0), streamRecord(1, 0, 0,
                                      {{5000, 0},
                                       {5400, pause_site},
                                       {5600, 1},
                                       {5900, pause_site},
                                       {5950, exit_site}},
                                      &A));
  trace::Trace T = understood(B);
  Statistics S = statisticsOf(T);
  EXPECT_EQ(S.Events, 3u);
  EXPECT_EQ(T.Ls.NumEvents, 3u);
  EXPECT_EQ(S.cyclesOf(S.Rows[0]).Max, 400);
  EXPECT_EQ(S.cyclesOf(S.Rows[1]).Max, 300);
  EXPECT_NEAR(S.PausedCycles, 250, 1e-9);
  EXPECT_NEAR(S.UntrackedCycles, 0, 1e-9);
  // A time that holds everything changes nothing.
  Filter F;
  F.FromNs = 0;
  F.ToNs = 1e9;
  Statistics All = statisticsOf(T, F);
  EXPECT_NEAR(All.PausedCycles, 250, 1e-6);
  EXPECT_NEAR(All.UntrackedCycles, 0, 1e-6);
  EXPECT_NEAR(All.WarpCycles, S.WarpCycles, 1e-6);
  // From the clock's 5500 to 5925: half of the first pause, half of the other.
  const trace::LaunchClock &C = T.clock(0);
  F.FromNs = C.toNs(*C.find(0), 5500);
  F.ToNs = C.toNs(*C.find(0), 5925);
  Statistics Part = statisticsOf(T, F);
  EXPECT_NEAR(Part.PausedCycles, 125, 1);
  EXPECT_NEAR(Part.UntrackedCycles, 0, 1);
  EXPECT_NEAR(Part.WarpCycles, 425, 1);
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
  Statistics S = statisticsOf(understood(G.build()), {}, {0, 1});
  Quantiles Cycles = S.cyclesOf(S.Rows[0]), Ns = S.nsOf(S.Rows[0]);
  EXPECT_EQ(Cycles.Min, 100000);
  EXPECT_EQ(Cycles.Max, 100000);
  EXPECT_NEAR(Ns.Min, 50000, 100);
  EXPECT_NEAR(Ns.P50, 50000, 100);
  EXPECT_NEAR(Ns.Max, 100000, 100);
}

TEST(ReportStatistics, GroupsAreAskedForTogether) {
  SimulatedGpu G;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2, 1000}}}};
  SimLaunch L;
  L.Grid = 4;
  G.Launches = {L, L, L};
  for (int I = 0; I < 3; ++I)
    G.Launches[I].AtNs = I * 100000;
  G.Launches[1].Grid = 7;
  trace::Trace T = understood(G.build());
  auto All = computeStatistics(T, selectionOf(T), {{0, 2}, {1}});
  ASSERT_TRUE(!!All);
  EXPECT_EQ((*All)[0].Blocks, 8u);
  EXPECT_EQ((*All)[0].Launches, 2u);
  EXPECT_EQ((*All)[1].Blocks, 7u);
  EXPECT_EQ((*All)[0].Followed.size(), 2u);
  EXPECT_EQ((*All)[0].Followed[1].Launch, 2u);
}

TEST(ReportStatistics, ALaunchLastsUntilItsLastWarpLeaves) {
  // Warp 0 leaves, and writes the end anchor, long before warp 1.
  TraceBuilder B;
  TestAnchor A;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5100, 0, 25000}, &A));
  append(B.region(0, 0), slotsRecord(1, 0, 1, {4000, 6000, 205000}));
  EXPECT_NEAR(statisticsOf(understood(B)).LongestNs, 201000 / 2.0, 1);
}

TEST(ReportStatistics, OfABlockThatMovedOnlyTheAnchorsCount) {
  TraceBuilder B;
  TestAnchor A;
  A.SmEnd = 1; // whose clock is far ahead
  A.ClockEnd = 900000000;
  B.region(0, 0) = slotsRecord(1, 0, 0, {5100, 899990000, 899999000}, &A);
  Statistics S = statisticsOf(understood(B));
  EXPECT_NEAR(S.LongestNs, 10000, 1);
  EXPECT_EQ(S.PathCycles, 0);
}

TEST(ReportStatistics, ImbalanceIsBetweenTheWarpsThatWereInAPhase) {
  // Warp 0: a 300, b 100. Warp 1: a 100, never in b.
  TraceBuilder B;
  TestAnchor A;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5100, 5400, 5500}, &A));
  append(B.region(0, 0), slotsRecord(1, 0, 1, {5100, 0, 5200}));
  Statistics S = statisticsOf(understood(B));
  EXPECT_NEAR(S.Rows[0].imbalance(), 1 - 200.0 / 300, 1e-12);
  EXPECT_EQ(S.Rows[1].imbalance(), 0); // there is nobody to compare with
}

TEST(ReportStatistics, ThePathGoesThroughWhoeverTheOthersWaitFor) {
  // All wait in b for warp 1, whose a took 900; then one of them leaves late.
  TraceBuilder B;
  TestAnchor A;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5100, 5200, 6030}, &A));
  append(B.region(0, 0), slotsRecord(1, 0, 1, {5100, 6000, 6020}));
  Statistics S = statisticsOf(understood(B));
  EXPECT_EQ(S.Rows[0].Path, 900);
  EXPECT_EQ(S.Rows[1].Path, 30);
  EXPECT_EQ(S.PathCycles, 930);
  EXPECT_EQ(S.Meetings[1].Together, 1u);
  EXPECT_EQ(S.Meetings[1].Waited, 800);
  EXPECT_EQ(S.Meetings[1].LastBy, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(S.Meetings[0].Telling, 0u); // both began at once
}

TEST(ReportStatistics, OfTheSmThatEndedLast) {
  SimulatedGpu G;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2, 20000, 20000}}}};
  G.Sms = 4;
  SimLaunch L;
  L.Grid = 40;
  G.Launches = {L};
  Statistics S = statisticsOf(understood(G.build()));
  EXPECT_EQ(S.PathSms, 1u); // 4 us apart on average, aligned to some 10 ns
  EXPECT_LT(S.PathCycles, S.WarpCycles / 2);
  EXPECT_NEAR(S.pathShareOf(S.Rows[0]), 1, 1e-12);
}

TEST(ReportStatistics, PartsGiveWhatTheWholeDoes) {
  SimulatedGpu G;
  G.Kernels = {{"k",
                1,
                false,
                1,
                {{"phase", "a", 2, 300, 5000},
                 {"mark", "m", 3, 40},
                 {"phase", "b", 5, 30, 0, true}}}};
  SimLaunch L;
  L.Grid = 60;
  L.Threads = 96;
  L.Unfinished = 2;
  G.Launches = {L, L};
  G.Launches[1].AtNs = 400000;
  trace::Trace T = understood(G.build());
  LaunchGroup Both = {0, 1};
  Statistics Whole = statisticsOf(T, {}, Both);

  // Deals the blocks to three sinks.
  Selection S = selectionOf(T);
  std::vector<LaunchGroup> Groups = {Both};
  StatisticsTask Work(T, S, Groups, {});
  struct Dealer final : trace::BlockSink {
    explicit Dealer(const StatisticsTask &W) : Parts(3, StatisticsSink(W)) {}
    void block(const trace::BlockView &V) override {
      Parts[V.B.Number % 7 % 3].block(V);
    }
    std::vector<StatisticsSink> Parts;
  };
  StatisticsSink All(Work);
  ASSERT_FALSE(!!visitSelected(
      T, S, {}, [&] { return std::make_unique<Dealer>(Work); },
      [&](std::unique_ptr<trace::BlockSink> Part) {
        auto &D = static_cast<Dealer &>(*Part);
        D.Parts[2].join(std::move(D.Parts[0]));
        All.join(std::move(D.Parts[2]));
        All.join(std::move(D.Parts[1]));
        return llvm::Error::success();
      }));
  std::vector<Statistics> Joined = All.finish();
  const Statistics &J = Joined.front();
  EXPECT_EQ(J.Events, Whole.Events);
  EXPECT_EQ(J.Blocks, Whole.Blocks);
  EXPECT_EQ(J.Warps, Whole.Warps);
  EXPECT_EQ(J.ExpectedWarps, Whole.ExpectedWarps);
  EXPECT_EQ(J.UnfinishedWarps, Whole.UnfinishedWarps);
  EXPECT_EQ(J.UnfinishedBlocks, Whole.UnfinishedBlocks);
  EXPECT_EQ(J.WarpCycles, Whole.WarpCycles);
  EXPECT_EQ(J.UntrackedCycles, Whole.UntrackedCycles);
  EXPECT_EQ(J.LongestNs, Whole.LongestNs);
  EXPECT_EQ(J.PathCycles, Whole.PathCycles);
  EXPECT_EQ(J.PathSms, Whole.PathSms);
  EXPECT_EQ(J.Tails.Slots, Whole.Tails.Slots);
  EXPECT_EQ(J.Tails.Ns, Whole.Tails.Ns);
  EXPECT_EQ(J.Sms.size(), Whole.Sms.size());
  for (size_t I = 0; I < Whole.Rows.size(); ++I) {
    const RowStats &A = J.Rows[I], &B = Whole.Rows[I];
    EXPECT_EQ(A.count(), B.count());
    EXPECT_EQ(A.Open, B.Open);
    EXPECT_EQ(J.cyclesOf(A).P95, Whole.cyclesOf(B).P95);
    EXPECT_EQ(J.nsOf(A).P95, Whole.nsOf(B).P95);
    EXPECT_EQ(A.InWarps, B.InWarps);
    EXPECT_EQ(A.Path, B.Path);
    EXPECT_NEAR(A.imbalance(), B.imbalance(), 1e-12);
    EXPECT_NEAR(A.BlockSquares, B.BlockSquares, 1e-9 * B.BlockSquares);
    EXPECT_EQ(A.Squares, B.Squares);
    ASSERT_EQ(A.Warps.size(), B.Warps.size());
    ASSERT_EQ(A.Slowest.list().size(), B.Slowest.list().size());
    for (size_t K = 0; K < B.Slowest.list().size(); ++K)
      EXPECT_EQ(A.Slowest.list()[K].second.Number,
                B.Slowest.list()[K].second.Number);
    for (const auto &[Sm, Rows] : Whole.Sms)
      EXPECT_EQ(J.Sms.at(Sm)[I].Cycles, Rows[I].Cycles);
  }
  for (size_t I = 0; I < Whole.Meetings.size(); ++I) {
    EXPECT_EQ(J.Meetings[I].Together, Whole.Meetings[I].Together);
    EXPECT_EQ(J.Meetings[I].Waited, Whole.Meetings[I].Waited);
    EXPECT_EQ(J.Meetings[I].LastBy, Whole.Meetings[I].LastBy);
    EXPECT_EQ(J.Meetings[I].Worst.Number, Whole.Meetings[I].Worst.Number);
  }
  EXPECT_GT(Whole.Meetings[2].Together, 50u);
}

TEST(ReportStatistics, MarkCostIsTakenOffPhasesAndShares) {
  TraceBuilder B;
  auto *Device = (*B.Meta.getArray("devices"))[0].getAsObject();
  (*Device)["mark_costs"] = llvm::json::Array{llvm::json::Object{
      {"buffer", "shared"}, {"layout", "slots"}, {"cycles", 40}}};
  auto *Kernel = (*(*(*B.Meta.getArray("modules"))[0].getAsObject())
                       .getArray("kernels"))[0]
                     .getAsObject();
  (*Kernel)["buffer"] = "shared";
  (*Kernel)["layout"] = "slots";
  TestAnchor A;
  B.region(0, 0) = slotsRecord(1, 0, 0, {5100, 5200, 5220}, &A);
  trace::Trace T = understood(B);
  ASSERT_EQ(markCost(T, T.launches()[0]), 40.0);
  StatisticsOptions O;
  O.SubtractMarkCost = true;
  Statistics S = statisticsOf(T, {}, {0}, O);
  EXPECT_EQ(S.Rows[0].Cycles.max(), 60u);
  EXPECT_EQ(S.Rows[1].Cycles.max(), 0u);
  EXPECT_EQ(S.WarpCycles, 60);
  Filter F;
  F.Phase = "b";
  Statistics OnlyB = statisticsOf(T, F, {0}, O);
  EXPECT_EQ(OnlyB.Rows[0].count(), 0u);
  EXPECT_EQ(OnlyB.Rows[1].count(), 1u);
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

TEST(ReportMarkCost, APauseTakesThePlaceOfTheReadingBehindIt) {
  trace::Kernel K;
  K.Sites.resize(3);
  K.Sites[2].Callee = 1;
  trace::Event Events[] = {{1000, 0}, {1100, pause_site},
                           {1300, 1}, {1400, pause_site},
                           {1600, 2}, {1700, exit_site}};
  subtractMarkCost(Events, K, 20);
  uint64_t Expected[] = {1000, 1080, 1280, 1380, 1580, 1660};
  for (size_t I = 0; I < 6; ++I)
    EXPECT_EQ(Events[I].Clock, Expected[I]) << I;
}
