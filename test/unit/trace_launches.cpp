// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From words to launches, blocks, warps and events.
#include "TraceTest.h"
#include "trace/Spans.h"
#include "llvm/ADT/bit.h"
#include <random>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::trace;

namespace {

TestAnchor anchorAt(uint64_t GridId, uint64_t Clock, uint32_t Blocks = 1) {
  TestAnchor A;
  A.GridId = GridId;
  A.Grid[0] = Blocks;
  A.ClockStart = Clock;
  A.ClockEnd = Clock + 20000;
  A.GlobalStart = Clock / 2;
  A.GlobalEnd = Clock / 2 + 10000;
  return A;
}

} // namespace

TEST(TraceLaunches, WarpsWithoutAnchorFindTheirBlock) {
  TraceBuilder B;
  TestAnchor A = anchorAt(7, 5000, 2);
  Words &R = B.region(0, 0);
  // Warp 1 flushed first, and its first mark is before warp 0's anchor.
  append(R, slotsRecord(7, 0, 1, {4900, 6000, 7000}));
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  append(R, slotsRecord(7, 1, 0, {5200, 6200, 7200}, &A));
  append(R, slotsRecord(7, 1, 1, {5300, 6300, 7300}));
  Trace T = understood(B);
  ASSERT_EQ(T.Ls.List.size(), 1u);
  EXPECT_EQ(T.Ls.List[0].NumBlocks, 2u);
  EXPECT_EQ(T.Ls.List[0].gridBlocks(), 2u);
  ASSERT_EQ(countWarps(T), 4u);
  EXPECT_EQ(eventsOf(T, 0, 1)[0].Clock, 4900u);
  EXPECT_EQ(eventsOf(T, 1, 1)[0].Clock, 5300u);
  EXPECT_EQ(eventsOf(T, 1, 1)[2].Site, exit_site);
  EXPECT_EQ(T.Ls.Lost.Orphans, 0u);
}

TEST(TraceLaunches, ReservedWordsAreSkipped) {
  TraceBuilder B;
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  append(R, {0, 0, 0});
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  append(R, {0});
  append(R, slotsRecord(7, 0, 1, {5100, 6100, 7100}));
  append(R, {0, 0});
  Trace T = understood(B);
  EXPECT_EQ(countWarps(T), 2u);
  EXPECT_TRUE(T.Ls.Warnings.empty());
}

TEST(TraceLaunches, TheSameBlockOfALaterLaunchIsToldApartByClock) {
  // %gridid 3 and 3 + 65536: equal in the tag.
  TraceBuilder B;
  TestAnchor Early = anchorAt(3, 1000000), Late = anchorAt(3 + 65536, 90000000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(3, 0, 0, {1000100, 1000200, 1000300}, &Early));
  append(R, slotsRecord(3, 0, 0, {90000100, 90000200, 90000300}, &Late));
  append(R, slotsRecord(3, 0, 1, {90000101, 90000201, 90000301}));
  append(R, slotsRecord(3, 0, 1, {1000101, 1000201, 1000301}));
  Trace T = understood(B);
  ASSERT_EQ(T.Ls.List.size(), 2u);
  EXPECT_EQ(eventsOf(T, 0, 1)[0].Clock, 1000101u);
  EXPECT_EQ(eventsOf(T, 1, 1)[0].Clock, 90000101u);
}

TEST(TraceLaunches, ReplaysOfAGraphsNodeAreToldApartByTime) {
  TraceBuilder B;
  Words &R = B.region(0, 0);
  // One grid id, two blocks, three replays; the second replay's block 1 was
  // reserved before its block 0.
  for (uint64_t Clock : {5000, 105000, 205000})
    for (uint32_t Block : {1, 0}) {
      TestAnchor A = anchorAt(7, Clock + Block * 100, 2);
      append(R, slotsRecord(7, Block, 0, {0, 6000, 7000}, &A));
    }
  Trace T = understood(B);
  ASSERT_EQ(T.Ls.List.size(), 3u);
  auto Blocks = blocksOf(T);
  ASSERT_EQ(Blocks.size(), 6u);
  for (uint32_t I = 0; I < 3; ++I) {
    EXPECT_EQ(T.Ls.List[I].GridId, 7u);
    EXPECT_EQ(T.Ls.List[I].Replay, I);
    ASSERT_EQ(T.Ls.List[I].NumBlocks, 2u);
    EXPECT_EQ(Blocks[I * 2].Launch, I);
    EXPECT_EQ(Blocks[I * 2].ClockStart, 5000 + I * 100000u);
  }
}

