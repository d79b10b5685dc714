// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of simulated GPUs, merged and read again: every event is where it was,
// and launches are on one axis, as well as is stated.
#include "TraceTest.h"
#include "trace/Merge.h"
#include "trace/Visit.h"
#include <fstream>
#include <map>
#include <mutex>

using namespace llvm;
using namespace kinstr;
using namespace kinstr::trace;
using namespace kinstr::test;

namespace {

SimulatedGpu gpu(const std::string &File, const std::string &Kernel) {
  SimulatedGpu G;
  G.File = File;
  SimKernel K;
  K.Name = Kernel;
  K.Sites = {{"phase", "load", 2, 900, 100, false},
             {"phase", "store", 3, 500, 50, false}};
  G.Kernels.push_back(K);
  return G;
}

void launchAt(SimulatedGpu &G, std::initializer_list<uint64_t> Times) {
  for (uint64_t At : Times) {
    SimLaunch L;
    L.Grid = 16;
    L.Threads = 64;
    L.AtNs = At;
    G.Launches.push_back(L);
  }
}

/// The tables of a process that wrote its file at \p EndNs from the epoch.
TraceBuilder processOf(SimulatedGpu &G, const std::string &Host, int64_t Pid,
                       uint64_t EndNs) {
  TraceBuilder B = G.build();
  B.Meta["pid"] = Pid;
  B.Meta["host"] = Host;
  B.Meta["start_unix_ns"] = static_cast<int64_t>(G.Epoch - 1000000);
  B.Meta["end_unix_ns"] = static_cast<int64_t>(G.Epoch + EndNs);
  return B;
}

class MergeTest : public testing::Test {
protected:
  /// Merges what \p Files would hold. The text of an error; empty: none.
  std::string merge(const std::vector<TraceBuilder> &Files,
                    std::optional<uint64_t> HostClockErrorNs = std::nullopt) {
    std::vector<std::string> Bytes;
    for (const TraceBuilder &B : Files)
      Bytes.push_back(B.bytes());
    return mergeBytes(Bytes, HostClockErrorNs);
  }

  std::string mergeBytes(const std::vector<std::string> &Files,
                         std::optional<uint64_t> HostClockErrorNs) {
    std::vector<MergeInput> Inputs;
    for (size_t I = 0; I < Files.size(); ++I) {
      MergeInput In;
      In.File = Folder + "kinstr-merge-" + std::to_string(I) + ".kitrace";
      std::ofstream(In.File, std::ios::binary) << Files[I];
      Expected<RawTrace> Raw = readTraceFile(In.File);
      if (!Raw)
        return toString(Raw.takeError());
      Expected<Trace> T = understand(std::move(*Raw));
      if (!T)
        return toString(T.takeError());
      Expected<std::vector<ClockDistance>> Clocks = clockDistances(*T);
      if (!Clocks)
        return toString(Clocks.takeError());
      In.Clocks = *Clocks;
      In.Tables = T->meta();
      In.CutShort = T->Raw.CutShort;
      Inputs.push_back(std::move(In));
    }
    Expected<MergedTables> Tables = mergeTables(
        Inputs, [&](size_t I) { return readMetaText(Inputs[I].File); },
        HostClockErrorNs);
    if (!Tables)
      return toString(Tables.takeError());
    Warnings = Tables->Warnings;
    Merged.clear();
    Error E = writeMerged(Inputs, *Tables, [&](StringRef Bytes) {
      Merged += Bytes;
      return Error::success();
    });
    return E ? toString(std::move(E)) : "";
  }

  Trace result() const {
    Expected<Trace> T = understandBytes(Merged);
    if (T)
      return std::move(*T);
    ADD_FAILURE() << toString(T.takeError());
    return {};
  }

