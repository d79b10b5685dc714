// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the flow through one function. Private to the library.
#ifndef KINSTR_REWRITE_FLOW_H
#define KINSTR_REWRITE_FLOW_H

#include "rewrite/Callees.h"
#include "rewrite/Lanes.h"
#include "clang/AST/StmtVisitor.h"
#include "llvm/ADT/MapVector.h"

namespace kinstr {

using Condition = const clang::Stmt *; ///< null: all lanes

/// What becomes of the object that an expression names.
enum class Use {
  Read, ///< its value may be read, and nothing else
  Kept  ///< somebody holds on to the object, and may write to it at any time
};

/// Every variable starts as uniform; values that may vary, and any change that
/// only some lanes make, take it away until nothing changes. A variable is only
/// safe where it is seen to be read or to be assigned: in any other place it
/// may be changed by whatever is there.
class Flow : public clang::ConstStmtVisitor<Flow, void, Condition, Use> {
public:
  /// \p Function has a body.
  Flow(const clang::FunctionDecl &Function, const FunctionEntry &Entry,
       Callees &Called);

  /// A call that is followed: how it enters the function.
  struct Site {
    const clang::FunctionDecl *Callee;
    FunctionEntry Entry;
  };

  /// What keeps the lanes apart, by the beginning of a statement.
  llvm::DenseMap<clang::SourceLocation, Condition> Around;
  /// A statement that some lanes leave the function by, or that is not
  /// followed.
  const clang::Stmt *Exit = nullptr;
  const clang::Stmt *Ends = nullptr; ///< may end the thread that runs it
  bool HasGoto = false;
  llvm::MapVector<const clang::CallExpr *, Site> Sites;

  CalleeSummary summary() const;

