// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/DeviceLibrary.h"
#include "rewrite/Flow.h"
#include "rewrite/UniformValue.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Nobody may change these, whoever has a reference to them.
static bool isImmutable(QualType Type) {
  if (!Type.isConstQualified() || Type.isVolatileQualified() ||
      Type->isDependentType())
    return false;
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Type->isScalarType() ||
         (Record && Record->hasDefinition() && !Record->hasMutableFields());
}

/// What \p E names may get any value from now on.
void Flow::giveUp(const DeclRefExpr *E) {
  const auto *V = dyn_cast<VarDecl>(E->getDecl());
  if (!V || !V->hasLocalStorage() || isImmutable(V->getType()))
    return;
  raise(V, Lanes::Any);
  if (V->getType()->isReferenceType() || isCaptured(E, Function))
    Effects.Kept.insert(V);
}

void Flow::giveUpThis() {
  Effects.KeepsThis = true;
  Changed |= This != Lanes::Any;
  This = Lanes::Any;
}

/// Everything that \p S names, but for what is \p Spared.
void Flow::giveUpAll(const Stmt *S,
                     function_ref<bool(const ValueDecl *)> Spared) {
  struct Names : RecursiveASTVisitor<Names> {
    Names(Flow &Out, function_ref<bool(const ValueDecl *)> Spared)
        : Out(Out), Spared(Spared) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      if (!Spared(E->getDecl()))
        Out.giveUp(E);
      return true;
    }
    bool VisitCXXThisExpr(CXXThisExpr *) {
      Out.giveUpThis();
      return true;
    }
    Flow &Out;
    function_ref<bool(const ValueDecl *)> Spared;
  };
  Names(*this, Spared).TraverseStmt(const_cast<Stmt *>(S));
}

/// Whether \p Target is the same variable of this call, or part of one, in all
/// lanes.
bool Flow::isSameVariable(const Expr *Target) const {
  Target = Target->IgnoreParens();
  if (const auto *Member = dyn_cast<MemberExpr>(Target))
    return !Member->isArrow() && isSameVariable(Member->getBase());
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Target))
    return arrayOf(Element) && isUniform(Element->getIdx()) &&
           isSameVariable(arrayOf(Element));
  const auto *Ref = dyn_cast<DeclRefExpr>(Target);
  return Ref && !Ref->getDecl()->getType()->isReferenceType() &&
         !isCaptured(Ref, Function);
}

/// \p E assigns \p Value to \p Target. If its own value is kept, the target is
/// too.
void Flow::assign(const Expr *E, const Expr *Target, Lanes Value, Condition C,
                  Use U) {
  bool Kept =
      (U == Use::Kept && E->isGLValue()) || C || !isSameVariable(Target);
  const auto *Ref = dyn_cast<DeclRefExpr>(Target->IgnoreParens());
  bool Whole = Ref && Ref->getType()->isScalarType();
  if (!Kept && Whole)
    raise(Ref->getDecl(), Value);
  expression(Target, C,
             Kept || (!Whole && Value != Lanes::Same) ? Use::Kept : Use::Read);
}

void Flow::declare(const VarDecl *V, Condition C) {
  expression(V->getInit(), C);
  QualType Type = V->getType();
  Lanes L = lanes(V->getInit());
  bool Followed = !Type->isReferenceType() && !Type->isDependentType() &&
                  !V->isInvalidDecl();
  raise(V, Followed && (L == Lanes::Same || Type->isScalarType()) ? L
                                                                  : Lanes::Any);
}

