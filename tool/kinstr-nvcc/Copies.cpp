// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/Copies.h"

#include "kinstr-nvcc/DepFile.h"
#include "support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <tuple>

using namespace llvm;

namespace kinstr {

bool isRewritten(StringRef Copy) {
  auto File = MemoryBuffer::getFile(Copy);
  if (!File)
    return false;
  StringRef Text = (*File)->getBuffer();
  Text.consume_front("\xEF\xBB\xBF"); // a byte-order mark
  if (Text.consume_front("#define KINSTR_STATE_DEVICE"))
    Text = Text.ltrim();
  return Text.starts_with("#include <kinstr/trace.cuh>");
}

void removeCopy(StringRef Copy) {
  std::ignore = sys::fs::remove(Copy);
  // A folder that holds something else stays.
  StringRef Folder = sys::path::parent_path(Copy);
  if (sys::fs::is_directory(Folder))
    std::ignore = sys::fs::remove(Folder);
}

/// The file that a rewritten file says it is: the first #line in it.
static std::optional<std::string> originalNamedIn(StringRef Copy) {
  auto File = MemoryBuffer::getFile(Copy);
  if (!File)
    return std::nullopt;
  StringRef Text = (*File)->getBuffer();
  size_t At = Text.find("#line 1 \"");
  if (At == StringRef::npos || Text.take_front(At).count('\n') > 2)
    return std::nullopt;
  std::string Out;
  Text = Text.drop_front(At + sizeof("#line 1 \"") - 1);
  for (; !Text.empty() && Text.front() != '"'; Text = Text.drop_front()) {
    Text.consume_front("\\");
    Out += Text.front();
  }
  return Out;
}

static Error
renameIn(StringRef DepFile,
         function_ref<std::optional<std::string>(StringRef)> OriginalOf) {
  auto Text = MemoryBuffer::getFile(DepFile);
  if (!Text)
    return createStringError("cannot read '" + DepFile +
                             "': " + Text.getError().message());
  std::string New = renameDependencies((*Text)->getBuffer(), OriginalOf);
  if (New == (*Text)->getBuffer())
    return Error::success();
  if (Error E = writeFile(DepFile, New))
    return createStringError("cannot write '" + DepFile +
                             "': " + toString(std::move(E)));
  return Error::success();
}

Error renameInDepFiles(const NvccCommand &Command,
                       ArrayRef<std::string> Copies) {
  for (auto [Input, Copy] : zip(Command.Inputs, Copies)) {
    std::string DepFile = Command.depFileOf(Input);
    if (Copy.empty() || DepFile.empty())
      continue;
    StringRef Original = Input.Path, Own = asDependency(Copy);
    // Rewritten headers lie in the same folder.
    StringRef Folder = sys::path::parent_path(Own);
    auto OriginalOf = [&](StringRef Name) -> std::optional<std::string> {
      Name = asDependency(Name);
      if (Name == Own)
        return asDependency(Original).str();
      if (!Name.starts_with(Folder) ||
          !Name.substr(Folder.size()).starts_with("/"))
        return std::nullopt;
      // A copy finds what lies beside its original by the way from here to
      // there. Make must not depend on this folder.
      SmallString<256> Straight(Name);
      sys::path::remove_dots(Straight, /*remove_dot_dot=*/true);
      if (Straight.starts_with((Folder + "/").str()))
        return originalNamedIn(Name);
      return Straight.str().str();
    };
    if (Error E = renameIn(DepFile, OriginalOf))
      return E;
  }
  return Error::success();
}

} // namespace kinstr
