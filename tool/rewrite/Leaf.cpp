// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Leaf.h"

#include "LLVMCompat.h"
#include "rewrite/DeviceLibrary.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

static bool isPlain(ArrayRef<TemplateArgument> Arguments);

/// Whether \p Class is of a system header, made of nothing of the user's, and
/// nothing that the user could derive from it changes what it does.
static bool isPlainClass(const TagDecl &Class) {
  const auto *Record = dyn_cast<CXXRecordDecl>(&Class);
  if (Record && (!Record->hasDefinition() || Record->isPolymorphic()))
    return false;
  for (const DeclContext *C = &Class; C; C = C->getParent())
    if (const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(C);
        Instance && !isPlain(Instance->getTemplateArgs().asArray()))
      return false;
  return Class.getASTContext().getSourceManager().isInSystemHeader(
      Class.getLocation());
}

/// Whether values of \p Type carry no code of the user's.
static bool isPlain(QualType Type) {
  Type = Type.getNonReferenceType();
  while (Type->isObjectPointerType())
    Type = Type->getPointeeType();
  const TagDecl *Tag = Type->getAsTagDecl();
  return Type->isArithmeticType() || Type->isVoidType() ||
         Type->isEnumeralType() || (Tag && isPlainClass(*Tag));
}

static bool isPlain(ArrayRef<TemplateArgument> Arguments) {
  return all_of(Arguments, [](const TemplateArgument &A) {
    switch (A.getKind()) {
    case TemplateArgument::Type:
      return isPlain(A.getAsType());
    case TemplateArgument::Pack:
      return isPlain(A.getPackAsArray());
    case TemplateArgument::NullPtr:
    case TemplateArgument::Integral:
      return true;
    default:
      return false;
    }
  });
}

static bool isOfSystem(const FunctionDecl &F) {
  const SourceManager &Sources = F.getASTContext().getSourceManager();
  return all_of(F.redecls(), [&](const FunctionDecl *D) {
    return Sources.isInSystemHeader(D->getLocation());
  });
}

/// Whether \p F is a builtin, or a function of a system header that is given
/// nothing from which it could get to the user's.
static bool isForeign(const FunctionDecl &F) {
  const TemplateArgumentList *Arguments = F.getTemplateSpecializationArgs();
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  return F.getBuiltinID() != 0 ||
         (isOfSystem(F) && !F.isVariadic() &&
          (!Arguments || isPlain(Arguments->asArray())) &&
          (!Method || isPlainClass(*Method->getParent())) &&
          all_of(F.parameters(),
                 [](const ParmVarDecl *P) { return isPlain(P->getType()); }));
}

namespace {

/// Follows what is called, once each. Code that is not executed (the operand of
/// a sizeof) counts, too; the body of a lambda where it is called.
class Calls : public RecursiveASTVisitor<Calls> {
public:
  Calls(const FunctionDecl &F,
        function_ref<bool(const FunctionDecl &)> IsAnnotated)
      : IsAnnotated(IsAnnotated) {
    Pending.insert(&F);
  }

  bool run() {
    for (unsigned I = 0; I < Pending.size(); ++I)
      if (!follow(*Pending[I]))
        return false;
    return true;
  }

  // Each returns false, which ends the search, where it may lead anywhere.

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    return F && !(Method && Method->isVirtual()) && call(*F);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    return E->getConstructor()->isTrivial() || call(*E->getConstructor());
  }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr *) {
    return false;
  }
  bool VisitCXXNewExpr(CXXNewExpr *) { return false; }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *) { return false; }
  bool VisitVarDecl(VarDecl *V) { return isDestroyedByNobody(V->getType()); }
  bool VisitMaterializeTemporaryExpr(MaterializeTemporaryExpr *E) {
    return isDestroyedByNobody(E->getType());
  }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *E) {
    return isDestroyedByNobody(E->getType());
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *E) {
    return TraverseStmt(E->getExpr());
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *E) {
    return TraverseStmt(E->getExpr());
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    const clang::StringLiteral *Text = asmText(S);
    return Text && !mayEndThread(S) && !Text->getString().contains("call");
  }
  bool VisitMSAsmStmt(MSAsmStmt *) { return false; }
  bool VisitRecoveryExpr(RecoveryExpr *) { return false; }

  bool TraverseLambdaExpr(LambdaExpr *L) {
    return all_of(L->capture_inits(),
                  [&](Expr *Init) { return !Init || TraverseStmt(Init); });
  }

private:
  bool call(const FunctionDecl &F) {
    const FunctionDecl *Definition = nullptr;
    if (!F.hasBody(Definition) || !Definition->getBody())
      return isForeign(F);
    Pending.insert(Definition);
    return !IsAnnotated(*Definition);
  }

  bool follow(const FunctionDecl &F) {
    if (F.isDependentContext() || F.isInvalidDecl())
      return false;
    if (const auto *C = dyn_cast<CXXConstructorDecl>(&F))
      for (const CXXCtorInitializer *Init : C->inits())
        if (!TraverseStmt(Init->getInit()))
          return false;
    return all_of(F.parameters(),
                  [&](ParmVarDecl *P) {
                    return isDestroyedByNobody(P->getType());
                  }) &&
           TraverseStmt(F.getBody());
  }

  static bool isDestroyedByNobody(QualType Type) {
    return Type->isReferenceType() || !Type.isDestructedType();
  }

  function_ref<bool(const FunctionDecl &)> IsAnnotated;
  SmallSetVector<const FunctionDecl *, 16> Pending;
};

} // namespace

bool isLeaf(const FunctionDecl &F,
            function_ref<bool(const FunctionDecl &)> IsAnnotated) {
  return !F.getASTContext().getDiagnostics().hasErrorOccurred() &&
         Calls(F, IsAnnotated).run();
}

} // namespace kinstr
