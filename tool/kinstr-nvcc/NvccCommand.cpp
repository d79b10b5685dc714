// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/NvccCommand.h"

#include "OptionTable.inc"
#include "cuda/OptionFiles.h"
#include "support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kinstr {

//===----------------------------------------------------------------------===//
// Files by their names
//===----------------------------------------------------------------------===//

/// What nvcc links and does not compile.
static bool isLinked(StringRef Extension) {
  constexpr StringLiteral Known[] = {".o",   ".obj",  ".a",     ".lib",
                                     ".so",  ".ptx",  ".cubin", ".fatbin",
                                     ".res", ".ltoir"};
  return is_contained(Known, Extension);
}

static bool isInputName(StringRef Name) {
  constexpr StringLiteral Sources[] = {".cu",  ".c", ".cc", ".cpp",
                                       ".cxx", ".i", ".ii", ".gpu"};
  StringRef Extension = sys::path::extension(Name);
  return isLinked(Extension) || is_contained(Sources, Extension);
}

unsigned compilerWords(ArrayRef<std::string> Args,
                       function_ref<bool(StringRef)> IsProgram) {
  unsigned Words = 0;
  for (StringRef Arg : Args) {
    if (Arg.starts_with("-") || isInputName(Arg) || !IsProgram(Arg))
      break;
    ++Words;
    if (sys::path::filename(Arg).contains("nvcc"))
      break;
  }
  return Words;
}

StringRef NvccInput::folder() const {
  StringRef Parent = sys::path::parent_path(Path);
  return Parent.empty() ? "." : Parent;
}

std::string NvccCommand::outputOf(const NvccInput &Input) const {
  if (!Output.empty())
    return Output;
  if (What == Goal::Program)
    return inFolder(OutputFolder, "a.out");
  return inFolder(OutputFolder, sys::path::stem(Input.Path) + OutputExtension);
}

std::string NvccCommand::depFileOf(const NvccInput &Input) const {
  if (!WritesDepFiles)
    return "";
  if (!DepFile.empty())
    return DepFile;
  if (Output.empty())
    return inFolder(OutputFolder, sys::path::stem(Input.Path) + ".d");
  SmallString<256> Path(Output);
  sys::path::replace_extension(Path, "d");
  return Path.str().str();
}

//===----------------------------------------------------------------------===//
// Reading the options
//===----------------------------------------------------------------------===//

/// With one of these no kernel of the program is compiled.
static constexpr OptionId OtherGoals[] = {
    OPT_help,
    OPT_version,
    OPT_nvcc_preprocess,
    OPT_nvcc_generate_dependencies,
    OPT_nvcc_generate_nonsystem_dependencies,
    OPT_nvcc_dryrun,
    OPT_nvcc_clean_targets,
    OPT_nvcc_device_link,
    OPT_nvcc_relocatable_link,
    OPT_nvcc_cuda,
    OPT_nvcc_optix_ir,
    OPT_nvcc_list_gpu_code,
    OPT_nvcc_list_gpu_arch,
};

static void readGoal(const ArgList &Args, NvccCommand &Out) {
  using Goal = NvccCommand::Goal;
  Out.What = Goal::Program;
  for (const Arg *A : Args) {
    unsigned Id = A->getOption().getUnaliasedOption().getID();
    auto Set = [&](Goal What, StringRef Extension) {
      Out.What = What;
      Out.OutputExtension = Extension.str();
    };
    switch (Id) {
    case OPT_nvcc_compile:
    case OPT_nvcc_device_c:
    case OPT_nvcc_device_w:
      Set(Goal::Objects, ".o");
      break;
    case OPT_nvcc_ptx:
      Set(Goal::Device, ".ptx");
      break;
    case OPT_nvcc_cubin:
      Set(Goal::Device, ".cubin");
      break;
    case OPT_nvcc_fatbin:
      Set(Goal::Device, ".fatbin");
      break;
    case OPT_nvcc_ltoir:
      Set(Goal::Device, ".ltoir");
      break;
    case OPT_nvcc_lib:
      Set(Goal::Library, ".a");
      break;
    case OPT_nvcc_run:
      Out.Runs = true;
      break;
    default:
      if (is_contained(OtherGoals, OptionId(Id))) {
        Out.What = Goal::Other;
        return;
      }
    }
  }
}

