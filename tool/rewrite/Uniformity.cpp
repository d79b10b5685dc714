// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Uniformity.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

/// Lanes that 'break', 'continue' or leave early part from the others.
struct EscapeFinder : RecursiveASTVisitor<EscapeFinder> {
  bool VisitBreakStmt(BreakStmt *) { return !(Found = true); }
  bool VisitContinueStmt(ContinueStmt *) { return !(Found = true); }
  bool VisitReturnStmt(ReturnStmt *) { return !(Found = true); }
  bool VisitGotoStmt(GotoStmt *) { return !(Found = true); }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool Found = false;
};

bool mayEscape(const Stmt *S) {
  EscapeFinder Finder;
  if (S)
    Finder.TraverseStmt(const_cast<Stmt *>(S));
  return Finder.Found;
}

} // namespace

Uniformity::Uniformity(const FunctionDecl &Kernel) {
  // Every variable starts as uniform; assignments of varying values, and any
  // assignment that only some lanes make, take it away until nothing changes.
  do {
    Changed = false;
    Around.clear();
    DivergentExit = nullptr;
    visit(Kernel.getBody(), nullptr);
  } while (Changed);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool Uniformity::isUniformReference(const ValueDecl *D) const {
  if (isa<EnumConstantDecl, NonTypeTemplateParmDecl>(D))
    return true;
  const auto *V = dyn_cast<VarDecl>(D);
  if (!V || Varying.contains(V))
    return false;
  StringRef Name = V->getName();
  if (V->hasGlobalStorage()) {
    if (Name == "blockIdx" || Name == "blockDim" || Name == "gridDim" ||
        Name == "warpSize")
      return true;
    if (Name == "threadIdx" || V->hasAttr<CUDASharedAttr>())
      return false;
    return V->isConstexpr() || V->hasAttr<CUDAConstantAttr>() ||
           (V->getType().isConstQualified() && V->hasInit());
  }
  // Arrays and objects are written through many names: not followed.
  return V->getType()->isScalarType() || V->getType()->isDependentType() ||
         isa<ParmVarDecl>(V);
}

static bool isUniformIfArgumentsAre(const CallExpr *Call) {
  const auto *Callee = dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl());
  if (!Callee || !Callee->getIdentifier())
    return false;
  StringRef Name = Callee->getName();
  return Name == "min" || Name == "max" || Name == "abs";
}

bool Uniformity::isUniform(const Expr *E) const {
  if (!E)
    return true;
  if (!E->isValueDependent() && !E->getType().isNull() && isa<ConstantExpr>(E))
    return true;
  E = E->IgnoreParenImpCasts();
  if (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr, CharacterLiteral,
          CXXNullPtrLiteralExpr, UnaryExprOrTypeTraitExpr, TypeTraitExpr,
          SizeOfPackExpr, SubstNonTypeTemplateParmExpr,
          DependentScopeDeclRefExpr, CXXScalarValueInitExpr>(E))
    return true;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return isUniformReference(Ref->getDecl());
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return isUniform(Cast->getSubExpr());
  if (const auto *Cast = dyn_cast<CXXUnresolvedConstructExpr>(E))
    return all_of(Cast->arguments(),
                  [&](const Expr *Arg) { return isUniform(Arg); });
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->getOpcode() != UO_Deref && Unary->getOpcode() != UO_AddrOf &&
           isUniform(Unary->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return isUniform(Binary->getLHS()) && isUniform(Binary->getRHS());
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return isUniform(Choice->getCond()) && isUniform(Choice->getTrueExpr()) &&
           isUniform(Choice->getFalseExpr());
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return !Member->isArrow() && isUniform(Member->getBase());
  // blockIdx.x and its kin are properties in clang's headers.
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
    return isUniform(Pseudo->getSyntacticForm());
  if (const auto *Property = dyn_cast<MSPropertyRefExpr>(E))
    return isUniform(Property->getBaseExpr());
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Opaque->getSourceExpr() && isUniform(Opaque->getSourceExpr());
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return isUniformIfArgumentsAre(Call) &&
           all_of(Call->arguments(),
                  [&](const Expr *Arg) { return isUniform(Arg); });
  return false;
}

/// The object that \p E is a member or an element of, or \p E itself.
static const Expr *partOf(const Expr *E) {
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      E = Member->getBase();
    else if (const auto *Member = dyn_cast<CXXDependentScopeMemberExpr>(E);
             Member && !Member->isImplicitAccess())
      E = Member->getBase();
    else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E);
             Element && !Element->getBase()
                             ->IgnoreParenImpCasts()
                             ->getType()
                             ->isPointerType())
      E = Element->getBase();
    else
      return E;
  }
}

/// \p Target, or the object it is a part of, may get a varying value.
void Uniformity::markVarying(const Expr *Target) {
  Target = partOf(Target);
  const auto *Ref = dyn_cast<DeclRefExpr>(Target);
  if (Ref && Varying.insert(Ref->getDecl()).second)
    Changed = true;
}

