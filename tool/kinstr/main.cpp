// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr: rewrites a CUDA source file so that its phases are timed.
// Stages: scan -> bind -> plan -> copies, then they are written.

#include "kinstr/RewriteFile.h"
#include "kinstr/record.h"
#include "support/Installation.h"
#include "support/OutputFile.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace kinstr;

static void printVersion() {
  outs() << "kinstr " KINSTR_VERSION " (LLVM " LLVM_VERSION_STRING ", ABI "
         << abi_version << ")\n";
}

static void printNvccFlags() {
  Installation Own = findInstallation();
  outs() << "-I" << Own.Include << " -L" << Own.Lib << " -lkinstr_rt\n";
}

/// All files, also behind one that has errors.
static ExitCode runAll(ArrayRef<CommandLine> Files) {
  ExitCode Worst = Done;
  for (const CommandLine &File : Files) {
    StringRef Folder = sys::path::parent_path(File.Output);
    if (File.MakeFolder && errorToBool(createFolder(Folder))) {
      WithColor::error(errs(), "kinstr")
          << "cannot create the folder '" << Folder << "'\n";
      return InputError;
    }
    Worst = std::max(Worst, rewriteFile(File, errs()));
  }
  return Worst;
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  Expected<std::vector<CommandLine>> Options =
      parseCommandLine(ArrayRef<const char *>(Argv + 1, Argc - 1));
  if (!Options)
    return usage(toString(Options.takeError()), errs());
  switch (Options->front().What) {
  case CommandLine::Action::Help:
    printHelp(outs());
    return Done;
  case CommandLine::Action::Version:
    printVersion();
    return Done;
  case CommandLine::Action::NvccFlags:
    printNvccFlags();
    return Done;
  case CommandLine::Action::Rewrite:
    return runAll(*Options);
  }
}
