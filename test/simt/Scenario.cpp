// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and running random tests.
#include "Scenario.h"
#include <algorithm>
#include <sstream>

namespace simt {

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

/// At most \p Most threads; small blocks are more frequent, odd sizes welcome.
static Dim3 makeThreads(Random &Rng, uint32_t Most) {
  const uint32_t Limit = Rng.chance(70)   ? std::min(Most, 64u)
                         : Rng.chance(60) ? std::min(Most, 130u)
                                          : Most;
  const uint32_t Size = Rng.between(1, Limit);
  switch (Rng.below(6)) {
  case 0:
    return {Size, 1, 1};
  case 1: // whole warps
    return {std::max(1u, Limit / 32) * 32 <= Most
                ? Rng.between(1, std::max(1u, Limit / 32)) * 32
                : Size,
            1, 1};
  case 2: // whole rows
    if (Limit >= 64)
      return {32, Rng.between(1, Limit / 32), 1};
    return {Size, 1, 1};
  case 3: { // short rows
    const uint32_t X = Rng.between(1, std::min(Limit, 40u));
    return {X, Rng.between(1, Limit / X), 1};
  }
  case 4: {
    const uint32_t X = Rng.between(1, std::min(Limit, 9u));
    const uint32_t Y = Rng.between(1, std::min(Limit / X, 9u));
    return {X, Y, Rng.between(1, std::min(Limit / X / Y, 64u))};
  }
  default:
    return {Limit, 1, 1};
  }
}

static Dim3 makeBlocks(Random &Rng, uint32_t Most) {
  const uint32_t X = Rng.between(1, Most);
  const uint32_t Y = Rng.between(1, Most / X);
  return {X, Y, Rng.between(1, Most / X / Y)};
}

static void chooseRecording(Random &Rng, Scenario &S) {
  const uint32_t Dice = Rng.below(100);
  if (Dice < 70)
    return;
  S.StartsOn = Dice >= 85;
  S.Attached = Dice >= 74;
  if (S.Attached && Dice >= 77)
    for (uint32_t B = 1; B < S.G.Blocks.size(); ++B)
      if (Rng.chance(25))
        S.SwitchAt.push_back(B);
}

Scenario makeScenario(uint64_t Number) {
  Random Rng(Number);
  Scenario S;
  const auto &Types = kernelTypes();
  S.What = makeProgram(Types[Number % Types.size()], Rng.bits());
  Grid &G = S.G;
  G.Seed = Rng.bits();
  // Long kernels run in few lanes: thousands of tests take seconds.
  const uint64_t Weight = S.What.weight();
  const uint64_t Lanes = 64 + 20000 / (Weight + 12);
  G.Threads = makeThreads(Rng, static_cast<uint32_t>(std::min<uint64_t>(
                                   S.What.Kernel->Threads, Lanes)));
  if (S.What.Kernel->Threads == 1024 && Weight < 300 && Rng.chance(8)) {
    static const Dim3 Largest[] = {{1024, 1, 1}, {32, 32, 1}, {8, 8, 16}};
    G.Threads = Largest[Rng.below(3)];
  }
  G.Blocks = makeBlocks(Rng, static_cast<uint32_t>(std::clamp<uint64_t>(
                                 Lanes / G.Threads.size(), 1, 6)));
  G.GridId = Rng.bits() >> Rng.between(1, 60);
  G.DynamicShared = Rng.below(1 << 16);
  G.ClusterDim = Rng.chance(50) ? 0 : 2 | 1 << 8 | 4 << 16;
  G.Sms = Rng.between(1, 4);
  G.BlocksPerSm = Rng.between(1, 3);
  G.Burst = 1u << Rng.below(5);
  G.Meet = static_cast<Converge>(Rng.below(3));
  if (Rng.chance(30)) // more than the table has
    G.Slots = Rng.chance(50) ? 4 : 70;
  if (Rng.chance(40))
    G.Preempted = 1u << Rng.below(8);
  for (uint32_t I = 0; I < G.Sms; ++I) {
    // Any clock, or one of which some word is about to wrap.
    uint64_t Clock = Rng.bits() >> 15;
    if (Rng.chance(60))
      Clock = (Clock | 0xFFFFFFFF) - Rng.below(3000);
    if (Rng.chance(10))
      Clock = (uint64_t(1) << 48) - 1 - Rng.below(3000);
    G.ClockOffset.push_back(Clock);
  }
  G.TimerOffset = Rng.bits() >> 4;
  S.Regions = Rng.between(1, G.Sms);
  S.Module = Rng.below(3);
  chooseRecording(Rng, S);
  return S;
}

std::string text(const Scenario &S) {
  const Grid &G = S.G;
  static const char *const Meets[] = {"alone", "at random", "together"};
  std::ostringstream Out;
  Out << G.Blocks.x << "x" << G.Blocks.y << "x" << G.Blocks.z << " blocks of "
      << G.Threads.x << "x" << G.Threads.y << "x" << G.Threads.z
      << " threads on " << G.Sms << " SMs, " << G.BlocksPerSm
      << " at once on each; lanes come " << Meets[int(G.Meet)] << "; "
      << G.Slots << " slots, preempted " << G.Preempted << " in 1000; "
      << S.Regions << " regions\n";
  if (!S.Attached)
    Out << "not attached\n";
  Out << "recording is " << (S.StartsOn ? "on" : "off");
  for (uint32_t B : S.SwitchAt)
    Out << ", switched at block " << B;
  Out << "\n" << text(S.What);
  return Out.str();
}

//===----------------------------------------------------------------------===//
// Running one
//===----------------------------------------------------------------------===//

/// Runs with that arena, which is filled; returns what is wrong.
static std::string runOnce(const Scenario &S, uint64_t Seed, Arena &A) {
  Recorded R;
  R.What = &S.What;
  R.G = S.G;
  R.G.Seed = Seed;
  R.Module = S.Module;
  R.Log.assign(S.G.Blocks.size(), std::vector<LaneLog>(S.G.Threads.size()));

  setState({A.Words.data(), A.Heads.data(),
            A.Chunks.data() + S.Module % kinstr::callee_chunks_per_slot,
            A.RegionWords, S.Regions, S.Module});
  if (!S.Attached)
    setState({});
  const auto Record = [&](bool On, uint64_t Time) {
    setRecording(On && S.Attached);
    R.Switches.push_back({Time, On && S.Attached});
  };
  Record(S.StartsOn, 0);
  auto Next = S.SwitchAt.begin();
  R.G.OnBlock = [&](uint32_t Block) {
    if (Next != S.SwitchAt.end() && *Next == Block) {
      ++Next;
      Record(!R.Switches.back().On, now());
    }
  };

  std::string Error = run(R.G, {A.Words.data(), A.RegionWords, S.Regions},
                          [&] { execute(S.What, R.Log); });
  if (!Error.empty())
    return Error + "\n";
  for (uint32_t B = 0; B < S.G.Blocks.size(); ++B)
    R.SmOf.push_back(smOfBlock(B));
  std::string Out;
  for (const std::string &P : check(R, A))
    Out += P + "\n";
  return Out;
}

/// In words, even: regions begin on 8 bytes.
static uint32_t smallArena(Random &Rng, uint64_t Used) {
  constexpr uint32_t Least = kinstr::min_region_words;
  const auto Most = std::max(static_cast<uint32_t>(Used), Least);
  switch (Rng.below(5)) {
  case 0:
    return Least;
  case 1:
    return Most;
  case 2:
    return std::max(Most - 2, Least);
  default:
    return Least + (Rng.below(Most - Least + 1) & ~1u);
  }
}

std::string runScenario(const Scenario &S) {
  Random Rng(S.G.Seed);
  Arena Plenty(S.Regions, 16384 + S.G.Threads.size() * S.G.Blocks.size() * 32);
  std::string Wrong = runOnce(S, Rng.bits(), Plenty);
  if (!Wrong.empty())
    return "with " + std::to_string(Plenty.RegionWords) + " words a region:\n" +
           Wrong;
  Arena Tight(S.Regions, smallArena(Rng, Plenty.mostUsed()));
  Wrong = runOnce(S, Rng.bits(), Tight);
  if (!Wrong.empty())
    return "with " + std::to_string(Tight.RegionWords) + " words a region:\n" +
           Wrong;
  return "";
}

} // namespace simt
