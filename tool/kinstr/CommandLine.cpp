// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr/CommandLine.h"

#include "LLVMCompat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::opt;

namespace kinstr {

//===----------------------------------------------------------------------===//
// The table generated from Options.td
//===----------------------------------------------------------------------===//

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#if KINSTR_OPTTABLE_STRING_TABLES
#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE
#else
#define PREFIX(NAME, VALUE)                                                    \
  static constexpr StringLiteral NAME##_init[] = VALUE;                        \
  static constexpr ArrayRef<StringLiteral> NAME(NAME##_init,                   \
                                                std::size(NAME##_init) - 1);
#include "Options.inc"
#undef PREFIX
#endif

static constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

namespace {
class KinstrOptTable : public GenericOptTable {
public:
#if KINSTR_OPTTABLE_STRING_TABLES
  KinstrOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, InfoTable) {}
#else
  KinstrOptTable() : GenericOptTable(InfoTable) {}
#endif
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading it
//===----------------------------------------------------------------------===//

/// nvcc's -optf: a file with more arguments, separated by white space.
static Error expandOptionFiles(SmallVectorImpl<const char *> &Args,
                               StringSaver &Saver) {
  unsigned Files = 0;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--")
      break;
    size_t Used = 1;
    StringRef Path;
    if (Arg.consume_front("-optf=") || Arg.consume_front("--options-file=")) {
      Path = Arg;
    } else if ((Arg == "-optf" || Arg == "--options-file") &&
               I + 1 < Args.size()) {
      Path = Args[I + 1];
      Used = 2;
    } else {
      continue;
    }
    auto Text = MemoryBuffer::getFile(Path);
    if (!Text)
      return createStringError("cannot read the options file '" + Path +
                               "': " + Text.getError().message());
    SmallVector<StringRef, 16> Words;
    SplitString((*Text)->getBuffer(), Words);
    Args.erase(Args.begin() + I, Args.begin() + I + Used);
    SmallVector<const char *, 16> Saved;
    for (StringRef Word : Words)
      Saved.push_back(Saver.save(Word).begin()); // saved with a final NUL
    Args.insert(Args.begin() + I, Saved.begin(), Saved.end());
    --I;
    if (++Files > 1000 || Args.size() > 100000)
      return createStringError("options files include each other");
  }
  return Error::success();
}

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

static Error readCompileOptions(const ArgList &Args, CompileOptions &Out) {
  readPreprocessor(Args, Out);
  for (const std::string &Arch :
       Args.getAllArgValues(OPT_nvcc_gpu_architecture))
    if (Error E = addArchitecture(Arch, Out.Architectures))
      return E;
  for (const std::string &Code : Args.getAllArgValues(OPT_nvcc_generate_code))
    if (Error E = addGencode(Code, Out.Architectures))
      return E;
  Out.Standard = Args.getLastArgValue(OPT_nvcc_std).str();
  Out.RelaxedConstexpr = Args.hasArg(OPT_nvcc_expt_relaxed_constexpr);
  Out.ExtendedLambda =
      Args.hasArg(OPT_nvcc_extended_lambda, OPT_nvcc_expt_extended_lambda);
  Out.RelocatableDeviceCode =
      Args.hasArg(OPT_nvcc_device_c) ||
      Args.getLastArgValue(OPT_nvcc_relocatable_device_code) == "true";
  Out.DeviceDebug = Args.hasArg(OPT_nvcc_device_debug);
  Out.PerThreadDefaultStream =
      Args.getLastArgValue(OPT_nvcc_default_stream) == "per-thread";
  Out.ClangArgs = Args.getAllArgValues(OPT_dash_dash);
  return Error::success();
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

static Error unknownOption(const KinstrOptTable &Table, StringRef Option) {
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

  KinstrOptTable Table;
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
  Out.Remarks = !Args.hasArg(OPT_no_remarks);
  Expected<std::optional<Buffer>> B = readBuffer(Args);
  if (!B)
    return B.takeError();
  Out.AskedBuffer = *B;
  if (Error E = readAuto(Args, Out))
    return E;
  if (Error E = readCompileOptions(Args, Out.Compile))
    return E;
  return Out;
}

void printHelp(raw_ostream &OS) {
  KinstrOptTable().printHelp(
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
