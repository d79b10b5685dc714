// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known about CUDA's own functions and registers. Private to the
// library.
#ifndef KINSTR_REWRITE_DEVICELIBRARY_H
#define KINSTR_REWRITE_DEVICELIBRARY_H

#include "rewrite/Lanes.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kinstr {

/// Whether \p Call is of a function that does nothing but compute its result
/// from the values of its arguments.
bool isPureCall(const clang::CallExpr *Call);

/// What CUDA's functions for warps, blocks and cooperative groups return,
/// \p LanesOf their arguments given. Any for functions that are not known.
Lanes lanesOfLibraryCall(
    const clang::CallExpr *Call,
    llvm::function_ref<Lanes(const clang::Expr *)> LanesOf);

/// Whether \p S does nothing but read a register that is the same in all lanes.
bool readsUniformRegister(const clang::GCCAsmStmt *S);

/// Whether \p S may end the thread that runs it.
bool mayEndThread(const clang::GCCAsmStmt *S);

/// Whether \p S defines a label or a variable for the function around it:
/// outside of braces of its own. Twice in one function that is an error.
bool definesNames(const clang::GCCAsmStmt *S);

} // namespace kinstr

#endif // KINSTR_REWRITE_DEVICELIBRARY_H
