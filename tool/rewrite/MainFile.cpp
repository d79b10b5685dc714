// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/MainFile.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace kinstr {

std::optional<unsigned> MainFile::beginOf(FileID File) const {
  if (File == SM.getMainFileID())
    return Files.main().Begin;
  auto It = Known.find(File);
  if (It == Known.end())
    return std::nullopt;
  return Files.files()[It->second].Begin;
}

std::optional<unsigned> MainFile::offset(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return std::nullopt;
  auto [File, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(Loc));
  std::optional<unsigned> Begin = beginOf(File);
  if (!Begin)
    return std::nullopt;
  return *Begin + Offset;
}

std::optional<unsigned> MainFile::spelledOffset(SourceLocation Loc) const {
  while (Loc.isMacroID()) {
    if (!SM.isMacroArgExpansion(Loc))
      return std::nullopt;
    Loc = SM.getImmediateSpellingLoc(Loc);
  }
  return offset(Loc);
}

std::optional<ByteRange> MainFile::upTo(std::optional<unsigned> Begin,
                                        std::optional<unsigned> End,
                                        SourceLocation Last) const {
  if (!Begin || !End || *End < *Begin ||
      Files.fileAt(*Begin) != Files.fileAt(*End))
    return std::nullopt;
  return ByteRange{*Begin,
                   *End + Lexer::MeasureTokenLength(Last, SM, LangOpts)};
}

std::optional<ByteRange> MainFile::range(SourceRange Range) const {
  SourceLocation Last = SM.getExpansionRange(Range.getEnd()).getEnd();
  return upTo(offset(Range.getBegin()), offset(Last), Last);
}

std::optional<ByteRange> MainFile::spelledRange(SourceRange Range) const {
  return upTo(spelledOffset(Range.getBegin()), spelledOffset(Range.getEnd()),
              SM.getSpellingLoc(Range.getEnd()));
}

} // namespace kinstr
