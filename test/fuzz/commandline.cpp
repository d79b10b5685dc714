// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines of nvcc, as kinstr and kinstr-nvcc read them. An input has
// parts that a line "---" separates: the arguments, one on each line; the
// options file a.opt; NVCC_APPEND_FLAGS; a dependency file;
// compile_commands.json.
#include "kinstr/CommandLine.h"
#include "Check.h"
#include "cuda/OptionFiles.h"
#include "kinstr-nvcc/DepFile.h"
#include "kinstr-nvcc/Plan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace kinstr;
using namespace llvm;

//===----------------------------------------------------------------------===//
// kinstr
//===----------------------------------------------------------------------===//

static void checkClangArguments(const CommandLine &File) {
  const CompileOptions &Options = File.Compile;
  Toolkit Cuda = {"/cuda", 13000, 88, ""};
  require(Options.Preprocessor.size() % 2 == 0, "each option has a value");
  for (const std::string &Arch : architecturesOf(Options, Cuda)) {
    std::vector<std::string> Args =
        clangArguments(File.Input, Arch, Options, Cuda);
    require(Args.front() == "clang++" && Args.back() == File.Input,
            "clang reads the file");
    require(
        is_contained(Args, "--cuda-gpu-arch=" + clangArchitecture(Arch, Cuda)),
        "clang reads for the architecture");
  }
}

static void checkKinstr(ArrayRef<std::string> Words) {
  std::vector<const char *> Args;
  for (const std::string &Word : Words)
    Args.push_back(Word.c_str());
  Expected<std::vector<CommandLine>> Files = parseCommandLine(Args);
  if (!Files) {
    require(!toString(Files.takeError()).empty(), "an error says something");
    return;
  }
  require(!Files->empty(), "there is something to do");
  for (const CommandLine &File : *Files)
    if (File.What == CommandLine::Action::Rewrite)
      checkClangArguments(File);
}

//===----------------------------------------------------------------------===//
// kinstr-nvcc
//===----------------------------------------------------------------------===//

static bool isSubsequence(ArrayRef<std::string> Short,
                          ArrayRef<std::string> Long) {
  for (const std::string &Word : Long)
    if (!Short.empty() && Short.front() == Word)
      Short = Short.drop_front();
  return Short.empty();
}

/// The words that no step may change.
static Words untouched(const NvccCommand &Command) {
  std::vector<bool> Changed(Command.Args.size());
  auto Note = [&](ArrayRef<size_t> Places) {
    for (size_t Place : Places) {
      require(Place < Command.Args.size(), "options are in the command");
      Changed[Place] = true;
    }
  };
  for (const NvccInput &Input : Command.Inputs) {
    Note(Input.Arg);
    require(Command.Args[Input.Arg] == Input.Path, "inputs are arguments");
  }
  Note(Command.GoalArgs);
  Note(Command.OutputArgs);
  Note(Command.DepFileArgs);
  Note(Command.LanguageArgs);
  Words Out;
  for (auto [Word, IsChanged] : zip(Command.Args, Changed))
    if (!IsChanged)
      Out.push_back(Word);
  return Out;
}

/// A step that makes a temporary object makes that and nothing else.
static void checkObjectStep(ArrayRef<std::string> Step, StringRef Object) {
  Expected<NvccCommand> Read = parseNvccCommand(Step);
  require(bool(Read), "a step is a command");
  require(Read->Output == Object && Read->Inputs.size() == 1 &&
              Read->What == NvccCommand::Goal::Objects,
          "one source file becomes the object");
}

