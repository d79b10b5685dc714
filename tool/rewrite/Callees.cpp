// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Callees.h"

#include "rewrite/Collectors.h"
#include "rewrite/Flow.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

std::optional<DirectCall> directCall(const CallExpr *E) {
  DirectCall Call{};
  const FunctionDecl *Named = E->getDirectCallee();
  if (!Named || !Named->hasBody(Call.Callee) || !Call.Callee->getBody() ||
      Call.Callee->isDependentContext() || Call.Callee->isInvalidDecl())
    return std::nullopt;
  ArrayRef<const Expr *> Arguments(E->getArgs(), E->getNumArgs());
  if (const auto *Method = dyn_cast<CXXMethodDecl>(Named);
      Method && !Method->isStatic()) {
    if (Method->isVirtual() || Method->isExplicitObjectMemberFunction())
      return std::nullopt;
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
      Call.Object = Member->getImplicitObjectArgument();
    } else if (isa<CXXOperatorCallExpr>(E) && !Arguments.empty()) {
      Call.Object = Arguments.front();
      Arguments = Arguments.drop_front();
    }
    if (!Call.Object)
      return std::nullopt;
  } else if (Method && isa<CXXOperatorCallExpr>(E)) {
    return std::nullopt; // static operator()
  }
  if (Arguments.size() < Call.Callee->getNumParams())
    return std::nullopt;
  Call.Arguments.append(Arguments.begin(), Arguments.end());
  return Call;
}

std::vector<const ValueDecl *> capturesOf(const FunctionDecl &Function) {
  std::vector<const ValueDecl *> Captured;
  const auto *Method = dyn_cast<CXXMethodDecl>(&Function);
  if (Method && Method->getParent()->isLambda())
    for (const LambdaCapture &C : Method->getParent()->captures())
      if (C.capturesVariable())
        Captured.push_back(C.getCapturedVar());
  return Captured;
}

const CalleeSummary &Callees::summary(const FunctionDecl &Callee,
                                      const FunctionEntry &Entry) {
  std::vector<Lanes> Values = {Entry.This};
  for (const ParmVarDecl *P : Callee.parameters())
    Values.push_back(Entry.Variables.of(P));
  for (const ValueDecl *D : capturesOf(Callee))
    Values.push_back(Entry.captured(D));
  auto [It, New] = Known.try_emplace({&Callee, std::move(Values)});
  if (!New) // a recursive one finds what it began with: unknown
    return It->second;
  if (Depth >= MaxDepth) {
    It->second.Ends = Callee.getBody();
    return It->second;
  }
  ++Depth;
  CalleeSummary Found = Flow(Callee, Entry, *this).summary();
  --Depth;
  return It->second = std::move(Found);
}

const Stmt *Callees::endOfIndirectCall(ASTContext &Context) {
  if (!IndirectEnd) {
    QuitFinder Quits;
    Quits.TraverseAST(Context);
    IndirectEnd = Quits.Exit;
  }
  return *IndirectEnd;
}

} // namespace kinstr