  std::string Folder = testing::TempDir();
  std::string Merged;
  std::vector<std::pair<std::string, std::string>> Warnings;
};

/// Names and clocks of what each warp recorded, by device, launch, block, warp.
using Recorded = std::map<std::tuple<uint32_t, uint64_t, uint32_t, uint32_t>,
                          std::vector<std::pair<std::string, uint64_t>>>;

void collect(const Trace &T, uint32_t FirstDevice, Recorded &Out) {
  struct Sink final : BlockSink {
    Sink(const Trace &T, uint32_t FirstDevice, Recorded &Out, std::mutex &Mutex)
        : T(T), FirstDevice(FirstDevice), Out(Out), Mutex(Mutex) {}
    void block(const BlockView &V) override {
      std::lock_guard<std::mutex> Lock(
          Mutex); // parts have threads of their own
      const Launch &L = T.launches()[V.Launch];
      for (const WarpView &W : V.Warps) {
        auto &List =
            Out[{FirstDevice + L.Device, L.GridId, V.B.Number, W.Index}];
        List.emplace_back(T.module(L).File + " " + T.kernel(L).Name, 0);
        for (const Event &E : W.Events)
          List.emplace_back(E.Site < T.kernel(L).Sites.size()
                                ? T.kernel(L).Sites[E.Site].Name
                                : "exit",
                            E.Clock);
      }
    }
    const Trace &T;
    uint32_t FirstDevice;
    Recorded &Out;
    std::mutex &Mutex;
  };
  std::mutex Mutex;
  ASSERT_FALSE(errorToBool(visitBlocks(
      T, {}, [&] { return std::make_unique<Sink>(T, FirstDevice, Out, Mutex); },
      [](std::unique_ptr<BlockSink>) { return Error::success(); })));
}

TEST_F(MergeTest, EveryEventIsWhereItWas) {
  SimulatedGpu A = gpu("a.cu", "first"), B = gpu("b.cu", "second"),
               C = gpu("a.cu", "first");
  B.Kernels[0].Stream = true;
  B.Kernels[0].Repeat = 5;
  launchAt(A, {0, 100000});
  launchAt(B, {50000});
  launchAt(C, {70000, 90000, 110000});
  std::vector<TraceBuilder> Files = {processOf(A, "n0", 1, 200000),
                                     processOf(B, "n0", 2, 200000),
                                     processOf(C, "n0", 3, 200000)};
  ASSERT_EQ(merge(Files), "");
  const Trace T = result();
  EXPECT_EQ(T.meta().Modules.size(), 2U); // a.cu is one
  EXPECT_EQ(T.meta().Functions.size(), 2U);
  EXPECT_EQ(T.meta().Devices.size(), 3U);
  EXPECT_EQ(T.meta().Launches.size(), 6U);
  ASSERT_EQ(T.meta().Processes.size(), 3U);
  EXPECT_EQ(T.meta().Processes[1].Pid, 2U);
  EXPECT_EQ(T.meta().Devices[2].Process, 2U);
  EXPECT_TRUE(T.meta().Merged);

  Recorded Expected, Found;
  for (uint32_t I = 0; I < Files.size(); ++I)
    collect(understood(Files[I]), I, Expected);
  collect(T, 0, Found);
  EXPECT_EQ(Expected.size(), 6U * 16 * 2);
  EXPECT_EQ(Found, Expected);
  for (const Launch &L : T.launches())
    EXPECT_NE(T.hostLaunch(L), nullptr);
}

TEST_F(MergeTest, RecordsOfCalleesNameTheirModule) {
  json::Object M = TraceBuilder::smallMeta();
  json::Object &Module = *(*M.getArray("modules"))[0].getAsObject();
  Module["callees"] = json::Array{json::Object{
      {"name", "f"},
      {"line", 20},
      {"first_site", 0},
      {"flow", "uniform"},
      {"sites",
       json::Array{
           json::Object{{"kind", "phase"}, {"name", "in f"}, {"line", 21}},
           json::Object{{"kind", "return"}, {"name", ""}, {"line", 20}}}}}};
  TraceBuilder B(std::move(M));
  TestAnchor A;
  A.GridId = 7;
  A.Block[0] = 32;
  Words &R = B.region(0, 0);
  append(R, slotsRecord(7, 0, 0, {5100, 6000, 7000}, &A));
  Words Callee = streamRecord(7, 0, 0, {{5500, 0}, {5600, 1}});
  Callee[2] = pack_stream_count({2, 0});
  append(R, Callee);

  SimulatedGpu Other = gpu("other.cu", "other");
  launchAt(Other, {0});
  TraceBuilder First = Other.build();
  ASSERT_EQ(merge({First, B}), "");
  Recorded Expected, Found;
  collect(understood(First), 0, Expected);
  collect(understood(B), 1, Expected);
  collect(result(), 0, Found);
  EXPECT_EQ(Found, Expected);
  const auto &List = Found.at({1, 7, 0, 0});
  EXPECT_TRUE(
      is_contained(List, std::pair<std::string, uint64_t>("in f", 5500)));
}

TEST_F(MergeTest, PiecesAreLargerThanWhatIsHeldAtOnce) {
  SimulatedGpu A = gpu("a.cu", "first"), B = gpu("b.cu", "second");
  B.Sms = 1;
  B.Kernels[0].Stream = true;
  B.Kernels[0].Repeat = 3000; // 48 kB a record
  launchAt(A, {0});
  launchAt(B, {0, 100000000, 200000000, 300000000, 400000000, 500000000});
  for (SimLaunch &L : B.Launches)
    L.PerSm = 16;
  std::vector<TraceBuilder> Files = {processOf(A, "n0", 1, 900000000),
                                     processOf(B, "n0", 2, 900000000)};
  ASSERT_GT(Files[1].bytes().size(), size_t(8) << 20);
  ASSERT_EQ(merge(Files), "");
  Recorded Expected, Found;
  collect(understood(Files[0]), 0, Expected);
  collect(understood(Files[1]), 1, Expected);
  collect(result(), 0, Found);
  EXPECT_TRUE(Found == Expected);
}

TEST_F(MergeTest, DamageStaysDamage) {
  SimulatedGpu A = gpu("a.cu", "first"), B = gpu("b.cu", "second");
  launchAt(A, {0});
  launchAt(B, {0});
  TraceBuilder Second = processOf(B, "n0", 2, 200000);
  Words &R = Second.region(0, 0);
  R.resize(R.size() / 2 + 1);
  append(R, {0xFFFFFFF1, 2, 3, 0xDEADBEEF});
  ASSERT_EQ(merge({processOf(A, "n0", 1, 200000), Second}), "");
  const Trace T = result(), Alone = understood(Second);
  Recorded Expected, Found;
  collect(understood(processOf(A, "n0", 1, 200000)), 0, Expected);
  collect(Alone, 1, Expected);
  collect(T, 0, Found);
  EXPECT_EQ(Found.size(), Expected.size());
}

/// When launch \p I really began, on the hosts' clock.
int64_t errorOf(const Trace &T, uint32_t I, uint64_t TrueNs) {
  return CommonAxis(T).originNs(I) - static_cast<int64_t>(TrueNs);
}

TEST_F(MergeTest, LaunchesComeToOneAxisWithinTheStatedError) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  A.TimerAheadNs = 37000000000;
  B.TimerAheadNs = -4123456789;
  launchAt(A, {0, 100000, 900000});
  launchAt(B, {50000, 500000});
  ASSERT_EQ(
      merge({processOf(A, "n0", 1, 1000000), processOf(B, "n0", 2, 1500000)}),
      "");
  EXPECT_TRUE(Warnings.empty());
  const Trace T = result();
  uint64_t Stated = betweenProcessesNs(T.meta()).value_or(0);
  EXPECT_GT(Stated, 900000U); // B's file was written long after its last block
  EXPECT_LT(Stated, 1000000U);
  // What was launched fastest began within a microsecond of its call. The axis
  // is early by no more than is stated, and never late.
  std::vector<uint64_t> Calls = {0, 100000, 900000, 50000, 500000};
  for (uint32_t I = 0; I < T.launches().size(); ++I) {
    int64_t Off = errorOf(T, I, A.Epoch + Calls[I]);
    EXPECT_GE(Off, -64) << I;
    EXPECT_LE(Off, 1000) << I;
  }
}

