// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;

namespace kinstr {

/// Beside what \p Input becomes. No option, whatever the output's name.
static std::string folderOfCopy(const NvccCommand &Command,
                                const NvccInput &Input) {
  std::string Output = Command.outputOf(Input);
  return (StringRef(Output).starts_with("-") ? "./" : "") + Output + ".kinstr";
}

Words placesOfCopies(const NvccCommand &Command) {
  Words Out;
  StringSet<> Taken;
  for (const NvccInput &Input : Command.Inputs) {
    if (!Input.IsCuda || Command.What == NvccCommand::Goal::Other) {
      Out.emplace_back();
      continue;
    }
    StringRef Name = sys::path::filename(Input.Path);
    std::string Folder = folderOfCopy(Command, Input);
    std::string Copy = (Folder + "/" + Name).str();
    // x/a.cu and y/a.cu of one program.
    for (unsigned N = 2; !Taken.insert(Copy).second; ++N)
      Copy = (Folder + "/" + Twine(N) + "/" + Name).str();
    Out.push_back(Copy);
  }
  return Out;
}

std::string quotedIncludeFlag(StringRef Folder) {
  auto IsPlain = [](unsigned char C) {
    return isAlnum(C) || C >= 0x80 || StringRef("/._-+=@%:").contains(C);
  };
  if (all_of(Folder, IsPlain))
    return ("-Xcompiler=-iquote," + Folder).str();
  std::string Quoted;
  for (char C : Folder) {
    if (StringRef("\\\"$`,").contains(C))
      Quoted += '\\';
    Quoted += C;
  }
  return "-Xcompiler=\"-iquote" + Quoted + "\"";
}

Words kinstrCommand(const NvccCommand &Command, const NvccInput &Input,
                    StringRef Copy, const Installation &Own, StringRef CudaPath,
                    ArrayRef<std::string> Asked) {
  // Asked may end in "--" and arguments for clang.
  Words Out = {Own.Bin + "/kinstr", Input.Path, "-o", Copy.str(),
               "--no-remarks"};
  if (!CudaPath.empty())
    Out.push_back(("--cuda-path=" + CudaPath).str());
  append_range(Out, Command.Flags);
  append_range(Out, Asked);
  return Out;
}

namespace {

/// A copy of a command's arguments under change. Places stay valid until
/// take().
class Edit {
public:
  explicit Edit(const NvccCommand &Command)
      : Slots(Command.Args.begin(), Command.Args.end()) {}

  void replace(size_t Place, StringRef With) { Slots[Place] = With.str(); }
  void drop(ArrayRef<size_t> Places) {
    for (size_t Place : Places)
      Slots[Place].reset();
  }
  void addInFront(StringRef Arg) { Front.push_back(Arg.str()); }
  void addBehind(ArrayRef<std::string> Args) { append_range(Behind, Args); }

  Words take() {
    Words Out = std::move(Front);
    for (std::optional<std::string> &Slot : Slots)
      if (Slot)
        Out.push_back(std::move(*Slot));
    append_range(Out, Behind);
    return Out;
  }

private:
  std::vector<std::optional<std::string>> Slots;
  Words Front, Behind;
};

/// Makes the steps of one command.
class Planner {
public:
  Planner(const NvccCommand &Command, ArrayRef<std::string> Copies,
          const Installation &Own)
      : Command(Command), Copies(Copies), Own(Own) {}

  NvccSteps plan() {
    NvccSteps Out;
    if (oneFolder())
      Out.Commands.push_back(together());
    else if (linksAll())
      linkOneByOne(Out);
    else
      for (const NvccInput &Input : Command.Inputs)
        Out.Commands.push_back(alone(Input).take());
    return Out;
  }

private:
  /// The files of a program or a library end in one file.
  bool linksAll() const {
    return Command.What == NvccCommand::Goal::Program ||
           Command.What == NvccCommand::Goal::Library;
  }

  const std::string &copyOf(const NvccInput &Input) const {
    return Copies[&Input - Command.Inputs.data()];
  }

  bool oneFolder() const {
    if (all_of(Copies, [](const std::string &Copy) { return Copy.empty(); }))
      return true;
    std::vector<StringRef> Folders;
    for (const NvccInput &Input : Command.Inputs)
      if (Input.IsCompiled)
        Folders.push_back(Input.folder());
    return all_equal(Folders);
  }

  /// What the copies of files in \p Folder need to be compiled.
  void addFlags(Edit &Args, StringRef Folder) const {
    Args.addInFront(quotedIncludeFlag(Folder));
    // Last, so that it hides no folder of the user's.
    Args.addBehind({"-I" + Own.Include});
  }

  void addRuntime(Edit &Args) const {
    if (Command.What == NvccCommand::Goal::Program && !Own.Lib.empty())
      Args.addBehind({"-L" + Own.Lib, "-lkinstr_rt"});
  }

  Words together() const {
    Edit Args(Command);
    const NvccInput *Copied = nullptr;
    for (const NvccInput &Input : Command.Inputs) {
      if (copyOf(Input).empty())
        continue;
      Args.replace(Input.Arg, copyOf(Input));
      Copied = &Input;
    }
    if (Copied)
      addFlags(Args, Copied->folder());
    addRuntime(Args);
    return Args.take();
  }

  /// The command for one input only.
  Edit alone(const NvccInput &Kept) const {
    Edit Args(Command);
    for (const NvccInput &Input : Command.Inputs)
      if (&Input != &Kept)
        Args.drop(Input.Arg);
    if (!copyOf(Kept).empty()) {
      Args.replace(Kept.Arg, copyOf(Kept));
      addFlags(Args, Kept.folder());
    }
    return Args;
  }

  /// Each source file becomes an object; then everything is linked as asked.
  void linkOneByOne(NvccSteps &Out) const {
    Edit Link(Command);
    for (const NvccInput &Input : Command.Inputs) {
      if (!Input.IsCompiled)
        continue;
      std::string Object = folderOfCopy(Command, Input) + "/" +
                           utostr(Out.Commands.size()) + ".o";
      Out.Commands.push_back(compileTo(Input, Object));
      Out.Temporaries.push_back(Object);
      Link.replace(Input.Arg, Object);
    }
    Link.drop(Command.LanguageArgs);
    addRuntime(Link);
    Out.Commands.push_back(Link.take());
  }

  Words compileTo(const NvccInput &Input, StringRef Object) const {
    Edit Args = alone(Input);
    Args.drop(Command.GoalArgs);
    Args.drop(Command.OutputArgs);
    Args.addBehind({"-c", "-o", Object.str()});
    if (Command.WritesDepFiles) {
      Args.drop(Command.DepFileArgs);
      Args.addBehind({"-MF", Command.depFileOf(Input)});
    }
    return Args.take();
  }

  const NvccCommand &Command;
  ArrayRef<std::string> Copies;
  const Installation &Own;
};

} // namespace

NvccSteps compileCopies(const NvccCommand &Command,
                        ArrayRef<std::string> Copies, const Installation &Own) {
  return Planner(Command, Copies, Own).plan();
}

} // namespace kinstr
