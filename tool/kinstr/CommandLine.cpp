// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr/CommandLine.h"

#include "OptionTable.inc"
#include "annotate/Grammar.h"
#include "cuda/OptionFiles.h"
#include "cuda/OptionValues.h"
#include "kinstr/Database.h"
#include "support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kinstr {

/// Options that decide how the source is read.
static void readPreprocessor(const ArgList &Args, CompileOptions &Out) {
  auto Add = [&](StringRef Flag, const std::vector<std::string> &Values) {
    for (const std::string &Value : Values) {
      Out.Preprocessor.push_back(Flag.str());
      Out.Preprocessor.push_back(Value);
    }
  };
  for (const Arg *A : Args) {
    switch (A->getOption().getUnaliasedOption().getID()) {
    case OPT_nvcc_include_path:
      Add("-I", splitPaths(A->getValue()));
      break;
    case OPT_nvcc_system_include:
      Add("-isystem", splitPaths(A->getValue()));
      break;
    case OPT_nvcc_pre_include:
      Add("-include", splitPaths(A->getValue()));
      break;
    case OPT_nvcc_define_macro:
      Add("-D", splitMacros(A->getValue()));
      break;
    case OPT_nvcc_undefine_macro:
      Add("-U", splitMacros(A->getValue()));
      break;
    default:
      break;
    }
  }
}

/// Adds to \p Out, or overrides what it had, what \p Args say.
static Error readCompileOptions(const ArgList &Args, CompileOptions &Out) {
  readPreprocessor(Args, Out);
  if (Args.hasArg(OPT_nvcc_gpu_architecture, OPT_nvcc_generate_code))
    Out.Architectures.clear();
  for (const std::string &Arch :
       Args.getAllArgValues(OPT_nvcc_gpu_architecture))
    if (Error E = addArchitecture(Arch, Out.Architectures))
      return E;
  for (const std::string &Code : Args.getAllArgValues(OPT_nvcc_generate_code))
    if (Error E = addGencode(Code, Out.Architectures))
      return E;
  if (const Arg *A = Args.getLastArg(OPT_nvcc_std))
    Out.Standard = A->getValue();
  Out.RelaxedConstexpr |= Args.hasArg(OPT_nvcc_expt_relaxed_constexpr);
  Out.ExtendedLambda |=
      Args.hasArg(OPT_nvcc_extended_lambda, OPT_nvcc_expt_extended_lambda);
  Out.RelocatableDeviceCode |=
      Args.hasArg(OPT_nvcc_device_c) ||
      Args.getLastArgValue(OPT_nvcc_relocatable_device_code) == "true";
  Out.DeviceDebug |= Args.hasArg(OPT_nvcc_device_debug);
  Out.PerThreadDefaultStream |=
      Args.getLastArgValue(OPT_nvcc_default_stream) == "per-thread";
  Out.ClangArgs = Args.getAllArgValues(OPT_dash_dash);
  return Error::success();
}

/// Makes paths that are relative to \p Folder absolute.
static void makeAbsolute(StringRef Folder, CompileOptions &Options) {
  for (size_t I = 0; I + 1 < Options.Preprocessor.size(); I += 2) {
    StringRef Flag = Options.Preprocessor[I];
    std::string Path = inFolder(Folder, Options.Preprocessor[I + 1]);
    // A pre-included file may be one of an include path instead.
    if (Flag == "-I" || Flag == "-isystem" ||
        (Flag == "-include" && sys::fs::exists(Path)))
      Options.Preprocessor[I + 1] = Path;
  }
}

/// What the build does with \p File, if \p Args name its compile commands.
static Expected<CompileOptions> readDatabase(const ArgList &Args,
                                             StringRef File) {
  CompileOptions Out;
  const Arg *Database = Args.getLastArg(OPT_database);
  if (!Database)
    return Out;
  Expected<CompileCommand> Command =
      findCompileCommand(Database->getValue(), File);
  if (!Command)
    return Command.takeError();
  BumpPtrAllocator Alloc;
  StringSaver Saver(Alloc);
  SmallVector<const char *, 64> Words;
  for (const std::string &Word : Command->Args)
    Words.push_back(Word.c_str());
  if (Error E = expandOptionFiles(Words, Saver, Command->Directory))
    return E;
  // What kinstr does not know is the compiler's business.
  unsigned MissingIndex = 0, MissingCount = 0;
  if (Error E = readCompileOptions(
          OptionTable().ParseArgs(Words, MissingIndex, MissingCount), Out))
    return E;
  makeAbsolute(Command->Directory, Out);
  return Out;
}

static Expected<std::optional<Buffer>> readBuffer(const ArgList &Args) {
  const Arg *A = Args.getLastArg(OPT_buffer_eq);
  if (!A)
    return std::nullopt;
  StringRef Value = A->getValue();
  if (std::optional<Buffer> B = parseBuffer(Value))
    return B;
  return createStringError("unknown buffer '" + Value + "': " + BufferNames);
}

static Error readAuto(const ArgList &Args, CommandLine &Out) {
  if (const Arg *A = Args.getLastArg(OPT_auto, OPT_auto_eq)) {
    Out.Auto = A->getOption().matches(OPT_auto) ? "" : A->getValue();
    std::string Why;
    if (!Regex(*Out.Auto).isValid(Why) && !Out.Auto->empty())
      return createStringError("--auto: '" + *Out.Auto +
                               "' is no regular expression: " + Why);
  }
  Out.EmitAnnotations = Args.hasArg(OPT_emit_annotations);
  if (Out.EmitAnnotations && !Out.Auto)
    return createStringError("--emit-annotations needs --auto");
  return Error::success();
}