TEST_F(MergeTest, ProcessesOfOneGpuShareItsClock) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  A.Uuid = B.Uuid = "00ff";
  A.TimerAheadNs = B.TimerAheadNs = 5000000;
  launchAt(A, {0});
  launchAt(B, {50000});
  ASSERT_EQ(
      merge({processOf(A, "n0", 1, 9000000), processOf(B, "n0", 2, 60000)}),
      "");
  const Trace T = result();
  EXPECT_EQ(betweenProcessesNs(T.meta()), 0U);
  EXPECT_EQ(T.meta().Devices[0].TimeOffsetNs, T.meta().Devices[1].TimeOffsetNs);
  EXPECT_LT(T.meta().Devices[0].TimeErrorNs.value_or(1000000), 60000U);
}

TEST_F(MergeTest, HostsAreAlignedAsWellAsTheirClocks) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  launchAt(A, {0});
  launchAt(B, {0});
  std::vector<TraceBuilder> Files = {processOf(A, "n0", 1, 60000),
                                     processOf(B, "n1", 1, 60000)};
  ASSERT_EQ(merge(Files), "");
  EXPECT_EQ(betweenProcessesNs(result().meta()), std::nullopt);
  ASSERT_EQ(merge(Files, 2000000), "");
  uint64_t Apart = betweenProcessesNs(result().meta()).value_or(0);
  ASSERT_EQ(merge({Files[0], processOf(B = gpu("a.cu", "k"), "n0", 2, 60000)}),
            "");
  EXPECT_GT(Apart, 2000000U);
  EXPECT_LT(Apart, 2060000U);
  // Containers of one machine have other names and the same clock.
  for (TraceBuilder &F : Files)
    F.Meta["boot_id"] = "b";
  ASSERT_EQ(merge(Files), "");
  EXPECT_LT(betweenProcessesNs(result().meta()).value_or(60000), 60000U);
}

