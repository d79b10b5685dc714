// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is found in traces that have one thing in them, and that nothing is
// found where nothing is.
#include "ReportTest.h"
#include "report/Findings.h"
#include "report/MarkCost.h"
#include <random>
#include <set>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// A launch whose times a test decides. 2 GHz, timer steps of 32 ns.
struct Work {
  uint32_t Sms = 8, PerSm = 1, Blocks = 160, Warps = 4;
  uint32_t NumPhases = 2; ///< `p0`, `p1`, ... in lines 10, 20, ...
  /// Cycles of a stay; in a barrier, after the last warp came.
  std::function<uint64_t(uint32_t Block, uint32_t Warp, uint32_t Phase,
                         uint32_t Sm)>
      Cycles;
  std::set<uint32_t> Barriers;
  double MarkCycles = 0; ///< 0: not measured
  uint32_t StepNs = 32;  ///< of the timer

  TraceBuilder build() const;

private:
  Object meta() const;
  uint64_t addBlock(TraceBuilder &B, uint32_t Number, uint32_t Sm,
                    uint64_t At) const;
};

Object Work::meta() const {
  Object M = TraceBuilder::smallMeta();
  Object &Device = *(*M.getArray("devices"))[0].getAsObject();
  Device["sm_count"] = Sms;
  if (MarkCycles > 0)
    Device["mark_costs"] = Array{Object{
        {"buffer", "shared"}, {"layout", "slots"}, {"cycles", MarkCycles}}};
  Array Sites;
  for (uint32_t P = 0; P < NumPhases; ++P)
    Sites.push_back(Object{{"kind", "phase"},
                           {"name", "p" + std::to_string(P)},
                           {"line", 10 + 10 * P},
                           {"drain", "none"}});
  Object &Module = *(*M.getArray("modules"))[0].getAsObject();
  Object &Kernel = *(*Module.getArray("kernels"))[0].getAsObject();
  Kernel["sites"] = std::move(Sites);
  Kernel["buffer"] = "shared";
  Kernel["layout"] = "slots";
  M["functions"] = Array{Object{{"module", 0},
                                {"kernel", 0},
                                {"name", "k"},
                                {"registers", 32},
                                {"static_shared", 0},
                                {"local_bytes", 0}}};
  M["launches"] = Array{Object{{"device", 0},
                               {"module", 0},
                               {"site", 0},
                               {"function", 0},
                               {"grid", Array{Blocks, 1, 1}},
                               {"block", Array{Warps * 32, 1, 1}},
                               {"dynamic_shared", 0},
                               {"stream", 0},
                               {"host_unix_ns", 1},
                               {"blocks_per_sm", PerSm}}};
  return M;
}

/// Begins at \p At cycles of the launch; when it has ended.
uint64_t Work::addBlock(TraceBuilder &B, uint32_t Number, uint32_t Sm,
                        uint64_t At) const {
  const uint64_t Epoch = 1000000000, Clock = 1000000 + Sm * 7777777ull;
  std::vector<uint64_t> Now(Warps, At + 50);
  std::vector<std::vector<uint64_t>> Clocks(Warps);
  for (uint32_t P = 0; P < NumPhases; ++P) {
    uint64_t Last = *std::max_element(Now.begin(), Now.end());
    for (uint32_t W = 0; W < Warps; ++W) {
      Clocks[W].push_back(Clock + Now[W]);
      Now[W] = (Barriers.count(P) ? Last : Now[W]) + Cycles(Number, W, P, Sm);
    }
  }
  uint64_t End = *std::max_element(Now.begin(), Now.end());
  TestAnchor A;
  auto Timer = [&](uint64_t Cycle) {
    return Epoch + Cycle / 2 / StepNs * StepNs;
  };
  A.SmStart = A.SmEnd = Sm;
  A.GlobalStart = Timer(At);
  A.ClockStart = Clock + At;
  A.GlobalEnd = Timer(End + 20);
  A.ClockEnd = Clock + End + 20;
  A.Grid[0] = Blocks;
  A.Block[0] = Warps * 32;
  for (uint32_t W = 0; W < Warps; ++W) {
    Clocks[W].push_back(Clock + Now[W]);
    append(B.region(0, Sm),
           slotsRecord(1, Number, W, Clocks[W], W == 0 ? &A : nullptr));
  }
  return End + 20;
}