/// Notes what the expressions in \p S assign. Anything whose address is taken,
/// or that a lambda or a reference gets hold of, is given up.
void Uniformity::visitExpr(const Stmt *S, Condition Control) {
  if (!S)
    return;
  if (const auto *Binary = dyn_cast<BinaryOperator>(S);
      Binary && Binary->isAssignmentOp()) {
    if (Control || !isUniform(Binary->getRHS()))
      markVarying(Binary->getLHS());
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(S)) {
    if (Unary->getOpcode() == UO_AddrOf ||
        (Unary->isIncrementDecrementOp() && Control))
      markVarying(Unary->getSubExpr());
  } else if (const auto *Call = dyn_cast<CallExpr>(S)) {
    // Without the callee's parameter types (templates) any argument may be
    // bound to a reference; min and max are known to only read.
    if (!isUniformIfArgumentsAre(Call))
      for (const Expr *Arg : Call->arguments())
        if (Arg->isLValue() || Arg->isTypeDependent())
          markVarying(Arg);
    if (isa<MemberExpr, CXXDependentScopeMemberExpr>(Call->getCallee()))
      markVarying(Call->getCallee());
  } else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S)) {
    // A reference to the argument may be kept.
    for (const Expr *Arg : Construct->arguments())
      if (Arg->isLValue() && !Arg->getType().isConstQualified())
        markVarying(Arg);
  } else if (const auto *List = dyn_cast<InitListExpr>(S)) {
    for (const Expr *Init : List->inits())
      if (Init->isLValue())
        markVarying(Init);
  } else if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    for (const LambdaCapture &Capture : Lambda->captures())
      if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef &&
          Varying.insert(Capture.getCapturedVar()).second)
        Changed = true;
    return;
  } else if (const auto *Asm = dyn_cast<GCCAsmStmt>(S)) {
    for (unsigned I = 0; I < Asm->getNumOutputs(); ++I)
      markVarying(Asm->getOutputExpr(I));
  }
  // A conditional or short-circuit operand is run by some lanes only.
  Condition Inner = Control;
  if (const auto *Choice = dyn_cast<ConditionalOperator>(S);
      Choice && !isUniform(Choice->getCond()))
    Inner = Choice->getCond();
  if (const auto *Logical = dyn_cast<BinaryOperator>(S);
      Logical && Logical->isLogicalOp() && !isUniform(Logical->getLHS()))
    Inner = Logical->getLHS();
  for (const Stmt *Child : S->children())
    visitExpr(Child, Inner);
}

void Uniformity::declare(const VarDecl *V, Condition Control) {
  const Expr *Init = V->getInit();
  visitExpr(Init, Control);
  if (V->getType()->isReferenceType()) {
    if (Init)
      markVarying(Init);
    if (Varying.insert(V).second)
      Changed = true;
    return;
  }
  if (Init && !V->isConstexpr() && !isUniform(Init) && Varying.insert(V).second)
    Changed = true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// A condition in \p S under which some lanes leave an iteration early, or
/// null. They are then missing in the rest of it and, after a 'break', in the
/// iterations that follow.
const Stmt *Uniformity::divergentEscape(const Stmt *S) const {
  if (!S || isa<Expr>(S))
    return nullptr;
  if (const auto *If = dyn_cast<IfStmt>(S);
      If && !If->isConstexpr() && !isUniform(If->getCond()) &&
      (mayEscape(If->getThen()) || mayEscape(If->getElse())))
    return If->getCond();
  if (const auto *Switch = dyn_cast<SwitchStmt>(S);
      Switch && !isUniform(Switch->getCond()) && mayEscape(Switch->getBody()))
    return Switch->getCond();
  for (const Stmt *Child : S->children())
    if (const Stmt *Found = divergentEscape(Child))
      return Found;
  return nullptr;
}

void Uniformity::visitLoop(const Expr *Test, const Stmt *Body,
                           Condition Control) {
  visitExpr(Test, Control);
  // The escape first: it is why a counter in the test may differ.
  if (const Stmt *Escape = Control ? nullptr : divergentEscape(Body))
    Control = Escape;
  else if (!isUniform(Test))
    Control = Test;
  visit(Body, Control);
}

void Uniformity::visit(const Stmt *S, Condition Control) {
  if (!S)
    return;
  Around[S] = Control;
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    visit(If->getInit(), Control);
    visit(If->getConditionVariableDeclStmt(), Control);
    visitExpr(If->getCond(), Control);
    Condition Inner =
        If->isConstexpr() || isUniform(If->getCond()) ? Control : If->getCond();
    visit(If->getThen(), Inner);
    visit(If->getElse(), Inner);
  } else if (const auto *For = dyn_cast<ForStmt>(S)) {
    visit(For->getInit(), Control);
    visit(For->getConditionVariableDeclStmt(), Control);
    visitLoop(For->getCond(), For->getBody(), Control);
    visitExpr(For->getInc(), Around.lookup(For->getBody()));
  } else if (const auto *While = dyn_cast<WhileStmt>(S)) {
    visit(While->getConditionVariableDeclStmt(), Control);
    visitLoop(While->getCond(), While->getBody(), Control);
  } else if (const auto *Do = dyn_cast<DoStmt>(S)) {
    visitLoop(Do->getCond(), Do->getBody(), Control);
  } else if (const auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
    visitExpr(Range->getRangeInit(), Control);
    visit(Range->getBody(), Range->getRangeInit());
  } else if (const auto *Switch = dyn_cast<SwitchStmt>(S)) {
    visitExpr(Switch->getCond(), Control);
    if (!isUniform(Switch->getCond()))
      Control = Switch->getCond();
    else if (!Control)
      Control = divergentEscape(Switch->getBody());
    visit(Switch->getBody(), Control);
  } else if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S)) {
    // A goto can go anywhere: no attempt to follow it. It hides a return.
    bool Return = isa<ReturnStmt>(S);
    if (!Return || (Control && !DivergentExit))
      DivergentExit = S;
  } else if (const auto *Decls = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Decls->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        declare(V, Control);
  } else if (isa<Expr, AsmStmt>(S)) {
    visitExpr(S, Control);
  } else {
    for (const Stmt *Child : S->children())
      visit(Child, Control);
  }
}

} // namespace kinstr
