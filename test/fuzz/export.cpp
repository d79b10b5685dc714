// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a trace, whole and filtered, through every writer.
#include "report/Export.h"
#include "Check.h"
#include "report/SvgReport.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kinstr;
using namespace llvm;

/// With checksums that are right: a reader that stops at the first wrong one
/// would see nothing of what the fuzzer changes.
static std::string repaired(ArrayRef<uint8_t> Data) {
  constexpr size_t FileHeader = 16, SectionHeader = 16;
  std::string Out(Data.begin(), Data.end());
  size_t At = FileHeader;
  while (At + SectionHeader <= Out.size()) {
    uint64_t Size = support::endian::read64le(&Out[At + 8]);
    if (Size > Out.size() - At - SectionHeader)
      break;
    ArrayRef<uint8_t> Payload(
        reinterpret_cast<const uint8_t *>(&Out[At]) + SectionHeader, Size);
    support::endian::write32le(&Out[At + 4], crc32(Payload));
    At += SectionHeader + (Size + 7) / 8 * 8;
  }
  return Out;
}

/// What it wrote, for a look.
template <typename Fn> static std::string written(Fn Write) {
  std::string Out;
  Error E = Write([&](StringRef Bytes) {
    Out += Bytes;
    return Error::success();
  });
  require(!E, "a trace that can be read can be written");
  return Out;
}

static void writeAll(const trace::Trace &T, const report::Selection &S) {
  std::string Chrome = written([&](report::Put Out) {
    return report::writeChrome(T, S, Out).takeError();
  });
  auto Json = json::parse(Chrome);
  require(Json && Json->getAsArray(), "JSON is JSON");
  written([&](report::Put Out) {
    return report::writePerfetto(T, S, Out).takeError();
  });
  std::string Csv =
      written([&](report::Put Out) { return report::writeCsv(T, S, Out); });
  require(json::isUTF8(Csv), "CSV is UTF-8");
  require(!report::writeSqlite(T, S, ":memory:"), "a database takes all");
  for (uint32_t I : S.launches().take_front(2)) {
    auto Blocks = report::drawBlocks(T, S, I, {});
    require(Blocks && json::isUTF8(*Blocks), "an overview is UTF-8");
    auto Warps = report::drawWarps(T, S, I, 0, {});
    require(bool(Warps), "warps can be drawn");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Expected<trace::RawTrace> Raw = trace::readTrace(
      MemoryBuffer::getMemBufferCopy(repaired(ArrayRef(Data, Size)), "t"));
  if (!Raw) {
    consumeError(Raw.takeError());
    return 0;
  }
  Expected<trace::Trace> Understood = trace::understand(std::move(*Raw));
  if (!Understood) {
    consumeError(Understood.takeError());
    return 0;
  }
  const trace::Trace &T = *Understood;
  report::Filter Part;
  Part.Warps.Last = 0;
  Part.Blocks.First = 1;
  Part.Phase = "a";
  Part.FromNs = 100;
  Part.ToNs = 2000;
  for (const report::Filter &F : {report::Filter(), Part}) {
    Expected<report::Selection> S = report::Selection::make(T, F);
    if (S)
      writeAll(T, *S);
    else
      consumeError(S.takeError());
  }
  return 0;
}
