// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Uniformity.h"

#include "LLVMCompat.h"
#include "rewrite/UniformValue.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Regex.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

using Condition = const Stmt *; ///< null: all lanes

} // namespace

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

namespace {

/// What becomes of the object that an expression names.
enum class Use {
  Read, ///< its value may be read, and nothing else
  Kept  ///< somebody holds on to the object, and may write to it at any time
};

/// Follows the flow through one function. Every variable starts as uniform;
/// values that may vary, and any change that only some lanes make, take it
/// away until nothing changes. A variable is only safe where it is seen to be
/// read or to be assigned: in any other place it may be changed by whatever is
/// there.
class Flow : public ConstStmtVisitor<Flow, void, Condition, Use> {
public:
  explicit Flow(const FunctionDecl &Function) {
    do {
      Changed = false;
      Around.clear();
      Exit = nullptr;
      statement(Function.getBody(), nullptr);
    } while (Changed);
  }

  DenseMap<SourceLocation, Condition> Around; ///< by beginning of a statement
  const Stmt *Exit = nullptr;

  // Statements. Those that are not listed may go anywhere, as 'goto' does.
  void VisitStmt(const Stmt *S, Condition C, Use);
  void VisitNullStmt(const NullStmt *, Condition, Use) {}
  void VisitCompoundStmt(const CompoundStmt *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitSwitchCase(const SwitchCase *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitLabelStmt(const LabelStmt *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitAttributedStmt(const AttributedStmt *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitDeclStmt(const DeclStmt *S, Condition C, Use);
  void VisitIfStmt(const IfStmt *S, Condition C, Use);
  void VisitSwitchStmt(const SwitchStmt *S, Condition C, Use);
  void VisitForStmt(const ForStmt *S, Condition C, Use);
  void VisitWhileStmt(const WhileStmt *S, Condition C, Use);
  void VisitDoStmt(const DoStmt *S, Condition C, Use);
  void VisitCXXForRangeStmt(const CXXForRangeStmt *S, Condition C, Use);
  void VisitBreakStmt(const BreakStmt *S, Condition C, Use) {
    leave(C, /*Switch=*/true, hasLabelTarget(S));
  }
  void VisitContinueStmt(const ContinueStmt *S, Condition C, Use) {
    leave(C, /*Switch=*/false, hasLabelTarget(S));
  }
  void VisitReturnStmt(const ReturnStmt *S, Condition C, Use);
  void VisitGCCAsmStmt(const GCCAsmStmt *S, Condition C, Use);

  // Expressions. Those that are not listed keep what their operands name;
  // where only a value is needed, a cast in between says so.
  void VisitExpr(const Expr *E, Condition C, Use);
  void VisitDeclRefExpr(const DeclRefExpr *E, Condition, Use U) {
    if (U == Use::Kept)
      giveUp(E->getDecl());
  }
  void VisitCastExpr(const CastExpr *E, Condition C, Use U);
  void VisitParenExpr(const ParenExpr *E, Condition C, Use U) {
    expression(E->getSubExpr(), C, U);
  }
  void VisitFullExpr(const FullExpr *E, Condition C, Use U) {
    expression(E->getSubExpr(), C, U);
  }
  void VisitMemberExpr(const MemberExpr *E, Condition C, Use U) {
    expression(E->getBase(), C, U);
  }
  void VisitArraySubscriptExpr(const ArraySubscriptExpr *E, Condition C, Use U);
  void VisitUnaryOperator(const UnaryOperator *E, Condition C, Use U);
  void VisitBinaryOperator(const BinaryOperator *E, Condition C, Use U);
  void VisitConditionalOperator(const ConditionalOperator *E, Condition C,
                                Use U);
  void VisitBinaryConditionalOperator(const BinaryConditionalOperator *E,
                                      Condition C, Use U);
  void VisitOpaqueValueExpr(const OpaqueValueExpr *E, Condition C, Use U) {
    expression(E->getSourceExpr(), C, U);
  }
  void VisitPseudoObjectExpr(const PseudoObjectExpr *E, Condition C, Use) {
    expression(E->getSyntacticForm(), C);
  }
  void VisitCallExpr(const CallExpr *E, Condition C, Use U);
  void VisitCXXConstructExpr(const CXXConstructExpr *E, Condition C, Use);
  void VisitLambdaExpr(const LambdaExpr *E, Condition C, Use);
  void VisitStmtExpr(const StmtExpr *E, Condition C, Use);
  void VisitRecoveryExpr(const RecoveryExpr *E, Condition C, Use);
  // These do not run what they name.
  void VisitUnaryExprOrTypeTraitExpr(const UnaryExprOrTypeTraitExpr *,
                                     Condition, Use) {}
  void VisitCXXNoexceptExpr(const CXXNoexceptExpr *, Condition, Use) {}

private:
  void leave(Condition C, bool Switch, bool ByLabel);
  void statement(const Stmt *S, Condition C);
  void statements(const Stmt *Parent, Condition C);
  void expression(const Stmt *S, Condition C, Use U = Use::Kept) {
    if (S)
      Visit(S, C, U);
  }
  void loop(const Stmt *Loop, const Stmt *Variable, const Expr *Test,
            const Stmt *Body, const Expr *Step, Condition C);
  void declare(const VarDecl *V, Condition C);
  void assign(const Expr *E, const Expr *Target, bool SameValue, Condition C,
              Use U);
  bool isUniform(const Expr *E) const { return isUniformValue(E, Varying); }
  bool isSameVariable(const Expr *Target) const;
  void giveUp(const ValueDecl *D);
  void giveUpAll(const Stmt *S);
  void vary(const ValueDecl *D) { Changed |= Varying.insert(D).second; }

  VariableSet Varying;
  /// Loops and switches that some lanes leave, or an iteration of them, before
  /// the others do, and under which condition.
  DenseMap<const Stmt *, Condition> Left;
  SmallVector<const Stmt *, 8> Enclosing; ///< loops and switches
  unsigned StatementExprs = 0;            ///< that enclose the current one
  bool Changed = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Flow: variables
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

/// \p D may get any value from now on.
void Flow::giveUp(const ValueDecl *D) {
  if (const auto *V = dyn_cast<VarDecl>(D);
      V && V->hasLocalStorage() && !isImmutable(V->getType()))
    vary(V);
}

/// Likewise everything that \p S names.
void Flow::giveUpAll(const Stmt *S) {
  struct Names : RecursiveASTVisitor<Names> {
    explicit Names(Flow &Out) : Out(Out) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      Out.giveUp(E->getDecl());
      return true;
    }
    Flow &Out;
  };
  Names(*this).TraverseStmt(const_cast<Stmt *>(S));
}

/// Whether \p Target is the same variable, or part of one, in all lanes.
bool Flow::isSameVariable(const Expr *Target) const {
  Target = Target->IgnoreParens();
  if (const auto *Member = dyn_cast<MemberExpr>(Target))
    return !Member->isArrow() && isSameVariable(Member->getBase());
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Target))
    return arrayOf(Element) && isUniform(Element->getIdx()) &&
           isSameVariable(arrayOf(Element));
  return isa<DeclRefExpr>(Target);
}

/// \p E assigns to \p Target. If its own value is kept, the target is too.
void Flow::assign(const Expr *E, const Expr *Target, bool SameValue,
                  Condition C, Use U) {
  bool Kept = U == Use::Kept && E->isGLValue();
  bool Uniform = !C && SameValue && isSameVariable(Target);
  expression(Target, C, Uniform && !Kept ? Use::Read : Use::Kept);
}

void Flow::declare(const VarDecl *V, Condition C) {
  expression(V->getInit(), C);
  if (V->getType()->isReferenceType() || V->isInvalidDecl() ||
      !isUniform(V->getInit()))
    vary(V);
}

//===----------------------------------------------------------------------===//
// Flow: expressions
//===----------------------------------------------------------------------===//

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
    assign(E, E->getSubExpr(), true, C, U);
  else
    VisitExpr(E, C, U);
}

void Flow::VisitBinaryOperator(const BinaryOperator *E, Condition C, Use U) {
  if (E->isTypeDependent()) // may be overloaded
    return VisitExpr(E, C, U);
  const Expr *LHS = E->getLHS(), *RHS = E->getRHS();
  if (E->isAssignmentOp()) {
    expression(RHS, C);
    assign(E, LHS, isUniform(RHS), C, U);
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

void Flow::VisitCallExpr(const CallExpr *E, Condition C, Use U) {
  if (!isPureCall(E))
    return VisitExpr(E, C, U);
  // std::max returns a reference to one of its arguments.
  for (const Expr *Argument : E->arguments())
    expression(Argument, C, E->isGLValue() ? U : Use::Read);
}

void Flow::VisitCXXConstructExpr(const CXXConstructExpr *E, Condition C,
                                 Use U) {
  const CXXConstructorDecl *Callee = E->getConstructor();
  if (!Callee->isTrivial() || !Callee->isCopyOrMoveConstructor())
    return VisitExpr(E, C, U);
  for (const Expr *Argument : E->arguments())
    expression(Argument, C, Use::Read);
}

/// The body of a lambda runs elsewhere, if at all. What it holds by reference
/// may change then.
void Flow::VisitLambdaExpr(const LambdaExpr *E, Condition C, Use) {
  for (const Expr *Init : E->capture_inits())
    expression(Init, C);
  // Before instantiation clang does not know what '[&]' captures.
  if (E->getCaptureDefault() == LCD_ByRef &&
      (E->isGenericLambda() || E->getLambdaClass()->isDependentContext()))
    giveUpAll(E->getBody());
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

//===----------------------------------------------------------------------===//
// Flow: statements
//===----------------------------------------------------------------------===//

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
  Exit = S;
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

/// Iterators are not followed.
void Flow::VisitCXXForRangeStmt(const CXXForRangeStmt *S, Condition C, Use) {
  statement(S->getInit(), C);
  expression(S->getRangeInit(), C);
  vary(S->getLoopVariable());
  Enclosing.push_back(S);
  statement(S->getBody(), S->getRangeInit());
  Enclosing.pop_back();
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
  if (C && !Exit)
    Exit = S;
}

void Flow::VisitGCCAsmStmt(const GCCAsmStmt *S, Condition C, Use) {
  for (const Stmt *Operand : S->children())
    expression(Operand, C);
  const clang::StringLiteral *Text = asmText(S);
  if (S->isAsmGoto() || !Text ||
      Regex("(^|[^a-z_.%$])(exit|ret)($|[^a-z_])").match(Text->getString()))
    Exit = S;
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

Uniformity::Uniformity(const FunctionDecl &Kernel) {
  bool HasInstances = false;
  if (const FunctionTemplateDecl *Template =
          Kernel.getDescribedFunctionTemplate())
    for (const FunctionDecl *Instance : Template->specializations())
      if (Instance->getTemplateSpecializationKind() !=
              TSK_ExplicitSpecialization &&
          Instance->getBody()) {
        analyse(*Instance, Merge::All);
        HasInstances = true;
      }
  // Much is unknown about a template, and everything about its instances: they
  // decide, unless an error may have kept clang from seeing one that nvcc sees.
  bool Errors = Kernel.getASTContext().getDiagnostics().hasErrorOccurred();
  analyse(Kernel, HasInstances && !Errors ? Merge::OnlyUnknown : Merge::All);
}

void Uniformity::analyse(const FunctionDecl &Function, Merge How) {
  Flow F(Function);
  for (auto [At, Why] : F.Around) {
    auto [Known, New] = Around.try_emplace(At, Why);
    if (!New && How == Merge::All && !Known->second)
      Known->second = Why;
  }
  // A 'goto' is in the way whatever the instances do.
  bool IsReturn = F.Exit && isa<ReturnStmt>(F.Exit);
  if (F.Exit && (!IsReturn || (How == Merge::All && !Exit)))
    Exit = F.Exit;
}

const Stmt *Uniformity::divergenceAround(const Stmt *S) const {
  auto Known = Around.find(S->getBeginLoc());
  // Statements that have not been visited cannot be vouched for.
  return Known == Around.end() ? S : Known->second;
}

} // namespace kinstr
