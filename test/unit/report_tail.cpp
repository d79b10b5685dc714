// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tail of a launch begins, whatever the order of its blocks.
#include "report/Tail.h"
#include "gtest/gtest.h"
#include <random>

using namespace kinstr::report;

namespace {

TailFinder finderOf(const std::vector<TimeRange> &Blocks) {
  TailFinder F(100);
  for (const TimeRange &B : Blocks)
    F.add(B);
  return F;
}

/// Blocks and when each of their slots became empty for good.
struct Schedule {
  std::vector<TimeRange> Blocks;
  std::vector<double> Free;

  Tail tail() const {
    Tail T;
    T.Slots = Free.size();
    double End = *std::max_element(Free.begin(), Free.end());
    for (double F : Free) {
      T.Ns = std::max(T.Ns, End - F);
      T.IdleNs += End - F;
    }
    return T;
  }
};

void expectSame(const std::optional<Tail> &Found, const Tail &Exact) {
  ASSERT_TRUE(Found);
  EXPECT_DOUBLE_EQ(Found->Ns, Exact.Ns);
  EXPECT_NEAR(Found->IdleNs, Exact.IdleNs, 1e-6);
  EXPECT_EQ(Found->Slots, Exact.Slots);
}

/// Of random lengths in 8 slots; the next one starts a while after the last.
Schedule someBlocks(unsigned Seed, size_t Count) {
  std::mt19937 Random(Seed);
  Schedule S;
  S.Free.resize(8);
  while (S.Blocks.size() < Count) {
    auto Slot = std::min_element(S.Free.begin(), S.Free.end());
    double Start = *Slot > 0 ? *Slot + 30 : 0;
    *Slot = Start + 100 + double(Random() % 100);
    S.Blocks.push_back({Start, *Slot});
  }
  return S;
}

} // namespace

TEST(ReportTail, OfNothingIsUnknown) { EXPECT_FALSE(TailFinder().tail()); }

TEST(ReportTail, TwoSlotsAndThreeBlocks) {
  // One slot has a second block; the other stays empty from 110 on.
  auto T = finderOf({{0, 100}, {0, 110}, {101, 200}}).tail();
  ASSERT_TRUE(T);
  EXPECT_EQ(T->Ns, 90);
  EXPECT_EQ(T->IdleNs, 90);
  EXPECT_EQ(T->Slots, 2u);
}

TEST(ReportTail, AWaveThatEndsAtOnceHasNone) {
  auto T = finderOf({{0, 100}, {0, 100}, {0, 100}}).tail();
  ASSERT_TRUE(T);
  EXPECT_EQ(T->Ns, 0);
  EXPECT_EQ(T->IdleNs, 0);
}

TEST(ReportTail, ABlockThatStartsLateLeavesNoSlotOut) {
  // All of the first wave end before the one block of the second starts.
  auto T = finderOf({{0, 100}, {0, 101}, {0, 102}, {150, 250}}).tail();
  ASSERT_TRUE(T);
  EXPECT_EQ(T->Slots, 3u);
  EXPECT_EQ(T->Ns, 149);
  EXPECT_EQ(T->IdleNs, 149 + 148);
}

TEST(ReportTail, DoesNotDependOnOrderOrParts) {
  for (unsigned Seed = 1; Seed < 20; ++Seed) {
    Schedule S = someBlocks(Seed, 8 + Seed * 17);
    std::vector<TimeRange> Blocks = S.Blocks;
    expectSame(finderOf(Blocks).tail(), S.tail());
    std::shuffle(Blocks.begin(), Blocks.end(), std::mt19937(Seed));
    expectSame(finderOf(Blocks).tail(), S.tail());
    std::reverse(Blocks.begin(), Blocks.end());
    TailFinder Joined;
    for (size_t Part = 0; Part < 3; ++Part) {
      TailFinder F(8);
      for (size_t I = Part; I < Blocks.size(); I += 3)
        F.add(Blocks[I]);
      Joined.join(F);
    }
    Joined.join(TailFinder());
    expectSame(Joined.tail(), S.tail());
  }
}

TEST(ReportTail, NoMoreIsKeptThanADeviceHolds) {
  TailFinder F(3);
  for (int I = 0; I < 40000; ++I)
    F.add({0, 100.0 + I});
  auto T = F.tail();
  ASSERT_TRUE(T);
  EXPECT_EQ(T->Slots, 3u);
  EXPECT_EQ(T->Ns, 2);
}
