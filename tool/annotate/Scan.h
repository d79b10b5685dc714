// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds annotations in a file, and the tokens around them, without an AST.
#ifndef KINSTR_ANNOTATE_SCAN_H
#define KINSTR_ANNOTATE_SCAN_H

#include "annotate/Annotation.h"
#include "annotate/Diagnostic.h"
#include "annotate/Grammar.h"
#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace kinstr {

/// A token of the file as spelled, comments and directives left out.
struct RawToken {
  clang::tok::TokenKind Kind;
  unsigned Begin;
  unsigned End;
};

/// A preprocessor directive, from its '#' to the end of its last line.
struct RawDirective {
  unsigned Begin;
  unsigned End;
  std::string Name; ///< "pragma", "include", ...; empty for a lone '#'
};

/// A file as the raw lexer sees it: nothing is expanded and no branch skipped.
struct ScannedFile {
  llvm::StringRef Code;                  ///< what was scanned: outlives this
  std::vector<Annotation> Annotations;   ///< in file order
  std::vector<UnknownDirective> Unknown; ///< in file order
  std::vector<RawToken> Tokens;          ///< in file order
  std::vector<RawDirective> Directives;  ///< in file order

  /// The last token that ends at or before \p Offset, or null.
  const RawToken *tokenBefore(unsigned Offset) const;
  /// The first token that begins at or behind \p Offset, or null.
  const RawToken *tokenFrom(unsigned Offset) const;
  /// Directives that lie within [Begin, End).
  llvm::ArrayRef<RawDirective> directivesIn(unsigned Begin, unsigned End) const;
};

/// Scans \p Code. Malformed annotations are reported to \p Diags.
ScannedFile scan(llvm::StringRef Code, Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_ANNOTATE_SCAN_H
