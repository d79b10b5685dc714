// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Uniformity.h"

#include "rewrite/CallContexts.h"
#include "rewrite/Flow.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

static std::vector<const FunctionDecl *> instances(const FunctionDecl &F) {
  std::vector<const FunctionDecl *> Instances;
  if (const FunctionTemplateDecl *Template = F.getDescribedFunctionTemplate())
    for (const FunctionDecl *Instance : Template->specializations())
      if (Instance->getTemplateSpecializationKind() !=
              TSK_ExplicitSpecialization &&
          Instance->getBody())
        Instances.push_back(Instance);
  return Instances;
}

Uniformity::Uniformity(const FunctionDecl &Function,
                       const CallContexts *Contexts) {
  std::vector<const FunctionDecl *> Parts =
      Contexts ? Contexts->instancesOf(Function).vec() : instances(Function);
  // Much is unknown about a template, and everything about its instances: they
  // decide, unless an error may have kept clang from seeing one that nvcc sees.
  bool Decided = !Parts.empty() &&
                 !Function.getASTContext().getDiagnostics().hasErrorOccurred();
  for (bool WarpRows : {true, false}) {
    auto EntryOf = [&](const FunctionDecl &F) {
      return Contexts ? Contexts->entryOf(F, WarpRows) : FunctionEntry();
    };
    for (const FunctionDecl *Instance : Parts)
      analyse(*Instance, EntryOf(*Instance), WarpRows, Merge::All);
    if (Decided) // what no instance has is not run
      analyse(Function, FunctionEntry(), WarpRows, Merge::OnlyUnknown);
    else
      analyse(Function, EntryOf(Function), WarpRows, Merge::All);
  }
}

void Uniformity::analyse(const FunctionDecl &Function,
                         const FunctionEntry &Entry, bool WarpRows, Merge How) {
  Callees Called(WarpRows);
  Flow F(Function, Entry, Called);
  View &V = WarpRows ? Rows : AnyShape;
  for (auto [At, Why] : F.Around) {
    auto [Known, New] = V.Around.try_emplace(At, Why);
    if (!New && How == Merge::All && !Known->second)
      Known->second = Why;
  }
  HasGoto |= F.HasGoto;
  // What is not followed is in the way whatever the instances do.
  bool Followed = F.Exit && isa<ReturnStmt, GotoStmt>(F.Exit);
  if (F.Exit && (!Followed || (How == Merge::All && !V.Exit)))
    V.Exit = F.Exit;
}

const Stmt *Uniformity::View::around(const Stmt *S) const {
  auto Known = Around.find(S->getBeginLoc());
  // Statements that have not been visited cannot be vouched for.
  return Known == Around.end() ? S : Known->second;
}

} // namespace kinstr
