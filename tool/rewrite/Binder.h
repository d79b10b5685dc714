// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds the annotations of a file in one AST. Private to the library.
#ifndef KINSTR_REWRITE_BINDER_H
#define KINSTR_REWRITE_BINDER_H

#include "rewrite/CallContexts.h"
#include "rewrite/Collectors.h"
#include "rewrite/LaunchTokens.h"
#include "rewrite/Launches.h"
#include "rewrite/Pass.h"
#include "rewrite/Uniformity.h"

namespace kinstr {

class Binder {
public:
  Binder(clang::ASTContext &Context, const MainFile &Main,
         const ScannedFile &File, bool WholeProgram, Pass &Out)
      : Context(Context), Main(Main), File(File), WholeProgram(WholeProgram),
        Out(Out), Functions(Main) {}

  void run();

private:
  void roots();
  void annotation(unsigned I);
  void unknownDirective(unsigned I);
  const Function *functionBelow(const Annotation &A) const;
  const Function *includer(const Annotation &A) const;
  bool mayCarry(const Annotation &A, const Function *F, Diagnostics &Why) const;
  bool isDeviceCode(const Function &F) const;
  bool isConstexpr(const Function &F) const;
  const Function *enclosing(const Function &Lambda) const;
  std::string nameOf(const Function &F) const;

  BoundFunction &bind(const Function &F);
  const Uniformity &flowOf(const Function &F, Role Kind);
  void reach(const clang::Stmt *S, const Function &F, BoundFunction &B);
  std::optional<Reason> enteredApart(const clang::Stmt *Condition,
                                     const BoundFunction &B) const;
  void followFlow(const Function &F, BoundFunction &B);
  void otherReadings(const Function &F, BoundFunction &B) const;
  void callers();
  void leaves();
  void loads();
  void threads(const clang::FunctionDecl *F, BoundFunction &B) const;
  bool namesParameter(const clang::FunctionDecl *F, ByteRange Range) const;
  void wholeKernel(const clang::FunctionDecl *F, BoundFunction &B) const;
  std::optional<Reason> unreadable(const Function &F) const;
  std::string conditionText(const clang::Stmt *Condition) const;

  void launches();
  void launch(const WrittenLaunch &Written, const LaunchFacts *Facts);

  clang::ASTContext &Context;
  const MainFile &Main;
  const ScannedFile &File;
  bool WholeProgram; ///< no other file calls what this one has
  Pass &Out;
  FunctionCollector Functions;
  std::set<unsigned> Roots;             ///< starts of bodies
  std::map<unsigned, Uniformity> Flows; ///< by start of body
  std::unique_ptr<CallContexts> Contexts;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_BINDER_H
