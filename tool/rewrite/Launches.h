// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds <<<>>> launches and cudaDeviceReset() calls. Private to the library.
#ifndef KINSTR_REWRITE_LAUNCHES_H
#define KINSTR_REWRITE_LAUNCHES_H

#include "annotate/Scan.h"
#include "rewrite/MainFile.h"
#include "clang/AST/ASTContext.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinstr {

/// What the AST knows about a launch.
struct LaunchFacts {
  const clang::FunctionDecl *Kernel = nullptr; ///< its pattern; null if unknown
  /// The name as written stands for one function, so its address can be taken.
  bool Nameable = false;
  std::optional<unsigned> DynamicShared; ///< where a size other than 0 is given
};

struct HostCalls {
  std::map<unsigned, LaunchFacts> Launches; ///< by where the '<<<' is
  /// Launches written in a macro's body, by where it is used; with the kernel.
  std::map<unsigned, const clang::FunctionDecl *> InMacros;
  std::vector<unsigned> DeviceResets;
};

HostCalls findHostCalls(clang::ASTContext &Context, const MainFile &Main,
                        const ScannedFile &File);

/// A launch as written. Found by its tokens, so that launches clang skips or
/// does not understand (host-only branches, braced grids) are seen too.
struct WrittenLaunch {
  unsigned At;          ///< where the '<<<' is
  ByteRange Name;       ///< the kernel expression in front of it
  std::string BaseName; ///< its last identifier, template arguments left out
  std::vector<ByteRange> Arguments; ///< empty: cannot be wrapped
};

std::vector<WrittenLaunch> findWrittenLaunches(llvm::StringRef Code,
                                               const ScannedFile &File);

} // namespace kinstr

#endif // KINSTR_REWRITE_LAUNCHES_H
