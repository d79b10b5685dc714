// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from a file or from memory.
#include "trace/Source.h"

#include "kinstr/record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <cstring>

using namespace llvm;

namespace kinstr::trace {

Error errorAt(uint64_t Offset, const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "offset " + Twine(Offset) + ": " + Message);
}

Source::~Source() = default;

namespace {

class MemorySource final : public Source {
public:
  explicit MemorySource(std::unique_ptr<MemoryBuffer> Buffer)
      : Buffer(std::move(Buffer)) {}

  uint64_t size() const override { return Buffer->getBufferSize(); }
  Error read(uint64_t Offset, MutableArrayRef<uint8_t> Into) const override {
    if (!Into.empty())
      std::memcpy(Into.data(), Buffer->getBufferStart() + Offset, Into.size());
    return Error::success();
  }

private:
  std::unique_ptr<MemoryBuffer> Buffer;
};

/// Nothing was written: there is nothing that could go wrong.
void close(sys::fs::file_t File) {
  consumeError(errorCodeToError(sys::fs::closeFile(File)));
}

class FileSource final : public Source {
public:
  FileSource(sys::fs::file_t File, uint64_t Size) : File(File), Size(Size) {}
  FileSource(const FileSource &) = delete;
  FileSource &operator=(const FileSource &) = delete;
  ~FileSource() override { close(File); }

  uint64_t size() const override { return Size; }
  Error read(uint64_t Offset, MutableArrayRef<uint8_t> Into) const override {
    while (!Into.empty()) {
      Expected<size_t> Got = sys::fs::readNativeFileSlice(
          File,
          MutableArrayRef(reinterpret_cast<char *>(Into.data()), Into.size()),
          Offset);
      if (!Got)
        return errorAt(Offset,
                       "cannot read: " +
                           StringRef(toString(Got.takeError())).lower());
      if (*Got == 0)
        return errorAt(Offset, "the file became shorter while it was read");
      Offset += *Got;
      Into = Into.drop_front(*Got);
    }
    return Error::success();
  }

private:
  sys::fs::file_t File;
  uint64_t Size;
};

} // namespace

std::unique_ptr<Source> memorySource(std::unique_ptr<MemoryBuffer> Buffer) {
  return std::make_unique<MemorySource>(std::move(Buffer));
}

static Error cannotRead(std::error_code EC) {
  return createStringError(EC,
                           "cannot read: " + StringRef(EC.message()).lower());
}

/// All of it; of what does not begin as a trace only that: it may be endless.
static Error readStream(sys::fs::file_t File, SmallVectorImpl<char> &Bytes) {
  char Magic[sizeof(file_magic)];
  while (Bytes.size() < sizeof(Magic)) {
    Expected<size_t> Got = sys::fs::readNativeFile(
        File, MutableArrayRef(Magic, sizeof(Magic) - Bytes.size()));
    if (!Got)
      return Got.takeError();
    if (*Got == 0)
      return Error::success();
    Bytes.append(Magic, Magic + *Got);
  }
  if (StringRef(Bytes.data(), Bytes.size()) !=
      StringRef(file_magic, sizeof(file_magic)))
    return Error::success();
  return sys::fs::readNativeFileToEOF(File, Bytes);
}

Expected<std::unique_ptr<Source>> openSource(StringRef Path) {
  if (sys::fs::is_directory(Path))
    return createStringError(std::make_error_code(std::errc::is_a_directory),
                             "cannot read: is a directory");
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(Path, Status))
    return cannotRead(EC);
  Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path);
  if (!File)
    return cannotRead(errorToErrorCode(File.takeError()));
  if (Status.type() != sys::fs::file_type::regular_file) {
    SmallVector<char, 0> Bytes;
    Error E = readStream(*File, Bytes);
    close(*File);
    if (E)
      return cannotRead(errorToErrorCode(std::move(E)));
    return memorySource(std::make_unique<SmallVectorMemoryBuffer>(
        std::move(Bytes), Path, /*RequiresNullTerminator=*/false));
  }
  if (std::error_code EC = sys::fs::status(*File, Status)) {
    close(*File);
    return cannotRead(EC);
  }
  return std::make_unique<FileSource>(*File, Status.getSize());
}

} // namespace kinstr::trace
