// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds <<<>>> launches and cudaDeviceReset() calls. Private to the library.
#ifndef KINSTR_REWRITE_LAUNCHES_H
#define KINSTR_REWRITE_LAUNCHES_H

#include "rewrite/Bind.h"
#include "clang/AST/ASTContext.h"

namespace kinstr {

/// A launch and the kernel it names, as found in the AST.
struct FoundLaunch {
  BoundLaunch Launch;
  const clang::FunctionDecl *Kernel;     ///< its pattern; null if unknown
  std::optional<unsigned> DynamicShared; ///< where a size other than 0 is given
};

struct HostCalls {
  std::vector<FoundLaunch> Launches;
  std::vector<unsigned> DeviceResets;
  std::vector<unsigned> UnwrappedLaunches; ///< launches left as they are
};

HostCalls findHostCalls(clang::ASTContext &Context, const MainFile &Main,
                        const ScannedFile &File);

} // namespace kinstr

#endif // KINSTR_REWRITE_LAUNCHES_H
