// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU as far as a trace can see it: SMs whose clocks started at different
// times, a timer that moves in steps, blocks that take turns in slots.
#ifndef KINSTR_TEST_SIMULATEDGPU_H
#define KINSTR_TEST_SIMULATEDGPU_H

#include "TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace kinstr::test {

/// A site and how long a warp takes from it to the next one.
struct SimSite {
  std::string Kind, Name;
  uint32_t Line = 0;
  uint64_t Cycles = 100;
  uint32_t Jitter = 0; ///< added: uniform in [0, Jitter]
  bool Sync = false;   ///< the warps of a block leave together (a barrier)
  /// Of a value: First in the first round of the warp, then Step more in each.
  number_type Type = number_type::unsigned_integer;
  double First = 0, Step = 0;

  uint32_t bits(uint32_t Round) const {
    double V = First + Step * Round;
    if (Type == number_type::floating_point)
      return llvm::bit_cast<uint32_t>(static_cast<float>(V));
    return static_cast<uint32_t>(static_cast<int64_t>(V));
  }
};

struct SimKernel {
  std::string Name;
  uint32_t Line = 1;
  bool Stream = false;
  uint32_t Repeat = 1; ///< of the list of sites; more than 1 needs Stream
  std::vector<SimSite> Sites;
};

struct SimLaunch {
  uint32_t Kernel = 0;
  uint32_t Grid = 1, Threads = 32;
  uint32_t PerSm = 1;
  uint64_t AtNs = 0;
  double Ghz = 2.0;
  uint32_t Stream = 0;
  uint32_t Gap = 500;      ///< cycles between two blocks in a slot
  uint32_t SkipBlocks = 0; ///< the last ones leave no record
  uint32_t Unfinished = 0; ///< the last recorded ones are cut off half way
  uint32_t Moved = 0;      ///< the first ones end on the next SM
  bool Host = true;        ///< the host saw the call
  std::string Mangled;
  uint32_t Registers = 40, StaticShared = 0, DynamicShared = 0;
};

class SimulatedGpu {
public:
  uint32_t Sms = 4, StepNs = 32;
  uint64_t ClockKhz = 2000000;
  uint32_t LateCycles =
      0; ///< the clock is read up to this late after the timer
  /// Every SM's clock runs ahead and behind by this much, once in a period.
  double DriftNs = 0, DriftPeriodNs = 1;
  /// From then on all clocks run at so many times their rate.
  double ChangeAtNs = 0, ChangedRate = 1;
  /// Until then clocks run slower, at first by RampShare, those with an odd
  /// number by RampSkew more.
  double RampNs = 0, RampShare = 0, RampSkew = 0;
  /// Of streams: how often both clocks are read within a block; 0 never.
  double PairEveryNs = 0;
  /// So many SMs have the same clock. Rates of clocks differ, by up to this
  /// much, relatively.
  uint32_t SmsPerClock = 1;
  double RateSpread = 0;
  uint32_t TimerStepNs = 0; ///< as measured by the runtime; 0 not
  std::string Name = "Simulated GPU", Program = "sim", File = "sim.cu";
  std::string Options;
  std::vector<SimKernel> Kernels;
  std::vector<SimLaunch> Launches;
  /// Of SM, records and events that found no room.
  std::vector<std::array<uint32_t, 3>> Dropped;
  uint64_t Epoch = 1770000000000000000; ///< globaltimer when launches begin
  int64_t TimerAheadNs = 0; ///< of globaltimer, against the host's clock
  std::string Uuid;         ///< of the GPU; empty: not in the tables

  /// The true globaltimer, as a real number of ns from Epoch.
  uint64_t global(double Ns) const {
    uint64_t T =
        Epoch + static_cast<uint64_t>(TimerAheadNs) + static_cast<uint64_t>(Ns);
    return T / StepNs * StepNs;
  }

  TraceBuilder build();

  /// The clock of an SM at a time; offsets differ by millions of cycles.
  uint64_t clock(uint32_t Sm, double Ns, double Ghz) const {
    uint32_t Number = Sm / SmsPerClock;
    double Rate = Ghz * (1 + RateSpread * (Number % 8 / 7.0 - 0.5));
    return clockAtEpoch(Sm) +
           static_cast<uint64_t>((Ns + drift(Ns) - ramp(Number, Ns)) * Rate);
  }
  uint64_t clockAtEpoch(uint32_t Sm) const {
    return (uint64_t(1) << 40) + Sm / SmsPerClock * 7919993ull * 3;
  }
  double drift(double Ns) const {
    return DriftNs * std::sin(6.283185307179586 * Ns / DriftPeriodNs) +
           (ChangedRate - 1) * std::max(0.0, Ns - ChangeAtNs);
  }

