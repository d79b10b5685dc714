// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace that is read in parts: threads, order, interruption, and what no part
// tells alone.
#include "TraceTest.h"
#include "trace/Index.h"
#include "trace/Workers.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <cmath>
#include <thread>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::trace;
using llvm::Error;

namespace {

/// 64 blocks on 8 SMs, as slots and as a stream with clock pairs.
TraceBuilder eightParts() {
  SimulatedGpu G;
  G.Sms = 8;
  G.PairEveryNs = 200;
  std::vector<SimSite> Sites = {{"phase", "a", 2, 300, 90},
                                {"mark", "m", 3, 20},
                                {"phase", "b", 4, 500, 200}};
  G.Kernels = {{"k", 1, false, 1, Sites}, {"s", 1, true, 5, Sites}};
  SimLaunch L;
  L.Grid = 64;
  L.Threads = 96;
  L.PerSm = 2;
  G.Launches = {L, L};
  G.Launches[1].Kernel = 1;
  G.Launches[1].AtNs = 100000;
  return G.build();
}

/// All that is handed out, as text, in the order in which the parts are.
class Transcript final : public BlockSink {
public:
  void block(const BlockView &V) override {
    llvm::raw_string_ostream OS(Text);
    OS << V.Launch << ' ' << V.B.Number << ' ' << V.B.SmStart << ":";
    for (const WarpView &W : V.Warps) {
      OS << " w" << W.Index;
      for (const Event &E : W.Events)
        OS << ' ' << E.Clock << '@' << E.Site;
    }
    for (const ClockPair &P : V.Clocks)
      OS << ' ' << P.Global << '=' << P.Clock;
    OS << '\n';
  }
  void join(Transcript &&Part) { Text += Part.Text; }

  std::string Text;
};

std::string transcript(const Trace &T, unsigned Threads) {
  VisitOptions O;
  O.Watching.emplace();
  O.Watching->Threads = Threads;
  return llvm::cantFail(collectBlocks(T, O, Transcript())).Text;
}

Trace understoodBy(const TraceBuilder &B, unsigned Threads) {
  Watch W;
  W.Threads = Threads;
  return llvm::cantFail(understand(llvm::cantFail(readBytes(B.bytes())), W));
}

} // namespace

TEST(TraceStream, ThreadsChangeNothing) {
  TraceBuilder B = eightParts();
  Trace One = understoodBy(B, 1);
  std::string Expected = transcript(One, 1);
  EXPECT_EQ(llvm::StringRef(Expected).count('\n'), 128u);
  for (unsigned Threads : {2, 3, 8}) {
    Trace Many = understoodBy(B, Threads);
    EXPECT_EQ(transcript(Many, Threads), Expected);
    EXPECT_EQ(Many.Ls.NumEvents, One.Ls.NumEvents);
    ASSERT_EQ(Many.launches().size(), 2u);
    for (uint32_t L : {0, 1}) {
      EXPECT_EQ(Many.clock(L).NsPerCycle, One.clock(L).NsPerCycle);
      EXPECT_EQ(Many.clock(L).AlignmentErrorNs, One.clock(L).AlignmentErrorNs);
    }
  }
}

TEST(TraceStream, WorkIsTakenInOrderAndNotBegunFarAhead) {
  for (unsigned Threads : {1, 2, 8}) {
    Watch W;
    W.Threads = Threads;
    Meter M(0);
    std::atomic<size_t> Begun = 0;
    size_t Taken = 0, Furthest = 0;
    const auto Here = std::this_thread::get_id();
    Error E = inOrder(
        100, W, M,
        [&](size_t) {
          ++Begun;
          return Error::success();
        },
        [&](size_t I) {
          EXPECT_EQ(I, Taken++);
          EXPECT_EQ(std::this_thread::get_id(), Here);
          Furthest = std::max(Furthest, Begun - I);
          return Error::success();
        });
    EXPECT_EQ(message(std::move(E)), "");
    EXPECT_EQ(Taken, 100u);
    EXPECT_LE(Furthest, Threads + 2);
  }
}