Lanes Flow::lanes(const Expr *E) const {
  auto OfCall = [this](const CallExpr *Call) { return lanesOfCall(Call); };
  return lanesOf(E, {Function, Variables, This, Called.WarpRows, OfCall});
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Lanes Flow::lanesOfCall(const CallExpr *E) const {
  if (isPureCall(E))
    return all_of(E->arguments(), [&](const Expr *A) { return isUniform(A); })
               ? Lanes::Same
               : Lanes::Any;
  Lanes Known =
      lanesOfLibraryCall(E, [this](const Expr *A) { return lanes(A); });
  std::optional<DirectCall> Call = directCall(E);
  if (Known != Lanes::Any || !Call)
    return Known;
  return Called.summary(*Call->Callee, entryOf(*Call)).Result;
}

FunctionEntry Flow::entryOf(const DirectCall &Call) const {
  FunctionEntry Entry;
  ArrayRef<ParmVarDecl *> Parameters = Call.Callee->parameters();
  for (unsigned I = 0; I < Parameters.size(); ++I)
    Entry.Variables.raise(Parameters[I], lanes(Call.Arguments[I]));
  if (Call.Object) {
    bool Follows = !Call.Object->getType()->isPointerType() ||
                   isa<CXXThisExpr>(Call.Object->IgnoreParenImpCasts());
    Entry.This = Follows && isUniform(Call.Object) ? Lanes::Same : Lanes::Any;
  }
  addCaptures(*Call.Callee, Entry);
  return Entry;
}

/// Where \p Callee is a lambda of this function, what it captures. A mutable
/// one may have changed its copies in an earlier call.
void Flow::addCaptures(const FunctionDecl &Callee, FunctionEntry &Entry) const {
  const auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  if (!Method || !Method->getParent()->isLambda() || !Method->isConst() ||
      Method->getParent()->getParentFunctionOrMethod() != &Function)
    return;
  for (const ValueDecl *D : capturesOf(Callee)) {
    bool Ours = D->getDeclContext() == &Function || Variables.contains(D);
    Entry.Variables.raise(D, Ours ? Variables.of(D) : Lanes::Any);
  }
}

/// References are as good as copies where the function only reads them.
void Flow::follow(const CallExpr *E, const DirectCall &Call, Condition C) {
  FunctionEntry Entry = entryOf(Call);
  const CalleeSummary &Summary = Called.summary(*Call.Callee, Entry);
  Entry.Apart = C;
  if (Summary.Ends) {
    Ends = Summary.Ends;
    exit(Ends);
  }
  ArrayRef<ParmVarDecl *> Parameters = Call.Callee->parameters();
  for (unsigned I = 0; I < Call.Arguments.size(); ++I) {
    bool Read = I < Parameters.size() && !Summary.keeps(Parameters[I]) &&
                Parameters[I]->getType()->isReferenceType();
    expression(Call.Arguments[I], C, Read ? Use::Read : Use::Kept);
  }
  expression(Call.Object, C, Summary.KeepsThis ? Use::Kept : Use::Read);
  // What one operator names twice is visited twice.
  auto [It, New] = Sites.try_emplace(E, Site{Call.Callee, Entry});
  if (!New && C)
    It->second.Entry.Apart = C;
}

/// Whether a pointer or an object's type says what is called.
static bool isIndirect(const CallExpr *E) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  return Method ? Method->isVirtual()
                : !E->getDirectCallee() && !E->getCallee()->isTypeDependent();
}

void Flow::VisitCallExpr(const CallExpr *E, Condition C, Use U) {
  if (isIndirect(E))
    if (const Stmt *End = Called.endOfIndirectCall(Function.getASTContext())) {
      Ends = End;
      exit(End);
    }
  if (isPureCall(E)) {
    // std::max returns a reference to one of its arguments.
    for (const Expr *Argument : E->arguments())
      expression(Argument, C, E->isGLValue() ? U : Use::Read);
    return;
  }
  std::optional<DirectCall> Call = directCall(E);
  if (Call && !isa<CUDAKernelCallExpr>(E))
    follow(E, *Call, C);
  else
    VisitExpr(E, C, U);
}

/// What may be called when somebody calls the lambda \p E; empty where that is
/// not known yet.
static std::vector<const FunctionDecl *> bodiesOf(const LambdaExpr *E) {
  const CXXMethodDecl *Operator = E->getCallOperator();
  if (E->getLambdaClass()->isDependentContext())
    return {};
  if (!E->isGenericLambda())
    return {Operator};
  auto Instances = Operator->getDescribedFunctionTemplate()->specializations();
  return {Instances.begin(), Instances.end()};
}

/// The body of a lambda runs elsewhere, if at all. What it holds by reference
/// may change then, unless its body only reads it.
void Flow::VisitLambdaExpr(const LambdaExpr *E, Condition C, Use) {
  std::vector<const FunctionDecl *> Bodies = bodiesOf(E);
  auto Reads = [&](const ValueDecl *D) {
    return !Bodies.empty() && all_of(Bodies, [&](const FunctionDecl *Body) {
      FunctionEntry Entry;
      for (const ParmVarDecl *P : Body->parameters())
        Entry.Variables.raise(P, Lanes::Any);
      addCaptures(*Body, Entry);
      return Body->getBody() && !Called.summary(*Body, Entry).keeps(D);
    });
  };
  auto Init = E->capture_init_begin();
  for (const LambdaCapture &Capture : E->captures()) {
    const Expr *Captured = *Init++;
    if (E->isInitCapture(&Capture))
      declare(cast<VarDecl>(Capture.getCapturedVar()), C);
    else
      expression(Captured, C,
                 Capture.capturesVariable() && Reads(Capture.getCapturedVar())
                     ? Use::Read
                     : Use::Kept);
  }
  // Before instantiation clang does not know all that '[&]' captures.
  if (E->getCaptureDefault() == LCD_ByRef &&
      (E->isGenericLambda() || Bodies.empty()))
    giveUpAll(E->getBody(), Reads);
}

