// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding nvcc.
#ifndef KINSTR_KINSTR_NVCC_PROGRAMS_H
#define KINSTR_KINSTR_NVCC_PROGRAMS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kinstr {

/// The executable file that \p Name means, by PATH if it has no slash, or "".
/// This program itself is passed over: it may stand on PATH under nvcc's name.
std::string findProgram(llvm::StringRef Name);

/// The nvcc on PATH, in $CUDA_HOME, $CUDA_PATH or /usr/local/cuda, or "".
std::string findNvcc();

/// The root of the toolkit that \p Nvcc belongs to, or "" if it is not where a
/// toolkit has it (a wrapper, say).
std::string toolkitOf(llvm::StringRef Nvcc);

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_PROGRAMS_H
