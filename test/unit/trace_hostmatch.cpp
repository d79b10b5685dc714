// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches on the device against calls of the host.
#include "TraceTest.h"

using namespace kinstr::test;
using namespace kinstr::trace;

namespace {

/// Two kernels, `x` and `y`.
SimulatedGpu gpu() {
  SimulatedGpu G;
  G.Kernels = {{"x", 1, false, 1, {{"phase", "p", 2}}},
               {"y", 9, false, 1, {{"phase", "q", 10}}}};
  return G;
}

SimLaunch launch(uint32_t Kernel, uint32_t Grid, uint32_t Stream) {
  SimLaunch L;
  L.Kernel = Kernel;
  L.Grid = Grid;
  L.Stream = Stream;
  return L;
}

} // namespace

TEST(TraceHostMatch, TheSameSequenceInOrder) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(1, 2, 1), launch(0, 2, 2)};
  Trace T = understood(G.build());
  ASSERT_EQ(T.Ls.List.size(), 3u);
  for (int I = 0; I < 3; ++I) {
    EXPECT_EQ(T.Ls.List[I].Host, I);
    EXPECT_EQ(T.hostLaunch(T.Ls.List[I])->Stream, unsigned(I));
  }
}

TEST(TraceHostMatch, AKernelTheHostMissedSpoilsOnlyItself) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(1, 2, 1), launch(0, 2, 2)};
  G.Launches[0].Host = false; // x twice on the device, once in the calls
  Trace T = understood(G.build());
  EXPECT_EQ(T.Ls.List[0].Host, -1);
  EXPECT_EQ(T.Ls.List[1].Host, 0);
  EXPECT_EQ(T.Ls.List[2].Host, -1);
}

TEST(TraceHostMatch, ShapeTellsLaunchesOfAKernelApart) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(0, 4, 1), launch(0, 2, 2)};
  G.Launches[1].Host = false;
  Trace T = understood(G.build());
  EXPECT_EQ(T.Ls.List[0].Host, 0);
  EXPECT_EQ(T.Ls.List[1].Host, -1);
  EXPECT_EQ(T.Ls.List[2].Host, 1);
}

TEST(TraceHostMatch, WhatAllCandidatesShareIsKnown) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(0, 2, 1), launch(0, 2, 2)};
  G.Launches[1].SkipBlocks = 2; // dropped as a whole: two left, three calls
  Trace T = understood(G.build());
  ASSERT_EQ(T.Ls.List.size(), 2u);
  EXPECT_EQ(T.Ls.List[0].Host, -1);
  EXPECT_EQ(T.Ls.List[0].BlocksPerSm, 1u);
  EXPECT_EQ(T.Ls.List[0].Function, 0);

  G.Launches[2].Registers = 99; // another instance: no longer known
  T = understood(G.build());
  EXPECT_EQ(T.Ls.List[0].Function, -1);
}

TEST(TraceHostMatch, CallsOfKernelsWithoutMarksAreIgnored) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(0, 2, 1)};
  TraceBuilder B = G.build();
  // A launch site of no annotated kernel, called between the two.
  auto &Module = *(*B.Meta.getArray("modules"))[0].getAsObject();
  Module.getArray("launches")
      ->push_back(llvm::json::Object{{"line", 1}, {"kernel", -1}});
  auto &Calls = *B.Meta.getArray("launches");
  llvm::json::Value Other = Calls[0];
  (*Other.getAsObject())["site"] = 2;
  (*Other.getAsObject())["function"] = -1;
  Calls.insert(Calls.begin() + 1, std::move(Other));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.List[0].Host, 0);
  EXPECT_EQ(T.Ls.List[1].Host, 2);
}

TEST(TraceHostMatch, ThePlaceOfACallMayBeUnknown) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(1, 2, 1)};
  TraceBuilder B = G.build();
  for (llvm::json::Value &Call : *B.Meta.getArray("launches"))
    (*Call.getAsObject())["site"] = -1;
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.List[0].Host, 0);
  EXPECT_EQ(T.Ls.List[1].Host, 1);
}

TEST(TraceHostMatch, OnePlaceMayLaunchSeveralKernels) {
  SimulatedGpu G = gpu();
  G.Launches = {launch(0, 2, 0), launch(1, 2, 1), launch(0, 2, 2)};
  TraceBuilder B = G.build();
  auto &Module = *(*B.Meta.getArray("modules"))[0].getAsObject();
  for (llvm::json::Value &Site : *Module.getArray("launches"))
    (*Site.getAsObject())["kernel"] = -1;
  Trace T = understood(B);
  for (int I = 0; I < 3; ++I)
    EXPECT_EQ(T.Ls.List[I].Host, I);
}