TEST(TraceStream, TheFirstErrorInOrderEndsTheWork) {
  for (unsigned Threads : {1, 4}) {
    Watch W;
    W.Threads = Threads;
    Meter M(0);
    size_t Taken = 0;
    auto Work = [&](size_t I) -> Error {
      if (I < 3)
        return Error::success();
      return errorAt(I, "fault");
    };
    EXPECT_EQ(message(inOrder(20, W, M, Work,
                              [&](size_t) {
                                ++Taken;
                                return Error::success();
                              })),
              "offset 3: fault");
    EXPECT_EQ(Taken, 3u);
    EXPECT_EQ(message(inOrder(
                  20, W, M, [](size_t) { return Error::success(); },
                  [](size_t I) {
                    return I == 7 ? errorAt(I, "full") : Error::success();
                  })),
              "offset 7: full");
  }
}

TEST(TraceStream, ProgressGoesToTheEnd) {
  TraceBuilder B = eightParts();
  for (unsigned Threads : {0, 2}) { // 0: a small trace, on the calling thread
    Watch W;
    W.Threads = Threads;
    uint64_t Last = 0, All = 0;
    W.Progress = [&](uint64_t Done, uint64_t Of) {
      EXPECT_GE(Done, Last);
      Last = Done;
      All = Of;
    };
    auto T = understand(llvm::cantFail(readBytes(B.bytes())), W);
    ASSERT_TRUE(bool(T));
    EXPECT_EQ(Last, All);
    EXPECT_EQ(All, bytesOf(partsOf(T->Raw)));
    Last = 0; // the trace remembers who watches
    llvm::cantFail(collectBlocks(*T, {}, Transcript()));
    EXPECT_EQ(Last, All);
  }
}

TEST(TraceStream, CancellingEndsIt) {
  TraceBuilder B = eightParts();
  std::atomic<bool> Cancel = true;
  Watch W;
  W.Cancel = &Cancel;
  for (unsigned Threads : {0, 2}) {
    W.Threads = Threads;
    auto T = understand(llvm::cantFail(readBytes(B.bytes())), W);
    ASSERT_FALSE(bool(T));
    Error E = T.takeError();
    EXPECT_TRUE(E.isA<Interrupted>());
    EXPECT_EQ(message(std::move(E)), "interrupted");
  }

  /// Cancels at its first block.
  struct Sink : BlockSink {
    explicit Sink(std::atomic<bool> &Cancel) : Cancel(Cancel) {}
    void block(const BlockView &) override {
      EXPECT_FALSE(Cancel);
      Cancel = true;
    }
    void join(Sink &&) {}
    std::atomic<bool> &Cancel;
  };
  Trace T = understood(B);
  VisitOptions O;
  O.Watching = W;
  O.Watching->Threads = 1;
  Cancel = false;
  auto Seen = collectBlocks(T, O, Sink(Cancel));
  ASSERT_FALSE(bool(Seen));
  EXPECT_EQ(message(Seen.takeError()), "interrupted");
}

TEST(TraceStream, ReplaysOnSeveralSmsAreCountedByTime) {
  // Block 0 runs on SM 1, on SM 0, on SM 2; block 1 once.
  TraceBuilder B;
  auto Run = [&](uint32_t Sm, uint32_t Block, uint64_t Clock) {
    TestAnchor A;
    A.GridId = 7;
    A.Grid[0] = 2;
    A.SmStart = A.SmEnd = Sm;
    A.ClockStart = Clock;
    A.ClockEnd = Clock + 2000;
    A.GlobalStart = 1000000 + Clock / 2;
    A.GlobalEnd = A.GlobalStart + 1000;
    append(B.region(0, Sm),
           slotsRecord(7, Block, 0, {Clock + 5, Clock + 9, Clock + 15}, &A));
  };
  Run(0, 0, 20000);
  Run(0, 1, 25000);
  Run(1, 0, 10000);
  Run(2, 0, 30000);
  Trace T = understood(B);
  ASSERT_EQ(T.launches().size(), 3u);
  auto Blocks = blocksOf(T);
  ASSERT_EQ(Blocks.size(), 4u);
  EXPECT_EQ(T.launches()[0].NumBlocks, 2u);
  for (uint32_t I = 0; I < 3; ++I)
    EXPECT_EQ(T.launches()[I].Replay, I);
  EXPECT_EQ(Blocks[0].SmStart, 1u);
  EXPECT_EQ(Blocks[1].Number, 1u); // the first time it is there
  EXPECT_EQ(Blocks[2].SmStart, 0u);
  EXPECT_EQ(Blocks[3].SmStart, 2u);
  for (uint32_t I = 0; I < 3; ++I) // each has the readings of its own blocks
    EXPECT_EQ(T.clock(I).Sms.size(), I == 0 ? 2u : 1u);
}

