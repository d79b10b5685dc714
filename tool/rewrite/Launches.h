// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the AST knows about launches and cudaDeviceReset() calls. Private to the
// library.
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

/// What the AST knows about the launches at one place: several where a macro's
/// body launches.
struct LaunchFacts {
  std::vector<const clang::FunctionDecl *> Kernels; ///< patterns
  bool Unknown = false; ///< also a kernel that only the run can tell
  /// The name as written stands for one function, so its address can be taken.
  bool Nameable = true;
  /// Its arguments are those that can be seen: none hides several.
  unsigned Arguments = 0;
  std::optional<unsigned> DynamicShared; ///< where a size other than 0 is given
};

struct HostCalls {
  /// By where the '<<<' or the called function's name is spelled.
  std::map<unsigned, LaunchFacts> Launches;
  /// The same of launches spelled in a header's macro, by where it is used.
  std::map<unsigned, LaunchFacts> Elsewhere;
  std::vector<unsigned> DeviceResets;
};

HostCalls findHostCalls(clang::ASTContext &Context, const MainFile &Main,
                        const ScannedFile &File);

/// The name of \p F as the runtime reads it from a mangled one: qualified, with
/// inline namespaces, without template arguments.
std::string runtimeName(const clang::FunctionDecl &F);

} // namespace kinstr

#endif // KINSTR_REWRITE_LAUNCHES_H
