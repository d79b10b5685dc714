// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visitors that gather facts about functions. Private to the library.
#ifndef KINSTR_REWRITE_COLLECTORS_H
#define KINSTR_REWRITE_COLLECTORS_H

#include "LLVMCompat.h"
#include "rewrite/DeviceLibrary.h"
#include "rewrite/MainFile.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <set>

namespace kinstr {

/// A function or lambda with a body in one of the files.
struct Function {
  const clang::FunctionDecl *Decl;
  ByteRange Body;

  bool isLambda() const {
    const auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Decl);
    return Method && Method->getParent()->isLambda();
  }
  bool isKernel() const { return Decl->hasAttr<clang::CUDAGlobalAttr>(); }
};

class FunctionCollector : public clang::RecursiveASTVisitor<FunctionCollector> {
public:
  explicit FunctionCollector(const MainFile &Main) : Main(Main) {}

  bool VisitFunctionDecl(clang::FunctionDecl *F) {
    if (!F->doesThisDeclarationHaveABody() || !F->getBody())
      return true;
    if (auto Body = Main.range(F->getBody()->getSourceRange()))
      Functions.push_back({F, *Body});
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr *L) {
    return VisitFunctionDecl(L->getCallOperator());
  }
  bool VisitVarDecl(clang::VarDecl *V) {
    clang::QualType T = V->getType();
    const clang::ASTContext &Context = V->getASTContext();
    // The toolkit's headers have some that nobody uses, which nvcc drops.
    if (V->hasAttr<clang::CUDAConstantAttr>() &&
        V->isThisDeclarationADefinition() == clang::VarDecl::Definition &&
        !Context.getSourceManager().isInSystemHeader(V->getLocation()) &&
        !T->isDependentType() && !T->isIncompleteType())
      ConstantBytes += Context.getTypeSizeInChars(T).getQuantity();
    return true;
  }

  /// The innermost function around \p Offset, or null.
  const Function *around(unsigned Offset) const {
    const Function *Best = nullptr;
    for (const Function &F : Functions)
      if (F.Body.contains(Offset) &&
          (!Best || F.Body.Begin >= Best->Body.Begin))
        Best = &F;
    return Best;
  }

  std::vector<Function> Functions;
  std::uint64_t ConstantBytes = 0; ///< in __constant__ variables

private:
  const MainFile &Main;
};

/// Where the keywords of branches and loops stand.
class BranchCollector : public clang::RecursiveASTVisitor<BranchCollector> {
public:
  explicit BranchCollector(const MainFile &Main) : Main(Main) {}

  bool VisitIfStmt(clang::IfStmt *S) { return add(S->getIfLoc()); }
  bool VisitForStmt(clang::ForStmt *S) { return add(S->getForLoc()); }
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *S) {
    return add(S->getForLoc());
  }
  bool VisitWhileStmt(clang::WhileStmt *S) { return add(S->getWhileLoc()); }
  bool VisitDoStmt(clang::DoStmt *S) {
    return add(S->getDoLoc()) && add(S->getWhileLoc());
  }
  bool VisitSwitchStmt(clang::SwitchStmt *S) { return add(S->getSwitchLoc()); }

  std::set<unsigned> Keywords;

private:
  bool add(clang::SourceLocation Loc) {
    if (std::optional<unsigned> At = Main.spelledOffset(Loc))
      Keywords.insert(*At);
    return true;
  }

  const MainFile &Main;
};

/// The first way out of a function that runs no destructor.
class QuitFinder : public clang::RecursiveASTVisitor<QuitFinder> {
public:
  /// What leaves a kernel is nothing to other functions: nobody calls it.
  bool TraverseFunctionDecl(clang::FunctionDecl *F) {
    return F->hasAttr<clang::CUDAGlobalAttr>() ||
           RecursiveASTVisitor::TraverseFunctionDecl(F);
  }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *S) {
    const clang::StringLiteral *Text = asmText(S);
    if (Text && !S->isAsmGoto() && mayEndThread(S))
      Exit = S;
    else if (Text && Text->getString().contains("trap"))
      Trap = S;
    return !Exit;
  }
  bool VisitCallExpr(clang::CallExpr *Call) {
    const clang::FunctionDecl *F = Call->getDirectCallee();
    if (F && F->getIdentifier() && F->getName() == "__trap")
      Trap = Call;
    return true;
  }

  const clang::Stmt *Exit = nullptr;
  const clang::Stmt *Trap = nullptr;
};

