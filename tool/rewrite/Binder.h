// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds the annotations of a file in one AST. Private to the library.
#ifndef KINSTR_REWRITE_BINDER_H
#define KINSTR_REWRITE_BINDER_H

#include "rewrite/Collectors.h"
#include "rewrite/LaunchTokens.h"
#include "rewrite/Launches.h"
#include "rewrite/Pass.h"
#include "rewrite/Uniformity.h"

namespace kinstr {

class Binder {
public:
  Binder(clang::ASTContext &Context, const MainFile &Main,
         const ScannedFile &File, Pass &Out)
      : Context(Context), Main(Main), File(File), Out(Out), Functions(Main) {}

  void run() {
    Functions.TraverseAST(Context);
    for (unsigned I = 0; I < File.Annotations.size(); ++I)
      annotation(I);
    for (unsigned I = 0; I < File.Unknown.size(); ++I)
      if (!isIn(Out.Skipped, File.Unknown[I].At))
        if (const Function *F = Functions.around(File.Unknown[I].At);
            F && F->Decl->hasAttr<clang::CUDAGlobalAttr>() &&
            (Out.Kernels.count(F->Body.Begin) ||
             !File.Unknown[I].Suggestion.empty()))
          Out.UnknownInKernel.insert(I);
    launches();
  }

private:
  void annotation(unsigned I);
  const Function *kernelBelow(const Annotation &A) const;
  bool inKernel(const Annotation &A, const Function *F, Diagnostics &Why);
  BoundKernel &kernel(const Function &F);
  void threads(const clang::FunctionDecl *F, BoundKernel &K) const;
  bool namesParameter(const clang::FunctionDecl *F, ByteRange Range) const;
  void sharedMemory(const clang::FunctionDecl *F, BoundKernel &K);
  std::optional<Reason> unreadable(const Function &F) const;
  void launches();
  void launch(const WrittenLaunch &Written, const LaunchFacts *Facts);
  std::string conditionText(const clang::Stmt *Condition) const;

  clang::ASTContext &Context;
  const MainFile &Main;
  const ScannedFile &File;
  Pass &Out;
  FunctionCollector Functions;
  std::map<unsigned, Uniformity> Flows; ///< by start of body
};

} // namespace kinstr

#endif // KINSTR_REWRITE_BINDER_H
