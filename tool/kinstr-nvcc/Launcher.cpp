// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/Launcher.h"

#include "cuda/OptionFiles.h"
#include "kinstr-nvcc/Copies.h"
#include "kinstr-nvcc/Programs.h"
#include "support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include <cerrno>
#include <cstring>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace kinstr {

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

static bool isSet(const char *Name) {
  std::string Value = sys::Process::GetEnv(Name).value_or("");
  return !Value.empty() && Value != "0";
}

/// The words of a variable, quoted as for a shell.
static Words words(const char *Name) {
  BumpPtrAllocator Alloc;
  StringSaver Saver(Alloc);
  SmallVector<const char *, 16> Out;
  cl::TokenizeGNUCommandLine(sys::Process::GetEnv(Name).value_or(""), Saver,
                             Out);
  return Words(Out.begin(), Out.end());
}

Settings readEnvironment() {
  auto OfNvcc = [](const char *Name) {
    return splitOptions(sys::Process::GetEnv(Name).value_or(""));
  };
  Settings Out;
  Out.Disabled = isSet("KINSTR_DISABLE");
  Out.Strict = isSet("KINSTR_STRICT");
  Out.Flags = words("KINSTR_FLAGS");
  Out.Nvcc = words("KINSTR_NVCC");
  Out.Before = OfNvcc("NVCC_PREPEND_FLAGS");
  Out.Behind = OfNvcc("NVCC_APPEND_FLAGS");
  return Out;
}

//===----------------------------------------------------------------------===//
// Running nvcc
//===----------------------------------------------------------------------===//

static raw_ostream &error() { return WithColor::error(errs(), "kinstr-nvcc"); }

void Launcher::ownFailure(const Twine &Message, const Twine &Instead) {
  Failed = Env.Strict;
  if (Env.Strict)
    error() << Message << "\n";
  else
    WithColor::warning(errs(), "kinstr-nvcc") << Message << Instead << "\n";
}

static Words concat(Words A, const Words &B) {
  append_range(A, B);
  return A;
}

static void printCommand(const Words &Command) {
  errs() << "#$";
  for (const std::string &Word : Command) {
    errs() << ' ';
    sys::printArg(errs(), Word, /*Quote=*/false);
  }
  errs() << '\n';
}

/// Prints why a program that the user named was not started.
static Outcome checkStarted(const Words &Command, Outcome End) {
  if (!End.Error.empty())
    error() << "cannot run '" << Command.front() << "': " << End.Error << "\n";
  return End;
}

Outcome Launcher::runNvcc(const Words &Args, const Capture *Into) const {
  Words Command = concat(Compiler, Args);
  return checkStarted(Command, run(Command, Into));
}

