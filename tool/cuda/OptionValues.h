// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of nvcc's options that take a list, as nvcc reads them.
#ifndef KINSTR_CUDA_OPTIONVALUES_H
#define KINSTR_CUDA_OPTIONVALUES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kinstr {

/// The macros of -D or -U. A comma separates them unless it stands between
/// double quotes, which belong to the macro, or behind a backslash, which
/// takes the next character as it is: 'A="1,2",B=3\,4' is A="1,2" and B=3,4.
std::vector<std::string> splitMacros(llvm::StringRef Values);

/// The paths of -I, -isystem or -include. A comma separates them unless it
/// stands between double quotes, which are no part of the path.
std::vector<std::string> splitPaths(llvm::StringRef Values);

} // namespace kinstr

#endif // KINSTR_CUDA_OPTIONVALUES_H
