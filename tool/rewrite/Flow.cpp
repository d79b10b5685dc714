// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Flow.h"

#include "LLVMCompat.h"
#include "rewrite/DeviceLibrary.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

Flow::Flow(const FunctionDecl &Function, const FunctionEntry &Entry,
           Callees &Called)
    : Function(Function), Called(Called), Variables(Entry.Variables),
      This(Entry.This) {
  Effects.KeepsEverything = Effects.KeepsThis = false;
  do {
    Changed = false;
    Around.clear();
    Sites.clear();
    Exit = Ends = nullptr;
    Effects.Result = Lanes::Same;
    statement(Function.getBody(), Entry.Apart);
  } while (Changed);
}

CalleeSummary Flow::summary() const {
  CalleeSummary Out = Effects;
  Out.Ends = Ends;
  if (Exit)
    Out.Result = Lanes::Any;
  if (Exit && !isa<ReturnStmt, GotoStmt>(Exit))
    Out.KeepsEverything = Out.KeepsThis = true;
  return Out;
}

void Flow::statement(const Stmt *S, Condition C) {
  if (!S)
    return;
  Condition &Known = Around[S->getBeginLoc()];
  if (!Known)
    Known = C;
  Visit(S, C, Use::Read);
}

void Flow::statements(const Stmt *Parent, Condition C) {
  for (const Stmt *Child : Parent->children())
    statement(Child, C);
}

/// No attempt to follow it: it may hide a return.
void Flow::VisitStmt(const Stmt *S, Condition C, Use) {
  exit(S);
  giveUpAll(S);
  statements(S, C);
}

void Flow::VisitDeclStmt(const DeclStmt *S, Condition C, Use) {
  for (const Decl *D : S->decls())
    if (const auto *V = dyn_cast<VarDecl>(D))
      declare(V, C);
}

void Flow::VisitIfStmt(const IfStmt *S, Condition C, Use) {
  statement(S->getInit(), C);
  statement(S->getConditionVariableDeclStmt(), C);
  Condition Inner = C;
  // "if consteval" has no condition.
  if (!S->isConstexpr() && !isUniform(S->getCond()))
    Inner = S->getCond();
  if (!S->isConstexpr())
    expression(S->getCond(), C);
  statement(S->getThen(), Inner);
  statement(S->getElse(), Inner);
}

void Flow::VisitSwitchStmt(const SwitchStmt *S, Condition C, Use) {
  statement(S->getInit(), C);
  statement(S->getConditionVariableDeclStmt(), C);
  expression(S->getCond(), C);
  if (!isUniform(S->getCond()))
    C = S->getCond();
  else if (!C)
    C = Left.lookup(S);
  Enclosing.push_back(S);
  statement(S->getBody(), C);
  Enclosing.pop_back();
}

/// Lanes that have left a loop are missing in all that it runs from then on:
/// in the test and the step as well as in the body.
void Flow::loop(const Stmt *Loop, const Stmt *Variable, const Expr *Test,
                const Stmt *Body, const Expr *Step, Condition C) {
  // Those that left first: they are why a counter in the test may differ.
  if (Condition Some = C ? nullptr : Left.lookup(Loop))
    C = Some;
  else if (!isUniform(Test))
    C = Test;
  Enclosing.push_back(Loop);
  statement(Variable, C);
  expression(Test, C);
  statement(Body, C);
  expression(Step, C, Use::Read);
  Enclosing.pop_back();
}

void Flow::VisitForStmt(const ForStmt *S, Condition C, Use) {
  statement(S->getInit(), C);
  loop(S, S->getConditionVariableDeclStmt(), S->getCond(), S->getBody(),
       S->getInc(), C);
}

void Flow::VisitWhileStmt(const WhileStmt *S, Condition C, Use) {
  loop(S, S->getConditionVariableDeclStmt(), S->getCond(), S->getBody(),
       nullptr, C);
}

void Flow::VisitDoStmt(const DoStmt *S, Condition C, Use) {
  loop(S, nullptr, S->getCond(), S->getBody(), nullptr, C);
}

/// The elements of an array or of a list in braces, as one expression or more;
/// empty where iterators say how many there are.
static ArrayRef<const Expr *> elementsOf(const Expr *const &Range,
                                         const ASTContext &Context) {
  if (Context.getAsConstantArrayType(Range->getType()))
    return Range;
  const Expr *E = Range->IgnoreImplicit();
  if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(E))
    E = List->getSubExpr()->IgnoreImplicit();
  const auto *List = dyn_cast<InitListExpr>(E);
  return List ? ArrayRef<const Expr *>(List->getInits(), List->getNumInits())
              : ArrayRef<const Expr *>();
}

void Flow::VisitCXXForRangeStmt(const CXXForRangeStmt *S, Condition C, Use) {
  statement(S->getInit(), C);
  const Expr *Range = S->getRangeInit();
  const VarDecl *Element = S->getLoopVariable();
  ArrayRef<const Expr *> Elements = elementsOf(Range, Function.getASTContext());
  // Objects may have a conversion that is a function.
  bool Copied =
      Element->getType()->isScalarType() && !Elements.empty() &&
      all_of(Elements, [](const Expr *E) {
        return E->getType()->getBaseElementTypeUnsafe()->isScalarType();
      });
  expression(Range, C, Copied ? Use::Read : Use::Kept);
  if (!Copied || !all_of(Elements, [&](const Expr *E) { return isUniform(E); }))
    raise(Element, Lanes::Any);
  if (!Elements.empty())
    return loop(S, nullptr, nullptr, S->getBody(), nullptr, C);
  Enclosing.push_back(S);
  statement(S->getBody(), Range);
  Enclosing.pop_back();
}

void Flow::VisitBreakStmt(const BreakStmt *S, Condition C, Use) {
  leave(C, /*Switch=*/true, hasLabelTarget(S));
}

void Flow::VisitContinueStmt(const ContinueStmt *S, Condition C, Use) {
  leave(C, /*Switch=*/false, hasLabelTarget(S));
}

/// Under \p C some lanes leave the iteration of the innermost loop, or the
/// innermost \p Switch.
void Flow::leave(Condition C, bool Switch, bool ByLabel) {
  if (!C)
    return;
  // Compilers do not agree on which loop a 'break' in a statement expression
  // leaves: any.
  bool Any = StatementExprs > 0 || ByLabel;
  for (const Stmt *Outer : reverse(Enclosing)) {
    Changed |= Left.try_emplace(Outer, C).second;
    if (!Any && (Switch || !isa<SwitchStmt>(Outer)))
      return;
  }
}

void Flow::VisitReturnStmt(const ReturnStmt *S, Condition C, Use) {
  expression(S->getRetValue(), C);
  Effects.Result =
      join(Effects.Result, C ? Lanes::Any : lanes(S->getRetValue()));
  if (C)
    exit(S);
}

/// Lanes that jump together stay together.
void Flow::VisitGotoStmt(const GotoStmt *S, Condition C, Use) {
  HasGoto = true;
  if (C)
    exit(S);
}

void Flow::VisitGCCAsmStmt(const GCCAsmStmt *S, Condition C, Use) {
  bool Uniform =
      !C && readsUniformRegister(S) && isSameVariable(S->getOutputExpr(0));
  for (const Stmt *Operand : S->children())
    expression(Operand, C, Uniform ? Use::Read : Use::Kept);
  if (!mayEndThread(S))
    return;
  Ends = S;
  exit(S);
}

} // namespace kinstr