TEST(TraceStream, ABlockInSeveralPartsIsHandedOutOnceAndWhole) {
  // Warps 1 and 2 of block 0 reserved on SMs 1 and 2; nobody's warp on SM 2.
  TraceBuilder B;
  TestAnchor A;
  A.GridId = 7;
  A.Grid[0] = 2;
  A.Block[0] = 96;
  A.SmEnd = 2;
  append(B.region(0, 0), slotsRecord(7, 0, 0, {5005, 5009, 5019}, &A));
  A.SmEnd = 0;
  append(B.region(0, 0), slotsRecord(7, 1, 0, {5006, 5010, 5020}, &A));
  append(B.region(0, 1), slotsRecord(7, 0, 1, {5007, 5011, 5021}));
  append(B.region(0, 2), slotsRecord(7, 0, 2, {5008, 5012, 5022}));
  append(B.region(0, 2), slotsRecord(7, 0, 2, {5008, 5012, 5023})); // again
  append(B.region(0, 2), slotsRecord(9, 0, 2, {5008, 5012, 5022}));
  Trace T = understood(B);
  EXPECT_EQ(T.Ls.Lost.Orphans, 2u);
  auto Blocks = blocksOf(T);
  ASSERT_EQ(Blocks.size(), 2u);
  ASSERT_EQ(Blocks[0].Warps.size(), 3u);
  EXPECT_EQ(Blocks[0].NumWarps, 3u);
  EXPECT_EQ(Blocks[0].Warps[2].Events.back().Clock, 5022u);
  EXPECT_EQ(Blocks[1].Warps.size(), 1u);
  EXPECT_EQ(T.launches()[0].NumBlocks, 2u);
  EXPECT_EQ(T.Ls.NumEvents, 12u);
  EXPECT_EQ(transcript(T, 1), transcript(T, 4));
}

TEST(TraceStream, OfACutRegionTheWholeRecordsAreRead) {
  TraceBuilder B;
  TestAnchor A;
  A.Grid[0] = 2;
  append(B.region(0, 0), slotsRecord(1, 0, 0, {6000, 7000, 8000}, &A));
  append(B.region(0, 0), slotsRecord(1, 1, 0, {6000, 7000, 8000}, &A));
  append(B.region(0, 0), streamRecord(1, 1, 1, {{6000, 0}, {7000, 1}}));
  B.EndSection = false;
  std::string Bytes = B.bytes();
  size_t Record = 4 * size_t(slots_header_words + 3 + anchor_word_count);
  size_t Stream = 4 * 7;
  // Behind the first record, within the next, and so on.
  const size_t First = Bytes.size() - 2 * Record - Stream;
  ASSERT_EQ((2 * Record + Stream) % 8, 4u); // padded
  for (size_t Size = First; Size < Bytes.size(); ++Size) {
    auto T = understandBytes(Bytes.substr(0, Size));
    ASSERT_TRUE(bool(T)) << message(T.takeError());
    EXPECT_TRUE(T->Raw.CutShort);
    size_t Left = Size - (Bytes.size() - 4 - 2 * Record - Stream);
    size_t Records = (Left >= Record) + (Left >= 2 * Record);
    EXPECT_EQ(blocksOf(*T).size(), Records) << Size;
    EXPECT_TRUE(T->Ls.Warnings.empty()) << Size;
    size_t Warnings = Left >= 4 && Left < 2 * Record + Stream ? 2 : 1;
    EXPECT_EQ(T->Raw.Warnings.size(), Warnings) << Size;
  }
}

