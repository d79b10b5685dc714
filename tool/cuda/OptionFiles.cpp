// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/OptionFiles.h"

#include "support/Paths.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace kinstr {

std::vector<std::string> splitOptions(StringRef Text) {
  std::vector<std::string> Out;
  bool Quoted = false, InWord = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (!Quoted && isSpace(C)) {
      InWord = false;
      continue;
    }
    if (!InWord)
      Out.emplace_back();
    InWord = true;
    if (C == '"')
      Quoted = !Quoted;
    else if (C == '\\' && I + 1 < Text.size())
      Out.back() += Text[++I];
    else
      Out.back() += C;
  }
  return Out;
}

/// The files that the argument at \p I names, and how many arguments say so: 0
/// if it is another option.
static unsigned filesNamedAt(ArrayRef<const char *> Args, size_t I,
                             SmallVectorImpl<StringRef> &Files) {
  StringRef Arg = Args[I];
  unsigned Used = 1;
  if (Arg == "-optf" || Arg == "--options-file") {
    if (I + 1 == Args.size())
      return 0;
    Arg = Args[I + 1];
    Used = 2;
  } else if (!Arg.consume_front("-optf=") &&
             !Arg.consume_front("--options-file=")) {
    return 0;
  }
  Arg.split(Files, ',', -1, false);
  return Used;
}

static Error readOptionFile(StringRef Name, StringRef Folder,
                            StringSaver &Saver,
                            SmallVectorImpl<const char *> &Out) {
  auto Text = MemoryBuffer::getFile(inFolder(Folder, Name));
  if (!Text)
    return createStringError("cannot read the options file '" + Name +
                             "': " + Text.getError().message());
  for (const std::string &Word : splitOptions((*Text)->getBuffer()))
    Out.push_back(Saver.save(Word).begin()); // saved with a final NUL
  return Error::success();
}

Error expandOptionFiles(SmallVectorImpl<const char *> &Args, StringSaver &Saver,
                        StringRef Folder) {
  unsigned Read = 0;
  for (size_t I = 0; I < Args.size() && StringRef(Args[I]) != "--";) {
    SmallVector<StringRef, 4> Files;
    unsigned Used = filesNamedAt(Args, I, Files);
    if (Used == 0) {
      ++I;
      continue;
    }
    SmallVector<const char *, 16> Inside;
    for (StringRef File : Files)
      if (Error E = readOptionFile(File, Folder, Saver, Inside))
        return E;
    Args.erase(Args.begin() + I, Args.begin() + I + Used);
    Args.insert(Args.begin() + I, Inside.begin(), Inside.end());
    Read += Files.size();
    if (Read > 1000 || Args.size() > 100000)
      return createStringError("options files include each other");
  }
  return Error::success();
}

} // namespace kinstr
