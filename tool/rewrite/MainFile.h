// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source locations of clang as byte offsets of the main file.
#ifndef KINSTR_REWRITE_MAINFILE_H
#define KINSTR_REWRITE_MAINFILE_H

#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace kinstr {

/// Bytes [Begin, End) of the main file.
struct ByteRange {
  unsigned Begin;
  unsigned End;

  bool contains(unsigned Offset) const {
    return Begin <= Offset && Offset < End;
  }
};

class MainFile {
public:
  MainFile(const clang::SourceManager &SM, const clang::LangOptions &LangOpts)
      : SM(SM), LangOpts(LangOpts) {}

  /// Where \p Loc is, or where the macro that yields it is used; nullopt
  /// outside the main file.
  std::optional<unsigned> offset(clang::SourceLocation Loc) const;

  /// Where the characters at \p Loc stand in the main file, macro arguments
  /// included; nullopt for text that comes out of a macro's body.
  std::optional<unsigned> spelledOffset(clang::SourceLocation Loc) const;

  /// The characters of \p Range, its last token included.
  std::optional<ByteRange> range(clang::SourceRange Range) const;
  std::optional<ByteRange> spelledRange(clang::SourceRange Range) const;

  unsigned line(unsigned Offset) const {
    return SM.getLineNumber(SM.getMainFileID(), Offset);
  }
  llvm::StringRef text() const { return SM.getBufferData(SM.getMainFileID()); }

private:
  const clang::SourceManager &SM;
  const clang::LangOptions &LangOpts;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_MAINFILE_H