//===----------------------------------------------------------------------===//
// Other expressions
//===----------------------------------------------------------------------===//

void Flow::VisitCXXThisExpr(const CXXThisExpr *, Condition, Use U) {
  if (U == Use::Kept)
    giveUpThis();
}

void Flow::VisitExpr(const Expr *E, Condition C, Use) {
  for (const Stmt *Operand : E->children())
    expression(Operand, C);
}

void Flow::VisitCastExpr(const CastExpr *E, Condition C, Use U) {
  bool Reads =
      is_contained({CK_LValueToRValue, CK_LValueToRValueBitCast, CK_ToVoid},
                   E->getCastKind());
  // A cast to a reference, or to a base class, is another name of the object.
  expression(E->getSubExpr(), C,
             Reads            ? Use::Read
             : E->isGLValue() ? U
                              : Use::Kept);
}

void Flow::VisitArraySubscriptExpr(const ArraySubscriptExpr *E, Condition C,
                                   Use U) {
  // Before instantiation no cast says that pointer and index are read.
  auto UseOf = [](const Expr *Operand) {
    return Operand->getType()->isPointerType() ||
                   Operand->getType()->isIntegralOrEnumerationType()
               ? Use::Read
               : Use::Kept;
  };
  if (const Expr *Array = arrayOf(E))
    expression(Array, C, U);
  else
    expression(E->getBase(), C, UseOf(E->getBase()));
  expression(E->getIdx(), C, UseOf(E->getIdx()));
}

void Flow::VisitUnaryOperator(const UnaryOperator *E, Condition C, Use U) {
  if (E->isIncrementDecrementOp() && !E->isTypeDependent())
    assign(E, E->getSubExpr(), lanes(E), C, U);
  else
    VisitExpr(E, C, U);
}

void Flow::VisitBinaryOperator(const BinaryOperator *E, Condition C, Use U) {
  if (E->isTypeDependent()) // may be overloaded
    return VisitExpr(E, C, U);
  const Expr *LHS = E->getLHS(), *RHS = E->getRHS();
  if (E->isAssignmentOp()) {
    expression(RHS, C);
    // Its promise that nobody writes there was about what it pointed to.
    bool Repointed =
        E->getOpcode() == BO_Assign && LHS->getType().isRestrictQualified();
    assign(E, LHS, Repointed ? Lanes::Any : lanes(E), C, U);
  } else if (E->isCommaOp()) {
    expression(LHS, C, Use::Read);
    expression(RHS, C, U);
  } else {
    expression(LHS, C);
    expression(RHS, E->isLogicalOp() && !isUniform(LHS) ? LHS : C);
  }
}

void Flow::VisitConditionalOperator(const ConditionalOperator *E, Condition C,
                                    Use U) {
  expression(E->getCond(), C);
  Condition Inner = isUniform(E->getCond()) ? C : E->getCond();
  expression(E->getTrueExpr(), Inner, U);
  expression(E->getFalseExpr(), Inner, U);
}

void Flow::VisitBinaryConditionalOperator(const BinaryConditionalOperator *E,
                                          Condition C, Use U) {
  expression(E->getCommon(), C, U);
  expression(E->getFalseExpr(), isUniform(E->getCommon()) ? C : E->getCommon(),
             U);
}

void Flow::VisitCXXConstructExpr(const CXXConstructExpr *E, Condition C,
                                 Use U) {
  const CXXConstructorDecl *Callee = E->getConstructor();
  if (!Callee->isTrivial() || !Callee->isCopyOrMoveConstructor())
    return VisitExpr(E, C, U);
  for (const Expr *Argument : E->arguments())
    expression(Argument, C, Use::Read);
}

void Flow::VisitStmtExpr(const StmtExpr *E, Condition C, Use) {
  ++StatementExprs;
  statement(E->getSubStmt(), C);
  --StatementExprs;
}

/// What clang does not understand may be anything to nvcc.
void Flow::VisitRecoveryExpr(const RecoveryExpr *E, Condition C, Use U) {
  giveUpAll(E);
  VisitExpr(E, C, U);
}

} // namespace kinstr
