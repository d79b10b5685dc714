// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr/RewriteFile.h"

#include "kinstr/Print.h"
#include "rewrite/AutoAnnotate.h"
#include "support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace kinstr {

static raw_ostream &error(raw_ostream &Errors) {
  return WithColor::error(Errors, "kinstr");
}

ExitCode usage(const Twine &Message, raw_ostream &Errors) {
  error(Errors) << Message << "\n";
  Errors << "usage: kinstr FILE.cu [-o OUT] [options]; see kinstr --help\n";
  return UsageError;
}

/// Reads the input, or says why not and returns null.
static std::unique_ptr<MemoryBuffer> readInput(StringRef Path,
                                               raw_ostream &Errors) {
  if (sys::fs::is_directory(Path)) {
    error(Errors) << "cannot read '" << Path << "': is a directory\n";
    return nullptr;
  }
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer) {
    error(Errors) << "cannot read '" << Path
                  << "': " << Buffer.getError().message() << "\n";
    return nullptr;
  }
  return std::move(*Buffer);
}

/// A NUL byte: not a source file. Its line is not fit to be printed.
static bool rejectBinary(StringRef Path, StringRef Code, raw_ostream &Errors) {
  StringRef Before = Code.take_until([](char C) { return C == 0; });
  if (Before.size() == Code.size())
    return false;
  Errors << Path << ':' << Before.count('\n') + 1 << ':'
         << Before.size() - (Before.rfind('\n') + 1) + 1 << ": ";
  WithColor(Errors, HighlightColor::Error) << "error: ";
  Errors << "the file contains a NUL byte\n";
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
  return {Options.Output, Options.AskedBuffer, Options.WriteThrough,
          Options.Compile};
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
static ExitCode printResult(StringRef Text, raw_ostream &Errors) {
  outs() << Text;
  outs().flush();
  if (std::error_code EC = outs().error()) {
    outs().clear_error();
    error(Errors) << "cannot write to standard output: "
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
static ExitCode writeCopies(ArrayRef<Copy> Copies, raw_ostream &Errors) {
  std::string Folder = headerFolder(Copies.front().Path);
  auto Write = [&](const Copy &C) {
    Error E = writeFile(C.Path, C.Text);
    if (!E)
      return true;
    error(Errors) << "cannot write '" << C.Path
                  << "': " << toString(std::move(E)) << "\n";
    return false;
  };
  removeHeaders(Folder); // of an earlier run
  if (Copies.size() > 1)
    if (Error E = createFolder(Folder)) {
      error(Errors) << "cannot create '" << Folder
                    << "': " << toString(std::move(E)) << "\n";
      return InputError;
    }
  bool Written = all_of(Copies.drop_front(), Write) && Write(Copies.front());
  if (!Written)
    removeHeaders(Folder);
  return Written ? Done : InputError;
}

std::vector<Copy> copiesOf(const CommandLine &Options, Sources &Files,
                           const Toolkit &Cuda, Diagnostics &Diags) {
  return Options.Auto ? rewriteAuto(Options, *Options.Auto, Files, Cuda, Diags)
                      : rewrite(rewriteOptions(Options), Files, Cuda, Diags);
}

ExitCode rewriteFile(const CommandLine &Options, raw_ostream &Errors) {
  std::unique_ptr<MemoryBuffer> Input = readInput(Options.Input, Errors);
  if (!Input)
    return InputError;
  if (sameFile(Options.Output, Options.Input))
    return usage("the output '" + Options.Output +
                     "' would overwrite the input",
                 Errors);
  Expected<Toolkit> Cuda = findToolkit(Options.CudaPath);
  if (!Cuda) {
    error(Errors) << toString(Cuda.takeError()) << "\n";
    return InputError;
  }
  if (rejectBinary(Options.Input, Input->getBuffer(), Errors))
    return InputError;
  Diagnostics Diags;
  Sources Files(Options.Input, Input->getBuffer(), Diags);
  std::vector<Copy> Copies = copiesOf(Options, Files, *Cuda, Diags);
  print(Diags, Files, Options.Remarks, Errors);
  if (Diags.hasErrors())
    return InputError;
  if (Options.Output == "-")
    return printResult(Copies.front().Text, Errors);
  return writeCopies(Copies, Errors);
}

} // namespace kinstr