  // Statements. Those that are not listed may go anywhere.
  void VisitStmt(const clang::Stmt *S, Condition C, Use);
  void VisitNullStmt(const clang::NullStmt *, Condition, Use) {}
  void VisitCompoundStmt(const clang::CompoundStmt *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitSwitchCase(const clang::SwitchCase *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitLabelStmt(const clang::LabelStmt *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitAttributedStmt(const clang::AttributedStmt *S, Condition C, Use) {
    statements(S, C);
  }
  void VisitDeclStmt(const clang::DeclStmt *S, Condition C, Use);
  void VisitIfStmt(const clang::IfStmt *S, Condition C, Use);
  void VisitSwitchStmt(const clang::SwitchStmt *S, Condition C, Use);
  void VisitForStmt(const clang::ForStmt *S, Condition C, Use);
  void VisitWhileStmt(const clang::WhileStmt *S, Condition C, Use);
  void VisitDoStmt(const clang::DoStmt *S, Condition C, Use);
  void VisitCXXForRangeStmt(const clang::CXXForRangeStmt *S, Condition C, Use);
  void VisitBreakStmt(const clang::BreakStmt *S, Condition C, Use);
  void VisitContinueStmt(const clang::ContinueStmt *S, Condition C, Use);
  void VisitGotoStmt(const clang::GotoStmt *S, Condition C, Use);
  void VisitReturnStmt(const clang::ReturnStmt *S, Condition C, Use);
  void VisitGCCAsmStmt(const clang::GCCAsmStmt *S, Condition C, Use);

  // Expressions. Those that are not listed keep what their operands name;
  // where only a value is needed, a cast in between says so.
  void VisitExpr(const clang::Expr *E, Condition C, Use);
  void VisitDeclRefExpr(const clang::DeclRefExpr *E, Condition, Use U) {
    if (U == Use::Kept)
      giveUp(E);
  }
  void VisitCXXThisExpr(const clang::CXXThisExpr *E, Condition, Use U);
  void VisitCastExpr(const clang::CastExpr *E, Condition C, Use U);
  void VisitParenExpr(const clang::ParenExpr *E, Condition C, Use U) {
    expression(E->getSubExpr(), C, U);
  }
  void VisitFullExpr(const clang::FullExpr *E, Condition C, Use U) {
    expression(E->getSubExpr(), C, U);
  }
  void VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr *E,
                                     Condition C, Use U) {
    expression(E->getSubExpr(), C, U);
  }
  void VisitMemberExpr(const clang::MemberExpr *E, Condition C, Use U) {
    expression(E->getBase(), C, U);
  }
  void VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *E, Condition C,
                               Use U);
  void VisitUnaryOperator(const clang::UnaryOperator *E, Condition C, Use U);
  void VisitBinaryOperator(const clang::BinaryOperator *E, Condition C, Use U);
  void VisitConditionalOperator(const clang::ConditionalOperator *E,
                                Condition C, Use U);
  void VisitBinaryConditionalOperator(const clang::BinaryConditionalOperator *E,
                                      Condition C, Use U);
  void VisitOpaqueValueExpr(const clang::OpaqueValueExpr *E, Condition C,
                            Use U) {
    expression(E->getSourceExpr(), C, U);
  }
  void VisitPseudoObjectExpr(const clang::PseudoObjectExpr *E, Condition C,
                             Use) {
    expression(E->getSyntacticForm(), C);
  }
  void VisitCallExpr(const clang::CallExpr *E, Condition C, Use U);
  void VisitCXXConstructExpr(const clang::CXXConstructExpr *E, Condition C,
                             Use);
  void VisitLambdaExpr(const clang::LambdaExpr *E, Condition C, Use);
  void VisitStmtExpr(const clang::StmtExpr *E, Condition C, Use);
  void VisitRecoveryExpr(const clang::RecoveryExpr *E, Condition C, Use);
  // These do not run what they name.
  void VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr *,
                                     Condition, Use) {}
  void VisitCXXNoexceptExpr(const clang::CXXNoexceptExpr *, Condition, Use) {}

private:
  void leave(Condition C, bool Switch, bool ByLabel);
  void exit(const clang::Stmt *S) {
    if (!Exit)
      Exit = S;
  }
  void statement(const clang::Stmt *S, Condition C);
  void statements(const clang::Stmt *Parent, Condition C);
  void expression(const clang::Stmt *S, Condition C, Use U = Use::Kept) {
    if (S)
      Visit(S, C, U);
  }
  void loop(const clang::Stmt *Loop, const clang::Stmt *Variable,
            const clang::Expr *Test, const clang::Stmt *Body,
            const clang::Expr *Step, Condition C);
  void declare(const clang::VarDecl *V, Condition C);
  void assign(const clang::Expr *E, const clang::Expr *Target, Lanes Value,
              Condition C, Use U);
  void follow(const clang::CallExpr *E, const DirectCall &Call, Condition C);
  Lanes lanes(const clang::Expr *E) const;
  Lanes lanesOfCall(const clang::CallExpr *E) const;
  FunctionEntry entryOf(const DirectCall &Call) const;
  void addCaptures(const clang::FunctionDecl &Callee,
                   FunctionEntry &Entry) const;
  bool isUniform(const clang::Expr *E) const { return lanes(E) == Lanes::Same; }
  bool isSameVariable(const clang::Expr *Target) const;
  void giveUp(const clang::DeclRefExpr *E);
  void giveUpAll(
      const clang::Stmt *S,
      llvm::function_ref<bool(const clang::ValueDecl *)> Spared =
          [](const clang::ValueDecl *) { return false; });
  void giveUpThis();
  void raise(const clang::ValueDecl *D, Lanes L) {
    Changed |= Variables.raise(D, L);
  }

  const clang::FunctionDecl &Function;
  Callees &Called;
  VariableLanes Variables;
  Lanes This;
  CalleeSummary Effects; ///< of a call of this function
  /// Loops and switches that some lanes leave, or an iteration of them, before
  /// the others do, and under which condition.
  llvm::DenseMap<const clang::Stmt *, Condition> Left;
  llvm::SmallVector<const clang::Stmt *, 8> Enclosing; ///< loops and switches
  unsigned StatementExprs = 0; ///< that enclose the current one
  bool Changed = false;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_FLOW_H
