// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From words to launches, blocks, warps and events.
#include "TraceTest.h"

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
  ASSERT_EQ(T.Ls.Warps.size(), 4u);
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
  EXPECT_EQ(T.Ls.Warps.size(), 2u);
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
  for (uint32_t I = 0; I < 3; ++I) {
    EXPECT_EQ(T.Ls.List[I].GridId, 7u);
    EXPECT_EQ(T.Ls.List[I].Replay, I);
    ASSERT_EQ(T.Ls.List[I].NumBlocks, 2u);
    EXPECT_EQ(T.Ls.blocks(T.Ls.List[I])[0].ClockStart, 5000 + I * 100000u);
  }
}

TEST(TraceLaunches, RecordsThatFitNoBlockAreOrphans) {
  TraceBuilder B;
  TestAnchor A = anchorAt(3, 1000000);
  Words &R = B.region(0, 0);
  append(R, slotsRecord(3, 0, 0, {1000100, 1000200, 1000300}, &A));
  append(R, slotsRecord(3, 1, 1, {1000100, 1000200, 1000300})); // no block 1
  append(R, slotsRecord(4, 0, 1, {1000100, 1000200, 1000300})); // no launch 4
  append(R, slotsRecord(3, 0, 1, {5000100, 5000200, 5000300})); // long after
  append(B.region(0, 1),
         slotsRecord(3, 0, 1, {1000100, 1000200, 1000300})); // another SM
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Warps.size(), 1u);
  EXPECT_EQ(T.Ls.Lost.Orphans, 4u);
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
  EXPECT_EQ(T.Ls.Warps.size(), 1u);
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
  Trace T = understand(std::move(*Raw));
  ASSERT_EQ(T.Ls.Warnings.size(), 1u);
  EXPECT_EQ(T.Ls.Warnings[0].Offset, Start + 4 * Good);
  EXPECT_EQ(T.Ls.Warps.size(), 1u);
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
  ASSERT_EQ(T.Ls.Warps.size(), 1u);
  auto E = eventsOf(T, 0, 0);
  ASSERT_EQ(E.size(), 4u); // two zero words are no event
  EXPECT_EQ(E[0].Clock, 5200u);
  EXPECT_EQ(E[3].Site, exit_site);
  EXPECT_EQ(T.Ls.countEvents(), 4u);
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
  ASSERT_EQ(T.Ls.Blocks.size(), 3u);
  EXPECT_FALSE(T.Ls.Blocks[0].Finished);
  EXPECT_TRUE(T.Ls.Blocks[1].moved());
  EXPECT_FALSE(T.Ls.Blocks[2].Finished);
}
