// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/UniformValue.h"

#include "rewrite/LaneArithmetic.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtVisitor.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

const Expr *arrayOf(const ArraySubscriptExpr *E) {
  const auto *Decay = dyn_cast<ImplicitCastExpr>(E->getBase()->IgnoreParens());
  return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay
             ? Decay->getSubExpr()
             : nullptr;
}

bool isCaptured(const DeclRefExpr *E, const FunctionDecl &Function) {
  const auto *V = dyn_cast<VarDecl>(E->getDecl());
  return V && V->hasLocalStorage() &&
         (E->refersToEnclosingVariableOrCapture() ||
          V->getDeclContext() != &Function);
}

namespace {

class UniformValue : public ConstStmtVisitor<UniformValue, Lanes> {
public:
  explicit UniformValue(const ValueContext &In)
      : In(In), Context(In.Function.getASTContext()) {}

  /// Operators and conversions of a type that is not known before
  /// instantiation may turn out to be functions.
  Lanes of(const Expr *E) {
    if (!E)
      return Lanes::Same;
    QualType Type = E->getType();
    if (Type.isNull() || Type.isVolatileQualified() || E->isTypeDependent() ||
        E->containsErrors())
      return Lanes::Any;
    // All that an empty object says is in its type.
    const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
    bool Empty = Record && Record->hasDefinition() && Record->isEmpty();
    return Empty ? Lanes::Same : Visit(E);
  }

  Lanes VisitStmt(const Stmt *S) {
    return same(
        isa<IntegerLiteral, FloatingLiteral, CharacterLiteral,
            CXXBoolLiteralExpr, CXXNullPtrLiteralExpr, GNUNullExpr,
            UnaryExprOrTypeTraitExpr, TypeTraitExpr, SizeOfPackExpr,
            CXXNoexceptExpr, CXXScalarValueInitExpr, ImplicitValueInitExpr>(S));
  }
  Lanes VisitConstantExpr(const ConstantExpr *E) {
    return E->isValueDependent() ? of(E->getSubExpr()) : Lanes::Same;
  }
  Lanes VisitFullExpr(const FullExpr *E) { return of(E->getSubExpr()); }
  Lanes VisitParenExpr(const ParenExpr *E) { return of(E->getSubExpr()); }
  Lanes VisitCXXDefaultArgExpr(const CXXDefaultArgExpr *E) {
    return of(E->getExpr());
  }
  Lanes VisitMaterializeTemporaryExpr(const MaterializeTemporaryExpr *E) {
    return of(E->getSubExpr());
  }
  Lanes
  VisitSubstNonTypeTemplateParmExpr(const SubstNonTypeTemplateParmExpr *E) {
    return of(E->getReplacement());
  }
  Lanes VisitOpaqueValueExpr(const OpaqueValueExpr *E) {
    return E->getSourceExpr() ? of(E->getSourceExpr()) : Lanes::Any;
  }
  // blockIdx.x and its kin are properties in clang's headers.
  Lanes VisitPseudoObjectExpr(const PseudoObjectExpr *E) {
    return of(E->getSyntacticForm());
  }
  Lanes VisitCallExpr(const CallExpr *E) { return In.LanesOfCall(E); }
  Lanes VisitCXXThisExpr(const CXXThisExpr *) { return In.This; }

  Lanes VisitCastExpr(const CastExpr *E);
  Lanes VisitInitListExpr(const InitListExpr *E);
  Lanes VisitCXXConstructExpr(const CXXConstructExpr *E);
  Lanes VisitUnaryOperator(const UnaryOperator *E);
  Lanes VisitBinaryOperator(const BinaryOperator *E);
  Lanes VisitAbstractConditionalOperator(const AbstractConditionalOperator *E);
  Lanes VisitMemberExpr(const MemberExpr *E);
  Lanes VisitArraySubscriptExpr(const ArraySubscriptExpr *E);
  Lanes VisitMSPropertyRefExpr(const MSPropertyRefExpr *E);
  Lanes VisitDeclRefExpr(const DeclRefExpr *E);

private:
  static Lanes same(bool Is) { return Is ? Lanes::Same : Lanes::Any; }
  bool isSame(const Expr *E) { return of(E) == Lanes::Same; }
  Lanes variable(const ValueDecl *D, bool Captured) const;
  bool isReadOnly(const Expr *Pointer) const;

  const ValueContext &In;
  const ASTContext &Context;
};

} // namespace

/// What "const T *__restrict__" of a kernel points to is never written while
/// the kernel runs.
bool UniformValue::isReadOnly(const Expr *Pointer) const {
  Pointer = Pointer->IgnoreParenImpCasts();
  if (const auto *Sum = dyn_cast<BinaryOperator>(Pointer))
    return Sum->isAdditiveOp() &&
           isReadOnly(Sum->getLHS()->getType()->isPointerType()
                          ? Sum->getLHS()
                          : Sum->getRHS());
  const auto *Ref = dyn_cast<DeclRefExpr>(Pointer);
  const auto *Parameter = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  if (!Parameter || isCaptured(Ref, In.Function) ||
      !In.Function.hasAttr<CUDAGlobalAttr>())
    return false;
  QualType Type = Parameter->getType();
  return Type.isRestrictQualified() && Type->isPointerType() &&
         Type->getPointeeType().isConstQualified() &&
         !Type->getPointeeType().isVolatileQualified();
}

