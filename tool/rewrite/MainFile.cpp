// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/MainFile.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace kinstr {

std::optional<unsigned> MainFile::offset(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return std::nullopt;
  auto [File, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(Loc));
  if (File != SM.getMainFileID())
    return std::nullopt;
  return Offset;
}

std::optional<unsigned> MainFile::spelledOffset(SourceLocation Loc) const {
  while (Loc.isMacroID()) {
    if (!SM.isMacroArgExpansion(Loc))
      return std::nullopt;
    Loc = SM.getImmediateSpellingLoc(Loc);
  }
  return offset(Loc);
}

std::optional<ByteRange> MainFile::range(SourceRange Range) const {
  std::optional<unsigned> Begin = offset(Range.getBegin());
  SourceLocation Last = SM.getExpansionRange(Range.getEnd()).getEnd();
  std::optional<unsigned> End = offset(Last);
  if (!Begin || !End || *End < *Begin)
    return std::nullopt;
  return ByteRange{*Begin,
                   *End + Lexer::MeasureTokenLength(Last, SM, LangOpts)};
}

std::optional<ByteRange> MainFile::spelledRange(SourceRange Range) const {
  std::optional<unsigned> Begin = spelledOffset(Range.getBegin());
  std::optional<unsigned> End = spelledOffset(Range.getEnd());
  if (!Begin || !End || *End < *Begin)
    return std::nullopt;
  return ByteRange{*Begin,
                   *End + Lexer::MeasureTokenLength(
                              SM.getSpellingLoc(Range.getEnd()), SM, LangOpts)};
}

} // namespace kinstr