TEST_F(MergeTest, AClockThatMovedHasNoStatedError) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  launchAt(A, {0, 500000});
  launchAt(B, {0});
  // Written, it seems, before the second launch ended.
  ASSERT_EQ(
      merge({processOf(A, "n0", 1, 400000), processOf(B, "n0", 2, 60000)}), "");
  ASSERT_EQ(Warnings.size(), 1U);
  EXPECT_NE(Warnings[0].second.find("moved apart by at least 10"),
            std::string::npos)
      << Warnings[0].second;
  EXPECT_EQ(betweenProcessesNs(result().meta()), std::nullopt);
}

TEST_F(MergeTest, WithoutCallsTheBeginningOfTheProcessBounds) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  launchAt(A, {0});
  launchAt(B, {0});
  A.Launches[0].Host = false;
  ASSERT_EQ(merge({processOf(A, "n0", 1, 60000), processOf(B, "n0", 2, 60000)}),
            "");
  uint64_t Stated = betweenProcessesNs(result().meta()).value_or(0);
  EXPECT_GT(Stated, 1000000U); // attached 1 ms before
  EXPECT_LT(Stated, 1100000U);
}

TEST_F(MergeTest, AMergedTraceIsMergedAgain) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("b.cu", "l"), C = gpu("a.cu", "k");
  B.TimerAheadNs = 70000;
  launchAt(A, {0});
  launchAt(B, {20000});
  launchAt(C, {40000});
  TraceBuilder FA = processOf(A, "n0", 1, 100000),
               FB = processOf(B, "n0", 2, 100000),
               FC = processOf(C, "n0", 3, 100000);
  ASSERT_EQ(merge({FA, FB, FC}), "");
  const std::string AtOnce = Merged;
  ASSERT_EQ(merge({FA, FB}), "");
  ASSERT_EQ(mergeBytes({Merged, FC.bytes()}, std::nullopt), "");
  const Trace Twice = result();
  Merged = AtOnce;
  const Trace Once = result();
  ASSERT_EQ(Twice.meta().Processes.size(), 3U);
  Recorded InTwice, InOnce;
  collect(Twice, 0, InTwice);
  collect(Once, 0, InOnce);
  EXPECT_EQ(InTwice, InOnce);
  for (uint32_t I = 0; I < 3; ++I)
    EXPECT_EQ(CommonAxis(Twice).originNs(I), CommonAxis(Once).originNs(I));
  EXPECT_EQ(Twice.meta().Processes[2].Pid, 3U);
  EXPECT_EQ(Twice.meta().Devices[1].Process, 1U);
}