Lanes UniformValue::VisitCastExpr(const CastExpr *E) {
  Lanes L = of(E->getSubExpr());
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
  case CK_NoOp:
    return L;
  case CK_IntegralCast:
    return lanesOfConversion(E->getType(), L, Context);
  default:
    return same(L == Lanes::Same);
  }
}

Lanes UniformValue::VisitInitListExpr(const InitListExpr *E) {
  Lanes L = Lanes::Same;
  for (const Expr *Init : E->inits())
    L = join(L, of(Init));
  if (E->hasArrayFiller())
    L = join(L, of(E->getArrayFiller()));
  return E->getType()->isScalarType() ? L : same(L == Lanes::Same);
}

/// Copies. Constructors that do more are not looked into.
Lanes UniformValue::VisitCXXConstructExpr(const CXXConstructExpr *E) {
  const CXXConstructorDecl *Constructor = E->getConstructor();
  if (!Constructor->isTrivial())
    return Lanes::Any;
  return E->getNumArgs() == 0 ? Lanes::Same : same(isSame(E->getArg(0)));
}

Lanes UniformValue::VisitUnaryOperator(const UnaryOperator *E) {
  switch (E->getOpcode()) {
  case UO_Deref:
    if (isa<CXXThisExpr>(E->getSubExpr()->IgnoreParenImpCasts()))
      return In.This;
    return same(isReadOnly(E->getSubExpr()) && isSame(E->getSubExpr()));
  case UO_AddrOf:
    return Lanes::Any;
  case UO_Plus:
  case UO_Extension:
    return of(E->getSubExpr());
  default:
    return same(isSame(E->getSubExpr()));
  }
}

Lanes UniformValue::VisitBinaryOperator(const BinaryOperator *E) {
  if (E->isPtrMemOp())
    return Lanes::Any;
  Lanes LHS = of(E->getLHS()), RHS = of(E->getRHS());
  if (E->isCommaOp() || E->getOpcode() == BO_Assign)
    return RHS;
  if (!E->isCompoundAssignmentOp())
    return lanesOfArithmetic(E, E->getOpcode(), LHS, RHS, Context);
  BinaryOperatorKind Opcode =
      BinaryOperator::getOpForCompoundAssignment(E->getOpcode());
  return lanesOfConversion(
      E->getType(), lanesOfArithmetic(E, Opcode, LHS, RHS, Context), Context);
}

Lanes UniformValue::VisitAbstractConditionalOperator(
    const AbstractConditionalOperator *E) {
  if (!isSame(E->getCond()))
    return Lanes::Any;
  return join(of(E->getTrueExpr()), of(E->getFalseExpr()));
}

Lanes UniformValue::VisitMemberExpr(const MemberExpr *E) {
  const ValueDecl *Member = E->getMemberDecl();
  if (!isa<FieldDecl>(Member))
    return variable(Member, /*Captured=*/false);
  if (Member->getType()->isReferenceType())
    return Lanes::Any;
  const Expr *Base = E->getBase();
  if (E->isArrow() && !isa<CXXThisExpr>(Base->IgnoreParenImpCasts()) &&
      !isReadOnly(Base))
    return Lanes::Any;
  return same(isSame(Base));
}

Lanes UniformValue::VisitArraySubscriptExpr(const ArraySubscriptExpr *E) {
  const Expr *Array = arrayOf(E);
  return same(isSame(E->getIdx()) &&
              (Array ? isSame(Array)
                     : isReadOnly(E->getBase()) && isSame(E->getBase())));
}

Lanes UniformValue::VisitMSPropertyRefExpr(const MSPropertyRefExpr *E) {
  StringRef Builtin = builtinOf(E);
  if (Builtin != "threadIdx")
    return same(!Builtin.empty());
  if (!In.WarpRows)
    return Lanes::Any;
  return E->getPropertyDecl()->getName() == "x" ? Lanes::Row : Lanes::Same;
}

Lanes UniformValue::VisitDeclRefExpr(const DeclRefExpr *E) {
  return variable(E->getDecl(), isCaptured(E, In.Function));
}

/// References are only followed where they are parameters: callers see to it
/// that nobody writes to what they name (FunctionEntry).
Lanes UniformValue::variable(const ValueDecl *D, bool Captured) const {
  QualType Type = D->getType();
  if (D->isInvalidDecl() || Type.isVolatileQualified() ||
      (Type->isReferenceType() && (!isa<ParmVarDecl>(D) || Captured)))
    return Lanes::Any;
  if (isa<EnumConstantDecl, NonTypeTemplateParmDecl>(D))
    return Lanes::Same;
  const auto *V = dyn_cast<VarDecl>(D);
  if (V && V->isConstexpr())
    return Lanes::Same;
  if (!V || V->hasAttr<CUDASharedAttr>())
    return Lanes::Any;
  if (V->hasGlobalStorage())
    return same(isBuiltin(V, "warpSize") || isBuiltin(V, "blockIdx") ||
                isBuiltin(V, "blockDim") || isBuiltin(V, "gridDim") ||
                V->hasAttr<CUDAConstantAttr>() ||
                (Type.isConstQualified() && V->hasInit()));
  if (Captured && !In.Variables.contains(V))
    return Lanes::Any;
  return In.Variables.of(V);
}

Lanes lanesOf(const Expr *E, const ValueContext &Context) {
  return UniformValue(Context).of(E);
}

} // namespace kinstr
