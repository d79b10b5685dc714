// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "support/Installation.h"

#include "support/Paths.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace kinstr {

Installation findInstallation() {
  std::string Exe = sys::fs::getMainExecutable(
      "kinstr", reinterpret_cast<void *>(&findInstallation));
  StringRef Bin = sys::path::parent_path(Exe);
  StringRef Prefix = sys::path::parent_path(Bin);
  Installation Out = {Bin.str(), KINSTR_BUILD_INCLUDE, KINSTR_BUILD_LIB,
                      KINSTR_CLANG_RESOURCE_DIR};
  if (std::string Include = inFolder(Prefix, "include");
      sys::fs::exists(Include + "/kinstr/trace.cuh")) {
    Out.Include = Include;
    Out.Lib = inFolder(Prefix, KINSTR_INSTALL_LIBDIR);
  }
  if (std::string Clang =
          inFolder(Prefix, KINSTR_INSTALL_LIBDIR "/kinstr/clang");
      sys::fs::is_directory(Clang + "/include"))
    Out.ClangResources = Clang;
  return Out;
}

} // namespace kinstr
