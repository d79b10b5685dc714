// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements of a kernel all lanes of a warp reach together.
//
// Wrong in the safe direction only: what cannot be shown to be uniform is
// called divergent, and costs a slower recorder, never a wrong one.
#ifndef KINSTR_REWRITE_UNIFORMITY_H
#define KINSTR_REWRITE_UNIFORMITY_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"

namespace kinstr {

class Uniformity {
public:
  /// \p Kernel may be a template: what its instances do counts too.
  explicit Uniformity(const clang::FunctionDecl &Kernel);

  /// The condition that keeps lanes of a warp from reaching \p S together, or
  /// null if they all do.
  const clang::Stmt *divergenceAround(const clang::Stmt *S) const;

  /// A 'return' that some lanes of a warp may take without the others, or a
  /// statement that may go anywhere, such as 'goto', or null.
  const clang::Stmt *divergentExit() const { return Exit; }

private:
  enum class Merge { All, OnlyUnknown };
  void analyse(const clang::FunctionDecl &Function, Merge How);

  /// By the beginning of a statement, which a template shares with its
  /// instances. Null: all lanes.
  llvm::DenseMap<clang::SourceLocation, const clang::Stmt *> Around;
  const clang::Stmt *Exit = nullptr;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_UNIFORMITY_H
