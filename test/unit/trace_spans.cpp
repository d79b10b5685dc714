// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the events of a warp to its phases.
#include "trace/Spans.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace kinstr::trace;

namespace {

/// Sites 0 to 4: phase a, phase b, mark m, end, phase a again. Of callee 1, 5
/// to 7: phase f, return, entry. Of callee 2, 8 and 9: phase g, return. 10 and
/// 11: scope s and its end; 12 and 13: scope t and its end. Of callee 1, 14 and
/// 15: scope s and its end. 16: a value.
Kernel kernel() {
  Kernel K;
  K.Sites = {
      {SiteKind::Phase, "a", 1, ""},     {SiteKind::Phase, "b", 2, ""},
      {SiteKind::Mark, "m", 3, ""},      {SiteKind::End, "", 4, ""},
      {SiteKind::Phase, "a", 5, ""},     {SiteKind::Phase, "f", 6, "", 1},
      {SiteKind::Return, "", 6, "", 1},  {SiteKind::Entry, "", 6, "", 1},
      {SiteKind::Phase, "g", 7, "", 2},  {SiteKind::Return, "", 7, "", 2},
      {SiteKind::Scope, "s", 8, ""},     {SiteKind::ScopeEnd, "s", 8, ""},
      {SiteKind::Scope, "t", 9, ""},     {SiteKind::ScopeEnd, "t", 9, ""},
      {SiteKind::Scope, "s", 10, "", 1}, {SiteKind::ScopeEnd, "s", 10, "", 1},
      {SiteKind::Value, "v", 11, ""}};
  return K;
}

/// All that forEachSpan said, one word a call: `a0:10-20 m30 a4:40-50?`.
/// A piece that is not the last ends in `&`; the last says how much came
/// before: `a0:10-20& f5:20-25 a0:25-40+10`. A scope is in brackets, with its
/// depth: `[s10.0:10-20]`; `[s10.0:10-20 p3]`: of it 3 in pauses.
std::string spans(llvm::ArrayRef<Event> Events, WarpTime *Time = nullptr,
                  uint64_t *Unknown = nullptr) {
  std::string Out;
  Kernel K = kernel();
  uint64_t Ignored = 0;
  WarpTime T = forEachSpan(
      Events, K,
      [&](const Span &S) {
        Out += K.Sites[S.Site].Name + std::to_string(S.Site) + ":" +
               std::to_string(S.Begin) + "-" + std::to_string(S.End) +
               (S.Before ? "+" + std::to_string(S.Before) : "") +
               (S.Interrupted ? "& "
                : S.Open      ? "? "
                              : " ");
      },
      [&](const ScopeSpan &S) {
        Out += "[" + K.Sites[S.Site].Name + std::to_string(S.Site) + "." +
               std::to_string(S.Depth) + ":" + std::to_string(S.Begin) + "-" +
               std::to_string(S.End) +
               (S.Paused ? " p" + std::to_string(S.Paused) : "") +
               (S.Open ? "?] " : "] ");
      },
      [&](const Event &E) { Out += "m" + std::to_string(E.Clock) + " "; },
      Unknown ? *Unknown : Ignored);
  if (Time)
    *Time = T;
  return Out;
}

} // namespace

TEST(TraceSpans, PhaseClosesAtTheNextAndAtExit) {
  WarpTime T;
  EXPECT_EQ(spans({{10, 0}, {20, 1}, {50, exit_site}}, &T),
            "a0:10-20 b1:20-50 ");
  EXPECT_EQ(T.cycles(), 40u);
  EXPECT_TRUE(T.Finished);
}

TEST(TraceSpans, ACalleesPhaseInterruptsTheCallers) {
  EXPECT_EQ(spans({{10, 0}, {20, 5}, {25, 6}, {40, exit_site}}),
            "a0:10-20& f5:20-25 a0:25-40+10 ");
}

TEST(TraceSpans, CalleesMayCallOthersAndReturnInTurn) {
  EXPECT_EQ(spans({{10, 0},
                   {20, 5},
                   {22, 8},
                   {24, 9},
                   {30, 6},
                   {35, 1},
                   {40, exit_site}}),
            "a0:10-20& f5:20-22& g8:22-24 f5:24-30+2 a0:30-35+10 b1:35-40 ");
}

TEST(TraceSpans, AnEntryTellsActivationsOfOneFunctionApart) {
  // f calls itself: the inner return leaves the outer one active.
  EXPECT_EQ(spans({{10, 0},
                   {20, 7},
                   {21, 5},
                   {30, 7},
                   {31, 5},
                   {35, 6},
                   {40, 6},
                   {50, exit_site}}),
            "a0:10-20& f5:21-30& f5:31-35 f5:35-40+9 a0:40-50+10 ");
}

