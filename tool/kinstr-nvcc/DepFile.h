// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependency files in make's syntax.
#ifndef KINSTR_KINSTR_NVCC_DEPFILE_H
#define KINSTR_KINSTR_NVCC_DEPFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace kinstr {

/// Replaces each file name in \p Text for which \p OriginalOf has another.
/// Everything else stays as it is. Names are given to it without make's
/// escapes.
std::string renameDependencies(
    llvm::StringRef Text,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> OriginalOf);

/// \p Path as gcc writes it to a dependency file, before escaping: without
/// "./" in front.
llvm::StringRef asDependency(llvm::StringRef Path);

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_DEPFILE_H
