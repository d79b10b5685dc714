// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies regions from file to file, a piece at a time, with the numbers of
// devices and modules in them replaced.
#include "trace/Merge.h"

#include "trace/Records.h"
#include "trace/Source.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;
using support::endian::write32le;

namespace kinstr::trace {

/// Of what is in memory at once; any record fits in half of it [bytes].
static constexpr size_t CopyWindow = 4 << 20;
static_assert(CopyWindow / 2 > 4 * (stream_header_words + anchor_word_count +
                                    65535 * event_words + clock_pair_words),
              "the longest record");

namespace {

/// A trace whose errors name it.
class InputFile {
public:
  static Expected<InputFile> open(StringRef Path) {
    Expected<std::unique_ptr<Source>> Bytes = openSource(Path);
    if (!Bytes)
      return named(Path, Bytes.takeError());
    return InputFile(Path, std::move(*Bytes));
  }

  uint64_t size() const { return Bytes->size(); }
  Error read(uint64_t Offset, MutableArrayRef<uint8_t> Into) const {
    if (Error E = Bytes->read(Offset, Into))
      return named(Path, std::move(E));
    return Error::success();
  }
  Error fault(uint64_t Offset, const Twine &Message) const {
    return named(Path, errorAt(Offset, Message));
  }

private:
  InputFile(StringRef Path, std::unique_ptr<Source> Bytes)
      : Path(Path), Bytes(std::move(Bytes)) {}
  static Error named(StringRef Path, Error E) {
    return createStringError(inconvertibleErrorCode(),
                             Path + ": " + toString(std::move(E)));
  }

  std::string Path;
  std::unique_ptr<Source> Bytes;
};

struct SectionPlace {
  section_kind Kind = section_kind::end;
  uint32_t Crc = 0;
  uint64_t Offset = 0, Size = 0; ///< of the payload
};

/// Walks the sections that are whole.
class Sections {
public:
  explicit Sections(const InputFile &F) : F(F) {}

  /// False where there is none.
  Expected<bool> next(SectionPlace &S) {
    std::array<uint8_t, sizeof(section_header)> H;
    if (Pos + H.size() > F.size())
      return false;
    if (Error E = F.read(Pos, H))
      return E;
    S.Kind = static_cast<section_kind>(read32le(&H[0]));
    S.Crc = read32le(&H[4]);
    S.Size = read64le(&H[8]);
    S.Offset = Pos + H.size();
    if (S.Kind == section_kind::end || S.Size > F.size() - S.Offset)
      return false;
    Pos = S.Offset + alignTo(S.Size, 8);
    return true;
  }

private:
  const InputFile &F;
  uint64_t Pos = sizeof(file_header);
};

/// Copies the payload of a region's section.
class RegionCopy {
public:
  RegionCopy(const InputFile &F, const SectionPlace &S,
             const MergedTables::Renumbered &New)
      : F(F), S(S), New(New), Patches(!New.keepsModules()) {}

  /// Its checksum when it is copied. An error where that of the original is
  /// wrong.
  Expected<uint32_t> checksum();
  Error copy(ByteSink Write);

private:
  size_t patch(MutableArrayRef<uint8_t> Bytes, bool IsLast);
  void patchRecord(uint8_t *At) const;