  /// What clock number \p Number lost until then.
  double ramp(uint32_t Number, double Ns) const {
    if (RampNs == 0)
      return 0;
    double At = std::min(Ns, RampNs);
    return (RampShare + Number % 2 * RampSkew) * (At - At * At / RampNs / 2);
  }

private:
  uint32_t random(uint32_t Limit) { // deterministic on every platform
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    return Limit ? static_cast<uint32_t>((State >> 33) % (Limit + 1)) : 0;
  }
  llvm::json::Object meta() const;
  void run(const SimLaunch &L, uint64_t GridId, TraceBuilder &B);
  double runBlock(const SimLaunch &L, uint64_t GridId, uint32_t Block,
                  uint32_t Sm, double Start, TraceBuilder &B);

  uint64_t State = 1;
  uint64_t Events = 0, Records = 0;
};

inline llvm::json::Object SimulatedGpu::meta() const {
  using namespace llvm::json;
  Array JsonKernels, Sites, Calls, Functions, Host;
  for (const SimKernel &K : Kernels) {
    Array JsonSites;
    for (const SimSite &S : K.Sites)
      JsonSites.push_back(Object{{"kind", S.Kind},
                                 {"name", S.Name},
                                 {"line", S.Line},
                                 {"drain", "none"}});
    JsonKernels.push_back(Object{{"name", K.Name},
                                 {"line", K.Line},
                                 {"buffer", K.Stream ? "global" : "shared"},
                                 {"layout", K.Stream ? "stream" : "slots"},
                                 {"flow", "uniform"},
                                 {"sites", std::move(JsonSites)}});
    Calls.push_back(Object{{"line", 200 + Calls.size()},
                           {"kernel", JsonKernels.size() - 1}});
  }
  for (const SimLaunch &L : Launches) {
    if (!L.Host)
      continue;
    Object Function{{"module", 0},
                    {"kernel", L.Kernel},
                    {"name", L.Mangled},
                    {"registers", L.Registers},
                    {"static_shared", L.StaticShared},
                    {"local_bytes", 0}};
    int64_t Instance =
        llvm::find(Functions, Value(Object(Function))) - Functions.begin();
    if (Instance == static_cast<int64_t>(Functions.size()))
      Functions.push_back(std::move(Function));
    Host.push_back(Object{{"device", 0},
                          {"module", 0},
                          {"site", L.Kernel},
                          {"function", Instance},
                          {"grid", Array{L.Grid, 1, 1}},
                          {"block", Array{L.Threads, 1, 1}},
                          {"dynamic_shared", L.DynamicShared},
                          {"stream", L.Stream},
                          {"host_unix_ns", int64_t(Epoch + L.AtNs)},
                          {"blocks_per_sm", L.PerSm}});
  }
  Array Drops;
  uint64_t DroppedRecords = 0, DroppedEvents = 0;
  for (auto [Sm, R, E] : Dropped) {
    Drops.push_back(
        Object{{"device", 0}, {"sm", Sm}, {"records", R}, {"events", E}});
    DroppedRecords += R;
    DroppedEvents += E;
  }
  return Object{{"producer", "kinstr-mktrace"},
                {"abi", abi_version},
                {"program", Program},
                {"pid", 1},
                {"options", Options},
                {"devices", Array{Object{{"index", 0},
                                         {"name", Name},
                                         {"uuid", Uuid},
                                         {"compute_capability", "9.0"},
                                         {"sm_count", Sms},
                                         {"clock_khz", ClockKhz},
                                         {"timer_step_ns", TimerStepNs},
                                         {"driver", "13.0"},
                                         {"runtime", "13.0"}}}},
                {"modules", Array{Object{{"abi", abi_version},
                                         {"file", File},
                                         {"kernels", std::move(JsonKernels)},
                                         {"launches", std::move(Calls)}}}},
                {"functions", std::move(Functions)},
                {"launches", std::move(Host)},
                {"dropped", std::move(Drops)},
                {"totals", Object{{"records", Records},
                                  {"events", Events},
                                  {"dropped_records", DroppedRecords},
                                  {"dropped_events", DroppedEvents}}}};
}