TEST(TraceSpans, WithoutAReturnTheKernelsNextSiteEndsTheCall) {
  EXPECT_EQ(spans({{10, 0}, {20, 5}, {30, 1}, {40, exit_site}}),
            "a0:10-20& f5:20-30 a0:30-30+10 b1:30-40 ");
}

TEST(TraceSpans, AReturnOfNobodyIsIgnored) {
  EXPECT_EQ(spans({{10, 0}, {20, 6}, {40, exit_site}}), "a0:10-40 ");
}

TEST(TraceSpans, AWarpThatStoppedInACalleeLeavesAllOpen) {
  EXPECT_EQ(spans({{10, 0}, {20, 5}, {30, 2}}),
            "a0:10-20& f5:20-30 m30 a0:30-30+10? ");
}

TEST(TraceSpans, OfSeveralExitsTheLastCounts) {
  WarpTime T;
  EXPECT_EQ(spans({{10, 0}, {12, exit_site}, {20, 1}, {30, exit_site}}, &T),
            "a0:10-20 b1:20-30 ");
  EXPECT_EQ(T.cycles(), 20u);
  EXPECT_TRUE(T.Finished);
}

TEST(TraceSpans, MarksDoNotClose) {
  EXPECT_EQ(spans({{10, 0}, {15, 2}, {20, exit_site}}), "m15 a0:10-20 ");
}

TEST(TraceSpans, EndLeavesAGap) {
  EXPECT_EQ(spans({{10, 0}, {20, 3}, {30, 4}, {40, exit_site}}),
            "a0:10-20 a4:30-40 ");
}

TEST(TraceSpans, NoExitLeavesTheLastPhaseOpen) {
  WarpTime T;
  EXPECT_EQ(spans({{10, 0}, {20, 1}}, &T), "a0:10-20 b1:20-20? ");
  EXPECT_FALSE(T.Finished);
  EXPECT_EQ(spans({{10, 0}, {20, 1}, {35, 2}}, &T), "a0:10-20 m35 b1:20-35? ");
  EXPECT_EQ(T.cycles(), 25u);
}

TEST(TraceSpans, NothingFromNothing) {
  WarpTime T;
  EXPECT_EQ(spans({}, &T), "");
  EXPECT_EQ(T.cycles(), 0u);
  EXPECT_EQ(spans({{10, exit_site}}, &T), "");
  EXPECT_EQ(T.cycles(), 0u);
  EXPECT_TRUE(T.Finished);
}

TEST(TraceSpans, SitesTheKernelDoesNotHaveAreCounted) {
  uint64_t Unknown = 0;
  EXPECT_EQ(spans({{10, 0}, {15, 77}, {20, exit_site}}, nullptr, &Unknown),
            "a0:10-20 ");
  EXPECT_EQ(Unknown, 1u);
}

namespace {

/// What a pause from 20 to 25 does to warps that run from 10 to 40.
std::string paused(llvm::ArrayRef<Event> Events, uint64_t Cycles = 5) {
  WarpTime T;
  std::string Out = spans(Events, &T);
  EXPECT_EQ(T.Paused, Cycles);
  EXPECT_EQ(T.Begin, 10u);
  return Out;
}

} // namespace

TEST(TraceSpans, APauseIsWhereAPhaseEnds) {
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {25, 1}, {40, exit_site}}),
            "a0:10-20 b1:25-40 ");
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {25, 3}, {40, exit_site}}),
            "a0:10-20 ");
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {25, exit_site}}), "a0:10-20 ");
}

TEST(TraceSpans, APauseInterruptsAPhaseThatGoesOn) {
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {25, 2}, {40, exit_site}}),
            "m25 a0:10-20& a0:25-40+10 ");
  // Some lanes leave; a site that nobody knows; a return of nobody.
  EXPECT_EQ(
      paused({{10, 0}, {20, pause_site}, {25, exit_site}, {40, exit_site}}),
      "a0:10-20& a0:25-40+10 ");
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {25, 77}, {40, exit_site}}),
            "a0:10-20& a0:25-40+10 ");
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {25, 6}, {40, exit_site}}),
            "a0:10-20& a0:25-40+10 ");
}

TEST(TraceSpans, APauseIsWhereACalleeInterrupts) {
  EXPECT_EQ(
      paused({{10, 0}, {20, pause_site}, {25, 5}, {30, 6}, {40, exit_site}}),
      "a0:10-20& f5:25-30 a0:30-40+10 ");
  EXPECT_EQ(paused({{10, 0},
                    {20, pause_site},
                    {25, 7},
                    {26, 5},
                    {30, 6},
                    {40, exit_site}}),
            "a0:10-20& f5:26-30 a0:30-40+10 ");
}