static void readOutputs(const ArgList &Args, NvccCommand &Out) {
  Out.Output = Args.getLastArgValue(OPT_output).str();
  Out.OutputFolder = Args.getLastArgValue(OPT_nvcc_output_directory).str();
  Out.DepFile = Args.getLastArgValue(OPT_nvcc_dependency_output).str();
  Out.WritesDepFiles =
      Args.hasArg(OPT_nvcc_generate_dependencies_with_compile,
                  OPT_nvcc_generate_nonsystem_dependencies_with_compile);
}

static void readFlags(const ArgList &Args, NvccCommand &Out) {
  Out.Verbose = Args.hasArg(OPT_nvcc_verbose);
  ArgStringList Flags;
  for (const Arg *A : Args)
    if (A->getOption().getGroup().isValid() &&
        !A->getOption().matches(OPT_output))
      A->render(Args, Flags);
  Out.Flags.assign(Flags.begin(), Flags.end());
}

/// Notes where in Out.Args, from which \p Args were read, things stand.
static void readPlaces(const InputArgList &Args, NvccCommand &Out) {
  bool AllCuda = false, NoCuda = false;
  if (const Arg *Language = Args.getLastArg(OPT_nvcc_x)) {
    AllCuda = Language->getValue() == StringRef("cu");
    NoCuda = !AllCuda;
  }
  for (const Arg *A : Args) {
    unsigned Id = A->getOption().getUnaliasedOption().getID();
    size_t At = A->getIndex();
    auto Note = [&](std::vector<size_t> &Places) {
      Places.push_back(At);
      const Arg *Spelled = A->getAlias() ? A->getAlias() : A;
      if (Spelled->getOption().getKind() == Option::SeparateClass)
        Places.push_back(At + 1);
    };
    if (Id == OPT_INPUT) {
      StringRef Path = A->getValue();
      StringRef Extension = sys::path::extension(Path);
      Out.Inputs.push_back({At, Path.str(),
                            AllCuda || (Extension == ".cu" && !NoCuda),
                            AllCuda || !isLinked(Extension)});
    } else if (Id == OPT_output) {
      Note(Out.OutputArgs);
    } else if (Id == OPT_nvcc_dependency_output) {
      Note(Out.DepFileArgs);
    } else if (Id == OPT_nvcc_x) {
      Note(Out.LanguageArgs);
    } else if (Id == OPT_nvcc_lib || Id == OPT_nvcc_run ||
               Id == OPT_nvcc_link) {
      Note(Out.GoalArgs);
    }
  }
}

/// Adds to \p Missing the values that are not there.
static InputArgList parse(const OptionTable &Table, ArrayRef<const char *> Args,
                          unsigned &Missing) {
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList Out = Table.ParseArgs(Args, MissingIndex, MissingCount);
  Missing += MissingCount;
  return Out;
}

static void append(SmallVectorImpl<const char *> &To,
                   ArrayRef<std::string> Args) {
  for (const std::string &Arg : Args)
    To.push_back(Arg.c_str());
}

Expected<NvccCommand> parseNvccCommand(ArrayRef<std::string> Args,
                                       ArrayRef<std::string> Before,
                                       ArrayRef<std::string> Behind) {
  BumpPtrAllocator Alloc;
  StringSaver Saver(Alloc);
  OptionTable Table;
  SmallVector<const char *, 64> Given, Expanded, Whole;
  append(Given, Args);
  Expanded = Given;
  if (Error E = expandOptionFiles(Expanded, Saver))
    return E;
  append(Whole, Before);
  Whole.append(Expanded);
  append(Whole, Behind);

  NvccCommand Out;
  unsigned Missing = 0;
  InputArgList All = parse(Table, Whole, Missing);
  readGoal(All, Out);
  readOutputs(All, Out);
  readFlags(All, Out);
  // The command stays as it was given where that names all inputs.
  InputArgList Own = parse(Table, Given, Missing);
  if (Own.getAllArgValues(OPT_INPUT).size() !=
      All.getAllArgValues(OPT_INPUT).size()) {
    Given = Expanded;
    Own = parse(Table, Given, Missing);
  }
  Out.Args.assign(Given.begin(), Given.end());
  readPlaces(Own, Out);
  // nvcc complains itself. What is added must not become the value.
  if (Missing)
    Out.What = NvccCommand::Goal::Other;
  return Out;
}

} // namespace kinstr