TEST(TraceLaunches, RecordsThatFitNoBlockAreOrphans) {
  TraceBuilder B;
  auto &Devices = *B.Meta.getArray("devices");
  Devices.push_back(Devices[0]);
  TestAnchor A = anchorAt(3, 1000000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(3, 0, 0, {1000100, 1000200, 1000300}, &A));
  append(R, slotsRecord(3, 1, 1, {1000100, 1000200, 1000300})); // no block 1
  append(R, slotsRecord(4, 0, 1, {1000100, 1000200, 1000300})); // no launch 4
  append(R, slotsRecord(3, 0, 1, {900100, 900200, 900300}));    // long before
  append(B.region(1, 0),
         slotsRecord(3, 0, 1, {1000100, 1000200, 1000300})); // another device
  Trace T = understood(B);
  EXPECT_EQ(countWarps(T), 1u);
  EXPECT_EQ(T.Ls.Lost.Orphans, 4u);
}

TEST(TraceLaunches, WarpsMayComeLongAfterWarp0Left) {
  TraceBuilder B;
  TestAnchor A = anchorAt(3, 1000000); // to 1020000
  Words &R = B.region(0, 0);
  append(R, streamRecord(3, 0, 0, {{1000100, 0}, {1019900, exit_site}}, &A));
  append(R, streamRecord(3, 0, 1, {{1000200, 0}, {2000000, 0}}));
  append(R, streamRecord(3, 0, 1, {{3000000, 0}, {4000000, exit_site}}));
  A = anchorAt(4, 5000000);
  append(R, slotsRecord(4, 0, 0, {5000100, 0, 5019900}, &A));
  append(R, slotsRecord(4, 0, 1, {0, 7000000, 8000000}));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.Orphans, 0u);
  ASSERT_EQ(blocksOf(T).size(), 2u);
  EXPECT_EQ(eventsOf(T, 0, 1).size(), 4u);
  EXPECT_EQ(eventsOf(T, 1, 1)[0].Clock, 7000000u);
}

TEST(TraceLaunches, ReplaysTwoSecondsApartAreToldApartByPlace) {
  // 2^32 cycles apart: all slots look alike. The anchor's record is the first,
  // then the last of its block. Another block lies between.
  for (bool AnchorFirst : {true, false}) {
    TraceBuilder B;
    Words &R = B.region(0, 0);
    for (uint64_t I = 1; I <= 40; ++I) {
      uint64_t C = I << 32;
      TestAnchor A = anchorAt(7, C + 5000);
      Words With = slotsRecord(7, 0, 0, {C + 5100, C + 6100, C + 7100}, &A);
      Words Without = slotsRecord(7, 0, 1, {C + 4900, C + 6000, C + 7000});
      append(R, AnchorFirst ? With : Without);
      append(R, AnchorFirst ? Without : With);
      append(R, slotsRecord(7, 1, 0, {C + 5100, C + 6100, C + 7100}));
    }
    Trace T = understood(B);
    ASSERT_EQ(T.Ls.List.size(), 40u);
    EXPECT_EQ(T.Ls.Lost.Orphans, 40u); // the other block's
    ASSERT_EQ(countWarps(T), 80u);
    auto Blocks = blocksOf(T);
    for (uint32_t I = 0; I < 40; ++I)
      EXPECT_EQ(Blocks[I].Warps[1].Events[0].Clock,
                ((I + uint64_t(1)) << 32) + 4900);
  }
}

TEST(TraceLaunches, ReplaysInQuickSuccessionAreToldApartByTime) {
  // The next replay's anchor lies right behind the last record, and far nearer
  // to it than its own.
  TraceBuilder B;
  Words &R = B.region(0, 0);
  constexpr uint32_t Replays = 20000, Warps = 8; // must not take long, either
  for (uint64_t I = 0; I < Replays; ++I) {
    uint64_t C = 1000000 + I * 25000;
    TestAnchor A = anchorAt(7, C);
    A.Block[0] = Warps * 32;
    append(R, slotsRecord(7, 0, 0, {C + 100, C + 300, C + 2000}, &A));
    for (uint32_t W = 1; W < Warps; ++W) // the last ones after warp 0 left
      append(R, slotsRecord(7, 0, W, {C + W * 3300, 0, C + W * 3400}));
  }
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.Orphans, 0u);
  ASSERT_EQ(T.Ls.List.size(), Replays);
  for (const SeenBlock &Bl : blocksOf(T))
    ASSERT_EQ(Bl.NumWarps, Warps);
  EXPECT_EQ(eventsOf(T, 17, Warps - 1)[0].Clock,
            1000000 + 17 * 25000 + (Warps - 1) * 3300);
}

