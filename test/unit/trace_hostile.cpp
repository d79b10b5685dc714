// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files made to hurt: whatever the bytes are, reading and reporting end.
#include "TraceTest.h"
#include "report/SvgReport.h"
#include "report/Terminal.h"
#include "report/Verdict.h"
#include <numeric>
#include <random>

using namespace kinstr;
using namespace kinstr::test;

namespace {

SimulatedGpu smallGpu(bool Stream) {
  SimulatedGpu G;
  G.Sms = 2;
  G.Kernels = {{"k",
                1,
                Stream,
                1,
                {{"phase", "a", 2}, {"mark", "m", 3}, {"end", "", 4}}}};
  SimLaunch L;
  L.Grid = 3;
  L.Threads = 64;
  G.Launches = {L, L};
  G.PairEveryNs = 200;
  G.Launches[1].AtNs = 20000;
  return G;
}

/// Everything a report can do with a trace.
void reportAll(const TraceBuilder &B) {
  trace::Trace T = understood(B);
  std::vector<uint32_t> All(T.Ls.List.size());
  std::iota(All.begin(), All.end(), 0);
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto Selected = report::Selection::make(T, {});
  ASSERT_TRUE(!!Selected);
  EXPECT_FALSE(!!report::printReport(T, *Selected, {}, OS));
  auto Verdict = report::verdict(T, *Selected);
  ASSERT_TRUE(!!Verdict);
  EXPECT_LE(Verdict->size(), report::MostVerdictBytes);
  auto Json = llvm::json::parse(*Verdict);
  EXPECT_TRUE(!!Json) << *Verdict;
  llvm::consumeError(Json.takeError());
  for (uint32_t I : All) {
    EXPECT_FALSE(report::drawBlocks(T, I).empty());
    report::drawWarps(T, I, 0);
  }
}

} // namespace

TEST(TraceHostile, RandomWordsInTheRegions) {
  std::mt19937 Random(1); // the same on every platform
  for (bool Stream : {false, true}) {
    const TraceBuilder Good = smallGpu(Stream).build();
    for (int Round = 0; Round < 400; ++Round) {
      TraceBuilder Bad = Good;
      Words &W = Bad.region(0, Round % 2);
      for (unsigned I = 0, N = 1 + Random() % 3; I < N; ++I) {
        uint32_t &Word = W[Random() % W.size()];
        switch (Random() % 4) {
        case 0:
          Word = Random();
          break;
        case 1:
          Word ^= 1u << Random() % 32;
          break;
        case 2:
          Word = 0;
          break;
        default:
          Word = ~0u;
        }
      }
      reportAll(Bad);
    }
  }
}

TEST(TraceHostile, RandomCharactersInTheTables) {
  std::mt19937 Random(2);
  TraceBuilder B = smallGpu(false).build();
  std::string Good;
  llvm::raw_string_ostream(Good)
      << llvm::json::Value(llvm::json::Object(B.Meta));
  const char Characters[] = "0123456789-,:[]{}\"\\aek\n";
  for (int Round = 0; Round < 400; ++Round) {
    B.RawMeta = Good;
    for (unsigned I = 0, N = 1 + Random() % 2; I < N; ++I)
      B.RawMeta[Random() % Good.size()] =
          Characters[Random() % (sizeof(Characters) - 1)];
    if (readError(B.bytes()).empty())
      reportAll(B);
  }
}

TEST(TraceHostile, TablesOfZeroes) {
  TraceBuilder B = smallGpu(false).build();
  for (const char *Key : {"launches", "functions", "dropped", "totals"})
    B.Meta.erase(Key);
  (*(*B.Meta.getArray("devices"))[0].getAsObject())["sm_count"] = 0;
  (*(*B.Meta.getArray("devices"))[0].getAsObject())["clock_khz"] = 0;
  reportAll(B);
}
