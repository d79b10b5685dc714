// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where kinstr's own files are.
#ifndef KINSTR_SUPPORT_INSTALLATION_H
#define KINSTR_SUPPORT_INSTALLATION_H

#include <string>

namespace kinstr {

/// Folders. An installed tree may be moved: they are looked for beside the
/// running executable, and only where they are not there are they those of the
/// tree it was built in.
struct Installation {
  std::string Bin;            ///< kinstr, kinstr-nvcc
  std::string Include;        ///< holds kinstr/trace.cuh
  std::string Lib;            ///< libkinstr_rt.a
  std::string ClangResources; ///< clang's own headers, in include
};

Installation findInstallation();

} // namespace kinstr

#endif // KINSTR_SUPPORT_INSTALLATION_H
