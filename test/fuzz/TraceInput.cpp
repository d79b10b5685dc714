// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "TraceInput.h"

#include "kinstr/record.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;
using support::endian::write32le;

namespace kinstr {

std::vector<StringRef> splitTraces(StringRef Input) {
  const StringRef Magic(file_magic, sizeof file_magic);
  std::vector<StringRef> Traces;
  while (!Input.empty() || Traces.empty()) {
    size_t End = Input.find(Magic, 1);
    Traces.push_back(Input.take_front(End));
    Input = Input.substr(Traces.back().size());
  }
  return Traces;
}

std::string repaired(StringRef Trace) {
  std::string Out = Trace.str();
  auto *Data = reinterpret_cast<uint8_t *>(Out.data());
  if (Out.size() < sizeof(file_header) ||
      read32le(Data + offsetof(file_header, reserved)) != 0)
    return Out;
  for (uint64_t At = sizeof(file_header);
       At + sizeof(section_header) <= Out.size();) {
    uint64_t Size = read64le(Data + At + offsetof(section_header, size));
    uint64_t Payload = At + sizeof(section_header);
    if (Size > Out.size() - Payload)
      break;
    write32le(Data + At + offsetof(section_header, crc32),
              crc32(ArrayRef(Data + Payload, Size)));
    At = Payload + (Size + 7) / 8 * 8;
  }
  return Out;
}

std::optional<trace::Trace> openTrace(StringRef Bytes, unsigned Threads,
                                      uint64_t PartBytes) {
  Expected<trace::RawTrace> Raw =
      trace::readTrace(MemoryBuffer::getMemBufferCopy(Bytes, "t"));
  if (!Raw) {
    consumeError(Raw.takeError());
    return std::nullopt;
  }
  trace::Watch W;
  W.Threads = Threads;
  Expected<trace::Trace> T = trace::understand(std::move(*Raw), W, PartBytes);
  if (!T) {
    consumeError(T.takeError());
    return std::nullopt;
  }
  return std::move(*T);
}

void forSelections(const trace::Trace &T,
                   function_ref<void(const report::Selection &)> Look) {
  report::Filter Part;
  Part.Warps.Last = 0;
  Part.Blocks.First = 1;
  Part.Phase = "a";
  Part.FromNs = 100;
  Part.ToNs = 2000;
  for (const report::Filter &F : {report::Filter(), Part}) {
    Expected<report::Selection> S = report::Selection::make(T, F);
    if (S)
      Look(*S);
    else
      consumeError(S.takeError());
  }
}

} // namespace kinstr
