// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source locations of clang as byte offsets of the files to be rewritten.
#ifndef KINSTR_REWRITE_MAINFILE_H
#define KINSTR_REWRITE_MAINFILE_H

#include "annotate/Sources.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace kinstr {

/// Bytes [Begin, End) of Sources::text().
struct ByteRange {
  unsigned Begin;
  unsigned End;

  bool contains(unsigned Offset) const {
    return Begin <= Offset && Offset < End;
  }
};

class MainFile {
public:
  MainFile(const clang::SourceManager &SM, const clang::LangOptions &LangOpts,
           const Sources &Files)
      : SM(SM), LangOpts(LangOpts), Files(Files) {}

  /// Says that clang's \p File is Files.files()[Index]. The main file needs no
  /// saying.
  void add(clang::FileID File, unsigned Index) { Known[File] = Index; }
  bool knows(clang::FileID File) const { return beginOf(File).has_value(); }

  /// Where \p Loc is, or where the macro that yields it is used; nullopt
  /// outside the files.
  std::optional<unsigned> offset(clang::SourceLocation Loc) const;

  /// Where the characters at \p Loc stand in the files, macro arguments
  /// included; nullopt for text that comes out of a macro's body.
  std::optional<unsigned> spelledOffset(clang::SourceLocation Loc) const;

  /// The characters of \p Range, its last token included; nullopt if it is not
  /// in one file.
  std::optional<ByteRange> range(clang::SourceRange Range) const;
  std::optional<ByteRange> spelledRange(clang::SourceRange Range) const;

  unsigned line(unsigned Offset) const { return Files.line(Offset); }
  llvm::StringRef text() const { return Files.text(); }
  const Sources &sources() const { return Files; }

private:
  std::optional<unsigned> beginOf(clang::FileID File) const;
  std::optional<ByteRange> upTo(std::optional<unsigned> Begin,
                                std::optional<unsigned> End,
                                clang::SourceLocation Last) const;

  const clang::SourceManager &SM;
  const clang::LangOptions &LangOpts;
  const Sources &Files;
  llvm::DenseMap<clang::FileID, unsigned> Known;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_MAINFILE_H
