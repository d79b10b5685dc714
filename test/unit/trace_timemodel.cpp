// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time axis against a GPU whose clocks are known.
#include "TraceTest.h"
#include "trace/SlopeFit.h"
#include <cmath>

using namespace kinstr::test;
using namespace kinstr::trace;

namespace {

/// Like RMSNorm on 132 SMs: 432 blocks, 3 an SM, 5 µs.
SimulatedGpu shortKernel(uint32_t StepNs, uint32_t LateCycles) {
  SimulatedGpu G;
  G.Sms = 132;
  G.StepNs = StepNs;
  G.ClockKhz = 1980000;
  G.LateCycles = LateCycles;
  G.Kernels = {{"k",
                1,
                false,
                1,
                {{"phase", "a", 2, 1500, 900}, {"phase", "b", 3, 1000, 300}}}};
  SimLaunch L;
  L.Grid = 432;
  L.Threads = 64;
  L.PerSm = 3;
  L.Ghz = 1.755;
  G.Launches = {L};
  return G;
}

/// By how much the model is off at the start of any block, at most [ns].
double worstError(const SimulatedGpu &G, const Trace &T, double Ghz) {
  const LaunchClock &C = T.Time.Launches[0];
  double Worst = 0;
  for (const Block &B : blocksOf(T)) {
    // As SimulatedGpu::clock() counts, from the same time on every SM.
    uint64_t Base = G.clockAtEpoch(B.SmStart);
    double Counted = double(B.ClockStart - Base) / Ghz, Time = Counted;
    for (int I = 0; I < 20; ++I) // what clock() turned into Counted
      Time = Counted - G.drift(Time);
    double True = Time - double(int64_t(C.OriginNs - G.Epoch));
    double Off = C.toNs(*C.find(B.SmStart), B.ClockStart) - True;
    Worst = std::max(Worst, std::abs(Off));
  }
  return Worst;
}

/// By how much two SMs of the first launch disagree about a time, at most, as
/// half of the difference [ns]. Over all of that time, in steps.
double worstDisagreement(const SimulatedGpu &G, const Trace &T, double FromNs,
                         double ToNs) {
  const LaunchClock &C = T.Time.Launches[0];
  double Worst = 0;
  for (int Step = 0; Step <= 40; ++Step) {
    double Ns = FromNs + (ToNs - FromNs) * Step / 40;
    double Earliest = INFINITY, Latest = -INFINITY;
    for (const SmLine &L : C.Sms) {
      double Shown = C.toNs(L, G.clock(L.Sm, Ns, G.Launches[0].Ghz));
      Earliest = std::min(Earliest, Shown);
      Latest = std::max(Latest, Shown);
    }
    Worst = std::max(Worst, (Latest - Earliest) / 2);
  }
  return Worst;
}

/// A launch whose blocks all start at once and stay for that long.
SimulatedGpu longBlocks(uint32_t Blocks, uint64_t Ns) {
  SimulatedGpu G = shortKernel(32, 0);
  G.Launches[0].Grid = Blocks;
  G.Launches[0].PerSm = 1;
  G.Launches[0].Ghz = 2;
  G.Kernels[0].Sites = {{"phase", "a", 2, 2 * Ns}};
  G.TimerStepNs = 32;
  return G;
}

} // namespace

TEST(TraceTimeModel, ShortKernelWithFineTimer) {
  SimulatedGpu G = shortKernel(32, 0);
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_EQ(T.Time.Steps[0].Ns, 32u);
  EXPECT_EQ(C.Source, SlopeSource::Launch);
  EXPECT_NEAR(1 / C.NsPerCycle, 1.755, 0.01);
  // What is stated contains the truth, and is not merely wide.
  EXPECT_LE(C.MinNsPerCycle, 1 / 1.755);
  EXPECT_GE(C.MaxNsPerCycle, 1 / 1.755);
  EXPECT_LT(C.MaxNsPerCycle - C.MinNsPerCycle, 0.01 / 1.755);
  EXPECT_LE(worstError(G, T, 1.755), C.AlignmentErrorNs + 1);
  EXPECT_LT(C.AlignmentErrorNs, 32);
}