  const InputFile &F;
  const SectionPlace &S;
  const MergedTables::Renumbered &New;
  bool Patches; ///< still: not behind damage
  uint32_t Original = 0;
};

} // namespace

void RegionCopy::patchRecord(uint8_t *At) const {
  Record R(At);
  auto Renumber = [&](uint32_t Old) {
    // Out of range in a damaged record: it stays out of range.
    return Old < New.Modules.size() ? New.Modules[Old] : 0xFFFF;
  };
  if (R.tag().anchor) {
    uint8_t *Kernel =
        At + 4 * anchor_begin(R.tag()) + offsetof(anchor_words, kernel);
    uint32_t Old = read32le(Kernel);
    write32le(Kernel, Renumber(Old >> 16) << 16 | (Old & 0xFFFF));
  }
  if (R.tag().stream && R.calleeModule() != kernel_events) {
    uint8_t *Count = At + 8;
    stream_count C = unpack_stream_count(read32le(Count));
    C.callee_module =
        static_cast<int>(std::min<uint32_t>(Renumber(C.callee_module), 0xFFFE));
    write32le(Count, pack_stream_count(C));
  }
}

/// Patches the records that lie wholly in \p Bytes; how much of them is done.
size_t RegionCopy::patch(MutableArrayRef<uint8_t> Bytes, bool IsLast) {
  if (!Patches)
    return Bytes.size();
  RecordWalker Walk(Bytes);
  while (std::optional<Record> R = Walk.next())
    patchRecord(Bytes.data() + (R->address() - Bytes.data()));
  if (!Walk.damage())
    return Bytes.size();
  if (!IsLast && Bytes.size() - *Walk.damage() < CopyWindow / 2)
    return *Walk.damage(); // perhaps it only goes on in the next piece
  Patches = false;         // nobody reads on behind it
  return Bytes.size();
}

Error RegionCopy::copy(ByteSink Write) {
  Patches = !New.keepsModules();
  Original = 0;
  std::vector<uint8_t> Buffer(std::min<uint64_t>(CopyWindow, S.Size));
  size_t Held = 0; // not written yet, at the front of Buffer
  for (uint64_t Pos = 0; Pos < S.Size || Held;) {
    size_t Take = std::min<uint64_t>(Buffer.size() - Held, S.Size - Pos);
    MutableArrayRef Fresh(Buffer.data() + Held, Take);
    if (Error E = F.read(S.Offset + Pos, Fresh))
      return E;
    Original = crc32(Original, Fresh);
    size_t Header = 0;
    if (Pos == 0) {
      write32le(&Buffer[0], New.FirstDevice + read32le(&Buffer[0]));
      Header = sizeof(region_header);
    }
    Pos += Take;
    Held += Take;
    size_t Done =
        Header + patch(MutableArrayRef(Buffer.data() + Header, Held - Header),
                       Pos == S.Size);
    if (Error E = Write(
            StringRef(reinterpret_cast<const char *>(Buffer.data()), Done)))
      return E;
    std::copy(Buffer.begin() + Done, Buffer.begin() + Held, Buffer.begin());
    Held -= Done;
  }
  return Error::success();
}

Expected<uint32_t> RegionCopy::checksum() {
  uint32_t Crc = 0;
  if (Error E = copy([&](StringRef Bytes) {
        Crc = crc32(Crc, arrayRefFromStringRef(Bytes));
        return Error::success();
      }))
    return E;
  if (Original != S.Crc)
    return F.fault(S.Offset, "bad checksum");
  return Crc;
}

// ---- the file ----

static Error writeSectionHeader(section_kind Kind, uint32_t Crc, uint64_t Size,
                                ByteSink Write) {
  std::array<char, sizeof(section_header)> H;
  support::endian::write32le(&H[0], static_cast<uint32_t>(Kind));
  support::endian::write32le(&H[4], Crc);
  support::endian::write64le(&H[8], Size);
  return Write(StringRef(H.data(), H.size()));
}

static Error writePadding(uint64_t Size, ByteSink Write) {
  return Write(StringRef("\0\0\0\0\0\0\0", alignTo(Size, 8) - Size));
}

static Error writeRegions(const MergeInput &In,
                          const MergedTables::Renumbered &New, ByteSink Write) {
  Expected<InputFile> F = InputFile::open(In.File);
  if (!F)
    return F.takeError();
  Sections Walk(*F);
  SectionPlace S;
  while (true) {
    Expected<bool> More = Walk.next(S);
    if (!More)
      return More.takeError();
    if (!*More)
      return Error::success();
    if (S.Kind != section_kind::region || S.Size < sizeof(region_header))
      continue;
    RegionCopy R(*F, S, New);
    Expected<uint32_t> Crc = R.checksum();
    if (!Crc)
      return Crc.takeError();
    if (Error E = writeSectionHeader(S.Kind, *Crc, S.Size, Write))
      return E;
    if (Error E = R.copy(Write))
      return E;
    if (Error E = writePadding(S.Size, Write))
      return E;
  }
}

Error writeMerged(ArrayRef<MergeInput> Inputs, const MergedTables &Tables,
                  ByteSink Write) {
  std::array<char, sizeof(file_header)> H = {};
  std::copy(std::begin(file_magic), std::end(file_magic), H.begin());
  support::endian::write32le(&H[sizeof(file_magic)], file_version);
  if (Error E = Write(StringRef(H.data(), H.size())))
    return E;
  if (Error E = writeSectionHeader(section_kind::meta,
                                   crc32(arrayRefFromStringRef(Tables.Json)),
                                   Tables.Json.size(), Write))
    return E;
  if (Error E = Write(Tables.Json))
    return E;
  if (Error E = writePadding(Tables.Json.size(), Write))
    return E;
  for (auto [In, New] : zip_equal(Inputs, Tables.Inputs))
    if (Error E = writeRegions(In, New, Write))
      return E;
  return writeSectionHeader(section_kind::end, 0, 0, Write);
}

Expected<std::string> readMetaText(StringRef File) {
  Expected<InputFile> F = InputFile::open(File);
  if (!F)
    return F.takeError();
  Sections Walk(*F);
  SectionPlace S;
  Expected<bool> Any = Walk.next(S);
  if (!Any)
    return Any.takeError();
  if (!*Any || S.Kind != section_kind::meta)
    return F->fault(sizeof(file_header), "no meta section");
  std::string Text(S.Size, '\0');
  MutableArrayRef Bytes(reinterpret_cast<uint8_t *>(Text.data()), Text.size());
  if (Error E = F->read(S.Offset, Bytes))
    return E;
  if (crc32(Bytes) != S.Crc)
    return F->fault(S.Offset, "bad checksum");
  return Text;
}

} // namespace kinstr::trace