TEST(TraceLaunches, PairsOfClocksAreNoEvents) {
  TraceBuilder B;
  TestAnchor A = anchorAt(7, 5000);
  A.Block[0] = 32;
  Words &R = B.region(0, 0);
  append(R, streamRecord(7, 0, 0, {{5100, 0}, {6100, 1}}, nullptr,
                         TestClocks{2500 + 700, 6400}));
  append(R, {0});
  // Reserved, not written; before the block; behind it, on either clock.
  for (TestClocks Bad : {TestClocks{0, 0}, TestClocks{2499, 6400},
                         TestClocks{3200, 4999}, TestClocks{3200, 25001},
                         TestClocks{12501, 6400}, TestClocks{~0ull, ~0ull}})
    append(R, streamRecord(7, 0, 0, {}, nullptr, Bad));
  append(R, streamRecord(7, 0, 0, {{7100, 0}, {8100, exit_site}}, &A));
  Trace T = understood(B);
  EXPECT_TRUE(T.Ls.Warnings.empty());
  ASSERT_EQ(blocksOf(T).size(), 1u);
  EXPECT_EQ(eventsOf(T, 0, 0).size(), 4u);
  EXPECT_EQ(T.Ls.NumEvents, 4u);
  auto Pairs = blocksOf(T)[0].Clocks;
  ASSERT_EQ(Pairs.size(), 1u);
  EXPECT_EQ(Pairs[0].Global, 3200u);
  EXPECT_EQ(Pairs[0].Clock, 6400u);
}

TEST(TraceLaunches, OfABlockThatMovedNoPairSaysOnWhichClock) {
  TraceBuilder B;
  TestAnchor A = anchorAt(7, 5000);
  A.Block[0] = 32;
  A.SmEnd = 1;
  Words &R = B.region(0, 0);
  append(R,
         streamRecord(7, 0, 0, {{5100, 0}}, nullptr, TestClocks{3200, 6400}));
  append(R, streamRecord(7, 0, 0, {{7100, 0}, {8100, exit_site}}, &A));
  Trace T = understood(B);
  auto Pairs = blocksOf(T)[0].Clocks;
  EXPECT_TRUE(Pairs.empty());
}

TEST(TraceLaunches, OnlyAPairCanStandBehindEvents) {
  TraceBuilder B;
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  append(R, streamRecord(7, 0, 0, {{7100, 0}, {8100, exit_site}}, &A));
  append(R, streamRecord(7, 0, 1, {{7100, 0}}));
  R[R.size() - stream_header_words - event_words] |= 3 << 8;
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Warnings.size(), 1u);
  EXPECT_EQ(T.Ls.NumEvents, 2u);
}

TEST(TraceLaunches, AWarpLeavesOneSlotsRecord) {
  // The second is of a replay whose anchor found no room.
  TraceBuilder B;
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  append(R, slotsRecord(7, 0, 1, {5100, 6100, 7200}));
  append(R, slotsRecord(7, 0, 1, {205100, 206100, 207200}));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.Orphans, 1u);
  auto E = eventsOf(T, 0, 1);
  ASSERT_EQ(E.size(), 3u);
  EXPECT_EQ(E[2].Clock, 7200u);
}

TEST(TraceLaunches, ASlotsRecordMayComeAfterACalleesRecord) {
  // Under divergent flow a warp reserves its slots when its last lanes leave.
  using namespace llvm::json;
  TraceBuilder B(TraceBuilder::smallMeta("divergent"));
  Object &Module = *(*B.Meta.getArray("modules"))[0].getAsObject();
  Module["callees"] =
      Array{Object{{"name", "f"},
                   {"line", 5},
                   {"first_site", 0},
                   {"flow", "divergent"},
                   {"sites", Array{Object{{"kind", "return"},
                                          {"name", ""},
                                          {"line", 5},
                                          {"drain", "none"}}}}}};
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  Words Callee = streamRecord(7, 0, 0, {{5500, 0}});
  Callee[2] = pack_stream_count({1, 0});
  append(R, Callee);
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.Orphans, 0u);
  EXPECT_EQ(eventsOf(T, 0, 0).size(), 4u);
}

