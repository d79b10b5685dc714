// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a filter leaves, and what it says where that is nothing.
#include "ReportTest.h"
#include "report/Ranges.h"
#include <set>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;

namespace {

/// Two kernels; of the first, two launches of 16 blocks of 4 warps on 4 SMs.
trace::Trace twoKernels() {
  SimulatedGpu G;
  G.Kernels = {{"first",
                1,
                false,
                1,
                {{"phase", "load", 2, 1000},
                 {"mark", "tick", 3, 500},
                 {"phase", "store", 4, 2000}}},
               {"second", 10, false, 1, {{"phase", "wait", 11, 700}}}};
  SimLaunch L;
  L.Grid = 16;
  L.Threads = 128;
  G.Launches = {L, L, L};
  G.Launches[1].Kernel = 1;
  G.Launches[1].AtNs = 100000;
  G.Launches[2].AtNs = 200000;
  return understood(G.build());
}

/// What a visit of a selection saw.
struct Seen final : trace::BlockSink {
  uint64_t Blocks = 0, Warps = 0, Spans = 0, Marks = 0, Events = 0;
  uint64_t Scopes = 0, Values = 0;
  std::set<uint32_t> Launches, Numbers, WarpNumbers, Sms;
  std::vector<std::pair<uint32_t, uint32_t>> Sites; ///< launch, site

  void block(const trace::BlockView &V) override {
    ++Blocks;
    Launches.insert(V.Launch);
    Numbers.insert(V.B.Number);
    Sms.insert(V.B.SmStart);
    for (const trace::WarpView &W : V.Warps) {
      ++Warps;
      WarpNumbers.insert(W.Index);
      Spans += W.Spans.size();
      Marks += W.Marks.size();
      Scopes += W.Scopes.size();
      Values += W.Values.size();
      Events += W.Events.size();
      for (const trace::Span &S : W.Spans)
        Sites.push_back({V.Launch, S.Site});
    }
  }
};

Seen see(const trace::Trace &T, Filter F) {
  Selection S = selectionOf(T, std::move(F));
  Seen Out;
  auto E = visitSelected(
      T, S, {}, [] { return std::make_unique<Seen>(); },
      [&](std::unique_ptr<trace::BlockSink> Part) {
        auto &P = static_cast<Seen &>(*Part);
        Out.Blocks += P.Blocks;
        Out.Warps += P.Warps;
        Out.Spans += P.Spans;
        Out.Marks += P.Marks;
        Out.Scopes += P.Scopes;
        Out.Values += P.Values;
        Out.Events += P.Events;
        Out.Launches.insert(P.Launches.begin(), P.Launches.end());
        Out.Numbers.insert(P.Numbers.begin(), P.Numbers.end());
        Out.WarpNumbers.insert(P.WarpNumbers.begin(), P.WarpNumbers.end());
        Out.Sms.insert(P.Sms.begin(), P.Sms.end());
        Out.Sites.insert(Out.Sites.end(), P.Sites.begin(), P.Sites.end());
        return llvm::Error::success();
      });
  EXPECT_FALSE(!!E);
  return Out;
}

/// Without one, of a few anchors nobody knows better than to 1 us.
TraceBuilder fineTimer() {
  TraceBuilder B;
  (*(*B.Meta.getArray("devices"))[0].getAsObject())["timer_step_ns"] = 32;
  return B;
}

std::string errorOf(const trace::Trace &T, Filter F) {
  auto S = Selection::make(T, std::move(F));
  if (!S)
    return llvm::toString(S.takeError());
  if (auto E = checkNotEmpty(T, *S))
    return llvm::toString(std::move(E));
  return "";
}

} // namespace

TEST(ReportRanges, NumbersAndRanges) {
  auto Text = [](llvm::StringRef S) -> std::string {
    auto R = parseIndexRange(S);
    return R ? std::to_string(R->First) + ".." + std::to_string(R->Last) : "";
  };
  EXPECT_EQ(Text("7"), "7..7");
  EXPECT_EQ(Text("0-12"), "0..12");
  EXPECT_EQ(Text("5-5"), "5..5");
  for (const char *Bad : {"", "-", "-3", "3-", "5-4", "a", "1,2", "1-2-3", " 1",
                          "0x1", "99999999999999999999"})
    EXPECT_EQ(Text(Bad), "") << Bad;
  EXPECT_EQ(rangeText({4, 4}, "block"), "block 4");
  EXPECT_EQ(rangeText({4, 9}, "launch"), "launches 4 to 9");
}

