// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files to write: the main file's copy, and those of headers that changed
// or that lead to one that did.
#ifndef KINSTR_REWRITE_COPIES_H
#define KINSTR_REWRITE_COPIES_H

#include "rewrite/Emit.h"

namespace kinstr {

/// A file to write.
struct Copy {
  std::string Path;
  std::string Text;
};

/// Where the copies of headers go for the output \p Output.
std::string headerFolder(llvm::StringRef Output);

/// Carries out \p P. The first copy is the main file's, at \p Output; headers
/// go to headerFolder(Output), and what includes them is made to find them
/// there. Every line keeps its number, and its file's name, for the compiler.
/// Headers that cannot be replaced are reported.
std::vector<Copy> makeCopies(const Plan &P, const Sources &Files,
                             llvm::StringRef Output, Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_COPIES_H
