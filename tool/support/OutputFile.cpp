// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "support/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include <filesystem>

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

std::string followLinks(StringRef Path) {
  std::filesystem::path P(Path.str());
  std::error_code EC;
  constexpr int Most = 40; // as Linux, where links go in circles
  for (int I = 0; I < Most && std::filesystem::is_symlink(P, EC); ++I)
    P = P.parent_path() / std::filesystem::read_symlink(P, EC);
  return P.string();
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
  if (Exists && Status.type() != sys::fs::file_type::regular_file) {
    // By the name given: /dev/stdout leads to a pipe, which has none. What was
    // said on standard output before stands before.
    outs().flush();
    std::error_code EC;
    F.Own =
        std::make_unique<raw_fd_ostream>(Path, EC, sys::fs::CD_OpenExisting);
    F.OS = F.Own.get();
    if (EC)
      return failure(EC);
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
