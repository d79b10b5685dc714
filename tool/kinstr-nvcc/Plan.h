// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an nvcc command to the commands that are run instead of it.
#ifndef KINSTR_KINSTR_NVCC_PLAN_H
#define KINSTR_KINSTR_NVCC_PLAN_H

#include "kinstr-nvcc/NvccCommand.h"
#include "support/Installation.h"

namespace kinstr {

using Words = std::vector<std::string>;

/// Where the rewritten copy of each input goes; "" for inputs that are not
/// CUDA. A copy lies in a folder beside the output, OUT.kinstr, and keeps its
/// file's name, so that every name nvcc derives from it stays what it was.
Words placesOfCopies(const NvccCommand &Command);

/// The arguments for nvcc, one command after the other.
struct NvccSteps {
  std::vector<Words> Commands;
  Words Temporaries; ///< objects that are deleted at the end
};

/// \p Copies holds, for each input, the copy that is compiled instead of it or
/// "". One command if possible: where inputs lie in different folders, each is
/// compiled by itself, since quoted includes are looked up in its folder first.
/// Programs are linked with the runtime in \p Own.Lib unless that is empty.
NvccSteps compileCopies(const NvccCommand &Command,
                        llvm::ArrayRef<std::string> Copies,
                        const Installation &Own);

/// The flag by which nvcc's host compiler looks up quoted includes in
/// \p Folder. nvcc splits its value at commas and hands it to a shell.
std::string quotedIncludeFlag(llvm::StringRef Folder);

/// The command line that rewrites \p Input to \p Copy.
Words kinstrCommand(const NvccCommand &Command, const NvccInput &Input,
                    llvm::StringRef Copy, const Installation &Own,
                    llvm::StringRef CudaPath,
                    llvm::ArrayRef<std::string> Asked);

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_PLAN_H