namespace {

/// smallMeta() and two functions: the phase `f`, site 0, return 1, entry 2; the
/// phase `g`, site 3, return 4.
llvm::json::Object metaWithCallees() {
  using namespace llvm::json;
  auto Site = [](const char *Kind, const char *Name) {
    return Object{
        {"kind", Kind}, {"name", Name}, {"line", 5}, {"drain", "none"}};
  };
  auto Function = [](const char *Name, int First, Array Sites) {
    return Object{{"name", Name},
                  {"line", 5},
                  {"first_site", First},
                  {"flow", "uniform"},
                  {"sites", std::move(Sites)}};
  };
  Object Meta = TraceBuilder::smallMeta();
  Object &Module = *(*Meta.getArray("modules"))[0].getAsObject();
  Module["callees"] =
      Array{Function("f", 0,
                     Array{Site("phase", "f"), Site("return", ""),
                           Site("entry", "")}),
            Function("g", 3, Array{Site("phase", "g"), Site("return", "")})};
  return Meta;
}

/// A record of callees of module 0.
Words calleeRecord(uint64_t GridId, uint32_t Block, uint32_t Warp,
                   const std::vector<std::pair<uint64_t, uint32_t>> &Events) {
  Words W = streamRecord(GridId, Block, Warp, Events);
  W[2] = pack_stream_count({static_cast<uint32_t>(Events.size()), 0});
  return W;
}

/// Names of the sites a warp passed, `>` and `<` for entry and return.
std::string sitesOf(const Trace &T, uint32_t Block, uint32_t Warp) {
  auto Blocks = blocksOf(T);
  const Kernel &K = T.kernel(T.Ls.List[Blocks[Block].Launch]);
  std::string Out;
  for (const Event &E : Blocks[Block].Warps[Warp].Events)
    Out += E.Site == exit_site                       ? "."
           : E.Site == pause_site                    ? "_"
           : E.Site >= K.Sites.size()                ? "?"
           : !K.Sites[E.Site].Name.empty()           ? K.Sites[E.Site].Name
           : K.Sites[E.Site].Kind == SiteKind::Entry ? ">"
                                                     : "<";
  return Out;
}

} // namespace

TEST(TraceLaunches, ARecordOfCalleesHoldsManyActivationsOfManyFunctions) {
  TraceBuilder B(metaWithCallees());
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  // g, then f, which calls itself and g; the last places are not used.
  append(R, {0});
  append(R, calleeRecord(7, 0, 0,
                         {{5200, 3},
                          {5300, 4},
                          {5400, 2},
                          {5500, 0},
                          {5600, 2},
                          {5700, 0},
                          {5800, 3},
                          {5900, 4},
                          {5950, 1},
                          {6000, 1},
                          {0, 0},
                          {0, 0}}));
  append(R, calleeRecord(7, 0, 0, {{6200, 3}, {6300, 4}}));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.BadRecords, 0u);
  EXPECT_EQ(sitesOf(T, 0, 0), "ag<>f>fg<<<bg<.");
  EXPECT_EQ(T.Ls.NumEvents, 15u);
}

TEST(TraceLaunches, PausesAreOfNoFunctionAndNotCounted) {
  TraceBuilder B(metaWithCallees());
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  append(R, calleeRecord(7, 0, 0, {{5200, pause_site}, {5300, 3}, {5400, 4}}));
  append(R, calleeRecord(7, 0, 0, {{6200, pause_site}, {0, 0}})); // waits still
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.BadRecords, 0u);
  EXPECT_EQ(sitesOf(T, 0, 0), "a_g<b_.");
  EXPECT_EQ(T.Ls.NumEvents, 5u);
}

namespace {

/// smallMeta() with a value `v` and, in a callee, a value `w`.
TraceBuilder withValues() {
  using namespace llvm::json;
  Object Meta = metaWithCallees();
  Object &Module = *(*Meta.getArray("modules"))[0].getAsObject();
  Object Site{{"kind", "value"}, {"name", "v"}, {"line", 5}};
  (*Module.getArray("kernels"))[0].getAsObject()->getArray("sites")->push_back(
      Object(Site));
  Site["name"] = "w";
  Object &G = *(*Module.getArray("callees"))[1].getAsObject();
  Array &Sites = *G.getArray("sites");
  Sites.insert(Sites.begin() + 1, Object(Site));
  return TraceBuilder(std::move(Meta));
}

/// The values of a warp: `v7@5200 w-1@5300`.
std::string valuesOf(const Trace &T, uint32_t Warp) {
  auto Blocks = blocksOf(T);
  const Kernel &K = T.kernel(T.Ls.List[Blocks[0].Launch]);
  std::string Out;
  for (const Value &V : Blocks[0].Warps[Warp].Values)
    Out += (Out.empty() ? "" : " ") + K.Sites[V.Site].Name + V.N.str() + "@" +
           std::to_string(V.Clock);
  return Out;
}

} // namespace

