// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/AutoKind.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

const Stmt *withoutAttributes(const Stmt *S) {
  while (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    S = Attributed->getSubStmt();
  return S;
}

const Stmt *loopBody(const Stmt *S) {
  if (const auto *For = dyn_cast<ForStmt>(S))
    return For->getBody();
  if (const auto *While = dyn_cast<WhileStmt>(S))
    return While->getBody();
  if (const auto *Do = dyn_cast<DoStmt>(S))
    return Do->getBody();
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(S))
    return Range->getBody();
  return nullptr;
}

bool halvesOrDoubles(const Stmt *Loop) {
  const auto *For = dyn_cast<ForStmt>(Loop);
  if (!For || !For->getInc())
    return false;
  const auto *Step =
      dyn_cast<BinaryOperator>(For->getInc()->IgnoreParenImpCasts());
  if (!Step)
    return false;
  if (Step->getOpcode() == BO_Assign)
    Step = dyn_cast<BinaryOperator>(Step->getRHS()->IgnoreParenImpCasts());
  if (!Step)
    return false;
  switch (Step->getOpcode()) {
  case BO_Shl:
  case BO_Shr:
  case BO_Mul:
  case BO_Div:
  case BO_ShlAssign:
  case BO_ShrAssign:
  case BO_MulAssign:
  case BO_DivAssign:
    return true;
  default:
    return false;
  }
}

bool doesNothing(const Stmt *S) {
  if (const auto *Decls = dyn_cast<DeclStmt>(S))
    return all_of(Decls->decls(), [](const Decl *D) {
      const auto *V = dyn_cast<VarDecl>(D);
      return !V || !V->getInit() || V->hasAttr<CUDASharedAttr>();
    });
  return isa<NullStmt>(S) || isa<ReturnStmt>(S);
}

static bool isEmpty(const Stmt *Body) {
  const auto *List = dyn_cast<CompoundStmt>(Body);
  return isa<NullStmt>(Body) || (List && List->body_empty());
}

/// Sets each element to a constant, or to nothing at all.
static bool fills(const Stmt *Body) {
  while (true) {
    Body = withoutAttributes(Body);
    const auto *List = dyn_cast<CompoundStmt>(Body);
    if (List && List->size() == 1)
      Body = List->body_front();
    else if (const Stmt *Inner = loopBody(Body))
      Body = Inner;
    else
      break;
  }
  const auto *Set = dyn_cast<BinaryOperator>(Body);
  if (!Set || Set->getOpcode() != BO_Assign)
    return false;
  const Expr *Value = Set->getRHS()->IgnoreParenCasts();
  if (const auto *Sign = dyn_cast<UnaryOperator>(Value))
    Value = Sign->getSubExpr()->IgnoreParenCasts();
  return isa<IntegerLiteral>(Value) || isa<FloatingLiteral>(Value) ||
         (isa<DeclRefExpr>(Value) && !isa<CXXOperatorCallExpr>(Set->getLHS()));
}

static PhaseKind kindOfLoop(const Stmt *Loop, const Work &W, bool InLoop) {
  constexpr unsigned Memory =
      LoadsGlobal | StoresGlobal | LoadsShared | StoresShared;
  if (W.any(Waits) && (isEmpty(loopBody(Loop)) || W.Does == Waits))
    return PhaseKind::Wait;
  if (W.any(Multiplies))
    return PhaseKind::Multiply;
  if (!W.any(LoadsGlobal | StoresGlobal) &&
      (W.any(Reduces) ||
       (halvesOrDoubles(Loop) && W.any(LoadsShared) && W.any(StoresShared))))
    return PhaseKind::Reduce;
  if (W.any(IssuesCopy))
    return PhaseKind::Copy;
  if (W.any(Atomics))
    return PhaseKind::Atomic;
  if (W.any(LoadsGlobal) && W.any(StoresShared) && !W.any(StoresGlobal))
    return PhaseKind::Load;
  if (W.any(StoresGlobal) && !W.any(LoadsGlobal))
    return PhaseKind::Store;
  if (!W.any(Memory) && fills(loopBody(Loop)))
    return PhaseKind::None;
  if (InLoop && !W.any(StoresGlobal))
    return W.any(LoadsGlobal) ? PhaseKind::Load : PhaseKind::Compute;
  return PhaseKind::Loop;
}

PhaseKind kindOf(const Stmt *S, const Work &W, bool InLoop) {
  if (loopBody(S))
    return kindOfLoop(S, W, InLoop);
  // A branch is named after the work in it, if it has any.
  constexpr unsigned Syncs = Barriers | Waits;
  bool Branch = isa<IfStmt>(S) || isa<SwitchStmt>(S);
  if (!Branch || (W.Does & ~Syncs) == 0) {
    if (W.any(Barriers))
      return PhaseKind::Barrier;
    if (W.any(Waits))
      return PhaseKind::Wait;
  }
  if (W.any(Multiplies))
    return PhaseKind::Multiply;
  if (W.any(IssuesCopy))
    return PhaseKind::Copy;
  if (W.any(Atomics))
    return PhaseKind::Atomic;
  if (W.any(Reduces))
    return PhaseKind::Reduce;
  if (!W.Callee.empty())
    return PhaseKind::Call;
  if (W.any(StoresGlobal))
    return W.any(LoadsGlobal) ? PhaseKind::Update : PhaseKind::Store;
  if (W.any(LoadsGlobal))
    return PhaseKind::Load;
  if (W.any(LoadsShared | StoresShared))
    return PhaseKind::Compute;
  return PhaseKind::None;
}

} // namespace kinstr
