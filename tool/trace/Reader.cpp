// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the sections of a trace file, trusting nothing.
#include "trace/Reader.h"

#include "kinstr/record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;

namespace kinstr::trace {

static Error errorAt(uint64_t Offset, const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "offset " + Twine(Offset) + ": " + Message);
}

namespace {

/// A section whose payload lies wholly in the file and matches its checksum.
struct Section {
  uint32_t Kind = 0;
  uint64_t Offset = 0;        ///< of the section's header
  uint64_t PayloadOffset = 0; ///< of the payload
  ArrayRef<uint8_t> Payload;
};

class Walker {
public:
  explicit Walker(RawTrace &T)
      : T(T), Bytes(arrayRefFromStringRef(T.Buffer->getBuffer())) {}

  Error run();

private:
  Error header();
  Error meta();
  Error region(const Section &S);
  /// Reads the next section into \p S; false where the file was cut short.
  Expected<bool> next(Section &S);
  bool cutShort(uint64_t Offset, const Twine &Message);

  RawTrace &T;
  ArrayRef<uint8_t> Bytes;
  uint64_t Pos = 0;
};

} // namespace

Error Walker::header() {
  constexpr size_t MagicSize = sizeof(file_magic);
  if (Bytes.size() < MagicSize ||
      std::memcmp(Bytes.data(), file_magic, MagicSize) != 0)
    return errorAt(0, "not a kinstr trace (it does not start with 'KITRACE')");
  if (Bytes.size() < sizeof(file_header))
    return errorAt(Bytes.size(), "file ends inside the file header");
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
  uint64_t Left = Bytes.size() - Pos;
  if (Left == 0)
    return cutShort(Pos, ": it has no end section");
  if (Left < sizeof(section_header))
    return cutShort(Pos, " inside a section header");
  S.Offset = Pos;
  S.PayloadOffset = Pos + sizeof(section_header);
  S.Kind = read32le(&Bytes[Pos]);
  uint32_t Crc = read32le(&Bytes[Pos + 4]);
  uint64_t Size = read64le(&Bytes[Pos + 8]);
  Left -= sizeof(section_header);
  if (Size > Left)
    return cutShort(Pos, ": a section of " + Twine(Size) + " bytes has " +
                             Twine(Left) + " left");
  S.Payload = Bytes.slice(S.PayloadOffset, Size);
  if (uint32_t Found = crc32(S.Payload); Found != Crc)
    return errorAt(Pos, "bad checksum: the section says 0x" +
                            utohexstr(Crc, true, 8) + ", its bytes give 0x" +
                            utohexstr(Found, true, 8));
  // Padding cut off with the rest of the file is found by the next call.
  Pos = std::min<uint64_t>(S.PayloadOffset + alignTo(Size, 8), Bytes.size());
  return true;
}

Error Walker::meta() {
  Section S;
  Expected<bool> Whole = next(S);
  if (!Whole)
    return Whole.takeError();
  if (!*Whole) // without the tables no record can be understood: no warning
    return errorAt(Pos, T.Warnings.back().Text);
  if (S.Kind != static_cast<uint32_t>(section_kind::meta))
    return errorAt(S.Offset, "the first section is of kind " + Twine(S.Kind) +
                                 ", expected meta (1)");
  Expected<Meta> M = parseMeta(toStringRef(S.Payload));
  if (!M)
    return errorAt(S.PayloadOffset, toString(M.takeError()));
  T.Tables = std::move(*M);
  return Error::success();
}

Error Walker::region(const Section &S) {
  if (S.Payload.size() < sizeof(region_header) || S.Payload.size() % 4 != 0)
    return errorAt(S.Offset,
                   "a region section of " + Twine(S.Payload.size()) + " bytes");
  RegionBytes R;
  R.Device = read32le(&S.Payload[0]);
  R.Sm = read32le(&S.Payload[4]);
  R.Offset = S.PayloadOffset + sizeof(region_header);
  R.Words = S.Payload.drop_front(sizeof(region_header));
  if (R.Device >= T.Tables.Devices.size())
    return errorAt(S.PayloadOffset, "a region of device " + Twine(R.Device) +
                                        ", but the trace has " +
                                        Twine(T.Tables.Devices.size()));
  T.Regions.push_back(R);
  return Error::success();
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
    if (!*Whole)
      return Error::success();
    switch (static_cast<section_kind>(S.Kind)) {
    case section_kind::meta:
      return errorAt(S.Offset, "a second meta section");
    case section_kind::region:
      if (Error E = region(S))
        return E;
      break;
    case section_kind::end:
      if (Pos != Bytes.size())
        T.Warnings.push_back({Pos, "bytes after the end section are ignored"});
      return Error::success();
    default: // of a later minor version
      break;
    }
  }
}

Expected<RawTrace> readTrace(std::unique_ptr<MemoryBuffer> Buffer) {
  RawTrace T;
  T.Buffer = std::move(Buffer);
  if (Error E = Walker(T).run())
    return E;
  sort(T.Regions, [](const RegionBytes &A, const RegionBytes &B) {
    return std::tie(A.Device, A.Sm, A.Offset) <
           std::tie(B.Device, B.Sm, B.Offset);
  });
  return T;
}

Expected<RawTrace> readTraceFile(StringRef Path) {
  if (sys::fs::is_directory(Path))
    return createStringError(std::make_error_code(std::errc::is_a_directory),
                             "cannot read: is a directory");
  // Volatile: read, not mapped. A program that rewrites its trace while we
  // look at a mapping of it would end us with a bus error.
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFile(Path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false,
                            /*IsVolatile=*/true);
  if (std::error_code EC = Buffer.getError())
    return createStringError(EC,
                             "cannot read: " + StringRef(EC.message()).lower());
  return readTrace(std::move(*Buffer));
}

} // namespace kinstr::trace