TEST(TraceLaunches, ANumberIsOfTheEventBehindIt) {
  TraceBuilder B = withValues();
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  auto Float = [](float F) {
    return numberEvent(number_type::floating_point,
                       llvm::bit_cast<uint32_t>(F));
  };
  append(R, streamRecord(7, 0, 0,
                         {{5100, 0},
                          numberEvent(number_type::signed_integer, -3),
                          {5200, 2},
                          {5250, 1},
                          numberEvent(number_type::unsigned_integer, ~0u),
                          {5300, 2},
                          Float(0.1f),
                          {5400, 2},
                          {5500, 2}, // its number was not written
                          {7000, exit_site}},
                         &A));
  append(R, calleeRecord(7, 0, 0,
                         {{5600, 3},
                          numberEvent(number_type::signed_integer, 0),
                          {5700, 4},
                          {5800, 5}}));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.BadRecords, 0u);
  EXPECT_EQ(valuesOf(T, 0), "v-3@5200 v4294967295@5300 v0.1@5400 w0@5700");
  EXPECT_EQ(sitesOf(T, 0, 0), "avbvvvgw<.");
  EXPECT_EQ(T.Ls.NumEvents, 10u);
}

TEST(TraceLaunches, NumbersOfNothingAreSkipped) {
  TraceBuilder B = withValues();
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  auto Number = [](uint32_t Bits) {
    return numberEvent(number_type::unsigned_integer, Bits);
  };
  append(R, streamRecord(7, 0, 0,
                         {Number(1), // of a phase
                          {5100, 0},
                          Number(2), // the event was not written
                          {0, 0},
                          {5200, 2},
                          Number(3), // two
                          Number(4),
                          {5300, 2},
                          {uint64_t(3) << 32 | 5, number_site}, // of no type
                          {5400, 2},
                          {7000, exit_site},
                          Number(6)}, // nothing behind it
                         &A));
  Trace T = understood(B);
  EXPECT_EQ(valuesOf(T, 0), "v4@5300");
  EXPECT_EQ(T.Ls.NumEvents, 5u);
}

TEST(TraceLaunches, OneSiteThatNoCalleeHasSpoilsNoOther) {
  TraceBuilder B(metaWithCallees());
  TestAnchor A = anchorAt(7, 5000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(7, 0, 0, {5100, 6100, 7100}, &A));
  append(R, calleeRecord(7, 0, 0, {{5200, 9}, {5300, 3}, {5400, 4}}));
  append(R, calleeRecord(7, 0, 0, {{5500, 9}, {5600, 77}})); // nothing it has
  append(R, calleeRecord(7, 0, 0, {{0, 0}})); // its event never arrived
  Words OfNoModule = calleeRecord(7, 0, 0, {{5700, 3}});
  OfNoModule[2] = pack_stream_count({1, 3});
  append(R, OfNoModule);
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.BadRecords, 2u);
  EXPECT_EQ(sitesOf(T, 0, 0), "a?g<b.");
}

namespace {

constexpr uint32_t SharedReplays = 5, SharedEvents = 13;

/// One record of callees that goes through all replays of a block: the warp of
/// each finds what that of the one before left. Its sites lie up to its own
/// block's end, or shortly before the anchor's start.
TraceBuilder sharedByReplays() {
  TraceBuilder B(metaWithCallees());
  Words &R = B.region(0, 0);
  size_t Place = 0;
  std::vector<std::pair<uint64_t, uint32_t>> Events;
  for (uint64_t I = 0; I < SharedReplays; ++I) {
    uint64_t C = 1000000 + I * 22000; // 2000 cycles from one to the next
    TestAnchor A = anchorAt(7, C);
    append(R, slotsRecord(7, 0, 0, {C + 100, C + 9000, C + 19900}, &A));
    append(R, slotsRecord(7, 0, 1, {C - 300, C + 9000, C + 20300}));
    if (I == 0) {
      Place = R.size();
      append(R, Words(64)); // the record's
    }
    Events.push_back({C - 200, 3});
    if (I != 3) {
      Events.push_back({C + 300, 4});
      Events.push_back({C + 20200, 0});
    }
  }
  llvm::copy(calleeRecord(7, 0, 1, Events), R.begin() + Place);
  return B;
}

} // namespace

