// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that lead to no annotated one. Private to the library.
#ifndef KINSTR_REWRITE_LEAF_H
#define KINSTR_REWRITE_LEAF_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kinstr {

/// Whether it is certain that from \p F, which is no template, no function is
/// called that \p IsAnnotated, over any number of calls, \p F itself included,
/// and that the thread does not end before \p F returns.
/// What is called by a pointer, or has no body in sight, may be anything but
/// one of CUDA's or of the standard library that knows nothing of the user's.
bool isLeaf(const clang::FunctionDecl &F,
            llvm::function_ref<bool(const clang::FunctionDecl &)> IsAnnotated);

} // namespace kinstr

#endif // KINSTR_REWRITE_LEAF_H
