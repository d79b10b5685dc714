// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That the SIMT machine does what a GPU does, and ends the run where a GPU
// would punish or hide a mistake.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>
// Behind what knows nothing of CUDA.
#include "Cuda.h"

using testing::HasSubstr;

namespace {

simt::Grid oneBlock(uint32_t Threads, uint64_t Seed = 1) {
  simt::Grid G;
  G.Seed = Seed;
  G.Threads = {Threads, 1, 1};
  G.ClockOffset = {1000};
  return G;
}

template <typename Fn> std::string runBlock(uint32_t Threads, Fn Kernel) {
  return simt::run(oneBlock(Threads), {}, Kernel);
}

/// What seeds 1 to 20 say, joined.
template <typename Fn> std::string runSeeds(uint32_t Threads, Fn Kernel) {
  std::string Out;
  for (uint64_t Seed = 1; Seed <= 20; ++Seed)
    Out += simt::run(oneBlock(Threads, Seed), {}, Kernel);
  return Out;
}

uint32_t sharedWords() {
  __shared__ uint32_t Words[64];
  return simt::sharedAddress(Words, sizeof(Words));
}

TEST(Machine, IndicesAndPartialWarps) {
  simt::Grid G;
  G.Threads = {5, 3, 3};
  G.Blocks = {2, 2, 1};
  G.ClockOffset = {0};
  std::vector<int> Seen(4 * 45);
  EXPECT_EQ(simt::run(G, {},
                      [&] {
                        const uint32_t T =
                            threadIdx.x + 5 * (threadIdx.y + 3 * threadIdx.z);
                        EXPECT_EQ(simt::laneId(), T % 32);
                        __syncwarp();
                        ++Seen[45 * (blockIdx.x + 2 * blockIdx.y) + T];
                      }),
            "");
  EXPECT_THAT(Seen, testing::Each(1));
}

TEST(Machine, WarpOperations) {
  EXPECT_EQ(runBlock(40,
                     [] {
                       const uint32_t Lane = simt::laneId();
                       const uint32_t Lanes = threadIdx.x < 32 ? 32 : 8;
                       EXPECT_EQ(__shfl_sync(~0u, Lane * 3, 5), 15u);
                       EXPECT_EQ(__ballot_sync(~0u, Lane % 2 == 0),
                                 0x55555555u & (Lanes == 32 ? ~0u : 0xFFu));
                       EXPECT_EQ(__all_sync(~0u, Lane < Lanes), 1);
                       EXPECT_EQ(__any_sync(~0u, Lane == 9), Lanes == 32);
                     }),
            "");
}

TEST(Machine, EachWarpIsInASlotOfItsOwnThoughNotForEver) {
  for (uint32_t Preempted : {0, 300}) {
    simt::Grid G = oneBlock(96);
    G.Slots = 4;
    G.Preempted = Preempted;
    uint32_t First[3] = {}, Moves = 0;
    EXPECT_EQ(simt::run(G, {},
                        [&] {
                          const uint32_t Warp = threadIdx.x / 32;
                          if (simt::laneId() == 0)
                            First[Warp] = simt::warpId();
                          __syncthreads();
                          for (int I = 0; I < 20; ++I)
                            Moves += simt::warpId() != First[Warp];
                        }),
              "");
    EXPECT_EQ(Moves != 0, Preempted != 0);
    if (Preempted == 0) {
      EXPECT_THAT((std::set<uint32_t>{First[0], First[1], First[2]}),
                  testing::SizeIs(3));
      EXPECT_THAT(First, testing::Each(testing::Lt(4u)));
    }
  }
}

TEST(Machine, ActiveMaskNamesLanesThatAreThere) {
  for (auto Meet : {simt::Converge::Alone, simt::Converge::Random,
                    simt::Converge::Together}) {
    simt::Grid G = oneBlock(32);
    G.Meet = Meet;
    EXPECT_EQ(simt::run(G, {},
                        [&] {
                          const uint32_t Me = 1u << simt::laneId();
                          const uint32_t Mask = __activemask();
                          EXPECT_TRUE(Mask & Me);
                          if (Meet == simt::Converge::Alone) {
                            EXPECT_EQ(Mask, Me);
                          }
                          if (Meet == simt::Converge::Together) {
                            EXPECT_EQ(Mask, ~0u);
                          }
                          EXPECT_EQ(__ballot_sync(Mask, 1), Mask);
                        }),
              "");
  }
}

TEST(Machine, LanesThatLeftCountAsArrivedAtTheBlocksBarrier) {
  EXPECT_EQ(runBlock(70,
                     [] {
                       if (threadIdx.x % 3 != 0)
                         __syncthreads();
                     }),
            "");
}

TEST(Machine, BarrierThatNeverMeets) {
  EXPECT_THAT(runBlock(32,
                       [] {
                         if (simt::laneId() < 16)
                           __syncwarp();
                         else
                           __syncthreads();
                       }),
              HasSubstr("no lane can go on"));
}

TEST(Machine, MasksThatDiffer) {
  EXPECT_THAT(runBlock(2, [] { __syncwarp(simt::laneId() == 0 ? 3 : 2); }),
              HasSubstr("left")); // lane 1 goes on alone
}

TEST(Machine, MaskWithoutTheLane) {
  EXPECT_THAT(runBlock(2, [] { __syncwarp(2); }),
              HasSubstr("a mask without the lane itself"));
}

TEST(Machine, MaskOfALaneThatLeft) {
  EXPECT_THAT(runBlock(32,
                       [] {
                         if (simt::laneId() != 7)
                           __syncwarp();
                       }),
              HasSubstr("left"));
}

TEST(Machine, BarriersAtDifferentPlaces) {
  const auto Kernel = [] { // in a macro's argument all is on one line
    if (simt::laneId() == 0)
      __syncwarp();
    else
      __syncwarp();
  };
  EXPECT_THAT(runBlock(32, Kernel),
              HasSubstr("meets lanes that are elsewhere"));
  EXPECT_THAT(runBlock(32,
                       [] {
                         simt::at(simt::laneId() / 16);
                         __syncwarp();
                       }),
              HasSubstr("meets lanes that are elsewhere"));
}

TEST(Machine, ShuffleFromALaneThatIsNotThere) {
  EXPECT_THAT(runBlock(8, [] { __shfl_sync(~0u, 1u, 9); }),
              HasSubstr("a shuffle from a lane that is not there"));
}

TEST(Machine, AShuffleOrdersNoMemory) {
  const auto Kernel = [](bool Barrier) {
    const uint32_t A = sharedWords();
    if (simt::laneId() == 0)
      simt::storeShared(A, 17);
    __shfl_sync(~0u, 0u, 0);
    if (Barrier)
      __syncwarp();
    EXPECT_EQ(simt::loadShared(A), 17u);
  };
  EXPECT_EQ(runSeeds(32, [&] { Kernel(true); }), "");
  EXPECT_THAT(runSeeds(32, [&] { Kernel(false); }), HasSubstr("unordered"));
}

TEST(Machine, AStoreAfterAnothersLoad) {
  EXPECT_THAT(runSeeds(2,
                       [] {
                         const uint32_t A = sharedWords();
                         if (simt::laneId() == 0)
                           simt::storeShared(A, 1);
                         __syncwarp();
                         if (simt::laneId() == 0)
                           simt::storeShared(A, 2);
                         else
                           simt::loadShared(A);
                       }),
              HasSubstr("unordered"));
}

TEST(Machine, AtomicsWithFencesOrderMemoryAcrossWarps) {
  // The last of all threads to come reads what the others stored.
  const auto Kernel = [](bool Before, bool After) {
    const uint32_t A = sharedWords();
    if (threadIdx.x == 0)
      simt::storeShared(A, 0);
    __syncthreads();
    if (simt::laneId() != 0)
      return;
    simt::storeShared(A + 4 + threadIdx.x / 32 * 4, threadIdx.x);
    if (Before)
      __threadfence_block();
    if (simt::addShared(A, 1) != 2)
      return;
    if (After)
      __threadfence_block();
    for (uint32_t W = 0; W < 3; ++W)
      EXPECT_EQ(simt::loadShared(A + 4 + W * 4), W * 32);
  };
  EXPECT_EQ(runSeeds(96, [&] { Kernel(true, true); }), "");
  EXPECT_THAT(runSeeds(96, [&] { Kernel(false, true); }),
              HasSubstr("unordered"));
  EXPECT_THAT(runSeeds(96, [&] { Kernel(true, false); }),
              HasSubstr("unordered"));
}

TEST(Machine, SharedMemoryIsOfTheBlockAndBeginsAsGarbage) {
  simt::Grid G = oneBlock(1);
  G.Blocks = {3, 1, 1};
  G.BlocksPerSm = 3;
  std::vector<uint32_t> Found;
  EXPECT_EQ(simt::run(G, {},
                      [&] {
                        Found.push_back(simt::loadShared(sharedWords()));
                        simt::storeShared(sharedWords(), blockIdx.x);
                        simt::work();
                        EXPECT_EQ(simt::loadShared(sharedWords()), blockIdx.x);
                      }),
            "");
  ASSERT_EQ(Found.size(), 3u);
  EXPECT_NE(Found[0], Found[1]);
  EXPECT_NE(Found[1], Found[2]);
}

TEST(Machine, SharedMemoryOutOfBounds) {
  EXPECT_THAT(runBlock(1, [] { simt::storeShared(sharedWords() + 256, 0); }),
              HasSubstr("beyond shared memory"));
  EXPECT_THAT(runBlock(1, [] { simt::storeShared(sharedWords() + 252, 0, 0); }),
              HasSubstr("misaligned"));
}

TEST(Machine, StoresToTheArena) {
  alignas(8) uint32_t Words[16] = {};
  simt::Grid G = oneBlock(64);
  const simt::Traced T{Words, 8, 2};
  const auto Store = [&](auto Kernel) {
    return simt::run(G, T, [&] {
      if (simt::laneId() == 0)
        Kernel();
    });
  };
  EXPECT_EQ(Store([&] { simt::storeGlobal(Words + threadIdx.x / 16, 1, 2); }),
            "");
  EXPECT_EQ(Words[3], 2u);
  EXPECT_THAT(Store([&] { simt::storeGlobal(Words + 16, 1); }),
              HasSubstr("beyond the arena"));
  EXPECT_THAT(Store([&] { simt::storeGlobal(Words + 1, 1, 2); }),
              HasSubstr("misaligned"));
  EXPECT_THAT(Store([&] { simt::storeGlobal(Words + 8, 1); }),
              HasSubstr("another SM's region"));
  EXPECT_THAT(Store([&] { simt::storeGlobal(Words, 1); }),
              HasSubstr("two warps write"));
}

TEST(Machine, ClocksAndTimer) {
  EXPECT_EQ(runBlock(32,
                     [] {
                       const uint64_t Before = simt::now();
                       const uint64_t First = simt::clock64();
                       EXPECT_GT(First, Before + 1000);
                       EXPECT_LE(First, simt::now() + 1000);
                       EXPECT_GT(simt::clock64(), First);
                       EXPECT_EQ(simt::globalTimer() % simt::TimerStep, 0u);
                     }),
            "");
}

TEST(Machine, TheSeedDecidesTheSchedule) {
  const auto Order = [](uint64_t Seed) {
    std::vector<uint32_t> Out;
    EXPECT_EQ(simt::run(oneBlock(40, Seed), {},
                        [&] {
                          simt::work();
                          Out.push_back(threadIdx.x);
                        }),
              "");
    return Out;
  };
  EXPECT_EQ(Order(3), Order(3));
  EXPECT_NE(Order(3), Order(4));
}

} // namespace