TEST(TraceTimeModel, LateReadingsWidenTheErrorAndDoNotBendTheLine) {
  SimulatedGpu G = shortKernel(32, 150);
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_EQ(C.Source, SlopeSource::Launch);
  EXPECT_NEAR(1 / C.NsPerCycle, 1.755, 0.02);
  EXPECT_LE(C.MinNsPerCycle, 1 / 1.755);
  EXPECT_GE(C.MaxNsPerCycle, 1 / 1.755);
  EXPECT_GT(C.AlignmentErrorNs, 32);
  EXPECT_LE(worstError(G, T, 1.755), C.AlignmentErrorNs + 1);
}

TEST(TraceTimeModel, FollowsADriftingClock) {
  SimulatedGpu G = shortKernel(32, 20);
  G.Launches[0].Grid = 16384;
  G.DriftNs = 150;
  G.DriftPeriodNs = 120000;
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_TRUE(C.drifts());
  // A straight line would be off by about 150 ns.
  EXPECT_LE(C.AlignmentErrorNs, 80);
  EXPECT_LE(worstError(G, T, 1.755), C.AlignmentErrorNs);
}

TEST(TraceTimeModel, FollowsTheClockOfEachGpc) {
  SimulatedGpu G = shortKernel(32, 20);
  G.Launches[0].Grid = 16384;
  G.SmsPerClock = 17;
  G.RateSpread = 0.008; // half a microsecond in 130
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_LE(C.AlignmentErrorNs, 40);
  EXPECT_LE(worstDisagreement(G, T, 0, 120000), C.AlignmentErrorNs);
  // They share a line: an SM alone would not have had the anchors.
  EXPECT_GE(C.Sms[0].Curve, 0);
  EXPECT_EQ(C.Sms[0].Curve, C.Sms[16].Curve);
  EXPECT_NE(C.Sms[0].ClockOrigin, C.Sms[17].ClockOrigin);
}

TEST(TraceTimeModel, SmsOfAGpcLendEachOtherTheirAnchors) {
  SimulatedGpu G = shortKernel(32, 0);
  G.Launches[0].Grid = 132 * 8; // 16 anchors an SM, too few for a curve
  G.Launches[0].PerSm = 1;
  G.DriftNs = 150;
  G.DriftPeriodNs = 12000;
  G.SmsPerClock = 17;
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_TRUE(C.drifts());
  EXPECT_LE(C.AlignmentErrorNs, 80);
  EXPECT_LE(worstDisagreement(G, T, 0, 12000), C.AlignmentErrorNs);
}

TEST(TraceTimeModel, BetweenTwoAnchorsTheClockMayHaveRunAtAnyOfTheRatesSeen) {
  // One block an SM. Nobody knows what happened meanwhile: the clocks of two
  // GPCs may have changed places half way.
  SimulatedGpu G = longBlocks(132, 130000);
  G.SmsPerClock = 17;
  G.RateSpread = 0.008;
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  // A clock of a rate in the middle, of which there is none just there.
  EXPECT_GE(C.AlignmentErrorNs, 0.008 * 130000 * 0.24);
  EXPECT_LE(C.AlignmentErrorNs, 0.008 * 130000 / 4 + 64);
  EXPECT_LE(worstDisagreement(G, T, 0, 130000), 64);
}

TEST(TraceTimeModel, ARateThatChangesOnAllSmsPutsNoneBeforeAnother) {
  // A second long, two anchors an SM.
  SimulatedGpu G = longBlocks(2, 1000000000);
  G.ChangeAtNs = 400000000;
  G.ChangedRate = 0.9;
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_TRUE(C.StepKnown);
  EXPECT_LE(C.AlignmentErrorNs, 64);
  EXPECT_LE(worstDisagreement(G, T, 0, 1000000000), C.AlignmentErrorNs);
}

TEST(TraceTimeModel, RatesThatDifferALittleCountInALongLaunch) {
  SimulatedGpu G = longBlocks(2, 1000000000);
  G.RateSpread = 7e-6; // 1 µs in the second
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_GE(C.AlignmentErrorNs, 200);
  EXPECT_LE(worstDisagreement(G, T, 0, 1000000000), C.AlignmentErrorNs);
}