/// Records one block; the time at which its slot is free again [ns].
inline double SimulatedGpu::runBlock(const SimLaunch &L, uint64_t GridId,
                                     uint32_t Block, uint32_t Sm, double Start,
                                     TraceBuilder &B) {
  const SimKernel &K = Kernels[L.Kernel];
  const uint32_t Warps = (L.Threads + 31) / 32;
  const uint64_t Base = clock(Sm, Start, L.Ghz);
  // Cycles from Base at which each warp passes each event, and numbers.
  std::vector<std::vector<std::pair<uint64_t, uint32_t>>> Passed(Warps);
  std::vector<uint64_t> Now(Warps);
  for (uint64_t &N : Now)
    N = 60 + random(80);
  for (uint32_t R = 0; R < K.Repeat; ++R)
    for (uint32_t S = 0; S < K.Sites.size(); ++S) {
      uint64_t Latest = 0;
      for (uint32_t W = 0; W < Warps; ++W) {
        if (K.Sites[S].Kind == "value")
          Passed[W].push_back(numberEvent(K.Sites[S].Type, K.Sites[S].bits(R)));
        Passed[W].emplace_back(Base + Now[W], S);
        Now[W] += K.Sites[S].Cycles + random(K.Sites[S].Jitter);
        Latest = std::max(Latest, Now[W]);
      }
      if (K.Sites[S].Sync)
        for (uint64_t &N : Now)
          N = Latest + random(12);
    }
  uint64_t Longest = 0;
  for (uint32_t W = 0; W < Warps; ++W) {
    Passed[W].emplace_back(Base + Now[W], exit_site);
    Longest = std::max(Longest, Now[W]);
  }

  const double End = Start + double(Now[0] + 20) / L.Ghz;
  const bool Recorded = Block < L.Grid - L.SkipBlocks;
  const bool CutOff = Block + L.Unfinished >= L.Grid - L.SkipBlocks;
  TestAnchor A;
  A.GridId = GridId;
  A.Kernel = L.Kernel;
  A.SmStart = Sm;
  A.SmEnd = Block < L.Moved ? (Sm + 1) % Sms : Sm;
  A.GlobalStart = global(Start);
  A.ClockStart = Base + random(LateCycles);
  A.GlobalEnd = CutOff ? 0 : global(End);
  A.ClockEnd = CutOff ? 0 : clock(A.SmEnd, End, L.Ghz) + random(LateCycles);
  A.Grid[0] = L.Grid;
  A.Block[0] = L.Threads;
  A.DynamicShared = L.DynamicShared;
  if (PairEveryNs != 0 && K.Stream)
    for (double At = Start + PairEveryNs; At < End; At += PairEveryNs) {
      uint64_t Clock = clock(Sm, At, L.Ghz);
      append(B.region(0, Sm),
             streamRecord(GridId, Block, 0, {{Clock, 0}}, nullptr,
                          TestClocks{global(At), Clock}));
    }
  for (uint32_t W = 0; W < Warps && Recorded; ++W) {
    auto &P = Passed[W];
    if (CutOff)
      P.resize(P.size() / 2);
    Events += llvm::count_if(
        P, [](const auto &E) { return E.second != number_site; });
    ++Records;
    const TestAnchor *MayAnchor = W == 0 ? &A : nullptr;
    Words R;
    if (K.Stream) {
      R = streamRecord(GridId, Block, W, P, MayAnchor);
    } else {
      std::vector<uint64_t> Clocks(K.Sites.size() + 1);
      for (auto [Clock, Site] : P)
        Clocks[Site == exit_site ? K.Sites.size() : Site] = Clock;
      R = slotsRecord(GridId, Block, W, Clocks, MayAnchor);
    }
    append(B.region(0, Sm), R);
  }
  return Start + double(Longest + L.Gap) / L.Ghz;
}

inline void SimulatedGpu::run(const SimLaunch &L, uint64_t GridId,
                              TraceBuilder &B) {
  // When each slot is free; slots of different SMs alternate, as the hardware
  // fills SMs breadth first.
  std::vector<double> Free(size_t(Sms) * L.PerSm);
  for (double &F : Free)
    F = double(L.AtNs) + random(300);
  for (uint32_t Block = 0; Block < L.Grid; ++Block) {
    size_t Slot = Block;
    if (Block >= Free.size())
      Slot = std::min_element(Free.begin(), Free.end()) - Free.begin();
    Free[Slot] = runBlock(L, GridId, Block, Slot % Sms, Free[Slot], B);
  }
}

inline TraceBuilder SimulatedGpu::build() {
  TraceBuilder B{llvm::json::Object()};
  for (size_t I = 0; I < Launches.size(); ++I)
    run(Launches[I], 100 + I, B);
  B.Meta = meta();
  return B;
}

} // namespace kinstr::test

#endif // KINSTR_TEST_SIMULATEDGPU_H
