// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known about a value in the lanes of one warp. Private to the library.
#ifndef KINSTR_REWRITE_LANES_H
#define KINSTR_REWRITE_LANES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

namespace kinstr {

/// In the order of what is known: each kind has the values of those before it.
enum class Lanes {
  Same, ///< one value in all lanes
  /// Likewise, or values of one aligned group of 32, as threadIdx.x has them,
  /// none negative: v / 32 is the same in all lanes.
  Row,
  SignedRow, ///< likewise, but they may be negative: v >> 5 is the same
  Any
};

inline Lanes join(Lanes A, Lanes B) { return std::max(A, B); }

/// Variables that are not in it are Same.
class VariableLanes {
public:
  Lanes of(const clang::ValueDecl *D) const {
    auto It = Known.find(D);
    return It == Known.end() ? Lanes::Same : It->second;
  }
  bool contains(const clang::ValueDecl *D) const { return Known.contains(D); }

  /// Whether that is news.
  bool raise(const clang::ValueDecl *D, Lanes L) {
    Lanes &Old = Known[D];
    bool News = L > Old;
    Old = join(Old, L);
    return News;
  }

private:
  llvm::DenseMap<const clang::ValueDecl *, Lanes> Known;
};

/// How a function is entered. As it stands: by a whole warp at once, with the
/// same arguments in all lanes, as kernels are.
struct FunctionEntry {
  /// Why the lanes of a warp may enter one by one; null: they come together.
  const clang::Stmt *Apart = nullptr;
  /// Parameters, and what a lambda captures: unlike parameters, captured
  /// variables that are not in it may have any values.
  VariableLanes Variables;
  Lanes This = Lanes::Any; ///< the object whose member it is

  Lanes captured(const clang::ValueDecl *D) const {
    return Variables.contains(D) ? Variables.of(D) : Lanes::Any;
  }
};

} // namespace kinstr

#endif // KINSTR_REWRITE_LANES_H