/// Two clocks that reach their rate within the first tenth of a second and a
/// half, each in its own way; one block each.
static SimulatedGpu rampInside(double RampShare, double RampSkew,
                               double PairEveryNs) {
  SimulatedGpu G = longBlocks(2, 1500000000);
  G.Kernels[0].Stream = true;
  G.Launches[0].Threads = 32;
  G.ClockKhz = 2000000;
  G.RampNs = 150000000;
  G.RampShare = RampShare;
  G.RampSkew = RampSkew;
  G.PairEveryNs = PairEveryNs;
  return G;
}

TEST(TraceTimeModel, PairsInsideABlockFollowAClockThatChangesThere) {
  for (double RampShare : {4e-4, 0.3}) {
    SimulatedGpu G = rampInside(RampShare, 4e-4, 40000);
    Trace T = understood(G.build());
    const LaunchClock &C = T.Time.Launches[0];
    EXPECT_LE(C.AlignmentErrorNs, 64);
    EXPECT_LE(worstDisagreement(G, T, 0, 1500000000), C.AlignmentErrorNs);
    EXPECT_LE(worstDisagreement(G, T, 0, 150000000), C.AlignmentErrorNs);
  }
}

TEST(TraceTimeModel, SparsePairsFollowItToo) {
  SimulatedGpu G = rampInside(4e-4, 4e-4, 1000000);
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  // The clocks may have changed places within each millisecond.
  EXPECT_LE(C.AlignmentErrorNs, 4e-4 * 1000000 / 4 + 64);
  EXPECT_LE(worstDisagreement(G, T, 0, 1500000000), C.AlignmentErrorNs);
  EXPECT_LE(worstDisagreement(G, T, 0, 150000000), C.AlignmentErrorNs);
}

TEST(TraceTimeModel, TheFastestAndTheSlowestClockKeepTheirRatesBetweenPairs) {
  SimulatedGpu G = rampInside(0, 0, 100000);
  G.RampNs = 0;
  G.RateSpread = 0.004; // had they changed places: 100 ns
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_LE(C.AlignmentErrorNs, 64);
  EXPECT_LE(worstDisagreement(G, T, 0, 1500000000), C.AlignmentErrorNs);
}

TEST(TraceTimeModel, WithoutPairsTheErrorCoversAClockThatChanges) {
  SimulatedGpu G = rampInside(4e-4, 4e-4, 0);
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  double Off = worstDisagreement(G, T, 0, 1500000000);
  EXPECT_GT(Off, 1000); // what no anchor shows
  EXPECT_LE(Off, C.AlignmentErrorNs);
}

TEST(TraceTimeModel, ManyBlocksMeasureTheClockExactly) {
  SimulatedGpu G = shortKernel(32, 0);
  G.Launches[0].Grid = 8000;
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_NEAR(1 / C.NsPerCycle, 1.755, 0.0005);
}

TEST(TraceTimeModel, CoarseTimerFallsBackToTheNominalClock) {
  SimulatedGpu G = shortKernel(1 << 20, 0);
  G.Launches[0].Ghz = 1.98;
  Trace T = understood(G.build());
  const LaunchClock &C = T.Time.Launches[0];
  EXPECT_EQ(C.Source, SlopeSource::Nominal);
  EXPECT_DOUBLE_EQ(1 / C.NsPerCycle, 1.98);
}

TEST(TraceTimeModel, ShortLaunchTakesTheSlopeOfALongOne) {
  SimulatedGpu G = shortKernel(1024, 0);
  G.Launches[0].Grid = 8000; // measures the clock
  G.Launches.push_back(G.Launches[0]);
  G.Launches[1].Grid = 4; // cannot
  G.Launches[1].AtNs = 1000000;
  Trace T = understood(G.build());
  EXPECT_EQ(T.Time.Launches[0].Source, SlopeSource::Launch);
  EXPECT_EQ(T.Time.Launches[1].Source, SlopeSource::Device);
  EXPECT_EQ(T.Time.Launches[1].NsPerCycle, T.Time.Launches[0].NsPerCycle);
}

TEST(TraceTimeModel, ManyShortLaunchesMeasureTheClockTogether) {
  SimulatedGpu G = shortKernel(1024, 0);
  G.Launches[0].Grid = 60;
  for (int I = 1; I < 60; ++I) {
    G.Launches.push_back(G.Launches[0]);
    G.Launches[I].AtNs = I * 50000;
  }
  Trace T = understood(G.build());
  EXPECT_EQ(T.Time.Launches[5].Source, SlopeSource::Device);
  EXPECT_NEAR(1 / T.Time.Launches[5].NsPerCycle, 1.755, 0.02);
}

