// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles rewritten copies where nvcc was to compile the files themselves.
#ifndef KINSTR_KINSTR_NVCC_LAUNCHER_H
#define KINSTR_KINSTR_NVCC_LAUNCHER_H

#include "kinstr-nvcc/Plan.h"
#include "kinstr-nvcc/Process.h"

namespace kinstr {

/// What the environment says.
struct Settings {
  bool Disabled = false; ///< KINSTR_DISABLE: everything goes to nvcc
  bool Strict = false;   ///< KINSTR_STRICT: a failure of kinstr's is an error
  Words Flags;           ///< KINSTR_FLAGS: for kinstr
  Words Nvcc;            ///< KINSTR_NVCC: where the command names none
  Words Before, Behind;  ///< what nvcc takes from the environment itself
};

Settings readEnvironment();

class Launcher {
public:
  Launcher(Settings Env, Installation Own)
      : Env(std::move(Env)), Own(std::move(Own)) {}

  /// Does what \p Args, the words behind kinstr-nvcc, ask for.
  Outcome launch(const Words &Args);

private:
  Outcome launchNvcc(const Words &Args);
  std::optional<Words> rewriteAll(const NvccCommand &Command);
  bool rewrite(const NvccCommand &Command, const NvccInput &Input,
               const std::string &Copy);
  Outcome compile(const NvccCommand &Command, const Words &Copies);
  Outcome compileOriginals(const NvccCommand &Command);
  Outcome runNvcc(const Words &Args, const Capture *Into = nullptr) const;
  Outcome becomeNvcc(const Words &Args) const;
  /// Says what kinstr could not do, and what is done \p Instead: an error if
  /// the user wants that.
  void ownFailure(const llvm::Twine &Message, const llvm::Twine &Instead = "");

  Settings Env;
  Installation Own;
  Words Compiler;       ///< launchers and nvcc
  std::string CudaPath; ///< the toolkit of that nvcc, or ""
  bool Failed = false;  ///< of kinstr's own, and Env.Strict
};

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_LAUNCHER_H
