// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container of a trace: header, sections, checksums. Bytes in, tables and
// the raw words of each region out. Nothing is interpreted here.
//
// Regions are the bulk of a file. They stay there until a part of them, what
// one SM recorded, is asked for: so a trace may be larger than memory.
#ifndef KINSTR_TRACE_READER_H
#define KINSTR_TRACE_READER_H

#include "trace/Meta.h"
#include "trace/Source.h"
#include "trace/Warning.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <vector>

namespace kinstr::trace {

/// Where the words one SM's region holds lie, or one piece of them.
struct RegionBytes {
  uint32_t Device = 0;  ///< position in Meta::Devices
  uint32_t Sm = 0;      ///< index of the region
  uint64_t Section = 0; ///< offset of the section's header [bytes]
  uint64_t Offset = 0;  ///< of the first word in the file [bytes]
  uint64_t Size = 0;    ///< of the words in the file, a multiple of 4 [bytes]
  uint32_t Crc = 0;     ///< of region_header and words, where Whole
  bool Whole = true;    ///< false: the file ends within
  // Of a part that was cut (Cuts.h):
  uint32_t Chunk = 0; ///< which of the parts
  bool Cut = false;   ///< not all of the piece; Crc is of the words alone
};

struct RawTrace {
  std::unique_ptr<Source> Bytes;
  Meta Tables;
  std::vector<RegionBytes>
      Regions; ///< by device, SM and Chunk, then file order
  std::vector<Warning> Warnings;
  bool CutShort = false; ///< no end section
};

/// Reads the tables and finds the regions, whose words are read when they are
/// needed. Of a file that was cut short after its meta section that is what is
/// there, and a warning. Error messages carry the byte offset but not the
/// file's name: the caller knows it.
llvm::Expected<RawTrace> readTrace(std::unique_ptr<Source> Bytes);

/// The same from memory.
llvm::Expected<RawTrace> readTrace(std::unique_ptr<llvm::MemoryBuffer> Buffer);

/// The same from a file on disk.
llvm::Expected<RawTrace> readTraceFile(llvm::StringRef Path);

/// All pieces of one SM's region, in file order; of a large one, of a chunk.
using Part = llvm::ArrayRef<RegionBytes>;

/// The parts of a trace, in order. Valid as long as the regions of \p T.
std::vector<Part> partsOf(const RawTrace &T);

/// Of all pieces [bytes].
uint64_t bytesOf(Part P);
uint64_t bytesOf(llvm::ArrayRef<Part> Parts);

/// A part in memory.
struct LoadedPart {
  struct Piece {
    const RegionBytes *Where = nullptr;
    llvm::ArrayRef<uint8_t> Words;
  };
  std::unique_ptr<uint8_t[]> Bytes; ///< one piece behind another
  std::vector<Piece> Pieces;
};

llvm::Error badChecksum(uint64_t Section, uint32_t Said, uint32_t Found);

/// Reads the words of a part and checks them.
llvm::Expected<LoadedPart> loadPart(const RawTrace &T, Part P);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_READER_H
