// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks into the functions that are called. Private to the library.
#ifndef KINSTR_REWRITE_CALLEES_H
#define KINSTR_REWRITE_CALLEES_H

#include "rewrite/Lanes.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kinstr {

/// A call of a function whose body clang has.
struct DirectCall {
  const clang::FunctionDecl *Callee; ///< the definition
  /// One for each parameter; those after them belong to an ellipsis.
  llvm::SmallVector<const clang::Expr *, 4> Arguments;
  const clang::Expr *Object = nullptr; ///< whose member it is; may be a pointer
};

/// nullopt where it is not known what is called, or how.
std::optional<DirectCall> directCall(const clang::CallExpr *E);

/// What a lambda's body captures; empty for other functions.
std::vector<const clang::ValueDecl *>
capturesOf(const clang::FunctionDecl &Function);

/// What a call does, for one way of entering the function.
struct CalleeSummary {
  Lanes Result = Lanes::Any;
  /// References and captured variables through which it may write, or that
  /// somebody else may hold afterwards.
  std::set<const clang::ValueDecl *> Kept;
  bool KeepsEverything = true;
  bool KeepsThis = true;
  const clang::Stmt *Ends = nullptr; ///< a statement that may end the thread

  bool keeps(const clang::ValueDecl *D) const {
    return KeepsEverything || Kept.count(D) > 0;
  }
};

/// Remembers what was found. Recursive functions, and chains of calls that are
/// too long, may do anything.
class Callees {
public:
  explicit Callees(bool WarpRows) : WarpRows(WarpRows) {}

  const CalleeSummary &summary(const clang::FunctionDecl &Callee,
                               const FunctionEntry &Entry);

  /// A statement that may end the thread, in a function of this file that a
  /// call by pointer may be of, or null.
  const clang::Stmt *endOfIndirectCall(clang::ASTContext &Context);

  const bool WarpRows; ///< as in ValueContext

private:
  static constexpr unsigned MaxDepth = 64;
  using Key = std::pair<const clang::FunctionDecl *, std::vector<Lanes>>;

  std::map<Key, CalleeSummary> Known;
  std::optional<const clang::Stmt *> IndirectEnd;
  unsigned Depth = 0;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_CALLEES_H
