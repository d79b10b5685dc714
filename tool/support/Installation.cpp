// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "support/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kinstr {

static std::string join(StringRef Folder, const Twine &Rest) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, Rest);
  return Path.str().str();
}

Installation findInstallation() {
  std::string Exe = sys::fs::getMainExecutable(
      "kinstr", reinterpret_cast<void *>(&findInstallation));
  StringRef Bin = sys::path::parent_path(Exe);
  StringRef Prefix = sys::path::parent_path(Bin);
  Installation Out = {Bin.str(), KINSTR_BUILD_INCLUDE, KINSTR_BUILD_LIB,
                      KINSTR_CLANG_RESOURCE_DIR};
  if (std::string Include = join(Prefix, "include");
      sys::fs::exists(Include + "/kinstr/trace.cuh")) {
    Out.Include = Include;
    Out.Lib = join(Prefix, KINSTR_INSTALL_LIBDIR);
  }
  if (std::string Clang = join(Prefix, KINSTR_INSTALL_LIBDIR "/kinstr/clang");
      sys::fs::is_directory(Clang + "/include"))
    Out.ClangResources = Clang;
  return Out;
}

} // namespace kinstr
