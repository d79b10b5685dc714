// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container of a trace: header, sections, checksums. Bytes in, tables and
// the raw words of each region out. Nothing is interpreted here.
#ifndef KINSTR_TRACE_READER_H
#define KINSTR_TRACE_READER_H

#include "trace/Meta.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace kinstr::trace {

/// Something the reader had to work around. Never lost, never fatal.
struct Warning {
  std::optional<uint64_t> Offset; ///< in the file [bytes]
  std::string Text;               ///< in clang's style, without "warning:"
};

/// The words one SM's region holds, or one piece of them.
struct RegionBytes {
  uint32_t Device = 0;           ///< position in Meta::Devices
  uint32_t Sm = 0;               ///< index of the region
  uint64_t Offset = 0;           ///< of the first word in the file [bytes]
  llvm::ArrayRef<uint8_t> Words; ///< a multiple of 4 bytes, in the buffer
};

struct RawTrace {
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  Meta Tables;
  std::vector<RegionBytes> Regions; ///< by device and SM, then file order
  std::vector<Warning> Warnings;
  bool CutShort = false; ///< no end section
};

/// Reads a whole file held in memory. A file that was cut short after its meta
/// section yields what is whole, and a warning. Error messages carry the byte
/// offset but not the file's name: the buffer's owner knows it.
llvm::Expected<RawTrace> readTrace(std::unique_ptr<llvm::MemoryBuffer> Buffer);

/// The same from a file on disk.
llvm::Expected<RawTrace> readTraceFile(llvm::StringRef Path);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_READER_H