static void checkSteps(const NvccCommand &Command, const Installation &Own) {
  Words Copies = placesOfCopies(Command);
  require(Copies.size() == Command.Inputs.size(), "a place for each input");
  for (size_t I = 0; I < Copies.size(); ++I)
    require(Copies[I].empty() ||
                !is_contained(ArrayRef(Copies).drop_front(I + 1), Copies[I]),
            "no copy overwrites another");
  Words Kept = untouched(Command);
  NvccSteps Steps = compileCopies(Command, Copies, Own);
  require(!Steps.Commands.empty(), "there is something to run");
  for (const Words &Step : Steps.Commands)
    require(isSubsequence(Kept, Step), "options stay, in their order");
  for (auto [Step, Object] : zip(Steps.Commands, Steps.Temporaries))
    checkObjectStep(Step, Object);
  for (const auto &[Input, Copy] : zip(Command.Inputs, Copies))
    if (!Copy.empty())
      checkKinstr(ArrayRef(kinstrCommand(Command, Input, Copy, Own, "", {}))
                      .drop_front());
}

static void checkNvcc(ArrayRef<std::string> Args, StringRef Behind) {
  if (Expected<NvccCommand> Whole =
          parseNvccCommand(Args, {}, splitOptions(Behind)))
    checkSteps(*Whole, {"/bin", "/include", "/lib", ""});
  else
    consumeError(Whole.takeError());
  Expected<NvccCommand> Command = parseNvccCommand(Args);
  if (!Command) {
    require(!toString(Command.takeError()).empty(), "an error says something");
    return;
  }
  if (!any_of(Args, [](StringRef Arg) { return Arg.contains("-opt"); }))
    require(Command->Args == Args.vec(), "the arguments are what was given");
  NvccSteps Steps = compileCopies(*Command, Words(Command->Inputs.size()),
                                  {"/bin", "/include", "", ""});
  require(Steps.Commands == std::vector<Words>{Command->Args},
          "without copies nothing changes");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static void checkSplitting(StringRef Text) {
  std::string Quoted;
  std::vector<std::string> Words = splitOptions(Text);
  for (StringRef Word : Words) {
    Quoted += " \"";
    for (char C : Word) {
      if (C == '"' || C == '\\')
        Quoted += '\\';
      Quoted += C;
    }
    Quoted += '"';
  }
  require(splitOptions(Quoted) == Words, "quoted words are read as they were");
}

static void checkDependencies(StringRef Text) {
  auto None = [](StringRef) -> std::optional<std::string> {
    return std::nullopt;
  };
  require(renameDependencies(Text, None) == Text, "other names stay");
  auto Same = [](StringRef Name) { return std::optional(Name.str()); };
  std::string Once = renameDependencies(Text, Same);
  require(renameDependencies(Once, Same) == Once, "escapes are read back");
}

static std::string withFolder(StringRef Text) {
  SmallString<128> Folder;
  std::error_code EC = sys::fs::current_path(Folder);
  require(!EC, "there is a current folder");
  std::string Out;
  while (!Text.empty()) {
    auto [Before, Behind] = Text.split("DIR");
    Out += Before;
    if (Before.size() != Text.size())
      Out += Folder;
    Text = Behind;
  }
  return Out;
}

static void write(const char *Path, StringRef Text) {
  std::error_code EC;
  raw_fd_ostream(Path, EC) << Text;
  require(!EC, "the fuzz target can write into its folder");
}

/// Options name files: those of this folder.
extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  SmallString<128> Folder;
  require(!sys::fs::createUniqueDirectory("kinstr-fuzz", Folder) &&
              !sys::fs::set_current_path(Folder),
          "there is a folder for files");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  // No argument holds a NUL; devices are read for ever.
  if (Text.contains('\0') || Text.contains("/dev") || Text.contains("/proc"))
    return 0;
  SmallVector<StringRef, 32> Lines;
  Text.split(Lines, '\n');
  Words Args;
  std::string Parts[5];
  size_t Part = 0;
  for (StringRef Line : Lines) {
    if (Line == "---")
      Part = std::min(Part + 1, std::size(Parts) - 1);
    else if (Part == 0)
      Args.push_back(Line.str());
    else
      Parts[Part] += (Line + "\n").str();
  }
  write("a.opt", Parts[1]);
  write("compile_commands.json", withFolder(Parts[4]));
  checkKinstr(Args);
  checkNvcc(Args, Parts[2]);
  checkSplitting(Parts[1]);
  checkDependencies(Parts[3]);
  return 0;
}
