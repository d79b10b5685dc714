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
#include "llvm/ADT/SmallPtrSet.h"

namespace kinstr {

class Uniformity {
public:
  explicit Uniformity(const clang::FunctionDecl &Kernel);

  /// The condition that keeps lanes of a warp from reaching \p S together, or
  /// null if they all do.
  const clang::Stmt *divergenceAround(const clang::Stmt *S) const {
    return Around.lookup(S);
  }

  /// A 'return' (or 'goto') that some lanes of a warp may take without the
  /// others, or null.
  const clang::Stmt *divergentExit() const { return DivergentExit; }

private:
  using Condition = const clang::Stmt *; ///< null: all lanes

  bool isUniform(const clang::Expr *E) const;
  bool isUniformReference(const clang::ValueDecl *D) const;
  void visit(const clang::Stmt *S, Condition Control);
  void visitLoop(const clang::Expr *Test, const clang::Stmt *Body,
                 Condition Control);
  Condition divergentEscape(const clang::Stmt *S) const;
  void visitExpr(const clang::Stmt *E, Condition Control);
  void markVarying(const clang::Expr *Target);
  void declare(const clang::VarDecl *V, Condition Control);

  llvm::SmallPtrSet<const clang::ValueDecl *, 32> Varying;
  llvm::DenseMap<const clang::Stmt *, Condition> Around;
  const clang::Stmt *DivergentExit = nullptr;
  bool Changed = false;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_UNIFORMITY_H
