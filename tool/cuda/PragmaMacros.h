// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #define UNROLL #pragma unroll
#ifndef KINSTR_CUDA_PRAGMAMACROS_H
#define KINSTR_CUDA_PRAGMAMACROS_H

#include "clang/Lex/PPCallbacks.h"
#include <memory>

namespace clang {
class Preprocessor;
} // namespace clang

namespace kinstr {

/// Makes macros that are a pragma work as with nvcc: there the preprocessor
/// writes them out, and the compiler behind it reads a pragma. Clang is both,
/// and sees a stray '#'.
std::unique_ptr<clang::PPCallbacks> readPragmaMacros(clang::Preprocessor &PP);

} // namespace kinstr

#endif // KINSTR_CUDA_PRAGMAMACROS_H
