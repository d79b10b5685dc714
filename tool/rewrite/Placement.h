// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a statement can be inserted for a comment.
#ifndef KINSTR_REWRITE_PLACEMENT_H
#define KINSTR_REWRITE_PLACEMENT_H

#include "annotate/Annotation.h"
#include "annotate/Diagnostic.h"
#include "annotate/Scan.h"
#include "rewrite/Pass.h"
#include <optional>

namespace kinstr {

struct Placement {
  unsigned Insert = 0; ///< the new statement goes here
  /// The comment stands before a body without braces, or is a scope's: open
  /// them at Insert and close them here.
  std::optional<unsigned> CloseBrace;
  /// Of a scope: where its statement ends.
  std::optional<unsigned> ScopeEnd;
  bool InLoop = false; ///< may be passed more than once
  /// A statement reached under the same conditions as the new one.
  const clang::Stmt *Around = nullptr;
};

/// Finds the place for \p A in \p Body, or reports to \p Diags why there is
/// none. \p Seen has what the preprocessor made of the file.
std::optional<Placement> place(const Annotation &A,
                               const clang::CompoundStmt &Body,
                               const MainFile &Main, const ScannedFile &File,
                               const Pass &Seen, Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_PLACEMENT_H