TEST(ReportRanges, Times) {
  auto Of = [](llvm::StringRef S) {
    auto R = parseTimeRange(S);
    return R ? std::pair(R->Begin, R->End) : std::pair(-1., -2.);
  };
  EXPECT_EQ(Of("100ns:2us"), std::pair(100., 2000.));
  EXPECT_EQ(Of("1.5us:"), std::pair(1500., double(INFINITY)));
  EXPECT_EQ(Of(":2ms"), std::pair(-double(INFINITY), 2e6));
  EXPECT_EQ(Of("0s:1e-3s"), std::pair(0., 1e6));
  EXPECT_EQ(Of("-1µs:1µs"), std::pair(-1000., 1000.));
  for (const char *Bad :
       {"", ":", "1us", "1:2", "2us:1us", "1us:1us", "us:1us", "1us:2us:3us",
        "infs:", "nans:", "0x1p3s:", "1e999s:", "1 us:"})
    EXPECT_EQ(Of(Bad).first, -1) << Bad;
}

TEST(ReportSelection, AllOfIt) {
  trace::Trace T = twoKernels();
  Selection S = selectionOf(T);
  EXPECT_TRUE(S.all());
  Seen A = see(T, {});
  EXPECT_EQ(A.Blocks, 48u);
  EXPECT_EQ(A.Warps, 192u);
  EXPECT_EQ(A.Spans, 2u * 128 + 64);
  EXPECT_EQ(A.Marks, 128u);
}

TEST(ReportSelection, Launches) {
  trace::Trace T = twoKernels();
  Filter F;
  F.Launches = {1, 2};
  Selection S = selectionOf(T, F);
  EXPECT_FALSE(S.all());
  EXPECT_TRUE(S.wholeLaunches());
  EXPECT_EQ(see(T, F).Launches, (std::set<uint32_t>{1, 2}));
  F.Launches = {1, 99}; // as far as there are any
  EXPECT_EQ(see(T, F).Launches, (std::set<uint32_t>{1, 2}));
  F.Kernel = "^first$";
  EXPECT_EQ(see(T, F).Launches, (std::set<uint32_t>{2}));
}

TEST(ReportSelection, BlocksWarpsAndSms) {
  trace::Trace T = twoKernels();
  Filter F;
  F.Blocks = {3, 4};
  F.Warps = {1, 2};
  Seen A = see(T, F);
  EXPECT_EQ(A.Numbers, (std::set<uint32_t>{3, 4}));
  EXPECT_EQ(A.WarpNumbers, (std::set<uint32_t>{1, 2}));
  EXPECT_EQ(A.Warps, 3u * 2 * 2);
  Filter BySm;
  BySm.Sms = {2, 2};
  EXPECT_EQ(see(T, BySm).Sms, (std::set<uint32_t>{2}));
}

TEST(ReportSelection, PhasesAndMarks) {
  trace::Trace T = twoKernels();
  Filter F;
  F.Phase = "^(store|tick)$";
  Seen A = see(T, F);
  EXPECT_EQ(A.Spans, 128u);
  EXPECT_EQ(A.Marks, 128u);
  for (auto [Launch, Site] : A.Sites)
    EXPECT_EQ(Site, 2u);
  EXPECT_EQ(A.Warps, 192u); // the second kernel's as well, with none
  EXPECT_EQ(A.Events, 2u * 64 * 4 + 64 * 2); // and whole
}

TEST(ReportSelection, ScopesAndValues) {
  SimulatedGpu G;
  G.Kernels = {{"k",
                1,
                true,
                2,
                {{"scope", "outer", 2, 100},
                 {"phase", "load", 3, 100},
                 {"scope", "inner", 4, 100},
                 {"value", "n", 5, 100},
                 {"scope-end", "inner", 6, 100},
                 {"scope-end", "outer", 7, 100}}}};
  SimLaunch L;
  L.Grid = 4;
  L.Threads = 64;
  G.Launches = {L};
  trace::Trace T = understood(G.build());
  Seen All = see(T, {});
  EXPECT_EQ(All.Scopes, 4u * 2 * 2 * 2);
  EXPECT_EQ(All.Values, 4u * 2 * 2);
  Filter F;
  F.Phase = "^(inner|n)$";
  F.Warps = {1, 1};
  Seen Some = see(T, F);
  EXPECT_EQ(Some.Scopes, 4u * 2);
  EXPECT_EQ(Some.Values, 4u * 2);
  EXPECT_EQ(Some.Spans, 0u);
  F = {};
  F.ToNs = 60; // before the first value
  EXPECT_EQ(see(T, F).Values, 0u);
  EXPECT_GT(see(T, F).Scopes, 0u);
  F = {};
  F.Blocks = {0, 0};
  F.FromNs = 650; // behind the last one, which still holds
  EXPECT_EQ(see(T, F).Warps, 2u);
  EXPECT_EQ(see(T, F).Values, 2u);
}

