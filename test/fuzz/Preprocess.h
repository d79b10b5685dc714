// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler sees of a file and its copies.
#ifndef KINSTR_FUZZ_PREPROCESS_H
#define KINSTR_FUZZ_PREPROCESS_H

#include "cuda/ClangArgs.h"
#include "rewrite/Copies.h"

namespace kinstr {

/// The tokens of \p Main that come out of the preprocessor, those from headers
/// outside of \p Folder left out. \p Unwritten are read from memory.
std::vector<std::string> preprocess(llvm::StringRef Main,
                                    llvm::StringRef Folder,
                                    llvm::ArrayRef<Copy> Unwritten,
                                    const CompileOptions &Options,
                                    const Toolkit &Cuda);

} // namespace kinstr

#endif // KINSTR_FUZZ_PREPROCESS_H
