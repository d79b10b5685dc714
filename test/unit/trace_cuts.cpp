// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large parts in pieces: the same blocks as in one.
#include "TraceTest.h"
#include "trace/Cuts.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::trace;

namespace {

constexpr uint32_t NumBlocks = 100;
constexpr uint64_t Most = 4000; ///< bytes: of some thirty blocks

/// The records of block \p Number, one each of two warps.
std::array<Words, 2> block(uint32_t Number) {
  TestAnchor A;
  A.GridId = 7;
  A.Grid[0] = NumBlocks;
  A.Block[0] = 64;
  A.ClockStart = 5000 + 1000 * uint64_t(Number);
  A.ClockEnd = A.ClockStart + 900;
  A.GlobalStart += 500 * uint64_t(Number);
  A.GlobalEnd = A.GlobalStart + 450;
  auto Slot = [&](uint32_t I) {
    return static_cast<uint32_t>(A.ClockStart) + 100 * I;
  };
  return {slotsRecord(7, Number, 0, {Slot(1), Slot(2), Slot(3)}, &A),
          slotsRecord(7, Number, 1, {Slot(4), Slot(5), Slot(6)})};
}

TraceBuilder oneAfterAnother() {
  TraceBuilder B;
  for (uint32_t I = 0; I < NumBlocks; ++I)
    for (const Words &W : block(I))
      append(B.region(0, 0), W);
  return B;
}

RawTrace cut(const TraceBuilder &B) {
  RawTrace T = llvm::cantFail(readBytes(B.bytes()));
  llvm::cantFail(cutParts(T, {}, Most));
  return T;
}

std::string text(const Trace &T) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  for (const SeenBlock &B : blocksOf(T)) {
    OS << B.Number << ": " << B.ClockStart << ' ' << B.NumWarps << '\n';
    for (const SeenWarp &W : B.Warps)
      for (const Event &E : W.Events)
        OS << W.Index << ' ' << E.Site << ' ' << E.Clock << '\n';
  }
  return Out;
}

/// That cutting changes nothing; returns the trace that was cut.
Trace same(const TraceBuilder &B) {
  Trace Cut = llvm::cantFail(
      understand(llvm::cantFail(readBytes(B.bytes())), {}, Most));
  Trace Whole = understood(B);
  EXPECT_EQ(Whole.Raw.Regions.size(), 1u);
  EXPECT_EQ(blocksOf(Whole).size(), NumBlocks);
  EXPECT_EQ(text(Cut), text(Whole));
  EXPECT_EQ(Cut.Ls.NumEvents, Whole.Ls.NumEvents);
  return Cut;
}

} // namespace

TEST(TraceCuts, LiesBetweenBlocks) {
  Trace T = same(oneAfterAnother());
  std::vector<Part> Parts = partsOf(T.Raw);
  EXPECT_GE(Parts.size(), 3u);
  uint64_t Next = Parts[0][0].Offset;
  for (Part P : Parts) {
    ASSERT_EQ(P.size(), 1u);
    EXPECT_LE(P[0].Size, Most);
    EXPECT_EQ(P[0].Offset, Next);
    Next += P[0].Size;
  }
  EXPECT_EQ(T.Gathered, nullptr);
}

TEST(TraceCuts, WhereBlocksOverlapThereIsNone) {
  TraceBuilder B;
  append(B.region(0, 0), block(0)[0]);
  for (uint32_t I = 1; I < NumBlocks; ++I) {
    append(B.region(0, 0), block(I)[0]);
    append(B.region(0, 0), block(I - 1)[1]);
  }
  append(B.region(0, 0), block(NumBlocks - 1)[1]);
  EXPECT_EQ(same(B).Raw.Regions.size(), 1u);
}

TEST(TraceCuts, ABlockWhoseRecordsLieFarApartIsGathered) {
  TraceBuilder B;
  append(B.region(0, 0), block(0)[0]);
  for (uint32_t I = 1; I < NumBlocks; ++I)
    for (const Words &W : block(I))
      append(B.region(0, 0), W);
  append(B.region(0, 0), block(0)[1]);
  Trace T = same(B);
  EXPECT_GE(T.Raw.Regions.size(), 3u);
  EXPECT_NE(T.Gathered, nullptr);
}

TEST(TraceCuts, WhereCalleesMayRecordThereIsNone) {
  TraceBuilder B = oneAfterAnother();
  EXPECT_GT(cut(B).Regions.size(), 1u);
  llvm::json::Object &Module =
      *B.Meta.getArray("modules")->front().getAsObject();
  Module["callees"] =
      llvm::json::Array{llvm::json::Object{{"name", "f"}, {"first_site", 2}}};
  EXPECT_EQ(cut(B).Regions.size(), 1u);
}

TEST(TraceCuts, PiecesOfARegionAreCutAsOne) {
  // In the file the second piece is another SM's region.
  TraceBuilder B = oneAfterAnother();
  for (uint32_t I = 0; I < NumBlocks; ++I)
    append(B.region(0, 1), block(I)[1]);
  RawTrace T = llvm::cantFail(readBytes(B.bytes()));
  ASSERT_EQ(T.Regions.size(), 2u);
  uint64_t All = T.Regions[0].Size + T.Regions[1].Size;
  T.Regions[1].Sm = 0;
  T.Regions[1].Whole = false; // its checksum is of the other SM
  llvm::cantFail(cutParts(T, {}, Most));
  std::vector<Part> Parts = partsOf(T);
  EXPECT_EQ(bytesOf(Parts), All);
  EXPECT_TRUE(llvm::any_of(Parts, [](Part P) { return P.size() == 2; }));
  for (Part P : Parts)
    EXPECT_FALSE(llvm::errorToBool(loadPart(T, P).takeError()));
}

TEST(TraceCuts, ChecksumsAreCompared) {
  std::string Bytes = oneAfterAnother().bytes();
  std::string Other = Bytes;
  Other[Bytes.size() - 40] ^= 1;
  auto Raw = readBytes(Other);
  ASSERT_TRUE(bool(Raw));
  auto T = understand(std::move(*Raw), {}, Most);
  ASSERT_FALSE(bool(T));
  EXPECT_NE(message(T.takeError()).find("bad checksum"), std::string::npos);

  // Later, of what was cut.
  llvm::SmallString<128> Path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kinstr", "kitrace", Path));
  llvm::FileRemover Remove(Path);
  auto Write = [&](llvm::StringRef Contents) {
    std::error_code EC;
    llvm::raw_fd_ostream OS(Path, EC);
    ASSERT_FALSE(EC);
    OS << Contents;
  };
  Write(Bytes);
  Raw = readTraceFile(Path);
  ASSERT_TRUE(bool(Raw));
  T = understand(std::move(*Raw), {}, Most);
  ASSERT_TRUE(bool(T));
  Write(Other);
  auto Seen = collectBlocks(*T, {}, SeenBlocks());
  ASSERT_FALSE(bool(Seen));
  EXPECT_NE(message(Seen.takeError()).find("bad checksum"), std::string::npos);
}