TEST(TraceTimeModel, UnknownClock) {
  SimulatedGpu G = shortKernel(32, 0);
  G.ClockKhz = 0;
  G.Launches[0].Grid = G.Launches[0].Unfinished = 1; // a single anchor
  Trace T = understood(G.build());
  EXPECT_EQ(T.Time.Launches[0].Source, SlopeSource::None);
  EXPECT_FALSE(T.Time.Launches[0].StepKnown);
}

TEST(TraceTimeModel, FewReadingsShowNoStep) {
  // Their greatest common divisor is the length of the block.
  TraceBuilder B;
  TestAnchor A;
  A.GlobalEnd = A.GlobalStart + 3000000000;
  A.ClockEnd = A.ClockStart + 6000000000;
  B.region(0, 0) = slotsRecord(1, 0, 0, {5100, 6100, 7100}, &A);
  Trace T = understood(B);
  EXPECT_EQ(T.Time.Steps[0].Ns, TimerStep::LargestNs);
  EXPECT_FALSE(T.Time.Launches[0].StepKnown);
  EXPECT_TRUE(T.Time.Launches[0].oneSm());
  EXPECT_LE(T.Time.Launches[0].AlignmentErrorNs, 2 * TimerStep::LargestNs);
}

TEST(TraceTimeModel, TheStepIsTheMeasuredOneWhereReadingsAreFew) {
  SimulatedGpu G = longBlocks(2, 1000000);
  G.Launches[0].Grid = 2;
  EXPECT_EQ(understood(G.build()).Time.Steps[0].Ns, 32u);
  EXPECT_LE(understood(G.build()).Time.Launches[0].AlignmentErrorNs, 64);
  // Many readings know better than a measurement that was disturbed.
  G = shortKernel(32, 0);
  G.TimerStepNs = 96;
  EXPECT_EQ(understood(G.build()).Time.Steps[0].Ns, 32u);
}

TEST(TraceTimeModel, TimesNearTheEndOfTheRangeKeepTheirPrecision) {
  SimulatedGpu G = shortKernel(32, 0);
  G.Epoch = 9000000000000000000u; // a double there moves in steps of 1024
  Trace T = understood(G.build());
  EXPECT_LT(T.Time.Launches[0].AlignmentErrorNs, 32);
}

TEST(TraceSlopeFit, OneIntervalSaysNothing) {
  std::vector<SmAnchors> Sms;
  Sms.emplace_back(std::vector<AnchorPoint>{{0, 0}});
  SlopeFit F = fitSlope(Sms, 32);
  EXPECT_EQ(F.Min, MinSlope);
  EXPECT_EQ(F.Max, MaxSlope);
}

TEST(TraceSlopeFit, TwoIntervalsBoundTheSlope) {
  // 1000 ns ± 32 in 2000 cycles.
  std::vector<SmAnchors> Sms;
  Sms.emplace_back(std::vector<AnchorPoint>{{0, 0}, {2000, 1000}});
  SlopeFit F = fitSlope(Sms, 32);
  EXPECT_NEAR(F.Min, (1000 - 32) / 2000.0, 1e-6);
  EXPECT_NEAR(F.Max, (1000 + 32) / 2000.0, 1e-6);
  EXPECT_NEAR(F.Best, 0.5, 1e-6);
}

TEST(TraceSlopeFit, HullKeepsWhatCanBeHighestOrLowest) {
  SmAnchors S({{0, 0}, {10, 9}, {20, 10}, {30, 40}, {40, 41}, {10, 2}});
  for (double Slope : {0.0, 0.5, 1.0, 1.5, 3.0}) {
    double Most = -INFINITY, Least = INFINITY;
    for (auto [X, Y] : {std::pair{0., 0.},
                        {10., 9.},
                        {20., 10.},
                        {30., 40.},
                        {40., 41.},
                        {10., 2.}}) {
      Most = std::max(Most, Y - Slope * X);
      Least = std::min(Least, Y - Slope * X);
    }
    EXPECT_DOUBLE_EQ(S.highest(Slope), Most) << Slope;
    EXPECT_DOUBLE_EQ(S.lowest(Slope), Least) << Slope;
  }
}
