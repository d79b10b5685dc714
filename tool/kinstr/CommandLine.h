// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr's command line, as data.
#ifndef KINSTR_KINSTR_COMMANDLINE_H
#define KINSTR_KINSTR_COMMANDLINE_H

#include "annotate/Annotation.h"
#include "cuda/ClangArgs.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace kinstr {

/// What is done with one file.
struct CommandLine {
  enum class Action { Rewrite, Help, Version, NvccFlags };
  Action What = Action::Rewrite;
  std::string Input;
  std::string Output = "-";
  bool MakeFolder = false; ///< the output's, where -odir names it
  std::optional<Buffer> AskedBuffer;
  bool WriteThrough = false;
  std::string CudaPath;
  std::optional<std::string> Auto; ///< a regular expression; "": all kernels
  bool EmitAnnotations = false;
  bool Remarks = true;
  CompileOptions Compile;
};

/// Parses argv without the program's name: one element for each file that is
/// rewritten, or one for another action. The error is a usage message.
llvm::Expected<std::vector<CommandLine>>
parseCommandLine(llvm::ArrayRef<const char *> Args);

void printHelp(llvm::raw_ostream &OS);

} // namespace kinstr

#endif // KINSTR_KINSTR_COMMANDLINE_H
