// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr: rewrites a CUDA source file so that its phases are timed.
// Stages: scan -> bind -> plan -> copies, then they are written.

#include "kinstr/CommandLine.h"
#include "kinstr/Print.h"
#include "kinstr/record.h"
#include "rewrite/AutoAnnotate.h"
#include "rewrite/Rewrite.h"
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

/// The same place, in the files as they were before \p Inserted.
static unsigned originalPlace(const Sources &Files, const Sources &Annotated,
                              ArrayRef<Insertion> Inserted, unsigned Offset) {
  const SourceFile &File = Annotated.files()[Annotated.fileAt(Offset)];
  if (&File == &Annotated.main())
    return offsetBefore(Inserted, Offset);
  std::optional<unsigned> Same = Files.find(File.Path);
  return Same ? Files.files()[*Same].Begin + (Offset - File.Begin) : 0;
}

static RewriteOptions rewriteOptions(const CommandLine &Options) {
  return {Options.Output, Options.AskedBuffer, Options.Compile};
}

/// Rewrites with the comments of \p Marks. Messages point into \p Files as
/// they are.
static std::vector<Copy>
rewriteChosen(const CommandLine &Options, ArrayRef<AutoMark> Marks,
              const Sources &Files, const Toolkit &Cuda, Diagnostics &Diags) {
  std::vector<Insertion> Comments = commentsInLine(Marks);
  Diagnostics Later;
  Sources Annotated(Options.Input,
                    insertAll(Files.text(Files.main()), Comments), Later);
  std::vector<Copy> Copies =
      rewrite(rewriteOptions(Options), Annotated, Cuda, Later);
  for (Diagnostic D : Later.all()) {
    auto Original = [&](unsigned At) {
      return originalPlace(Files, Annotated, Comments, At);
    };
    if (D.Fix)
      D.Fix = FixIt{Original(D.Fix->Begin), Original(D.Fix->End), D.Fix->Text};
    Diags.add(D.Level, Original(D.Offset), D.Message).Fix = D.Fix;
  }
  return Copies;
}

/// Annotates first, in the kernels that match \p Kernels, what is not.
static std::vector<Copy> rewriteAuto(const CommandLine &Options,
                                     const std::string &Kernels, Sources &Files,
                                     const Toolkit &Cuda, Diagnostics &Diags) {
  if (Diags.hasErrors())
    return {};
  Regex Wanted(Kernels);
  AutoChoice Choice = chooseAnnotations(
      Files, Kernels.empty() ? nullptr : &Wanted, Options.Compile, Cuda, Diags);
  if (Diags.hasErrors())
    return {};
  StringRef Code = Files.text(Files.main());
  if (Options.EmitAnnotations)
    return {
        {Options.Output, insertAll(Code, commentsOnLines(Code, Choice.Marks))}};
  if (!Choice.Bound)
    return rewriteChosen(Options, Choice.Marks, Files, Cuda, Diags);
  for (const Diagnostic &D : Choice.Binding.all())
    Diags.add(D.Level, D.Offset, D.Message).Fix = D.Fix;
  return rewrite(rewriteOptions(Options), Files, std::move(*Choice.Bound),
                 Diags);
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

/// Copies of headers in \p Folder, and the folder if nothing else is in it.
static void removeHeaders(StringRef Folder) {
  std::error_code Ignored;
  for (sys::fs::directory_iterator I(Folder, Ignored), End;
       !Ignored && I != End; I.increment(Ignored)) {
    StringRef Name = sys::path::filename(I->path());
    unsigned Number = 0;
    if (!Name.consumeInteger(10, Number) && Name.starts_with("_"))
      Ignored = sys::fs::remove(I->path());
  }
  Ignored = sys::fs::remove(Folder);
}

/// Headers first: a main file is only there when what it includes is.
static ExitCode writeCopies(ArrayRef<Copy> Copies) {
  std::string Folder = headerFolder(Copies.front().Path);
  auto Write = [](const Copy &C) {
    Error E = writeFile(C.Path, C.Text);
    if (!E)
      return true;
    error() << "cannot write '" << C.Path << "': " << toString(std::move(E))
            << "\n";
    return false;
  };
  removeHeaders(Folder); // of an earlier run
  if (Copies.size() > 1)
    if (Error E = createFolder(Folder)) {
      error() << "cannot create '" << Folder << "': " << toString(std::move(E))
              << "\n";
      return InputError;
    }
  bool Written = all_of(Copies.drop_front(), Write) && Write(Copies.front());
  if (!Written)
    removeHeaders(Folder);
  return Written ? Done : InputError;
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
  Sources Files(Options.Input, Input->getBuffer(), Diags);
  std::vector<Copy> Copies =
      Options.Auto ? rewriteAuto(Options, *Options.Auto, Files, *Cuda, Diags)
                   : rewrite(rewriteOptions(Options), Files, *Cuda, Diags);
  print(Diags, Files, Options.Remarks, errs());
  if (Diags.hasErrors())
    return InputError;
  if (Options.Output == "-")
    return printResult(Copies.front().Text);
  return writeCopies(Copies);
}

/// All files, also behind one that has errors.
static ExitCode runAll(ArrayRef<CommandLine> Files) {
  ExitCode Worst = Done;
  for (const CommandLine &File : Files) {
    StringRef Folder = sys::path::parent_path(File.Output);
    if (File.MakeFolder && errorToBool(createFolder(Folder))) {
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
