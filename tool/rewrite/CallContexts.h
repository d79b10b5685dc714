// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How functions are entered, as far as the translation unit tells.
#ifndef KINSTR_REWRITE_CALLCONTEXTS_H
#define KINSTR_REWRITE_CALLCONTEXTS_H

#include "rewrite/Lanes.h"
#include "clang/AST/ASTContext.h"
#include <map>
#include <vector>

namespace kinstr {

class CallContexts {
public:
  /// Kernels, and \p Roots, are entered by whole warps. Unless \p WholeProgram
  /// functions may also be called from other translation units.
  CallContexts(clang::ASTContext &Context,
               llvm::ArrayRef<const clang::FunctionDecl *> Roots,
               bool WholeProgram);

  /// How \p F may be entered, whoever calls it, where warps are \p WarpRows
  /// (see ValueContext). A template is never entered: its instances are.
  FunctionEntry entryOf(const clang::FunctionDecl &F, bool WarpRows) const;

  /// What \p F stands for: itself, or what is made of it where it is, or is in,
  /// a template.
  llvm::ArrayRef<const clang::FunctionDecl *>
  instancesOf(const clang::FunctionDecl &F) const;

private:
  using Entries = std::map<const clang::FunctionDecl *, FunctionEntry>;

  /// By the beginning of the body, which templates share with their instances.
  llvm::DenseMap<clang::SourceLocation,
                 std::vector<const clang::FunctionDecl *>>
      Instances;
  Entries Rows, AnyShape;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_CALLCONTEXTS_H
