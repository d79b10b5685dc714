// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an nvcc command line does, as data.
#ifndef KINSTR_KINSTR_NVCC_NVCCCOMMAND_H
#define KINSTR_KINSTR_NVCC_NVCCCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kinstr {

/// The words before nvcc's own arguments: nvcc, and launchers before it.
/// "ccache nvcc -c a.cu" has two, "-c a.cu" none. \p IsProgram says whether a
/// word names an executable file.
unsigned compilerWords(llvm::ArrayRef<std::string> Args,
                       llvm::function_ref<bool(llvm::StringRef)> IsProgram);

struct NvccInput {
  size_t Arg; ///< its place in NvccCommand::Args
  std::string Path;
  bool IsCuda;
  bool IsCompiled; ///< a source file and not an object or a library

  /// The folder in which quoted includes are looked up first.
  llvm::StringRef folder() const;
};

struct NvccCommand {
  /// What comes out of it.
  enum class Goal {
    Objects, ///< -c, -dc, -dw: an object file for each input
    Device,  ///< -ptx, -cubin, -fatbin, -ltoir: a file for each input
    Library, ///< -lib
    Program, ///< the default, and -run
    Other,   ///< nothing that holds the program's kernels
  };
  Goal What = Goal::Other;
  bool Runs = false;    ///< -run: the program is executed as well
  bool Verbose = false; ///< -v
  /// What follows nvcc. Files of options are replaced by what is in them if an
  /// input is named there, and otherwise left alone.
  std::vector<std::string> Args;
  std::vector<NvccInput> Inputs;
  /// What decides how a source file is read, and much that does not: for
  /// kinstr. No inputs, no -o, nothing unknown.
  std::vector<std::string> Flags;

  /// The file that \p Input becomes, by -o, -odir or nvcc's own rule; the
  /// program or library for the goals that have one file.
  std::string outputOf(const NvccInput &Input) const;
  /// The file that -MD or -MMD writes for it, or "".
  std::string depFileOf(const NvccInput &Input) const;

  std::string Output;          ///< -o
  std::string OutputFolder;    ///< -odir
  std::string OutputExtension; ///< of files whose names nvcc chooses: ".o"
  bool WritesDepFiles = false; ///< -MD, -MMD
  std::string DepFile;         ///< -MF

  /// Places of options in Args, their values included.
  std::vector<size_t> GoalArgs;     ///< -lib, -link, -run
  std::vector<size_t> OutputArgs;   ///< -o
  std::vector<size_t> DepFileArgs;  ///< -MF
  std::vector<size_t> LanguageArgs; ///< -x
};

/// Understands \p Args, what follows nvcc. \p Before and \p Behind are what
/// nvcc puts around them (NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS). The error is
/// a file of options that cannot be read.
llvm::Expected<NvccCommand>
parseNvccCommand(llvm::ArrayRef<std::string> Args,
                 llvm::ArrayRef<std::string> Before = {},
                 llvm::ArrayRef<std::string> Behind = {});

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_NVCCCOMMAND_H
