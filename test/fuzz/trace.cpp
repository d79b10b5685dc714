// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes reading a trace: sections, tables, records, time model, blocks, the
// table and the pictures. Whatever the bytes are, all of it ends, and what is
// handed out fits together.
//
// Checksums are made right first, or hardly an input would get past them; where
// the first byte is not the magic's, they are left as they are.
#include "kinstr/record.h"
#include "report/SvgReport.h"
#include "report/Terminal.h"
#include "trace/Visit.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using namespace kinstr;
using namespace kinstr::trace;
using support::endian::read32le;
using support::endian::read64le;
using support::endian::write32le;

namespace {

void require(bool Holds, const char *Property) {
  if (Holds)
    return;
  errs() << "does not hold: " << Property << "\n";
  std::abort();
}

void repairChecksums(std::string &Bytes) {
  auto *Data = reinterpret_cast<uint8_t *>(Bytes.data());
  for (uint64_t At = sizeof(file_header);
       At + sizeof(section_header) <= Bytes.size();) {
    uint64_t Size = read64le(Data + At + 8);
    uint64_t Payload = At + sizeof(section_header);
    if (Size > Bytes.size() - Payload)
      return;
    write32le(Data + At + 4, crc32(ArrayRef(Data + Payload, Size)));
    At = Payload + (Size + 7) / 8 * 8;
  }
}

/// Counts, and checks each block by itself.
class Checker final : public BlockSink {
public:
  explicit Checker(const Trace &T) : T(T) {}
  void block(const BlockView &V) override {
    require(V.Launch < T.launches().size(), "a block has a launch");
    require(T.clock(V.Launch).find(V.B.SmStart) != nullptr,
            "an SM that ran a block has a line");
    require(V.B.NumWarps == V.Warps.size(), "warps are counted");
    const Kernel &K = T.kernel(T.launches()[V.Launch]);
    uint32_t Next = 0;
    for (const WarpView &W : V.Warps) {
      require(W.Index >= Next && W.Index < 32, "warps are in order");
      Next = W.Index + 1;
      Events += W.numEvents();
      for (size_t I = 1; I < W.Events.size(); ++I)
        require(W.Events[I - 1].Clock <= W.Events[I].Clock,
                "events are in order");
      for (const Span &S : W.Spans)
        require(S.Site < K.Sites.size() && S.Begin <= S.End,
                "a span is of a site and does not end before it begins");
    }
    ++Blocks;
  }
  void join(Checker &&Part) {
    Events += Part.Events;
    Blocks += Part.Blocks;
  }

  uint64_t Events = 0, Blocks = 0;

private:
  const Trace &T;
};

void check(const Trace &T) {
  auto All = collectBlocks(T, {}, Checker(T));
  require(bool(All), "what was read once is read again");
  require(All->Events == T.Ls.countEvents(), "all events are handed out");
  uint64_t Blocks = 0;
  for (const Launch &L : T.launches())
    Blocks += L.NumBlocks;
  require(All->Blocks == Blocks, "all blocks are handed out");
}

void makeReports(const Trace &T) {
  auto S = report::Selection::make(T, {});
  if (!S) {
    consumeError(S.takeError());
    return;
  }
  require(!errorToBool(report::printReport(T, *S, {}, nulls())),
          "the table is printed");
  if (S->launches().empty())
    return;
  auto Blocks = report::drawBlocks(T, *S, 0, {});
  require(bool(Blocks), "blocks are drawn");
  auto Warps = report::drawWarps(T, *S, 0, 0, {});
  require(bool(Warps), "warps are drawn");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Size != 0 && Data[0] == file_magic[0])
    repairChecksums(Bytes);
  auto Raw = readTrace(MemoryBuffer::getMemBufferCopy(Bytes, "t"));
  if (!Raw) {
    consumeError(Raw.takeError());
    return 0;
  }
  Watch W;
  W.Threads = Size % 8 == 1 ? 2 : 0;
  // Parts are cut, too.
  auto T = understand(std::move(*Raw), W, Size % 2 ? 256 : LargestPart);
  if (!T) {
    consumeError(T.takeError());
    return 0;
  }
  check(*T);
  if (Size % 4 == 0) // it takes longer than all else
    makeReports(*T);
  return 0;
}