/// Where nothing is left to do afterwards.
Outcome Launcher::becomeNvcc(const Words &Args) const {
  Words Command = concat(Compiler, Args);
  std::vector<char *> Argv;
  Argv.reserve(Command.size() + 1);
  for (std::string &Word : Command)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  execvp(Argv[0], Argv.data());
  return checkStarted(Command,
                      {127, 0, StringRef(std::strerror(errno)).lower()});
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Writes the copy. False if there is nothing in it that is not in the file.
bool Launcher::rewrite(const NvccCommand &Command, const NvccInput &Input,
                       const std::string &Copy) {
  std::string Problem;
  removeCopy(Copy); // an old one
  if (Error E = createFolder(sys::path::parent_path(Copy))) {
    Problem =
        "cannot create the folder of '" + Copy + "': " + toString(std::move(E));
  } else {
    Words Kinstr =
        kinstrCommand(Command, Input, Copy, Own, CudaPath, Env.Flags);
    if (Command.Verbose)
      printCommand(Kinstr);
    Outcome End = run(Kinstr);
    if (End.ok() && isRewritten(Copy))
      return true;
    if (!End.Error.empty())
      Problem = "cannot run '" + Kinstr.front() + "': " + End.Error;
    else if (!End.ok())
      Problem = "kinstr ended with " + End.text();
  }
  removeCopy(Copy);
  if (!Problem.empty())
    ownFailure("cannot instrument '" + Input.Path + "': " + Problem,
               "; it is compiled as it is");
  return false;
}

/// The copy of each input, or ""; nullopt after a failure that must be one.
std::optional<Words> Launcher::rewriteAll(const NvccCommand &Command) {
  Words Copies = placesOfCopies(Command);
  for (auto [Input, Copy] : zip(Command.Inputs, Copies)) {
    // nvcc says what is wrong with other files.
    if (Copy.empty() || !sys::fs::is_regular_file(Input.Path) ||
        !rewrite(Command, Input, Copy))
      Copy.clear();
    if (Failed)
      return std::nullopt;
  }
  return Copies;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// After nvcc failed on the copies: whose fault is it?
Outcome Launcher::compileOriginals(const NvccCommand &Command) {
  NvccSteps Steps = compileCopies(Command, Words(Command.Inputs.size()), Own);
  Outcome End = runNvcc(Steps.Commands.front());
  if (End.ok())
    ownFailure("nvcc does not accept the copies that kinstr made (they are "
               "beside the output; KINSTR_STRICT=1 shows why)",
               "; the files are compiled as they are");
  return End;
}

Outcome Launcher::compile(const NvccCommand &Command, const Words &Copies) {
  NvccSteps Steps = compileCopies(Command, Copies, Own);
  bool Rewritten = any_of(Copies, [](StringRef Copy) { return !Copy.empty(); });
  if (!Rewritten)
    return becomeNvcc(Steps.Commands.front());
  // Messages are held back until it is clear that they are about the user's
  // code. A program that is run wants its terminal.
  bool MayFallBack = !Env.Strict && !Command.Runs;
  Capture Messages;
  const Capture *Into = MayFallBack && Messages ? &Messages : nullptr;
  Outcome End;
  for (const Words &Args : Steps.Commands)
    if (End = runNvcc(Args, Into); !End.ok())
      break;
  for (const std::string &File : Steps.Temporaries)
    std::ignore = sys::fs::remove(File);
  if (MayFallBack && !End.ok() && !End.Signal && End.Error.empty())
    return compileOriginals(Command);
  if (Into)
    Messages.replay();
  if (End.ok() || Command.Runs)
    if (Error E = renameInDepFiles(Command, Copies)) {
      ownFailure(toString(std::move(E)));
      if (Failed)
        return {1, 0, ""};
    }
  return End;
}

Outcome Launcher::launchNvcc(const Words &Args) {
  if (Env.Disabled)
    return becomeNvcc(Args);
  Expected<NvccCommand> Command =
      parseNvccCommand(Args, Env.Before, Env.Behind);
  if (!Command) { // nvcc will say so itself
    consumeError(Command.takeError());
    return becomeNvcc(Args);
  }
  if (Command->What == NvccCommand::Goal::Other)
    return becomeNvcc(Args);
  std::optional<Words> Copies = rewriteAll(*Command);
  if (!Copies)
    return {1, 0, ""};
  return compile(*Command, *Copies);
}

Outcome Launcher::launch(const Words &Args) {
  unsigned Named = compilerWords(
      Args, [](StringRef Word) { return !findProgram(Word).empty(); });
  Compiler.assign(Args.begin(), Args.begin() + Named);
  Words Rest(Args.begin() + Named, Args.end());
  if (Compiler.empty())
    Compiler = Env.Nvcc;
  std::string Nvcc =
      Compiler.empty() ? findNvcc() : findProgram(Compiler.back());
  if (Nvcc.empty()) {
    error() << "no nvcc found: name it, put it on PATH, or set KINSTR_NVCC\n";
    return {127, 0, ""};
  }
  if (Compiler.empty())
    Compiler.push_back(Nvcc);
  Compiler.back() = Nvcc;
  if (sys::path::filename(Nvcc).contains("clang")) {
    ownFailure("cannot instrument: '" + Nvcc + "' is not nvcc",
               "; it is run as it is");
    return Failed ? Outcome{1, 0, ""} : becomeNvcc(Rest);
  }
  CudaPath = toolkitOf(Nvcc);
  // An installation without the runtime can still compile.
  if (!sys::fs::exists(Own.Lib + "/libkinstr_rt.a"))
    Own.Lib.clear();
  return launchNvcc(Rest);
}

} // namespace kinstr