TEST_F(MergeTest, WhatCannotBeMergedIsSaid) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  launchAt(A, {0});
  launchAt(B, {0});
  TraceBuilder First = processOf(A, "n0", 1, 60000),
               Second = processOf(B, "n0", 2, 60000);
  TraceBuilder Sampled = Second;
  Sampled.Meta["sampling"] =
      json::Object{{"blocks", json::Object{{"every", 2}}}};
  EXPECT_NE(merge({First, Sampled}).find("it was not sampled as"),
            std::string::npos);
  TraceBuilder Older = Second;
  Older.Meta["abi"] = 3;
  EXPECT_NE(merge({First, Older}).find("its records are of version 3"),
            std::string::npos);
}

/// Of two traces with so many modules, numbers from \p Begin to \p End: merging
/// does not look into them.
std::string mergeModules(unsigned EndA, unsigned BeginB, unsigned EndB) {
  auto Text = [](unsigned Begin, unsigned End) {
    json::Array Modules;
    for (unsigned I = Begin; I < End; ++I)
      Modules.push_back(I);
    std::string Out;
    raw_string_ostream(Out)
        << json::Value(json::Object{{"modules", std::move(Modules)}});
    return Out;
  };
  const std::string Texts[] = {Text(0, EndA), Text(BeginB, EndB)};
  MergeInput Inputs[2];
  Inputs[0].File = "a";
  Inputs[1].File = "b";
  Expected<MergedTables> T = mergeTables(
      Inputs, [&](size_t I) -> Expected<std::string> { return Texts[I]; },
      std::nullopt);
  return T ? "" : toString(T.takeError());
}

TEST(Merge, ModulesAreNotMoreThanCanBeNumbered) {
  EXPECT_EQ(mergeModules(40000, 40000, 65534), "");
  EXPECT_EQ(
      mergeModules(40000, 40000, 65535),
      "b: with it there are more than 65534 modules, which a trace cannot "
      "number");
  EXPECT_EQ(mergeModules(40000, 0, 40000), "");
}

TEST_F(MergeTest, WhatWasCutShortStaysMarked) {
  SimulatedGpu A = gpu("a.cu", "k"), B = gpu("a.cu", "k");
  launchAt(A, {0});
  launchAt(B, {0});
  TraceBuilder First = processOf(A, "n0", 1, 60000),
               Second = processOf(B, "n0", 2, 60000);
  std::string Cut = Second.bytes();
  Cut.resize(Cut.size() - 100);
  ASSERT_EQ(mergeBytes({First.bytes(), Cut}, std::nullopt), "");
  ASSERT_EQ(Warnings.size(), 1U);
  EXPECT_EQ(Warnings[0].second, "cut short: what is whole of it is merged");
  const Trace T = result();
  EXPECT_FALSE(T.meta().Processes[0].CutShort);
  EXPECT_TRUE(T.meta().Processes[1].CutShort);
  EXPECT_FALSE(T.Raw.CutShort);
}

TEST(CommonAxis, OfATraceThatWasNotMerged) {
  SimulatedGpu G = gpu("a.cu", "k");
  G.TimerAheadNs = 123456;
  launchAt(G, {1000, 50000});
  const Trace T = understood(processOf(G, "n0", 1, 60000));
  for (uint32_t I = 0; I < 2; ++I) {
    EXPECT_GE(errorOf(T, I, G.Epoch + (I ? 50000 : 1000)), -64);
    EXPECT_LE(errorOf(T, I, G.Epoch + (I ? 50000 : 1000)), 1000);
  }
}

} // namespace
