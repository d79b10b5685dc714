// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a translation unit, and who may call them. Private to the
// library.
#ifndef KINSTR_REWRITE_CALLGRAPH_H
#define KINSTR_REWRITE_CALLGRAPH_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace kinstr {

class CallGraph {
public:
  explicit CallGraph(clang::ASTContext &Context);

  /// Functions that run on the device and whose body clang has; templates by
  /// their instances.
  std::vector<const clang::FunctionDecl *> Functions;

  /// A place that names a function, in code that may run on the device.
  struct Reference {
    const clang::Expr *At;
    const clang::FunctionDecl *Named; ///< its definition
  };
  std::vector<Reference> References;

  /// Whether \p F may be called from where clang does not see it: bodies that
  /// were skipped, virtual calls, code that clang did not understand, and
  /// unless \p WholeProgram other translation units.
  bool mayHaveHiddenCallers(const clang::FunctionDecl &F, bool WholeProgram);

private:
  bool isVisible(clang::SourceLocation Loc) const;
  bool isUsers(clang::SourceLocation Loc) const;
  bool mentionsUser(clang::QualType Type) const;
  bool mentionsUser(llvm::ArrayRef<clang::TemplateArgument> Arguments) const;
  bool mentionsUser(const clang::FunctionDecl &F) const;
  bool canBeFound(const clang::FunctionDecl &F) const;
  bool isMentionedOutside(llvm::StringRef Name);

  clang::ASTContext &Context;
  std::vector<const clang::FunctionDecl *> Skipped;
  llvm::DenseSet<clang::FileID> FilesWithSkipped;
  bool LibrarySeesUser = false; ///< a skipped body knows a type of the user's
  llvm::StringMap<bool> Mentioned;
};

/// Whether \p F may run on the device.
bool isDeviceCode(const clang::FunctionDecl &F);

} // namespace kinstr

#endif // KINSTR_REWRITE_CALLGRAPH_H
