// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "support/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kinstr {

static Error failure(std::error_code EC) {
  return createStringError(EC, StringRef(EC.message()).lower());
}

/// Writes and reports what a full disk, most likely, made of it.
static std::error_code put(raw_fd_ostream &OS, StringRef Contents) {
  OS << Contents;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC;
}

static Error writeInPlace(StringRef Path, StringRef Contents) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::CD_OpenExisting);
  if (!EC)
    EC = put(OS, Contents);
  return EC ? failure(EC) : Error::success();
}

static Error writeAndRename(StringRef Path, StringRef Contents,
                            unsigned Permissions) {
  Expected<sys::fs::TempFile> Temp =
      sys::fs::TempFile::create(Path + ".%%%%%%.tmp", Permissions);
  if (!Temp)
    return failure(errorToErrorCode(Temp.takeError()));
  raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false);
  if (std::error_code EC = put(OS, Contents)) {
    consumeError(Temp->discard());
    return failure(EC);
  }
  if (Error E = Temp->keep(Path))
    return failure(errorToErrorCode(std::move(E)));
  return Error::success();
}

Error writeFile(StringRef Path, StringRef Contents) {
  SmallString<256> Target(Path);
  if (sys::fs::exists(Path))
    if (std::error_code EC = sys::fs::real_path(Path, Target))
      return failure(EC);
  sys::fs::file_status Status;
  if (sys::fs::status(Target, Status) || !sys::fs::exists(Status))
    return writeAndRename(Target, Contents,
                          sys::fs::all_read | sys::fs::all_write);
  if (Status.type() == sys::fs::file_type::directory_file)
    return failure(std::make_error_code(std::errc::is_a_directory));
  if (Status.type() != sys::fs::file_type::regular_file)
    return writeInPlace(Target, Contents);
  // The rename would get around a file that must not be written to.
  if (std::error_code EC = sys::fs::access(Target, sys::fs::AccessMode::Write))
    return failure(EC);
  if (Error E = writeAndRename(Target, Contents, Status.permissions()))
    return E;
  // The temporary file was created under the umask.
  if (std::error_code EC =
          sys::fs::setPermissions(Target, Status.permissions()))
    return failure(EC);
  return Error::success();
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