/// Visits the functions with bodies that a statement names, constructs by or
/// destroys by: those it may call. Derived has function(const FunctionDecl
/// &Definition).
template <typename Derived>
class CalleeVisitor : public clang::RecursiveASTVisitor<Derived> {
  friend Derived;
  CalleeVisitor() = default;

public:
  bool VisitDeclRefExpr(clang::DeclRefExpr *Ref) {
    return reach(llvm::dyn_cast<clang::FunctionDecl>(Ref->getDecl()));
  }
  bool VisitMemberExpr(clang::MemberExpr *Member) {
    return reach(llvm::dyn_cast<clang::FunctionDecl>(Member->getMemberDecl()));
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *Construct) {
    return reach(Construct->getConstructor());
  }
  bool VisitVarDecl(clang::VarDecl *V) { return destroyed(V->getType()); }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr *Temporary) {
    return destroyed(Temporary->getType());
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *Delete) {
    return destroyed(Delete->getDestroyedType());
  }
  bool VisitLambdaExpr(clang::LambdaExpr *Lambda) {
    return reach(Lambda->getCallOperator());
  }
  bool VisitOverloadExpr(clang::OverloadExpr *Overloads) {
    for (clang::NamedDecl *D : Overloads->decls())
      reach(D->getUnderlyingDecl()->getAsFunction());
    return true;
  }

protected:
  void traverseFunction(const clang::FunctionDecl &F) {
    if (const auto *C = llvm::dyn_cast<clang::CXXConstructorDecl>(&F))
      for (const clang::CXXCtorInitializer *Init : C->inits())
        this->getDerived().TraverseStmt(Init->getInit());
    this->getDerived().TraverseStmt(F.getBody());
  }

private:
  /// Members and bases are destroyed by code that nobody wrote.
  bool destroyed(clang::QualType Type) {
    const clang::CXXRecordDecl *Record =
        Type.isNull() || Type->isDependentType()
            ? nullptr
            : Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (!Record || !Record->hasDefinition() || Record->hasTrivialDestructor())
      return true;
    reach(Record->getDestructor());
    for (const clang::FieldDecl *Field : Record->fields())
      destroyed(Field->getType());
    for (const clang::CXXBaseSpecifier &Base : Record->bases())
      destroyed(Base.getType());
    return true;
  }
  bool reach(const clang::FunctionDecl *F) {
    const clang::FunctionDecl *Definition = nullptr;
    if (F && F->hasBody(Definition))
      this->getDerived().function(*Definition);
    return true;
  }
};

/// What a kernel uses, and the functions it calls as far as clang has their
/// bodies: shared memory, and asm that cannot be there twice.
class WholeKernel : public CalleeVisitor<WholeKernel> {
public:
  WholeKernel(clang::ASTContext &Context, const clang::FunctionDecl *Kernel)
      : Context(Context) {
    function(*Kernel);
    while (!Pending.empty())
      traverseFunction(*Pending.pop_back_val());
  }

  bool VisitVarDecl(clang::VarDecl *V) {
    if (!V->hasAttr<clang::CUDASharedAttr>())
      return CalleeVisitor::VisitVarDecl(V);
    if (!Variables.insert(V).second)
      return true;
    clang::QualType T = V->getType();
    if (V->hasExternalStorage() || T->isIncompleteArrayType())
      Dynamic = V;
    else if (!T->isDependentType() && !T->isIncompleteType())
      Bytes += Context.getTypeSizeInChars(T).getQuantity();
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *Ref) {
    if (auto *V = llvm::dyn_cast<clang::VarDecl>(Ref->getDecl()))
      VisitVarDecl(V);
    return CalleeVisitor::VisitDeclRefExpr(Ref);
  }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *S) {
    if (!Names && definesNames(S))
      Names = S;
    return true;
  }
  void function(const clang::FunctionDecl &Definition) {
    if (Functions.insert(&Definition).second)
      Pending.push_back(&Definition);
  }

  const clang::VarDecl *Dynamic = nullptr;
  const clang::Stmt *Names = nullptr; ///< asm, see definesNames()
  std::uint64_t Bytes = 0; ///< static; what depends on parameters left out

private:
  clang::ASTContext &Context;
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Variables;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 8> Functions;
  llvm::SmallVector<const clang::FunctionDecl *, 8> Pending;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_COLLECTORS_H
