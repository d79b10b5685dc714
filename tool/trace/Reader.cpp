// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the sections of a trace file, trusting nothing.
#include "trace/Reader.h"

#include "kinstr/record.h"
#include "trace/MetaText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;

namespace kinstr::trace {

namespace {

/// A section as its header describes it.
struct Section {
  uint32_t Kind = 0, Crc = 0;
  uint64_t Offset = 0;        ///< of the section's header
  uint64_t PayloadOffset = 0; ///< of the payload
  uint64_t Size = 0;          ///< of the payload; of what there is if cut short
};

class Walker {
public:
  explicit Walker(RawTrace &T) : T(T), End(T.Bytes->size()) {}

  Error run();

private:
  Error header();
  Error meta();
  Error region(const Section &S, bool Whole);
  Error other(const Section &S);
  /// Reads the header of the next section into \p S; false where the file was
  /// cut short.
  Expected<bool> next(Section &S);
  bool cutShort(uint64_t Offset, const Twine &Message);

  RawTrace &T;
  const uint64_t End; ///< of the file
  uint64_t Pos = 0;
};

} // namespace

Error badChecksum(uint64_t Section, uint32_t Said, uint32_t Found) {
  return errorAt(Section, "bad checksum: the section says 0x" +
                              utohexstr(Said, true, 8) + ", its bytes give 0x" +
                              utohexstr(Found, true, 8));
}

namespace {

/// The payload of a section in pieces, of which one is in memory.
class Pieces {
public:
  Pieces(const Source &Bytes, const Section &S) : Bytes(Bytes), S(S) {}

