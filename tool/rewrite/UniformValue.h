// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions have the same value in all lanes of a warp. Private to the
// library.
#ifndef KINSTR_REWRITE_UNIFORMVALUE_H
#define KINSTR_REWRITE_UNIFORMVALUE_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kinstr {

using VariableSet = llvm::SmallPtrSet<const clang::ValueDecl *, 32>;

/// Whether all lanes of a warp get the same value from \p E (null: nothing), if
/// no variables but those in \p Varying differ. Kinds of expressions that are
/// not listed may differ.
bool isUniformValue(const clang::Expr *E, const VariableSet &Varying);

/// The array whose element \p E is, or null where it is read through a pointer.
const clang::Expr *arrayOf(const clang::ArraySubscriptExpr *E);

/// Whether \p Call is of a function that does nothing but compute its result
/// from the values of its arguments.
bool isPureCall(const clang::CallExpr *Call);

} // namespace kinstr

#endif // KINSTR_REWRITE_UNIFORMVALUE_H
