// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile commands that a build system left in a compile_commands.json.
#ifndef KINSTR_KINSTR_DATABASE_H
#define KINSTR_KINSTR_DATABASE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kinstr {

struct CompileCommand {
  std::string Directory; ///< which relative paths in Args are relative to
  /// What follows the compiler. A CUDA command of clang's is in nvcc's terms as
  /// far as it decides how the file is read.
  std::vector<std::string> Args;
};

/// The first command for \p File in \p Database, a compile_commands.json or the
/// folder that has one. The error is a message.
llvm::Expected<CompileCommand> findCompileCommand(llvm::StringRef Database,
                                                  llvm::StringRef File);

} // namespace kinstr

#endif // KINSTR_KINSTR_DATABASE_H