TEST(TraceLaunches, ARecordOfCalleesIsSharedByReplays) {
  Trace T = understood(sharedByReplays());
  EXPECT_EQ(T.Ls.Lost.Orphans, 0u);
  ASSERT_EQ(T.Ls.List.size(), SharedReplays);
  for (uint32_t I = 0; I < SharedReplays; ++I)
    EXPECT_EQ(sitesOf(T, I, 1), I == 3 ? "agb." : "ag<bf.") << I;
  EXPECT_EQ(T.Ls.NumEvents, SharedReplays * 6 + SharedEvents);
}

TEST(TraceLaunches, DamagedRecordsOfCalleesAreReadAllTheSame) {
  std::mt19937 Random(1); // the same on every platform
  const TraceBuilder Good = sharedByReplays();
  for (int Round = 0; Round < 2000; ++Round) {
    TraceBuilder Bad = Good;
    Words &R = Bad.region(0, 0);
    for (unsigned I = 0, N = 1 + Random() % 4; I < N; ++I) {
      uint32_t &Word = R[Random() % R.size()];
      switch (Random() % 3) {
      case 0:
        Word = Random();
        break;
      case 1:
        Word ^= 1u << Random() % 32;
        break;
      case 2:
        std::swap(Word, R[Random() % R.size()]);
        break;
      }
    }
    Trace T = understood(Bad);
    uint64_t Events = 0, Unknown = 0;
    for (const SeenBlock &B : blocksOf(T))
      for (const SeenWarp &W : B.Warps) {
        Events += W.Events.size();
        forEachSpan(
            W.Events, T.kernel(T.Ls.List[B.Launch]),
            [](const Span &S) { EXPECT_LE(S.Begin, S.End); },
            [](const ScopeSpan &S) { EXPECT_LE(S.Begin + S.Paused, S.End); },
            [](const Event &) {}, Unknown);
      }
    EXPECT_EQ(Events, T.Ls.NumEvents);
  }
}

TEST(TraceLaunches, LaterLaunchesWithTheSameBitsShareNothing) {
  // %gridid 3 and 3 + 65536, both under way at the same time.
  TraceBuilder B(metaWithCallees());
  TestAnchor Early = anchorAt(3, 1000000), Late = anchorAt(3 + 65536, 1010000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(3, 0, 0, {1000100, 1000200, 1019000}, &Early));
  append(R, calleeRecord(3, 0, 0, {{1000300, 3}, {1018000, 4}}));
  append(R, slotsRecord(3, 0, 0, {1010100, 1010200, 1029000}, &Late));
  Trace T = understood(B);
  EXPECT_EQ(sitesOf(T, 0, 0), "abg<.");
  EXPECT_EQ(sitesOf(T, 1, 0), "ab.");
}

TEST(TraceLaunches, RecordsInTheRegionOfAnotherSmFindTheirBlock) {
  TraceBuilder B;
  // Two replays; each time warp 1 reserved on SM 1, where the clock is behind.
  for (uint64_t C : {1000000000ull, 9000000000ull}) {
    TestAnchor A = anchorAt(7, C);
    A.SmEnd = 1;
    A.ClockEnd = C - 700000;
    append(B.region(0, 0), slotsRecord(7, 0, 0, {C + 5, C + 9, C + 19}, &A));
    A = anchorAt(8, C + 50000);
    append(B.region(0, 1),
           slotsRecord(8, 0, 0, {C + 50005, C + 50009, C + 50019}, &A));
    append(B.region(0, 1),
           slotsRecord(7, 0, 1, {C + 7, C - 710000, C - 700000}));
  }
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.Orphans, 0u);
  ASSERT_EQ(blocksOf(T).size(), 4u);
  for (uint32_t I : {0, 1}) {                 // no phase of 2^32 cycles
    uint64_t C = I ? 9000000000 : 1000000000; // of the replay
    auto E = eventsOf(T, I, 1);
    ASSERT_EQ(E.size(), 3u);
    EXPECT_EQ(E[0].Clock, C - 710000);
    EXPECT_EQ(E[2].Clock, C + 7);
  }
}

