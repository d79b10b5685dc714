// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr: rewrites a CUDA source file so that its phases are timed.
// Stages: scan -> bind -> plan -> emit, then one write.

#include "kinstr/CommandLine.h"
#include "kinstr/Print.h"
#include "kinstr/record.h"
#include "rewrite/Emit.h"
#include "support/Installation.h"
#include "support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace kinstr;

namespace {
enum ExitCode { Done = 0, InputError = 1, UsageError = 2 };
} // namespace

static raw_ostream &error() { return WithColor::error(errs(), "kinstr"); }

static ExitCode usage(const Twine &Message) {
  error() << Message << "\n";
  errs() << "usage: kinstr FILE.cu [-o OUT] [options]; see kinstr --help\n";
  return UsageError;
}

static void printVersion() {
  outs() << "kinstr " KINSTR_VERSION " (LLVM " LLVM_VERSION_STRING ", ABI "
         << abi_version << ")\n";
}

static void printNvccFlags() {
  Installation Own = findInstallation();
  outs() << "-I" << Own.Include << " -L" << Own.Lib << " -lkinstr_rt\n";
}

/// Reads the input, or says why not and returns null.
static std::unique_ptr<MemoryBuffer> readInput(StringRef Path) {
  if (sys::fs::is_directory(Path)) {
    error() << "cannot read '" << Path << "': is a directory\n";
    return nullptr;
  }
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer) {
    error() << "cannot read '" << Path << "': " << Buffer.getError().message()
            << "\n";
    return nullptr;
  }
  return std::move(*Buffer);
}

/// A NUL byte: not a source file. Its line is not fit to be printed.
static bool rejectBinary(StringRef Path, StringRef Code) {
  StringRef Before = Code.take_until([](char C) { return C == 0; });
  if (Before.size() == Code.size())
    return false;
  errs() << Path << ':' << Before.count('\n') + 1 << ':'
         << Before.size() - (Before.rfind('\n') + 1) + 1 << ": ";
  WithColor(errs(), HighlightColor::Error) << "error: ";
  errs() << "the file contains a NUL byte\n";
  return true;
}

static bool sameFile(StringRef A, StringRef B) {
  return A != "-" && sys::fs::exists(A) && sys::fs::equivalent(A, B);
}

/// Quoted includes are looked up beside the file that has them: a copy in
/// another folder needs a flag to find them.
static void remarkOnIncludes(const CommandLine &Options,
                             const ScannedFile &File, StringRef Code,
                             Diagnostics &Diags) {
  if (Options.Output == "-")
    return;
  StringRef From = sys::path::parent_path(Options.Input);
  StringRef To = sys::path::parent_path(Options.Output);
  From = From.empty() ? "." : From;
  To = To.empty() ? "." : To;
  if (sys::fs::equivalent(From, To))
    return;
  for (const RawDirective &D : File.Directives) {
    if (D.Name != "include")
      continue;
    StringRef Text = Code.slice(D.Begin, D.End);
    StringRef Name = Text.split('"').second.split('"').first;
    SmallString<256> Beside(From);
    sys::path::append(Beside, Name);
    if (Name.empty() || !sys::fs::exists(Beside))
      continue;
    Diags.remark(D.Begin, ("the copy is in another folder: compile it with "
                           "-Xcompiler=-iquote," +
                           From)
                              .str());
    return;
  }
}

/// The text to write. Empty when there are errors.
static std::string rewrite(const CommandLine &Options, StringRef Code,
                           const Toolkit &Cuda, Diagnostics &Diags) {
  ScannedFile File = scan(Code, Diags);
  for (const RawDirective &D : File.Directives)
    if (D.Name == "include" &&
        Code.slice(D.Begin, D.End).contains("kinstr/trace.cuh")) {
      Diags.error(D.Begin, "this file was written by kinstr already");
      return "";
    }
  BoundFile Bound =
      bindAnnotations(Options.Input, File, Options.Compile, Cuda, Diags);
  Plan P = plan(std::move(Bound), File, Options.AskedBuffer, Diags);
  if (Diags.hasErrors())
    return "";
  if (P.Kernels.empty()) {
    if (File.Annotations.empty())
      Diags.remark(0, "no annotations: the copy is the original");
    return Code.str();
  }
  remarkOnIncludes(Options, File, Code, Diags);
  return emit(Code, Options.Input, P, File);
}

/// To standard output, which may be a pipe to nowhere or a full disk.
static ExitCode printResult(StringRef Text) {
  outs() << Text;
  outs().flush();
  if (std::error_code EC = outs().error()) {
    outs().clear_error();
    error() << "cannot write to standard output: "
            << StringRef(EC.message()).lower() << "\n";
    return InputError;
  }
  return Done;
}

static ExitCode run(const CommandLine &Options) {
  std::unique_ptr<MemoryBuffer> Input = readInput(Options.Input);
  if (!Input)
    return InputError;
  if (sameFile(Options.Output, Options.Input))
    return usage("the output '" + Options.Output +
                 "' would overwrite the input");
  Expected<Toolkit> Cuda = findToolkit(Options.CudaPath);
  if (!Cuda) {
    error() << toString(Cuda.takeError()) << "\n";
    return InputError;
  }
  if (rejectBinary(Options.Input, Input->getBuffer()))
    return InputError;
  Diagnostics Diags;
  std::string Text = rewrite(Options, Input->getBuffer(), *Cuda, Diags);
  print(Diags, Input->getMemBufferRef(), Options.Remarks, errs());
  if (Diags.hasErrors())
    return InputError;
  if (Options.Output == "-")
    return printResult(Text);
  if (Error E = writeFile(Options.Output, Text)) {
    error() << "cannot write '" << Options.Output
            << "': " << toString(std::move(E)) << "\n";
    return InputError;
  }
  return Done;
}

/// All files, also behind one that has errors.
static ExitCode runAll(ArrayRef<CommandLine> Files) {
  ExitCode Worst = Done;
  for (const CommandLine &File : Files) {
    StringRef Folder = sys::path::parent_path(File.Output);
    if (Files.size() > 1 && errorToBool(createFolder(Folder))) {
      error() << "cannot create the folder '" << Folder << "'\n";
      return InputError;
    }
    Worst = std::max(Worst, run(File));
  }
  return Worst;
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  Expected<std::vector<CommandLine>> Options =
      parseCommandLine(ArrayRef<const char *>(Argv + 1, Argc - 1));
  if (!Options)
    return usage(toString(Options.takeError()));
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
