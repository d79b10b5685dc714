// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/UniformValue.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

const Expr *arrayOf(const ArraySubscriptExpr *E) {
  const auto *Decay = dyn_cast<ImplicitCastExpr>(E->getBase()->IgnoreParens());
  return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay
             ? Decay->getSubExpr()
             : nullptr;
}

/// Users may call theirs 'max', too.
bool isPureCall(const CallExpr *Call) {
  const auto *Callee = dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl());
  if (!Callee || !Callee->getIdentifier() || isa<CXXMethodDecl>(Callee) ||
      !is_contained({"min", "max", "abs"}, Callee->getName()) ||
      !Call->getType()->isArithmeticType())
    return false;
  const SourceManager &Sources = Callee->getASTContext().getSourceManager();
  return Callee->getBuiltinID() != 0 ||
         Sources.isInSystemHeader(Callee->getLocation());
}

namespace {

/// Whether all lanes of a warp get the same value from an expression. Kinds of
/// expressions that are not listed may differ.
class UniformValue : public ConstStmtVisitor<UniformValue, bool> {
public:
  explicit UniformValue(const VariableSet &Varying) : Varying(Varying) {}

  /// Operators and conversions of a type that is not known before
  /// instantiation may turn out to be functions.
  bool of(const Expr *E) {
    if (!E)
      return true;
    QualType Type = E->getType();
    return !Type.isNull() && !Type.isVolatileQualified() &&
           !E->isTypeDependent() && !E->containsErrors() && Visit(E);
  }

  bool VisitStmt(const Stmt *S) {
    return isa<IntegerLiteral, FloatingLiteral, CharacterLiteral,
               CXXBoolLiteralExpr, CXXNullPtrLiteralExpr, GNUNullExpr,
               UnaryExprOrTypeTraitExpr, TypeTraitExpr, SizeOfPackExpr,
               CXXNoexceptExpr, CXXScalarValueInitExpr, ImplicitValueInitExpr>(
        S);
  }
  bool VisitConstantExpr(const ConstantExpr *E) {
    return !E->isValueDependent() || of(E->getSubExpr());
  }
  bool VisitFullExpr(const FullExpr *E) { return of(E->getSubExpr()); }
  bool VisitParenExpr(const ParenExpr *E) { return of(E->getSubExpr()); }
  bool VisitCastExpr(const CastExpr *E) { return of(E->getSubExpr()); }
  bool VisitMaterializeTemporaryExpr(const MaterializeTemporaryExpr *E) {
    return of(E->getSubExpr());
  }
  bool
  VisitSubstNonTypeTemplateParmExpr(const SubstNonTypeTemplateParmExpr *E) {
    return of(E->getReplacement());
  }
  bool VisitInitListExpr(const InitListExpr *E) {
    return E->getType()->isScalarType() &&
           all_of(E->inits(), [&](const Expr *Init) { return of(Init); });
  }
  bool VisitOpaqueValueExpr(const OpaqueValueExpr *E) {
    return E->getSourceExpr() && of(E->getSourceExpr());
  }
  bool VisitUnaryOperator(const UnaryOperator *E) {
    return E->getOpcode() != UO_Deref && E->getOpcode() != UO_AddrOf &&
           of(E->getSubExpr());
  }
  bool VisitBinaryOperator(const BinaryOperator *E) {
    return !E->isPtrMemOp() && of(E->getLHS()) && of(E->getRHS());
  }
  bool VisitAbstractConditionalOperator(const AbstractConditionalOperator *E) {
    return of(E->getCond()) && of(E->getTrueExpr()) && of(E->getFalseExpr());
  }
  bool VisitMemberExpr(const MemberExpr *E) {
    const ValueDecl *Member = E->getMemberDecl();
    if (!isa<FieldDecl>(Member))
      return variable(Member);
    return !E->isArrow() && !Member->getType()->isReferenceType() &&
           of(E->getBase());
  }
  bool VisitArraySubscriptExpr(const ArraySubscriptExpr *E) {
    return arrayOf(E) && of(arrayOf(E)) && of(E->getIdx());
  }
  // blockIdx.x and its kin are properties in clang's headers.
  bool VisitPseudoObjectExpr(const PseudoObjectExpr *E) {
    return of(E->getSyntacticForm());
  }
  bool VisitMSPropertyRefExpr(const MSPropertyRefExpr *E) {
    const Expr *Base = E->getBaseExpr()->IgnoreParenImpCasts();
    if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(Base))
      Base = Opaque->getSourceExpr()->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(Base);
    return Ref && isBuiltin(Ref->getDecl());
  }
  bool VisitCallExpr(const CallExpr *E) {
    return isPureCall(E) && all_of(E->arguments(), [&](const Expr *Argument) {
             return of(Argument);
           });
  }
  bool VisitDeclRefExpr(const DeclRefExpr *E) { return variable(E->getDecl()); }

private:
  static bool isBuiltin(const ValueDecl *D) {
    return D->getIdentifier() &&
           D->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
           is_contained({"blockIdx", "blockDim", "gridDim", "warpSize"},
                        D->getName());
  }
  bool variable(const ValueDecl *D) const;

  const VariableSet &Varying;
};

} // namespace

bool UniformValue::variable(const ValueDecl *D) const {
  QualType Type = D->getType();
  if (D->isInvalidDecl() || Type->isReferenceType() ||
      Type.isVolatileQualified())
    return false;
  if (isa<EnumConstantDecl, NonTypeTemplateParmDecl>(D))
    return true;
  const auto *V = dyn_cast<VarDecl>(D);
  if (V && V->isConstexpr())
    return true;
  if (!V || Varying.contains(V) || V->hasAttr<CUDASharedAttr>())
    return false;
  if (V->hasGlobalStorage())
    return isBuiltin(V) || V->hasAttr<CUDAConstantAttr>() ||
           (Type.isConstQualified() && V->hasInit());
  // Local arrays and objects are written through many names: not followed.
  return Type->isScalarType() || isa<ParmVarDecl>(V);
}

bool isUniformValue(const Expr *E, const VariableSet &Varying) {
  return UniformValue(Varying).of(E);
}

} // namespace kinstr