  /// Empty at the end.
  Expected<ArrayRef<uint8_t>> next() {
    Piece.resize(std::min<uint64_t>(S.Size - At, 1 << 16));
    if (Error E = Bytes.read(S.PayloadOffset + At, Piece))
      return E;
    At += Piece.size();
    return Piece;
  }

private:
  const Source &Bytes;
  const Section &S;
  std::vector<uint8_t> Piece;
  uint64_t At = 0; ///< in the payload
};

} // namespace

static Error checkSum(const Source &Bytes, const Section &S) {
  Pieces Payload(Bytes, S);
  uint32_t Found = 0;
  while (true) {
    Expected<ArrayRef<uint8_t>> Piece = Payload.next();
    if (!Piece)
      return Piece.takeError();
    if (Piece->empty())
      break;
    Found = crc32(Found, *Piece);
  }
  return Found == S.Crc ? Error::success()
                        : badChecksum(S.Offset, S.Crc, Found);
}

static Expected<Meta> parseTables(const Source &Bytes, const Section &S) {
  Pieces Payload(Bytes, S);
  Error CannotRead = Error::success();
  Expected<Meta> M = parseMeta([&] {
    Expected<ArrayRef<uint8_t>> Piece = Payload.next();
    if (Piece)
      return toStringRef(*Piece);
    CannotRead = joinErrors(std::move(CannotRead), Piece.takeError());
    return StringRef();
  });
  if (CannotRead) {
    consumeError(M.takeError());
    return CannotRead;
  }
  if (!M)
    return errorAt(S.PayloadOffset, toString(M.takeError()));
  return M;
}

Error Walker::header() {
  uint8_t Bytes[sizeof(file_header)] = {};
  constexpr size_t MagicSize = sizeof(file_magic);
  if (Error E =
          T.Bytes->read(0, MutableArrayRef(Bytes).take_front(
                               std::min<uint64_t>(End, sizeof(file_header)))))
    return E;
  if (End < MagicSize || std::memcmp(Bytes, file_magic, MagicSize) != 0)
    return errorAt(0, "not a kinstr trace (it does not start with 'KITRACE')");
  if (End < sizeof(file_header))
    return errorAt(End, "file ends inside the file header");
  uint32_t Version = read32le(&Bytes[MagicSize]);
  if (Version != file_version)
    return errorAt(MagicSize, "trace file version " + Twine(Version) +
                                  " is not supported (expected " +
                                  Twine(file_version) + ")");
  Pos = sizeof(file_header);
  return Error::success();
}

bool Walker::cutShort(uint64_t Offset, const Twine &Message) {
  T.CutShort = true;
  T.Warnings.push_back({Offset, ("the file was cut short" + Message).str()});
  return false;
}

Expected<bool> Walker::next(Section &S) {
  uint64_t Left = End - Pos;
  if (Left == 0)
    return cutShort(Pos, ": it has no end section");
  if (Left < sizeof(section_header))
    return cutShort(Pos, " inside a section header");
  uint8_t Header[sizeof(section_header)];
  if (Error E = T.Bytes->read(Pos, Header))
    return E;
  S.Offset = Pos;
  S.PayloadOffset = Pos + sizeof(section_header);
  S.Kind = read32le(&Header[0]);
  S.Crc = read32le(&Header[4]);
  S.Size = read64le(&Header[8]);
  Left -= sizeof(section_header);
  if (S.Size > Left) {
    cutShort(Pos, ": a section of " + Twine(S.Size) + " bytes has " +
                      Twine(Left) + " left");
    S.Size = Left;
    return false;
  }
  // Padding cut off with the rest of the file is found by the next call.
  Pos = std::min(S.PayloadOffset + alignTo(S.Size, 8), End);
  return true;
}

Error Walker::meta() {
  Section S;
  Expected<bool> Whole = next(S);
  if (!Whole)
    return Whole.takeError();
  if (!*Whole) // without the tables no record can be understood: no warning
    return errorAt(Pos, T.Warnings.back().Text);
  if (Error E = checkSum(*T.Bytes, S))
    return E;
  if (S.Kind != static_cast<uint32_t>(section_kind::meta))
    return errorAt(S.Offset, "the first section is of kind " + Twine(S.Kind) +
                                 ", expected meta (1)");
  Expected<Meta> M = parseTables(*T.Bytes, S);
  if (!M)
    return M.takeError();
  T.Tables = std::move(*M);
  return Error::success();
}

/// Takes a region, or what there is of one.
Error Walker::region(const Section &S, bool Whole) {
  uint8_t Header[sizeof(region_header)];
  if (S.Size < sizeof(Header) || (Whole && S.Size % 4 != 0)) {
    if (!Whole)
      return Error::success();
    if (Error E = checkSum(*T.Bytes, S))
      return E;
    return errorAt(S.Offset, "a region section of " + Twine(S.Size) + " bytes");
  }
  if (Error E = T.Bytes->read(S.PayloadOffset, Header))
    return E;
  RegionBytes R;
  R.Device = read32le(&Header[0]);
  R.Sm = read32le(&Header[4]);
  R.Section = S.Offset;
  R.Offset = S.PayloadOffset + sizeof(region_header);
  R.Size = alignDown(S.Size - sizeof(region_header), 4);
  R.Crc = S.Crc;
  R.Whole = Whole;
  if (R.Device >= T.Tables.Devices.size()) {
    if (!Whole)
      return Error::success();
    if (Error E = checkSum(*T.Bytes, S))
      return E;
    return errorAt(S.PayloadOffset, "a region of device " + Twine(R.Device) +
                                        ", but the trace has " +
                                        Twine(T.Tables.Devices.size()));
  }
  if (!Whole && R.Size == 0)
    return Error::success();
  if (!Whole)
    T.Warnings.push_back(
        {R.Offset, "the records of that section are read up to the cut, " +
                       std::to_string(R.Size) +
                       " bytes, without the checksum of the whole"});
  T.Regions.push_back(R);
  return Error::success();
}

Error Walker::other(const Section &S) {
  if (Error E = checkSum(*T.Bytes, S))
    return E;
  if (S.Kind == static_cast<uint32_t>(section_kind::meta))
    return errorAt(S.Offset, "a second meta section");
  return Error::success(); // of a later minor version
}

Error Walker::run() {
  if (Error E = header())
    return E;
  if (Error E = meta())
    return E;
  while (true) {
    Section S;
    Expected<bool> Whole = next(S);
    if (!Whole)
      return Whole.takeError();
    bool IsRegion = S.Kind == static_cast<uint32_t>(section_kind::region);
    if (!*Whole)
      return IsRegion ? region(S, /*Whole=*/false) : Error::success();
    if (Error E = IsRegion ? region(S, /*Whole=*/true) : other(S))
      return E;
    if (S.Kind == static_cast<uint32_t>(section_kind::end)) {
      if (Pos != End)
        T.Warnings.push_back({Pos, "bytes after the end section are ignored"});
      return Error::success();
    }
  }
}

Expected<RawTrace> readTrace(std::unique_ptr<Source> Bytes) {
  RawTrace T;
  T.Bytes = std::move(Bytes);
  if (Error E = Walker(T).run())
    return E;
  sort(T.Regions, [](const RegionBytes &A, const RegionBytes &B) {
    return std::tie(A.Device, A.Sm, A.Offset) <
           std::tie(B.Device, B.Sm, B.Offset);
  });
  return T;
}

Expected<RawTrace> readTrace(std::unique_ptr<MemoryBuffer> Buffer) {
  return readTrace(memorySource(std::move(Buffer)));
}

Expected<RawTrace> readTraceFile(StringRef Path) {
  Expected<std::unique_ptr<Source>> Bytes = openSource(Path);
  if (!Bytes)
    return Bytes.takeError();
  return readTrace(std::move(*Bytes));
}

std::vector<Part> partsOf(const RawTrace &T) {
  std::vector<Part> Parts;
  for (Part Left = T.Regions; !Left.empty();
       Left = Left.drop_front(Parts.back().size()))
    Parts.push_back(Left.take_while([&](const RegionBytes &R) {
      return std::tie(R.Device, R.Sm, R.Chunk) ==
             std::tie(Left.front().Device, Left.front().Sm, Left.front().Chunk);
    }));
  return Parts;
}

uint64_t bytesOf(Part P) {
  uint64_t Bytes = 0;
  for (const RegionBytes &R : P)
    Bytes += R.Size;
  return Bytes;
}

uint64_t bytesOf(ArrayRef<Part> Parts) {
  uint64_t Bytes = 0;
  for (Part P : Parts)
    Bytes += bytesOf(P);
  return Bytes;
}

/// Reads one piece, its region_header in front, and checks it.
static Error loadPiece(const RawTrace &T, const RegionBytes &R,
                       MutableArrayRef<uint8_t> Words) {
  if (Error E = T.Bytes->read(R.Offset, Words))
    return E;
  if (!R.Whole)
    return Error::success();
  uint32_t Found = 0;
  if (!R.Cut) {
    uint8_t Header[sizeof(region_header)];
    if (Error E = T.Bytes->read(R.Offset - sizeof(Header), Header))
      return E;
    Found = crc32(ArrayRef(Header));
  }
  Found = crc32(Found, Words);
  return Found == R.Crc ? Error::success()
                        : badChecksum(R.Section, R.Crc, Found);
}

Expected<LoadedPart> loadPart(const RawTrace &T, Part P) {
  LoadedPart L;
  L.Bytes.reset(new uint8_t[bytesOf(P)]); // what is read needs no zeroes
  uint8_t *Next = L.Bytes.get();
  for (const RegionBytes &R : P) {
    MutableArrayRef<uint8_t> Words(Next, R.Size);
    if (Error E = loadPiece(T, R, Words))
      return E;
    L.Pieces.push_back({&R, Words});
    Next += R.Size;
  }
  return L;
}

} // namespace kinstr::trace
