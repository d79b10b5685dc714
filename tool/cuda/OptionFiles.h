// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's files of options.
#ifndef KINSTR_CUDA_OPTIONFILES_H
#define KINSTR_CUDA_OPTIONFILES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <string>
#include <vector>

namespace kinstr {

/// The arguments in \p Text, as nvcc 13 reads files of options and
/// NVCC_APPEND_FLAGS: separated by white space; double quotes group, a
/// backslash takes the next character as it is, single quotes mean nothing.
std::vector<std::string> splitOptions(llvm::StringRef Text);

/// Replaces each -optf FILE[,FILE...] (in its four spellings) up to "--" by the
/// arguments in the files, which may name files themselves. Relative paths are
/// looked up in \p Folder if it is not empty. The error is a message.
llvm::Error expandOptionFiles(llvm::SmallVectorImpl<const char *> &Args,
                              llvm::StringSaver &Saver,
                              llvm::StringRef Folder = "");

} // namespace kinstr

#endif // KINSTR_CUDA_OPTIONFILES_H
