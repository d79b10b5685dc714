// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr/CommandLine.h"

#include "OptionTable.inc"
#include "cuda/OptionFiles.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kinstr {

/// Options that decide how the source is read. Lists may be comma-separated,
/// as nvcc has it.
static void readPreprocessor(const ArgList &Args, CompileOptions &Out) {
  auto Add = [&](StringRef Flag, StringRef Values, bool Split) {
    SmallVector<StringRef, 4> Parts;
    if (Split)
      Values.split(Parts, ',', -1, false);
    else
      Parts.push_back(Values);
    for (StringRef Part : Parts) {
      Out.Preprocessor.push_back(Flag.str());
      Out.Preprocessor.push_back(Part.str());
    }
  };
  for (const Arg *A : Args) {
    switch (A->getOption().getUnaliasedOption().getID()) {
    case OPT_nvcc_include_path:
      Add("-I", A->getValue(), true);
      break;
    case OPT_nvcc_system_include:
      Add("-isystem", A->getValue(), true);
      break;
    case OPT_nvcc_pre_include:
      Add("-include", A->getValue(), true);
      break;
    case OPT_nvcc_define_macro:
      Add("-D", A->getValue(), false);
      break;
    case OPT_nvcc_undefine_macro:
      Add("-U", A->getValue(), true);
      break;
    default:
      break;
    }
  }
}

static void readCompileOptions(const ArgList &Args, CompileOptions &Out) {
  readPreprocessor(Args, Out);
  for (const std::string &Arch :
       Args.getAllArgValues(OPT_nvcc_gpu_architecture))
    addArchitectures(Arch, Out.Architectures);
  for (const std::string &Code : Args.getAllArgValues(OPT_nvcc_generate_code))
    addArchitectures(Code, Out.Architectures);
  Out.Standard = Args.getLastArgValue(OPT_nvcc_std).str();
  Out.RelaxedConstexpr = Args.hasArg(OPT_nvcc_expt_relaxed_constexpr);
  Out.ExtendedLambda =
      Args.hasArg(OPT_nvcc_extended_lambda, OPT_nvcc_expt_extended_lambda);
  Out.RelocatableDeviceCode =
      Args.hasArg(OPT_nvcc_device_c) ||
      Args.getLastArgValue(OPT_nvcc_relocatable_device_code) == "true";
  Out.PerThreadDefaultStream =
      Args.getLastArgValue(OPT_nvcc_default_stream) == "per-thread";
  Out.ClangArgs = Args.getAllArgValues(OPT_dash_dash);
}

static Expected<std::optional<Buffer>> readBuffer(const ArgList &Args) {
  const Arg *A = Args.getLastArg(OPT_buffer_eq);
  if (!A)
    return std::nullopt;
  StringRef Value = A->getValue();
  if (Value == "shared")
    return Buffer::Shared;
  if (Value == "global")
    return Buffer::Global;
  return createStringError("unknown buffer '" + Value +
                           "': use 'shared' or 'global'");
}

static Error unknownOption(const OptionTable &Table, StringRef Option) {
  std::string Nearest;
  if (Table.findNearest(Option, Nearest) <= 1)
    return createStringError("unknown option '" + Option + "'; did you mean '" +
                             Nearest + "'?");
  return createStringError("unknown option '" + Option +
                           "'; options for clang go behind '--'");
}

Expected<CommandLine> parseCommandLine(ArrayRef<const char *> Argv) {
  BumpPtrAllocator Alloc;
  StringSaver Saver(Alloc);
  SmallVector<const char *, 64> Expanded(Argv.begin(), Argv.end());
  if (Error E = expandOptionFiles(Expanded, Saver))
    return E;

  OptionTable Table;
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList Args = Table.ParseArgs(Expanded, MissingIndex, MissingCount);
  CommandLine Out;
  if (Args.hasArg(OPT_help)) {
    Out.What = CommandLine::Action::Help;
    return Out;
  }
  if (Args.hasArg(OPT_version)) {
    Out.What = CommandLine::Action::Version;
    return Out;
  }
  if (Args.hasArg(OPT_nvcc_flags)) {
    Out.What = CommandLine::Action::NvccFlags;
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

  std::vector<std::string> Inputs = Args.getAllArgValues(OPT_INPUT);
  if (Inputs.empty())
    return createStringError("no input file");
  if (Inputs.size() > 1)
    return createStringError("more than one input file: '" + Inputs[0] +
                             "' and '" + Inputs[1] + "'");
  Out.Input = Inputs.front();
  Out.Output = Args.getLastArgValue(OPT_output, "-").str();
  Out.CudaPath = Args.getLastArgValue(OPT_cuda_path_eq).str();
  Out.Remarks = Args.hasFlag(OPT_remarks, OPT_no_remarks, true);
  Expected<std::optional<Buffer>> B = readBuffer(Args);
  if (!B)
    return B.takeError();
  Out.AskedBuffer = *B;
  readCompileOptions(Args, Out.Compile);
  return Out;
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
  -lineinfo, -Xcompiler ...) are accepted and change nothing.

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
