// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions have the same value in all lanes of a warp. Private to the
// library.
#ifndef KINSTR_REWRITE_UNIFORMVALUE_H
#define KINSTR_REWRITE_UNIFORMVALUE_H

#include "rewrite/Lanes.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kinstr {

/// Where an expression stands, and what is known there.
struct ValueContext {
  const clang::FunctionDecl &Function;
  const VariableLanes &Variables;
  Lanes This;
  /// Whether a warp is 32 neighbours along x: blockDim.x is a multiple of 32,
  /// or the block has one row.
  bool WarpRows;
  llvm::function_ref<Lanes(const clang::CallExpr *)> LanesOfCall;
};

/// How the value of \p E (null: nothing) differs between the lanes of a warp.
/// Kinds of expressions that are not listed may have any.
Lanes lanesOf(const clang::Expr *E, const ValueContext &Context);

/// The array whose element \p E is, or null where it is read through a pointer.
const clang::Expr *arrayOf(const clang::ArraySubscriptExpr *E);

/// Whether \p E names a variable of a function around \p Function, as lambdas
/// do.
bool isCaptured(const clang::DeclRefExpr *E,
                const clang::FunctionDecl &Function);

} // namespace kinstr

#endif // KINSTR_REWRITE_UNIFORMVALUE_H
