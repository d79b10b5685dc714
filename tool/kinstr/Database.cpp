// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr/Database.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang::tooling;
using namespace llvm;

namespace kinstr {

/// Launchers such as ccache stand before the compiler, of which only the name
/// is known.
static size_t wordsOfCompiler(ArrayRef<std::string> Command) {
  for (size_t I = 0; I < Command.size() && Command[I].front() != '-'; ++I)
    if (StringRef Name = sys::path::filename(Command[I]);
        Name.contains("nvcc") || Name.contains("clang"))
      return I + 1;
  return 1;
}

static std::string inTermsOfNvcc(StringRef ClangArg) {
  for (StringRef Option : {"--offload-arch=", "--cuda-gpu-arch="})
    if (ClangArg.consume_front(Option))
      return ("-arch=" + ClangArg).str();
  return ClangArg.str();
}

Expected<CompileCommand> findCompileCommand(StringRef Database,
                                            StringRef File) {
  SmallString<256> Path(Database), Absolute(File);
  if (sys::fs::is_directory(Path))
    sys::path::append(Path, "compile_commands.json");
  std::string Message;
  auto Commands = JSONCompilationDatabase::loadFromFile(
      Path, Message, JSONCommandLineSyntax::AutoDetect);
  if (!Commands)
    return createStringError("cannot read '" + Path +
                             "': " + StringRef(Message).rtrim(".\n"));
  if (std::error_code EC = sys::fs::make_absolute(Absolute))
    return createStringError(EC, "no current folder");
  sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  std::vector<clang::tooling::CompileCommand> Found =
      Commands->getCompileCommands(Absolute);
  if (Found.empty() || Found.front().CommandLine.empty())
    return createStringError("'" + Path + "' has no command for '" + File +
                             "'");
  ArrayRef<std::string> Words = Found.front().CommandLine;
  CompileCommand Out;
  Out.Directory = Found.front().Directory;
  for (StringRef Word : Words.drop_front(wordsOfCompiler(Words)))
    Out.Args.push_back(inTermsOfNvcc(Word));
  return Out;
}

} // namespace kinstr