TraceBuilder Work::build() const {
  TraceBuilder B(meta());
  std::vector<uint64_t> Free(size_t(Sms) * PerSm);
  for (uint32_t Block = 0; Block < Blocks; ++Block) {
    size_t Slot = std::min_element(Free.begin(), Free.end()) - Free.begin();
    uint32_t Sm = Slot % Sms;
    Free[Slot] = addBlock(B, Block, Sm, Free[Slot]) + 60 + Block * 7 % 90;
  }
  return B;
}

std::vector<Finding> findingsIn(const trace::Trace &T, Filter F = {}) {
  LaunchGroup G = {0};
  const trace::Launch &L = T.launches()[0];
  return findings({T, G, PhaseRows(T.kernel(L)), statisticsOf(T, F),
                   markCost(T, L), false});
}

std::vector<Finding> findingsIn(const Work &W) {
  return findingsIn(understood(W.build()));
}

/// `barrier p1, wide-spread p0`
std::string kinds(const std::vector<Finding> &All) {
  std::string Out;
  for (const Finding &F : All)
    Out += (Out.empty() ? "" : ", ") + kindName(F.Kind).str() +
           (F.Phase.empty() ? "" : " " + F.Phase);
  return Out;
}

/// The same on every platform; 0 to \p Limit.
class Dice {
public:
  uint64_t operator()(uint64_t Limit) { return Random() % (Limit + 1); }

private:
  std::mt19937 Random{1};
};

} // namespace

// ---- nothing ----