TEST(TraceStream, AFileThatShrinksIsAnError) {
  llvm::SmallString<128> Path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kinstr", "kitrace", Path));
  llvm::FileRemover Remove(Path);
  std::string Bytes = eightParts().bytes();
  auto Write = [&](llvm::StringRef Contents) {
    std::error_code EC;
    llvm::raw_fd_ostream OS(Path, EC);
    ASSERT_FALSE(EC);
    OS << Contents;
  };
  Write(Bytes);
  auto Raw = readTraceFile(Path);
  ASSERT_TRUE(bool(Raw));
  Write(llvm::StringRef(Bytes).take_front(Bytes.size() / 2));
  auto T = understand(std::move(*Raw));
  ASSERT_FALSE(bool(T));
  EXPECT_EQ(message(T.takeError()),
            "offset " + std::to_string(Bytes.size() / 2) +
                ": the file became shorter while it was read");

  // Other bytes in its place do not match their checksum.
  Write(Bytes);
  Raw = readTraceFile(Path);
  ASSERT_TRUE(bool(Raw));
  T = understand(std::move(*Raw));
  ASSERT_TRUE(bool(T));
  std::string Other = Bytes;
  Other[Bytes.size() - 40] ^= 1;
  Write(Other);
  auto Seen = collectBlocks(*T, {}, Transcript());
  ASSERT_FALSE(bool(Seen));
  EXPECT_NE(message(Seen.takeError()).find("bad checksum"), std::string::npos);
}

namespace {

/// Readings of one SM each \p EveryCycles, at 2 GHz.
std::vector<Reading> steady(uint16_t Sm, size_t Count, uint64_t EveryCycles) {
  std::vector<Reading> Out;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t Clock = I * EveryCycles + I * 7919 % 97;
    Out.push_back({Sm, Clock, 1000000 + Clock / 2 / 32 * 32});
  }
  return Out;
}

} // namespace

TEST(TraceReadings, UpToTheLimitAllAreKept) {
  ReadingStore S(2000);
  S.add(0, steady(1, 1000, 1000));
  S.add(0, steady(0, 1000, 1000));
  std::vector<Reading> All = S.take(0);
  ASSERT_EQ(All.size(), 2000u);
  EXPECT_EQ(All[0].Sm, 0);
  EXPECT_EQ(All[1999].Sm, 1);
  EXPECT_TRUE(S.take(0).empty());
  EXPECT_TRUE(S.take(7).empty());
}

TEST(TraceReadings, BeyondItWhatBoundsTheClockIsKept) {
  ReadingStore Limited(4000), Unlimited;
  std::vector<Launch> List(1);
  for (uint16_t Sm = 0; Sm < 10; ++Sm) {
    Limited.add(0, steady(Sm, 3000, 1000));
    Unlimited.add(0, steady(Sm, 3000, 1000));
  }
  auto Model = [](ReadingStore &S, size_t &Count) {
    Meta M;
    M.Devices.resize(1);
    Launches Ls;
    Ls.List.resize(1);
    std::vector<std::vector<Reading>> R = {S.take(0)};
    Count = R[0].size();
    return llvm::cantFail(buildTimeModel(M, Ls, std::move(R)));
  };
  size_t Few = 0, Many = 0;
  TimeModel A = Model(Limited, Few), B = Model(Unlimited, Many);
  EXPECT_EQ(Many, 30000u);
  EXPECT_LT(Few, 7000u);
  EXPECT_GE(Few, 10 * ReadingStore::FewestKept);
  ASSERT_EQ(A.Launches[0].Sms.size(), 10u);
  EXPECT_EQ(A.Steps[0].Ns, 32u);
  EXPECT_EQ(A.Launches[0].NsPerCycle, B.Launches[0].NsPerCycle);
  EXPECT_EQ(A.Launches[0].MinNsPerCycle, B.Launches[0].MinNsPerCycle);
  EXPECT_EQ(A.Launches[0].AlignmentErrorNs, B.Launches[0].AlignmentErrorNs);
}

TEST(TraceReadings, OfManyLaunchesEachKeepsWhatItNeeds) {
  ReadingStore S(1000);
  for (size_t L = 0; L < 100; ++L)
    S.add(L, steady(0, ReadingStore::FewestKept, 1000));
  for (size_t L = 0; L < 100; ++L)
    EXPECT_EQ(S.take(L).size(), ReadingStore::FewestKept);
}
