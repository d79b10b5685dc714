// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses where the phases of a kernel begin. Private to the library.
#ifndef KINSTR_REWRITE_AUTOCHOOSE_H
#define KINSTR_REWRITE_AUTOCHOOSE_H

#include "rewrite/AutoName.h"
#include "rewrite/MainFile.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace kinstr {

/// A phase that begins before a statement.
struct ChosenPhase {
  const clang::Stmt *Before;
  NameWish Wish;
};

/// Chooses phases for \p Kernel, in the order of the file, among the statements
/// that \p CanStand lets a mark stand before.
std::vector<ChosenPhase>
choosePhases(const clang::FunctionDecl &Kernel, const MainFile &Main,
             llvm::function_ref<bool(const clang::Stmt *)> CanStand);

} // namespace kinstr

#endif // KINSTR_REWRITE_AUTOCHOOSE_H