TEST(TraceLaunches, ImpossibleAnchorsAndRecordsAreCounted) {
  TraceBuilder B;
  Words &R = B.region(0, 0);
  std::vector<uint64_t> Clocks = {5100, 6100, 7100};
  TestAnchor A = anchorAt(1, 5000);
  A.Kernel = 9;
  append(R, slotsRecord(1, 0, 0, Clocks, &A));
  A = anchorAt(1, 5000);
  A.Module = 9;
  append(R, slotsRecord(1, 0, 0, Clocks, &A));
  A = anchorAt(1, 5000);
  A.Block[0] = 0;
  append(R, slotsRecord(1, 0, 0, Clocks, &A));
  A = anchorAt(1, 5000);
  append(R, slotsRecord(1, 5, 0, Clocks, &A)); // block 5 of a grid of 1
  EXPECT_EQ(understood(B).Ls.Lost.BadAnchors, 4u);

  append(R, slotsRecord(1, 0, 0, Clocks, &A));         // a good one
  append(R, slotsRecord(1, 0, 1, {5100, 6100}));       // a slot too few
  append(R, slotsRecord(1, 0, 2, {5100, 6100, 7100})); // warp 2 of 64 threads
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.BadRecords, 2u);
  EXPECT_EQ(countWarps(T), 1u);
}

TEST(TraceLaunches, DamageEndsTheRegionAndNamesTheOffset) {
  TraceBuilder B;
  TestAnchor A = anchorAt(1, 5000);
  Words &R = B.region(0, 0);
  R = slotsRecord(1, 0, 0, {5100, 6100, 7100}, &A);
  size_t Good = R.size();
  R.push_back(2); // even: no tag
  append(R, slotsRecord(1, 0, 1, {5100, 6100, 7100}));
  auto Raw = readBytes(B.bytes());
  ASSERT_TRUE(bool(Raw));
  uint64_t Start = Raw->Regions[0].Offset;
  Trace T = llvm::cantFail(understand(std::move(*Raw)));
  ASSERT_EQ(T.Ls.Warnings.size(), 1u);
  EXPECT_EQ(T.Ls.Warnings[0].Offset, Start + 4 * Good);
  EXPECT_EQ(countWarps(T), 1u);
}

TEST(TraceLaunches, RecordsThatReachPastTheRegionAreDamage) {
  auto Damaged = [](Words W) {
    TraceBuilder B;
    B.region(0, 0) = std::move(W);
    return !understood(B).Ls.Warnings.empty();
  };
  Words Slots = slotsRecord(1, 0, 1, {5100, 6100, 7100});
  Words Stream = streamRecord(1, 0, 1, {{5100, 0}});
  EXPECT_FALSE(Damaged(Slots));
  EXPECT_FALSE(Damaged(Stream));
  Slots.pop_back();
  EXPECT_TRUE(Damaged(Slots));
  Words Huge = Stream;
  Huge[2] = 0xFFFFFFFF; // its size overflows 32 bits
  EXPECT_TRUE(Damaged(Huge));
  Huge[2] = 0x80000000;
  EXPECT_TRUE(Damaged(Huge));
  EXPECT_TRUE(Damaged({pack_tag({false, true, 0, 0, 1})})); // a tag and no more
  EXPECT_TRUE(Damaged({pack_tag({false, false, 0, 0, 1}), 0, 0})); // length 0
  EXPECT_TRUE(Damaged({pack_tag({true, false, 0, 5, 1}), 0, 0, 0, 0}));
}

TEST(TraceLaunches, SlotsCrossTheWrapOfTheLowWord) {
  TraceBuilder B;
  TestAnchor A = anchorAt(1, 0x4FFFFFF00);
  B.region(0, 0) =
      slotsRecord(1, 0, 0, {0x4FFFFFF80, 0x500000010, 0x500000090}, &A);
  Trace T = understood(B);
  auto E = eventsOf(T, 0, 0);
  ASSERT_EQ(E.size(), 3u);
  EXPECT_EQ(E[0].Clock, 0x4FFFFFF80u);
  EXPECT_EQ(E[1].Clock, 0x500000010u);
  EXPECT_EQ(E[2].Clock, 0x500000090u);
}

TEST(TraceLaunches, DivergentSlotsComeInAnyOrder) {
  TraceBuilder B(TraceBuilder::smallMeta("divergent"));
  TestAnchor A = anchorAt(1, 0x4FFFFFF00);
  // The else branch ran first, before the low word wrapped.
  B.region(0, 0) =
      slotsRecord(1, 0, 0, {0x500000010, 0x4FFFFFF80, 0x500000090}, &A);
  Trace T = understood(B);
  auto E = eventsOf(T, 0, 0);
  ASSERT_EQ(E.size(), 3u);
  EXPECT_EQ(E[0].Clock, 0x4FFFFFF80u);
  EXPECT_EQ(E[0].Site, 1u);
  EXPECT_EQ(E[1].Clock, 0x500000010u);
  EXPECT_EQ(E[2].Clock, 0x500000090u);
}