static Error unknownOption(const OptionTable &Table, StringRef Option) {
  std::string Nearest;
  if (Table.findNearest(Option, Nearest) <= 1)
    return createStringError("unknown option '" + Option + "'; did you mean '" +
                             Nearest + "'?");
  return createStringError("unknown option '" + Option +
                           "'; options for clang go behind '--'");
}

/// Where the copy of each input goes.
static Expected<std::vector<std::string>>
readOutputs(const ArgList &Args, ArrayRef<std::string> Inputs) {
  const Arg *Folder = Args.getLastArg(OPT_nvcc_output_directory);
  if (Inputs.size() == 1 && (Args.hasArg(OPT_output) || !Folder))
    return std::vector<std::string>{
        Args.getLastArgValue(OPT_output, "-").str()};
  if (!Folder)
    return createStringError("more than one input file: '" + Inputs[0] +
                             "' and '" + Inputs[1] +
                             "'; name a folder for the copies with '-odir'");
  if (Args.hasArg(OPT_output))
    return createStringError("'-o' names one file, for " +
                             Twine(Inputs.size()) + " inputs");
  std::vector<std::string> Out;
  for (StringRef Input : Inputs) {
    SmallString<256> Copy(Folder->getValue());
    sys::path::append(Copy, sys::path::filename(Input));
    if (is_contained(Out, Copy.str()))
      return createStringError("two input files would become '" + Copy + "'");
    Out.push_back(Copy.str().str());
  }
  return Out;
}

/// What is rewritten, and how.
static Expected<std::vector<CommandLine>> readFiles(const ArgList &Args) {
  std::vector<std::string> Inputs = Args.getAllArgValues(OPT_INPUT);
  if (Inputs.empty())
    return createStringError("no input file");
  Expected<std::vector<std::string>> Outputs = readOutputs(Args, Inputs);
  if (!Outputs)
    return Outputs.takeError();
  CommandLine Common;
  Common.CudaPath = Args.getLastArgValue(OPT_cuda_path_eq).str();
  Common.MakeFolder =
      Args.hasArg(OPT_nvcc_output_directory) && !Args.hasArg(OPT_output);
  Common.Remarks = Args.hasFlag(OPT_remarks, OPT_no_remarks, true);
  Expected<std::optional<Buffer>> B = readBuffer(Args);
  if (!B)
    return B.takeError();
  Common.Plan = {{*B, Args.hasArg(OPT_write_through)}, Args.hasArg(OPT_twin)};
  if (Error E = readAuto(Args, Common))
    return E;
  std::vector<CommandLine> Out(Inputs.size(), Common);
  for (auto [File, Input, Output] : zip(Out, Inputs, *Outputs)) {
    File.Input = Input;
    File.Output = Output;
    Expected<CompileOptions> Compile = readDatabase(Args, Input);
    if (!Compile)
      return Compile.takeError();
    File.Compile = std::move(*Compile);
    if (Error E = readCompileOptions(Args, File.Compile))
      return E;
  }
  return Out;
}

Expected<std::vector<CommandLine>>
parseCommandLine(ArrayRef<const char *> Argv) {
  BumpPtrAllocator Alloc;
  StringSaver Saver(Alloc);
  SmallVector<const char *, 64> Expanded(Argv.begin(), Argv.end());
  if (Error E = expandOptionFiles(Expanded, Saver))
    return E;

  OptionTable Table;
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList Args = Table.ParseArgs(Expanded, MissingIndex, MissingCount);
  using Action = CommandLine::Action;
  for (auto [Option, What] : {std::pair(OPT_help, Action::Help),
                              std::pair(OPT_version, Action::Version),
                              std::pair(OPT_nvcc_flags, Action::NvccFlags)})
    if (Args.hasArg(Option)) {
      std::vector<CommandLine> Out(1);
      Out.front().What = What;
      return Out;
    }
  if (MissingCount)
    return createStringError(Twine("option '") +
                             Args.getArgString(MissingIndex) +
                             "' needs a value");
  // With these nvcc hands on what it does not know itself.
  bool Forwarded = Args.hasArg(OPT_nvcc_forward_unknown_to_host_compiler,
                               OPT_nvcc_forward_unknown_to_host_linker,
                               OPT_nvcc_forward_unknown_opts);
  if (const Arg *Unknown = Args.getLastArg(OPT_UNKNOWN); Unknown && !Forwarded)
    return unknownOption(Table, Unknown->getSpelling());
  return readFiles(Args);
}

void printHelp(raw_ostream &OS) {
  OptionTable().printHelp(
      OS, "kinstr FILE.cu [-o OUT] [options] [nvcc flags] [-- clang args]",
      "kinstr: writes a copy of a CUDA source file in which every '// @phase' "
      "is timed");
  OS << R"(
NVCC FLAGS
  Give kinstr the flags you give nvcc: -I, -D, -U, -isystem, -include, -std,
  -arch, -gencode and the like decide how the file is read; the others (-O3,
  -lineinfo, -Xcompiler ...) are accepted and change nothing. -odir DIR
  names the folder for the copies, of several files or in place of -o.

THEN
  nvcc <your flags> $(kinstr --nvcc-flags) OUT -o program
  KINSTR_OPTIONS=out=program.kitrace ./program
  kinstr-report program.kitrace

EXIT STATUS
  0  the copy was written
  1  the input has errors: they were printed, and no file was written
  2  wrong usage

Annotations: docs/annotations.md. All options: docs/cli.md.
)";
}

} // namespace kinstr
