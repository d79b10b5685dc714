// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every difference between LLVM 19 and 22 that kinstr meets, in one place.
#ifndef KINSTR_LLVMCOMPAT_H
#define KINSTR_LLVMCOMPAT_H

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 20
#include "clang/Basic/OffloadArch.h"
#else
#include "clang/Basic/Cuda.h"
#endif

namespace kinstr {

/// Whether clang can parse for \p Arch ("sm_90a").
inline bool isKnownGpuArchitecture(llvm::StringRef Arch) {
  return clang::StringToOffloadArch(Arch) != clang::OffloadArch::UNKNOWN;
}

/// The text of an asm statement; null where it is not a literal.
inline const clang::StringLiteral *asmText(const clang::GCCAsmStmt *S) {
#if LLVM_VERSION_MAJOR >= 21
  return llvm::dyn_cast<clang::StringLiteral>(S->getAsmStringExpr());
#else
  return S->getAsmString();
#endif
}

/// Whether a 'break' or 'continue' names the loop it leaves (C2y).
template <typename LoopControl>
bool hasLabelTarget([[maybe_unused]] const LoopControl *S) {
#if LLVM_VERSION_MAJOR >= 22
  return S->hasLabelTarget();
#else
  return false;
#endif
}

} // namespace kinstr

// Tables generated from Options.td: LLVM 21 moved option names and prefixes
// into string tables.
#if LLVM_VERSION_MAJOR >= 21
#define KINSTR_OPTTABLE_STRING_TABLES 1
#else
#define KINSTR_OPTTABLE_STRING_TABLES 0
#endif

#endif // KINSTR_LLVMCOMPAT_H