TEST(TraceSpans, APauseInACalleeIsNotTheCallers) {
  EXPECT_EQ(
      paused({{10, 0}, {15, 5}, {20, pause_site}, {25, 6}, {40, exit_site}}),
      "a0:10-15& f5:15-20 a0:25-40+5 ");
  EXPECT_EQ(
      paused({{10, 0}, {15, 5}, {20, pause_site}, {25, 5}, {40, exit_site}}),
      "a0:10-15& f5:15-20 f5:25-40 a0:40-40+5 ");
  EXPECT_EQ(
      paused({{10, 0}, {15, 5}, {20, pause_site}, {25, 1}, {40, exit_site}}),
      "a0:10-15& f5:15-20 a0:25-25+5 b1:25-40 ");
  EXPECT_EQ(paused({{10, 0}, {15, 5}, {20, pause_site}, {25, exit_site}}),
            "a0:10-15& f5:15-20 a0:25-25+5 ");
}

TEST(TraceSpans, APauseInNoPhaseIsAPauseAllTheSame) {
  EXPECT_EQ(
      paused({{10, 0}, {15, 3}, {20, pause_site}, {25, 1}, {40, exit_site}}),
      "a0:10-15 b1:25-40 ");
}

TEST(TraceSpans, PausesBehindEachOtherAreOne) {
  EXPECT_EQ(paused({{10, 0},
                    {20, pause_site},
                    {22, pause_site},
                    {25, 1},
                    {40, exit_site}}),
            "a0:10-20 b1:25-40 ");
}

TEST(TraceSpans, BehindALastPauseNothingIsKnown) {
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}}, 0), "a0:10-20? ");
  EXPECT_EQ(paused({{10, 0}, {20, pause_site}, {22, pause_site}}, 0),
            "a0:10-20? ");
}

TEST(TraceSpans, AWarpBeginsBehindTheFirstPause) {
  EXPECT_EQ(paused({{5, pause_site}, {10, 0}, {40, exit_site}}, 0),
            "a0:10-40 ");
  WarpTime T;
  EXPECT_EQ(spans({{5, pause_site}}, &T), "");
  EXPECT_EQ(T.cycles(), 0u);
}

TEST(TraceSpans, AScopeInterruptsNoPhase) {
  EXPECT_EQ(spans({{10, 0}, {20, 10}, {25, 1}, {30, 11}, {40, exit_site}}),
            "a0:10-25 [s10.0:20-30] b1:25-40 ");
}

TEST(TraceSpans, ScopesNest) {
  EXPECT_EQ(spans({{10, 10},
                   {12, 12},
                   {14, 13},
                   {16, 12},
                   {18, 13},
                   {20, 11},
                   {30, exit_site}}),
            "[t12.1:12-14] [t12.1:16-18] [s10.0:10-20] ");
  EXPECT_EQ(spans({{10, 10}, {12, 10}, {14, 11}, {20, 11}, {30, exit_site}}),
            "[s10.1:12-14] [s10.0:10-20] ");
}

TEST(TraceSpans, AnEndEndsWhatIsInTheScopeAndLostItsOwn) {
  EXPECT_EQ(spans({{10, 10}, {12, 12}, {20, 11}, {30, exit_site}}),
            "[t12.1:12-20] [s10.0:10-20] ");
  EXPECT_EQ(spans({{10, 10}, {12, 13}, {20, 11}, {30, exit_site}}),
            "[s10.0:10-20] ");
}

TEST(TraceSpans, AScopeEndsWithItsFunction) {
  // Left by return without an end; the caller's scope of that name goes on.
  EXPECT_EQ(
      spans({{10, 10}, {12, 5}, {14, 14}, {20, 6}, {25, 11}, {30, exit_site}}),
      "f5:12-20 [s14.1:14-20] [s10.0:10-25] ");
  // Nor does a function end a scope of its caller.
  EXPECT_EQ(spans({{10, 10}, {12, 5}, {14, 15}, {20, 6}, {30, exit_site}}),
            "f5:12-20 [s10.0:10-30] ");
}

TEST(TraceSpans, AScopeIsOpenWhereTheWarpStopped) {
  EXPECT_EQ(spans({{10, 10}, {20, 2}}), "m20 [s10.0:10-20?] ");
  EXPECT_EQ(spans({{10, 10}, {20, exit_site}}), "[s10.0:10-20] ");
}

TEST(TraceSpans, PausesAreInNoScope) {
  EXPECT_EQ(
      spans({{10, 10}, {12, pause_site}, {15, 2}, {20, 11}, {30, exit_site}}),
      "m15 [s10.0:10-20 p3] ");
  // In front of its begin and of its end.
  EXPECT_EQ(spans({{8, 2},
                   {9, pause_site},
                   {10, 10},
                   {15, pause_site},
                   {20, 11},
                   {30, exit_site}}),
            "m8 [s10.0:10-15] ");
}

TEST(TraceSpans, AValueClosesNothing) {
  EXPECT_EQ(spans({{10, 0}, {20, 16}, {40, exit_site}}), "a0:10-40 ");
}