TEST(ReportFindings, NothingWhereAllIsAlike) {
  Work W;
  W.Cycles = [](auto...) { return 2000; };
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

TEST(ReportFindings, NothingWhereTimesAreRandom) {
  for (uint64_t Jitter : {100, 1000, 4000}) {
    Dice D;
    Work W;
    W.NumPhases = 3;
    W.Cycles = [&](auto...) { return 2000 + D(Jitter); };
    EXPECT_EQ(kinds(findingsIn(W)), "") << Jitter;
  }
}

TEST(ReportFindings, NothingInAFewBlocks) {
  Dice D;
  Work W;
  W.Blocks = 8;
  W.Cycles = [&](auto...) { return D(10) ? 500 + D(50) : 10000; };
  W.Barriers = {1};
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

// ---- barriers ----

TEST(ReportFindings, ABarrierAndTheWarpThatComesLast) {
  Dice D;
  Work W;
  W.NumPhases = 3;
  W.Barriers = {1};
  W.Cycles = [&](uint32_t, uint32_t Warp, uint32_t Phase, uint32_t) {
    return Phase == 1 ? 25 + Warp * 4
                      : 1000 + D(100) + (Phase == 0 && Warp == 2) * 1000;
  };
  auto All = findingsIn(W);
  ASSERT_EQ(kinds(All), "barrier p1");
  EXPECT_TRUE(All[0].Certain);
  EXPECT_EQ(All[0].Warp, 2u);
  // Three of four warps wait for 1000 of 3000 cycles.
  EXPECT_NEAR(All[0].Share, 0.25, 0.02);
  EXPECT_NE(All[0].Text.find("p1 (L20): "), std::string::npos);
  EXPECT_NE(All[0].Text.find("warp 2 is last in 100 %"), std::string::npos);
  EXPECT_EQ(All[0].See.substr(0, 8), "--block ");
}

TEST(ReportFindings, NoWarpIsNamedWhereAnyMayBeLast) {
  Dice D;
  Work W;
  W.Barriers = {1};
  W.Cycles = [&](uint32_t, uint32_t Warp, uint32_t Phase, uint32_t) {
    return Phase == 1 ? 25 + Warp * 4 : 1000 + D(1000);
  };
  auto All = findingsIn(W);
  ASSERT_EQ(kinds(All), "barrier p1");
  EXPECT_FALSE(All[0].Warp);
}

TEST(ReportFindings, NoBarrierWhereWarpsComeTogether) {
  Dice D;
  Work W;
  W.Barriers = {1};
  W.Cycles = [&](uint32_t, uint32_t, uint32_t Phase, uint32_t) {
    return Phase == 1 ? 2000 : 1000 + D(60);
  };
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

TEST(ReportFindings, ALongPhaseIsNoBarrier) {
  // Nobody leaves before the last came, but they leave as far apart.
  Dice D;
  Work W;
  W.Cycles = [&](uint32_t, uint32_t, uint32_t Phase, uint32_t) {
    return Phase == 1 ? 9000 + D(200) : 1000 + D(300);
  };
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

TEST(ReportFindings, OneThatLeftEarlyProvesThatItIsNoBarrier) {
  Dice D;
  Work W;
  W.Barriers = {1};
  // In one block warp 1 comes first, and leaves 600 cycles before the last.
  bool Early = false;
  W.Cycles = [&](uint32_t Block, uint32_t Warp, uint32_t Phase, uint32_t) {
    bool Odd = Early && Block == 77;
    if (Phase == 0)
      return Odd ? 1000 + (Warp != 1) * 900 : 1000 + D(1000);
    return Odd && Warp == 1 ? uint64_t(-600) : uint64_t(30);
  };
  EXPECT_EQ(kinds(findingsIn(W)), "barrier p1");
  Early = true;
  EXPECT_EQ(kinds(findingsIn(W)), "wide-spread p1");
}

TEST(ReportFindings, NoBarrierIsSeenInAPartOfTheWarps) {
  Dice D;
  Work W;
  W.Barriers = {1};
  W.Cycles = [&](uint32_t, uint32_t, uint32_t Phase, uint32_t) {
    return Phase == 1 ? 30 : 1000 + D(1000);
  };
  Filter F;
  F.Warps = {0, 1};
  EXPECT_EQ(kinds(findingsIn(understood(W.build()), F)), "");
}

// ---- the last wave ----

TEST(ReportFindings, APartialLastWave) {
  Work W;
  W.Blocks = 18;
  W.Cycles = [](auto...) { return 5000; };
  auto All = findingsIn(W);
  ASSERT_EQ(kinds(All), "partial-wave");
  // Six of eight slots are empty for a third of the time.
  EXPECT_NEAR(All[0].Share, 0.25, 0.02);
  EXPECT_NE(All[0].Text.find("2 of 18 blocks for 8 slots"), std::string::npos)
      << All[0].Text;
}

TEST(ReportFindings, NoPartialWaveWhereWavesAreWholeOrMany) {
  Work W;
  W.Cycles = [](auto...) { return 5000; };
  for (uint32_t Blocks : {2, 8, 16, 802}) {
    W.Blocks = Blocks;
    EXPECT_EQ(kinds(findingsIn(W)), "") << Blocks;
  }
}

TEST(ReportFindings, NoPartialWaveWithinTheAlignmentError) {
  Work W;
  W.Blocks = 18;
  W.Cycles = [](auto...) { return 1000; };
  EXPECT_EQ(kinds(findingsIn(W)), "partial-wave");
  W.StepNs = 1024;
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

// ---- spreads ----

namespace {

/// Some stays in p0 take ten times as long.
Work spread(
    std::function<bool(uint32_t Block, uint32_t Warp, uint32_t Sm)> Slow) {
  Work W;
  W.Blocks = 320;
  W.Cycles = [Slow, D = Dice()](uint32_t Block, uint32_t Warp, uint32_t Phase,
                                uint32_t Sm) mutable {
    return 1000 + D(100) + (Phase == 0 && Slow(Block, Warp, Sm)) * 9000;
  };
  return W;
}

} // namespace

TEST(ReportFindings, AWideSpreadThatNothingExplains) {
  Dice D;
  auto All = findingsIn(spread([&](auto...) { return D(30) == 0; }));
  ASSERT_EQ(kinds(All), "wide-spread p0");
  EXPECT_NE(All[0].Text.find("neither SMs nor blocks nor warps"),
            std::string::npos)
      << All[0].Text;
}

TEST(ReportFindings, AWideSpreadOfBlocks) {
  auto All = findingsIn(
      spread([](uint32_t Block, auto...) { return Block % 40 == 17; }));
  ASSERT_EQ(kinds(All), "wide-spread p0");
  EXPECT_NE(All[0].Text.find("in block "), std::string::npos) << All[0].Text;
  llvm::StringRef See = All[0].See;
  uint32_t Block = 0;
  ASSERT_TRUE(See.consume_front("--block ") && !See.getAsInteger(10, Block));
  EXPECT_EQ(Block % 40, 17u);
}

TEST(ReportFindings, AWideSpreadOfSms) {
  Work W = spread([](uint32_t, uint32_t, uint32_t Sm) { return Sm == 3; });
  W.Blocks = 640;
  auto All = findingsIn(W);
  ASSERT_EQ(kinds(All), "wide-spread p0");
  EXPECT_EQ(All[0].See, "--sm 3");
}

TEST(ReportFindings, ASpreadOfBlocksIsNotBlamedOnTheirSms) {
  // Slow blocks anywhere; SMs have 1, 2, 3 or 10 of all blocks each.
  for (uint32_t Each : {1, 2, 3, 10}) {
    Work W =
        spread([](uint32_t Block, auto...) { return Block * 7919 % 101 < 8; });
    W.Sms = 128;
    W.Blocks = W.Sms * Each;
    auto All = findingsIn(W);
    ASSERT_EQ(kinds(All), "wide-spread p0") << Each;
    EXPECT_NE(All[0].Text.find("blocks differ"), std::string::npos)
        << Each << ": " << All[0].Text;
  }
}

TEST(ReportFindings, SmsOfFewBlocksAreNotJudged) {
  // The same SMs, with so few blocks each that chance might have chosen them.
  Work W = spread([](uint32_t, uint32_t, uint32_t Sm) { return Sm % 16 == 3; });
  W.Sms = 128;
  W.Blocks = 256;
  auto Few = findingsIn(W);
  ASSERT_EQ(kinds(Few), "wide-spread p0");
  EXPECT_EQ(Few[0].See.substr(0, 8), "--block ");
  W.Blocks = 5000;
  auto Many = findingsIn(W);
  ASSERT_EQ(kinds(Many).substr(0, 14), "wide-spread p0");
  EXPECT_EQ(Many[0].See.substr(0, 5), "--sm ");
}

TEST(ReportFindings, ABarrierOfFewMeetingsHasNoWideSpread) {
  Dice D;
  Work W;
  W.Warps = 16;
  W.Barriers = {1};
  W.Cycles = [&](uint32_t, uint32_t Warp, uint32_t Phase, uint32_t) {
    if (Phase == 1)
      return uint64_t(30);
    return Warp < 14 ? 5000 + D(100) : 1000 + D(3000);
  };
  W.Blocks = 32;
  EXPECT_EQ(kinds(findingsIn(W)), "barrier p1");
  W.Blocks = 16; // 16 meetings, 256 stays
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

TEST(ReportFindings, AWideSpreadOfWarps) {
  Work W = spread([](uint32_t, uint32_t Warp, auto...) { return Warp == 5; });
  W.Warps = 16;
  auto All = findingsIn(W);
  ASSERT_EQ(kinds(All), "wide-spread p0");
  EXPECT_EQ(All[0].See, "--warp 5");
}

TEST(ReportFindings, NoWideSpreadOfFewStaysOrALittle) {
  Dice D;
  Work Few = spread([&](auto...) { return D(30) == 0; });
  Few.Blocks = 48;
  EXPECT_EQ(kinds(findingsIn(Few)), "");
  Work Rare = spread([&](auto...) { return D(300) == 0; }); // not one in 100
  EXPECT_EQ(kinds(findingsIn(Rare)), "");
}

// ---- slow SMs ----

namespace {

Work slowed(std::set<uint32_t> Slow, double Factor) {
  Work W;
  W.Sms = 16;
  W.Blocks = 320;
  W.Cycles = [=, D = Dice()](uint32_t, uint32_t, uint32_t,
                             uint32_t Sm) mutable {
    uint64_t Cycles = 1000 + D(300);
    return Slow.count(Sm) ? uint64_t(double(Cycles) * Factor) : Cycles;
  };
  return W;
}

} // namespace

TEST(ReportFindings, SmsThatRunSlow) {
  auto All = findingsIn(slowed({5, 11}, 1.25));
  ASSERT_EQ(kinds(All), "slow-sm");
  EXPECT_TRUE(All[0].Certain);
  EXPECT_NE(All[0].Text.find("11 (+"), std::string::npos);
  EXPECT_NE(All[0].Text.find("5 (+"), std::string::npos);
}

TEST(ReportFindings, NoSlowSmWithinNoiseOrAmongMany) {
  EXPECT_EQ(kinds(findingsIn(slowed({5}, 1.04))), "");
  EXPECT_EQ(kinds(findingsIn(slowed({1, 2, 3, 4, 5, 6, 7, 8}, 1.25))), "");
  Work Few = slowed({5}, 1.25);
  Few.Blocks = 16 * 4; // four blocks an SM
  EXPECT_EQ(kinds(findingsIn(Few)), "");
}

TEST(ReportFindings, AnSmOnWhichOnePhaseIsSlowIsNotASlowSm) {
  Work W = slowed({}, 1);
  W.Cycles = [D = Dice()](uint32_t, uint32_t, uint32_t Phase,
                          uint32_t Sm) mutable {
    return 1000 + D(300) + (Phase == 0 && Sm == 5) * 500;
  };
  EXPECT_EQ(kinds(findingsIn(W)), "");
}

// ---- the recorder ----

TEST(ReportFindings, PhasesTooShortForAMark) {
  Work W;
  W.NumPhases = 3;
  W.Cycles = [](uint32_t, uint32_t, uint32_t Phase, uint32_t) {
    return Phase == 1 ? 90 : 1000;
  };
  EXPECT_EQ(kinds(findingsIn(W)), ""); // nobody measured what a mark costs
  W.MarkCycles = 15;
  EXPECT_EQ(kinds(findingsIn(W)), "");
  W.MarkCycles = 39;
  auto All = findingsIn(W);
  ASSERT_EQ(kinds(All), "mark-cost");
  EXPECT_NE(All[0].Text.find("p1 (90)"), std::string::npos) << All[0].Text;
}

// ---- one kind of warp waits for another ----

namespace {

/// Warp 0 is always in `load` (site 0) and `fill` (1), the others in `wait` (2)
/// and `use` (3). \p Together: a wait ends when a load does, or from \p Late
/// on, within \p Spread cycles.
TraceBuilder specialised(bool Together, uint32_t Late = 40,
                         uint32_t Spread = 30) {
  Work Shape;
  Shape.NumPhases = 4;
  Shape.Cycles = [](auto...) { return 0; };
  TraceBuilder B = Shape.build();
  B.Meta = TraceBuilder(Shape.build()).Meta;
  for (uint32_t Sm = 0; Sm < Shape.Sms; ++Sm)
    B.region(0, Sm).clear();
  Object &Module = *(*B.Meta.getArray("modules"))[0].getAsObject();
  Object &Kernel = *(*Module.getArray("kernels"))[0].getAsObject();
  Kernel["buffer"] = "global";
  Kernel["layout"] = "stream";
  Dice D;
  for (uint32_t Block = 0; Block < Shape.Blocks; ++Block) {
    using Events = std::vector<std::pair<uint64_t, uint32_t>>;
    const uint64_t Clock = 1000000;
    std::vector<uint64_t> Loaded;
    Events Producer;
    uint64_t Now = Clock + 100;
    for (int Tile = 0; Tile < 20; ++Tile) {
      Producer.push_back({Now, 0});
      Now += 2500 + D(1000);
      Loaded.push_back(Now);
      Producer.push_back({Now, 1});
      Now += 300;
    }
    Producer.push_back({Now, exit_site});
    TestAnchor A;
    A.SmStart = A.SmEnd = Block % Shape.Sms;
    A.ClockStart = Clock;
    A.GlobalStart = 1000000 + Block / Shape.Sms * 100000;
    A.ClockEnd = Now + 100;
    A.GlobalEnd = A.GlobalStart + (A.ClockEnd - Clock) / 2;
    A.Grid[0] = Shape.Blocks;
    A.Block[0] = Shape.Warps * 32;
    append(B.region(0, A.SmStart), streamRecord(1, Block, 0, Producer, &A));
    for (uint32_t W = 1; W < Shape.Warps; ++W) {
      Events Consumer;
      uint64_t At = Clock + 100;
      for (int Tile = 0; Tile < 20; ++Tile) {
        Consumer.push_back({At, 2});
        At = Together ? std::max(At + 20, Loaded[Tile] + Late + D(Spread))
                      : At + 1500 + D(1000);
        Consumer.push_back({At, 3});
        At += 1000 + D(200);
      }
      Consumer.push_back({At, exit_site});
      append(B.region(0, A.SmStart), streamRecord(1, Block, W, Consumer));
    }
  }
  return B;
}

} // namespace

TEST(ReportFindings, ConsumersThatWaitForTheirProducer) {
  auto All = findingsIn(understood(specialised(/*Together=*/true)));
  ASSERT_EQ(kinds(All), "warp-wait p2");
  EXPECT_TRUE(All[0].Certain);
  EXPECT_NE(All[0].Text.find("p2 (L30): warps 1 to 3 wait here for warp 0"),
            std::string::npos)
      << All[0].Text;
  EXPECT_NE(All[0].Text.find("after p0 (L10)"), std::string::npos)
      << All[0].Text;
}

TEST(ReportFindings, WhatAProducerBeganMayArriveLater) {
  auto All = findingsIn(understood(specialised(true, 310, 280)));
  ASSERT_EQ(kinds(All), "warp-wait p2");
  EXPECT_NE(All[0].Text.find("end 0 ns to 200 ns after p1 (L20) does"),
            std::string::npos)
      << All[0].Text;
}

TEST(ReportFindings, WhatEndedLongBeforeTheWaitDidIsNotWhatEndedIt) {
  EXPECT_EQ(kinds(findingsIn(understood(specialised(true, 1600, 100)))), "");
}

TEST(ReportFindings, NoWaitWhereEndsFallAnywhere) {
  EXPECT_EQ(kinds(findingsIn(understood(specialised(/*Together=*/false)))), "");
}
