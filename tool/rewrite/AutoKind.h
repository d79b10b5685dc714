// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a phase that begins with a statement would be about. Private to the
// library.
#ifndef KINSTR_REWRITE_AUTOKIND_H
#define KINSTR_REWRITE_AUTOKIND_H

#include "rewrite/AutoWork.h"

namespace kinstr {

/// In the order of importance: where a kernel has too many phases, those of the
/// first kinds go.
enum class PhaseKind {
  None,    ///< arithmetic, declarations: part of what is around it
  Setup,   ///< the same, at the start of a kernel
  Compute, ///< on shared memory
  Update,  ///< loads and stores in one statement
  Call,    ///< of a function of the user's
  Store,
  Load,
  Reduce,
  Atomic,
  Loop,
  Copy,
  Multiply,
  Wait,
  Barrier,
};

/// \p S without the attributes that clang makes of pragmas.
const clang::Stmt *withoutAttributes(const clang::Stmt *S);

/// The body of a loop, or null.
const clang::Stmt *loopBody(const clang::Stmt *S);

/// for (s = n / 2; s > 0; s >>= 1): few and short iterations.
bool halvesOrDoubles(const clang::Stmt *Loop);

/// Neither code nor a name for it: "__shared__ float tile[32];", "return;".
bool doesNothing(const clang::Stmt *S);

/// \p InLoop: among the phases of a loop.
PhaseKind kindOf(const clang::Stmt *S, const Work &W, bool InLoop);

} // namespace kinstr

#endif // KINSTR_REWRITE_AUTOKIND_H
