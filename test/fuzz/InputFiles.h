// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several files in one input, as split-file has them.
#ifndef KINSTR_FUZZ_INPUTFILES_H
#define KINSTR_FUZZ_INPUTFILES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kinstr {

struct InputFile {
  std::string Name; ///< relative; the main file has none
  llvm::StringRef Text;
};

/// Parts of \p Text, the main file first: what lies behind a line
/// "//--- NAME" or "#--- NAME", or all if there is no such line.
std::vector<InputFile> splitInput(llvm::StringRef Text);

} // namespace kinstr

#endif // KINSTR_FUZZ_INPUTFILES_H