TEST(ReportSelection, TimeTakesWhatReachesIntoIt) {
  // One block that begins at the launch's origin, 2 GHz: a 100 to 600 ns,
  // b 600 to 1100 ns.
  TraceBuilder B = fineTimer();
  TestAnchor A; // at clock 5000
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5200, 6200, 7200}, &A));
  trace::Trace T = understood(B);
  auto Sites = [&](double From, double To) {
    Filter F;
    F.FromNs = From;
    F.ToNs = To;
    std::string Out;
    for (auto [Launch, Site] : see(T, F).Sites)
      Out += "ab"[Site];
    return Out;
  };
  double Step = 40; // as far as the clock is known
  EXPECT_EQ(Sites(-INFINITY, INFINITY), "ab");
  EXPECT_EQ(Sites(-INFINITY, 100 - Step), "");
  EXPECT_EQ(Sites(-INFINITY, 100 + Step), "a");
  EXPECT_EQ(Sites(200, 300), "a");
  EXPECT_EQ(Sites(600 - Step, 600 + Step), "ab");
  EXPECT_EQ(Sites(600 + Step, 700), "b");
  EXPECT_EQ(Sites(1100 + Step, INFINITY), "");
}

TEST(ReportSelection, SharesUnderATimeAreOfThatTime) {
  TraceBuilder B = fineTimer();
  TestAnchor A;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5000, 9000, 25000}, &A));
  trace::Trace T = understood(B);
  Filter F;
  F.FromNs = 1000; // a ends at 2000 ns
  F.ToNs = 3000;
  Statistics S = statisticsOf(T, F);
  EXPECT_NEAR(S.shareOf(S.Rows[0].InWarps), 0.5, 0.01);
  EXPECT_NEAR(S.shareOf(S.Rows[1].InWarps), 0.5, 0.01);
  EXPECT_EQ(S.Rows[1].Cycles.max(), 16000u); // a duration is a duration
  EXPECT_FALSE(S.HasPath);
}

TEST(ReportSelection, SaysWhichFilterLeavesNothing) {
  trace::Trace T = twoKernels();
  auto With = [](auto Set) {
    Filter F;
    Set(F);
    return F;
  };
  EXPECT_EQ(errorOf(T, {}), "");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.Launches = {3, 3}; })),
            "there is no launch 3, the trace has 3 launches");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.Kernel = "x"; })),
            "no launch of a kernel that matches 'x'");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.Blocks = {16, 20}; })),
            "blocks 16 to 20 left no record");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.Sms = {4, 4}; })),
            "SM 4 left no record");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.Warps = {4, 4}; })),
            "warp 4 left no record");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.Phase = "x"; })),
            "no phase matches 'x'");
  EXPECT_EQ(errorOf(T, With([](Filter &F) { F.FromNs = 1e9; })),
            "nothing was recorded in the time asked for");
  // Each of them leaves something, both do not.
  EXPECT_EQ(errorOf(T, With([](Filter &F) {
                      F.Blocks = {0, 0};
                      F.Warps = {9, 9};
                    })),
            "warp 9 left no record");
}

TEST(ReportSelection, WithoutAClockThereIsNoTime) {
  TraceBuilder B;
  (*(*B.Meta.getArray("devices"))[0].getAsObject())["clock_khz"] = 0;
  TestAnchor A;
  A.GlobalEnd = A.ClockEnd = 0;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {5200, 6200, 7200}, &A));
  trace::Trace T = understood(B);
  Filter F;
  F.FromNs = 0;
  EXPECT_EQ(errorOf(T, F),
            "no clock rate is known: nothing can be selected by time");
}

TEST(ReportSelection, IsSaidInWords) {
  Filter F;
  EXPECT_EQ(filterText(F), "");
  F.Launches = {1, 1}; // said elsewhere
  EXPECT_EQ(filterText(F), "");
  F.Blocks = {3, 3};
  F.Warps = {0, 1};
  F.Phase = "a\x1b";
  F.FromNs = 1000;
  F.ToNs = 2500;
  EXPECT_EQ(filterText(F),
            "block 3, warps 0 to 1, phases 'a?', 1.00 µs to 2.50 µs");
}
