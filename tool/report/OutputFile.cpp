// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporary file, then rename.
#include "report/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kinstr::report {

static Error failure(StringRef Path, std::error_code EC) {
  return createStringError(
      EC, Path + ": error: cannot write: " + StringRef(EC.message()).lower());
}

Error writeFile(StringRef Path, StringRef Contents) {
  Expected<sys::fs::TempFile> Temp =
      sys::fs::TempFile::create(Path + ".%%%%%%.tmp");
  if (!Temp)
    return failure(Path, errorToErrorCode(Temp.takeError()));
  raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false);
  OS << Contents;
  OS.flush();
  if (std::error_code EC = OS.error()) { // a full disk, most likely
    OS.clear_error();
    consumeError(Temp->discard());
    return failure(Path, EC);
  }
  if (Error E = Temp->keep(Path))
    return failure(Path, errorToErrorCode(std::move(E)));
  return Error::success();
}

Error createFolder(StringRef Path) {
  if (std::error_code EC = sys::fs::create_directories(
          Path, /*IgnoreExisting=*/true, sys::fs::perms::all_all))
    return failure(Path, EC);
  if (!sys::fs::is_directory(Path))
    return failure(Path, std::make_error_code(std::errc::not_a_directory));
  return Error::success();
}

} // namespace kinstr::report