TEST(TraceLaunches, DivergentSlotsMayLieFarApartInABlockThatDoesNotWrap) {
  TraceBuilder B(TraceBuilder::smallMeta("divergent"));
  uint64_t Start = 0x4FFFFFF00;
  TestAnchor A = anchorAt(1, Start);
  A.ClockEnd = Start + 4000000000;
  B.region(0, 0) = slotsRecord(
      1, 0, 0, {Start + 3900000000, Start + 500, Start + 4000000000}, &A);
  Trace T = understood(B);
  auto E = eventsOf(T, 0, 0);
  ASSERT_EQ(E.size(), 3u);
  EXPECT_EQ(E[0].Clock, Start + 500);
  EXPECT_EQ(E[1].Clock, Start + 3900000000);
  EXPECT_EQ(E[2].Clock, Start + 4000000000);
  EXPECT_FALSE(blocksOf(T)[0].Warps[0].MayHaveWrapped);
}

TEST(TraceLaunches, TheFirstSiteMayComeSecondsAfterTheStart) {
  for (const char *Flow : {"uniform", "divergent"}) {
    TraceBuilder B(TraceBuilder::smallMeta(Flow));
    uint64_t Start = 0x4FFFFFF00, First = Start + 3000000000;
    TestAnchor A = anchorAt(1, Start);
    A.ClockEnd = First + 2000000000;
    B.region(0, 0) = slotsRecord(
        1, 0, 0, {First, First + 1000000000, First + 2000000000}, &A);
    Trace T = understood(B);
    auto E = eventsOf(T, 0, 0);
    ASSERT_EQ(E.size(), 3u);
    EXPECT_EQ(E[0].Clock, First);
    EXPECT_EQ(E[2].Clock, First + 2000000000);
    // In order there is room for no other reading; out of order there is.
    EXPECT_EQ(blocksOf(T)[0].Warps[0].MayHaveWrapped,
              llvm::StringRef(Flow) == "divergent");
  }
}

TEST(TraceLaunches, SitesNotReachedLeaveNoEvent) {
  TraceBuilder B;
  TestAnchor A = anchorAt(1, 5000);
  B.region(0, 0) = slotsRecord(1, 0, 0, {0, 6100, 0}, &A);
  Trace T = understood(B);
  auto E = eventsOf(T, 0, 0);
  ASSERT_EQ(E.size(), 1u);
  EXPECT_EQ(E[0].Site, 1u);
}

TEST(TraceLaunches, StreamRecordsOfAWarpAreMergedByClock) {
  TraceBuilder B;
  TestAnchor A = anchorAt(1, 5000);
  Words &R = B.region(0, 0);
  append(R, streamRecord(1, 0, 0, {{5400, 0}, {5500, exit_site}}, &A));
  append(R, streamRecord(1, 0, 0, {{5200, 0}, {5300, 1}, {0, 0}}));
  Trace T = understood(B);
  ASSERT_EQ(countWarps(T), 1u);
  auto E = eventsOf(T, 0, 0);
  ASSERT_EQ(E.size(), 4u); // two zero words are no event
  EXPECT_EQ(E[0].Clock, 5200u);
  EXPECT_EQ(E[3].Site, exit_site);
  EXPECT_EQ(T.Ls.NumEvents, 4u);
}

TEST(TraceLaunches, EndOfTheBlock) {
  TraceBuilder B;
  Words &R = B.region(0, 0);
  TestAnchor A = anchorAt(1, 5000, 3);
  A.GlobalEnd = A.ClockEnd = 0;
  append(R, slotsRecord(1, 0, 0, {5100, 6100, 7100}, &A));
  A = anchorAt(1, 5000, 3);
  A.SmEnd = 1;
  append(R, slotsRecord(1, 1, 0, {5100, 6100, 7100}, &A));
  A = anchorAt(1, 5000, 3);
  A.ClockEnd = 10; // before its start: damage, not time
  append(R, slotsRecord(1, 2, 0, {5100, 6100, 7100}, &A));
  Trace T = understood(B);
  auto Blocks = blocksOf(T);
  ASSERT_EQ(Blocks.size(), 3u);
  EXPECT_FALSE(Blocks[0].Finished);
  EXPECT_TRUE(Blocks[1].moved());
  EXPECT_FALSE(Blocks[2].Finished);
}
