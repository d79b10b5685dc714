// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's headers, read once for all inputs.
#ifndef KINSTR_FUZZ_PRECOMPILEDHEADERS_H
#define KINSTR_FUZZ_PRECOMPILEDHEADERS_H

#include "cuda/ClangArgs.h"

namespace kinstr {

/// Reads what clang puts in front of every CUDA file, such as \p EmptyFile, and
/// writes it beside that. Returns the arguments by which clang takes it from
/// there.
std::vector<std::string> precompileHeaders(llvm::StringRef EmptyFile,
                                           const CompileOptions &Options,
                                           const Toolkit &Cuda);

} // namespace kinstr

#endif // KINSTR_FUZZ_PRECOMPILEDHEADERS_H
