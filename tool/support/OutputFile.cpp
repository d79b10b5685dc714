// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "support/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using namespace llvm;

namespace kinstr {

static Error failure(std::error_code EC) {
  return createStringError(EC, StringRef(EC.message()).lower());
}

/// What a full disk, most likely, made of what was written.
static Error takeError(raw_fd_ostream &OS) {
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC ? failure(EC) : Error::success();
}

/// As many as Linux follows: they may go in circles.
static constexpr int MostLinks = 40;

std::string followLinks(StringRef Path) {
  std::filesystem::path P(Path.str());
  std::error_code EC;
  for (int I = 0; I < MostLinks && std::filesystem::is_symlink(P, EC); ++I)
    P = P.parent_path() / std::filesystem::read_symlink(P, EC);
  return P.string();
}

/// N where \p Path is /dev/fd/N or leads there, as /dev/stdout does.
static std::optional<int> numberedDescriptor(StringRef Path) {
  std::filesystem::path P(Path.str());
  std::error_code EC;
  int Number;
  for (int I = 0; I < MostLinks; ++I) {
    if (std::filesystem::equivalent(P.parent_path(), "/proc/self/fd", EC) &&
        !StringRef(P.filename().string()).getAsInteger(10, Number))
      return Number;
    if (!std::filesystem::is_symlink(P, EC))
      break;
    P = P.parent_path() / std::filesystem::read_symlink(P, EC);
  }
  return std::nullopt;
}

std::optional<int> openDescriptor(StringRef Path) {
  if (std::optional<int> Number = numberedDescriptor(Path))
    return Number;
  sys::fs::file_status Named, Open;
  if (!sys::fs::status(Path, Named) && sys::fs::is_regular_file(Named))
    for (int FD : {STDOUT_FILENO, STDERR_FILENO})
      if (!sys::fs::status(FD, Open) && sys::fs::equivalent(Named, Open))
        return FD;
  return std::nullopt;
}

Error OutputFile::openExisting(StringRef Path, std::optional<int> Descriptor) {
  // What was said on standard output before stands before.
  outs().flush();
  std::error_code EC;
  if (!Descriptor) {
    Own = std::make_unique<raw_fd_ostream>(Path, EC, sys::fs::CD_OpenExisting);
  } else if (int FD = fcntl(*Descriptor, F_DUPFD_CLOEXEC, 0); FD >= 0) {
    Own = std::make_unique<raw_fd_ostream>(FD, /*shouldClose=*/true);
  } else {
    EC = std::error_code(errno, std::generic_category());
  }
  OS = Own.get();
  return EC ? failure(EC) : Error::success();
}

Expected<OutputFile> OutputFile::create(StringRef Path) {
  OutputFile F;
  if (Path == "-") {
    F.OS = &outs();
    return F;
  }
  sys::fs::file_status Status;
  bool Exists = !sys::fs::status(Path, Status) && sys::fs::exists(Status);
  if (Exists && Status.type() == sys::fs::file_type::directory_file)
    return failure(std::make_error_code(std::errc::is_a_directory));
  std::optional<int> Descriptor = openDescriptor(Path);
  if (Descriptor ||
      (Exists && Status.type() != sys::fs::file_type::regular_file)) {
    if (Error E = F.openExisting(Path, Descriptor))
      return E;
    return F;
  }
  SmallString<256> Target(followLinks(Path));
  if (Exists) {
    if (std::error_code EC = sys::fs::real_path(Path, Target))
      return failure(EC);
    // The rename would get around a file that must not be written to.
    if (std::error_code EC =
            sys::fs::access(Target, sys::fs::AccessMode::Write))
      return failure(EC);
    F.Permissions = Status.permissions();
  }
  F.Target = Target.str();
  Expected<sys::fs::TempFile> Temp = sys::fs::TempFile::create(
      Target + ".%%%%%%.tmp",
      F.Permissions.value_or(sys::fs::all_read | sys::fs::all_write));
  if (!Temp)
    return failure(errorToErrorCode(Temp.takeError()));
  F.Temp = std::move(*Temp);
  F.Own = std::make_unique<raw_fd_ostream>(F.Temp->FD, /*shouldClose=*/false);
  F.OS = F.Own.get();
  return F;
}

OutputFile::OutputFile(OutputFile &&Other) noexcept
    : Target(std::move(Other.Target)), Permissions(Other.Permissions),
      Temp(std::move(Other.Temp)), Own(std::move(Other.Own)), OS(Other.OS) {
  Other.Temp.reset();
  Other.OS = nullptr;
}

OutputFile::~OutputFile() {
  if (OS && OS != &outs()) {
    OS->flush();
    OS->clear_error(); // one that nobody takes ends the program
  }
  if (Temp)
    consumeError(Temp->discard());
}

StringRef OutputFile::beside() const {
  return Temp ? StringRef(Temp->TmpName) : StringRef();
}

Error OutputFile::put(StringRef Bytes) {
  *OS << Bytes;
  return OS->has_error() ? takeError(*OS) : Error::success();
}

Error OutputFile::commit() {
  OS->flush();
  if (Error E = takeError(*OS))
    return E;
  if (!Temp)
    return Error::success();
  Error E = Temp->keep(Target);
  Temp.reset();
  if (E)
    return failure(errorToErrorCode(std::move(E)));
  // The temporary file was created under the umask.
  if (Permissions)
    if (std::error_code EC = sys::fs::setPermissions(
            Target, static_cast<sys::fs::perms>(*Permissions)))
      return failure(EC);
  return Error::success();
}

Error writeFile(StringRef Path, StringRef Contents) {
  Expected<OutputFile> F = OutputFile::create(Path);
  if (!F)
    return F.takeError();
  if (Error E = F->put(Contents))
    return E;
  return F->commit();
}

Error createFolder(StringRef Path) {
  if (std::error_code EC = sys::fs::create_directories(
          Path, /*IgnoreExisting=*/true, sys::fs::perms::all_all))
    return failure(EC);
  if (!sys::fs::is_directory(Path))
    return failure(std::make_error_code(std::errc::not_a_directory));
  return Error::success();
}

} // namespace kinstr
