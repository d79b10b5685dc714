// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meetings of the warps of a block, and the way back through them.
#include "report/CriticalPath.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace kinstr::report;
using trace::Span;

namespace {

/// A block whose warps a test writes down.
struct TestBlock {
  std::vector<std::vector<Span>> Spans;
  trace::Block B;
  std::vector<trace::WarpView> Warps;
  Meetings M;

  explicit TestBlock(std::vector<std::vector<Span>> S) : Spans(std::move(S)) {
    B.ClockStart = 1000;
    for (const auto &Of : Spans) {
      trace::WarpView W;
      W.Index = static_cast<uint32_t>(Warps.size());
      W.Spans = Of;
      W.Time = {Of.front().Begin, Of.back().End, true};
      Warps.push_back(W);
    }
    M.find(view(), 4);
  }
  trace::BlockView view() const { return {0, B, Warps}; }

  /// `warp:site+cycles`, from the end back.
  std::string path() const {
    std::string Out;
    criticalPath(view(), M, [&](const PathStep &S) {
      Out += (Out.empty() ? "" : " ") + std::to_string(S.Warp) + ":" +
             (S.Site == PathStep::NoSite ? "-" : std::to_string(S.Site)) + "+" +
             std::to_string(S.Cycles);
    });
    return Out;
  }
};

Span span(uint32_t Site, uint64_t Begin, uint64_t End) {
  return {Site, Begin, End};
}

} // namespace

TEST(ReportMeetings, TheNthPassingOfEachWarpIsOne) {
  TestBlock T(
      {{span(0, 1000, 1100), span(1, 1100, 1500), span(0, 1500, 1600)},
       {span(0, 1000, 1400), span(1, 1400, 1510), span(0, 1510, 1900)}});
  ASSERT_EQ(T.M.passings().size(), 3u);
  const Passing &P = *T.M.of(1, 1);
  EXPECT_EQ(&P, T.M.of(0, 1));
  EXPECT_NE(T.M.of(0, 0), T.M.of(0, 2));
  EXPECT_EQ(P.Warps, 2u);
  EXPECT_EQ(P.LastBegin, 1400u);
  EXPECT_EQ(P.LastWarp, 1u);
  EXPECT_TRUE(P.together());
  EXPECT_EQ(Meetings::waited(P, T.B), 300);
}

TEST(ReportMeetings, WhatIsNone) {
  // Left before the last came; as far apart as they came; came together; alone.
  EXPECT_TRUE(TestBlock({{span(0, 1000, 1350)}, {span(0, 1400, 1500)}})
                  .M.passings()[0]
                  .leftEarly());
  for (auto Second :
       {span(0, 1400, 1900), span(0, 1060, 1610), span(1, 1400, 1510)})
    EXPECT_FALSE(TestBlock({{span(0, 1000, 1500)}, {Second}})
                     .M.passings()[0]
                     .together());
  // One did not leave at all.
  Span Open = span(0, 1400, 1510);
  Open.Open = true;
  EXPECT_FALSE(
      TestBlock({{span(0, 1000, 1500)}, {Open}}).M.passings()[0].telling());
}

TEST(ReportMeetings, PiecesOfAPhaseBelongToNone) {
  Span First = span(0, 1000, 1100), Second = span(0, 1200, 1500);
  First.Interrupted = true;
  Second.Before = 100;
  TestBlock T({{First, span(1, 1100, 1200), Second}, {span(0, 1400, 1510)}});
  EXPECT_EQ(T.M.of(0, 0), nullptr);
  EXPECT_EQ(T.M.of(0, 2), nullptr);
  EXPECT_NE(T.M.of(0, 1), nullptr);
}

TEST(ReportMeetings, ABlockThatMovedHasNone) {
  TestBlock T({{span(0, 1000, 1500)}, {span(0, 1400, 1510)}});
  T.B.Finished = true;
  T.B.SmEnd = 1;
  T.M.find(T.view(), 4);
  EXPECT_TRUE(T.M.passings().empty());
  EXPECT_EQ(T.path(), "");
}

TEST(ReportCriticalPath, OfOneWarp) {
  TestBlock T({{span(0, 1000, 1100), span(1, 1150, 1500)}});
  EXPECT_EQ(T.path(), "0:1+350 0:-+50 0:0+100");
}

TEST(ReportCriticalPath, GoesOverToWhoeverCameLast) {
  // Warp 1 is late for the first barrier (site 1), warp 0 for the second.
  TestBlock T({{span(0, 1000, 1100), span(1, 1100, 1520), span(2, 1520, 2500),
                span(1, 2500, 2530), span(3, 2530, 2600)},
               {span(0, 1000, 1500), span(1, 1500, 1530), span(2, 1530, 1600),
                span(1, 1600, 2540), span(3, 2540, 2700)}});
  EXPECT_EQ(T.path(), "1:3+160 1:1+40 0:2+980 0:1+20 1:0+500");
}

TEST(ReportCriticalPath, StaysWhereNobodyIsKnownToBeWaitedFor) {
  TestBlock T({{span(0, 1000, 1100), span(1, 1100, 1900)},
               {span(0, 1000, 1500), span(1, 1500, 1600)}});
  EXPECT_EQ(T.path(), "0:1+800 0:0+100");
}

TEST(ReportCriticalPath, SpansWithoutLengthDoNotHoldItUp) {
  TestBlock T({{span(0, 1000, 1000), span(1, 1000, 1000), span(2, 1000, 1200),
                span(3, 1200, 1200)}});
  EXPECT_EQ(T.path(), "0:2+200");
}
