// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/AutoWork.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

/// "wgmma", "mma16816", but not "gamma": one of the words between underscores.
static bool namesTensorCores(StringRef Name) {
  SmallVector<StringRef, 8> Words;
  Name.split(Words, '_');
  return any_of(Words, [](StringRef Word) {
    Word = Word.take_until([](char C) { return isDigit(C); });
    return is_contained({"mma", "wmma", "wgmma", "hmma", "imma", "dmma", "bmma",
                         "qmma", "umma", "gmma"},
                        Word);
  });
}

/// cuda::atomic's members and libcu++'s.
static bool isAtomic(StringRef Name) {
  return Name.starts_with("atomic") || Name.starts_with("fetch_") ||
         Name.starts_with("compare_exchange_");
}

static bool loadsByName(StringRef Name) {
  return Name.starts_with("__ldg") || Name.starts_with("__ldc") ||
         Name.starts_with("__ldlu") || Name.starts_with("tex1D") ||
         Name.starts_with("tex2D") || Name.starts_with("tex3D") ||
         Name.starts_with("texCubemap") ||
         (Name.starts_with("surf") && Name.ends_with("read")) ||
         Name == "load_matrix_sync" || Name == "ldmatrix";
}

static bool storesByName(StringRef Name) {
  return Name.starts_with("__stc") || Name.starts_with("__stwt") ||
         Name.starts_with("__stwb") || Name == "store_matrix_sync" ||
         (Name.starts_with("surf") && Name.ends_with("write"));
}

unsigned workOfCall(StringRef Name) {
  if (Name.starts_with("__syncthreads") || Name == "__barrier_sync" ||
      Name == "sync" || Name == "arrive_and_wait" ||
      Name == "named_barrier_sync" || Name == "cluster_sync" ||
      Name == "cluster_wait" || Name == "cluster_barrier_wait" ||
      Name == "barrier_wait")
    return Barriers;
  if (loadsByName(Name))
    return LoadsGlobal;
  if (storesByName(Name))
    return StoresGlobal;
  if (Name.contains("wait") || Name == "producer_acquire")
    return Waits;
  if (Name == "copy" || Name.contains("expect_tx") ||
      Name.contains("memcpy_async") || Name.starts_with("cp_async") ||
      Name.starts_with("tma_load") || Name.starts_with("tma_store"))
    return IssuesCopy;
  if (namesTensorCores(Name) || Name == "gemm" ||
      Name.starts_with("warpgroup_"))
    return Multiplies;
  if (isAtomic(Name))
    return Atomics;
  if (Name.starts_with("__shfl") || Name.starts_with("shfl") ||
      Name.contains_insensitive("reduce"))
    return Reduces;
  return 0;
}

unsigned workOfAsm(StringRef Text) {
  auto Has = [&](std::initializer_list<StringRef> Words) {
    return any_of(Words, [&](StringRef Word) { return Text.contains(Word); });
  };
  if (Has({"bar.sync", "barrier.sync", "barrier.cluster.wait", "bar.red"}))
    return Barriers;
  if (Has({"mbarrier.try_wait", "mbarrier.test_wait", "cp.async.wait",
           "cp.async.bulk.wait", "wgmma.wait_group", "tcgen05.wait"}))
    return Waits;
  if (Has({"cp.async", "cp.reduce.async"}))
    return IssuesCopy;
  if (Has({"mma.sync", "mma.m", "wgmma.", "tcgen05.mma"}))
    return Multiplies;
  unsigned Does = 0;
  if (Has({"ld.global", "ldu.global"}))
    Does |= LoadsGlobal;
  if (Has({"st.global"}))
    Does |= StoresGlobal;
  if (Has({"ld.shared", "ldmatrix"}))
    Does |= LoadsShared;
  if (Has({"st.shared", "stmatrix"}))
    Does |= StoresShared;
  if (Has({"atom.", "red.global", "red.shared"}))
    Does |= Atomics;
  return Does;
}

//===----------------------------------------------------------------------===//
// Where pointers point to
//===----------------------------------------------------------------------===//

/// The variable an address is made from, or null.
static const ValueDecl *rootOf(const Expr *E) {
  while (E) {
    E = E->IgnoreParenCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Ref->getDecl();
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      E = Subscript->getBase();
    else if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      E = Unary->getSubExpr();
    else if (const auto *Member = dyn_cast<MemberExpr>(E))
      E = Member->getBase();
    else if (const auto *Dependent = dyn_cast<CXXDependentScopeMemberExpr>(E))
      E = Dependent->isImplicitAccess() ? nullptr : Dependent->getBase();
    else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
      E = Operator->getNumArgs() ? Operator->getArg(0) : nullptr;
    else if (const auto *Binary = dyn_cast<BinaryOperator>(E))
      E = Binary->getRHS()->getType()->isPointerType() ? Binary->getRHS()
                                                       : Binary->getLHS();
    else if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
      E = Choice->getTrueExpr();
    else
      return nullptr;
  }
  return nullptr;
}

static WorkFinder::Space spaceOf(const ValueDecl *D,
                                 const WorkFinder::Spaces &Known) {
  if (!D || D->hasAttr<CUDAConstantAttr>())
    return WorkFinder::Space::Unknown;
  if (D->hasAttr<CUDASharedAttr>())
    return WorkFinder::Space::Shared;
  if (D->hasAttr<CUDADeviceAttr>())
    return WorkFinder::Space::Global;
  return Known.lookup(D);
}

namespace {

/// Follows pointers from the kernel's parameters and shared arrays to locals.
class PointerFollower : public RecursiveASTVisitor<PointerFollower> {
public:
  PointerFollower(const MainFile &Main, WorkFinder::Spaces &Known)
      : Main(Main), Known(Known) {}

  bool VisitVarDecl(VarDecl *V) {
    if (V->getInit())
      follow(V, V->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->getOpcode() == BO_Assign)
      if (const auto *Ref = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens()))
        follow(Ref->getDecl(), B->getRHS());
    return true;
  }

private:
  void follow(const ValueDecl *To, const Expr *From) {
    QualType T = To->getType();
    if (!T->isPointerType() && !T->isReferenceType())
      return;
    auto S = spaceOf(rootOf(From), Known);
    if (S == WorkFinder::Space::Unknown && namesShared(From))
      S = WorkFinder::Space::Shared;
    if (S != WorkFinder::Space::Unknown)
      Known.try_emplace(To, S);
  }

  /// T *data = SharedMemory<T>();
  bool namesShared(const Expr *From) const {
    auto R = Main.range(From->getSourceRange());
    return R && Main.text().slice(R->Begin, R->End).contains("hared");
  }

  const MainFile &Main;
  WorkFinder::Spaces &Known;
};

//===----------------------------------------------------------------------===//
// One statement
//===----------------------------------------------------------------------===//

class WorkVisitor : public RecursiveASTVisitor<WorkVisitor> {
public:
  WorkVisitor(const MainFile &Main, const WorkFinder::Spaces &Known)
      : Main(Main), Known(Known) {}

  bool VisitCallExpr(CallExpr *Call) {
    const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<CXXDependentScopeMemberExpr>(Callee))
      name(M->getMember());
    else if (const auto *D = dyn_cast<DependentScopeDeclRefExpr>(Callee))
      name(D->getDeclName());
    if (syncsLanesOnly(Call))
      --GroupSyncs;
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    return function(dyn_cast<FunctionDecl>(Ref->getDecl()));
  }
  bool VisitOverloadExpr(OverloadExpr *Overloads) {
    name(Overloads->getName());
    for (const NamedDecl *D : Overloads->decls())
      if (const FunctionDecl *F = D->getUnderlyingDecl()->getAsFunction())
        Called.push_back(F);
    return true;
  }
  bool VisitAsmStmt(AsmStmt *Asm) {
    if (auto R = Main.range(Asm->getSourceRange()))
      Does |= workOfAsm(Main.text().slice(R->Begin, R->End));
    return true;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (V->getType()->isReferenceType() && V->getInit())
      see(V->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->isAssignmentOp())
      write(B->getLHS(), B->isCompoundAssignmentOp());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *Call) {
    if (Call->isAssignmentOp() && Call->getNumArgs())
      write(Call->getArg(0), Call->getOperator() != OO_Equal);
    else if (Call->getOperator() == OO_Subscript)
      read(Call);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    if (U->isIncrementDecrementOp())
      write(U->getSubExpr(), true);
    else if (U->getOpcode() == UO_AddrOf)
      see(U->getSubExpr());
    else if (U->getOpcode() == UO_Deref)
      read(U);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    read(E);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (E->isArrow() && isa<FieldDecl>(E->getMemberDecl()))
      read(E);
    return function(dyn_cast<FunctionDecl>(E->getMemberDecl()));
  }

  unsigned Does = 0;
  int GroupSyncs = 0; ///< calls of cooperative groups' sync()
  SmallVector<const FunctionDecl *, 4> Called;

private:
  void name(DeclarationName Name) {
    const IdentifierInfo *Id = Name.getAsIdentifierInfo();
    if (Id && Id->getName() == "sync")
      ++GroupSyncs;
    else if (Id)
      Does |= workOfCall(Id->getName());
  }

  bool function(const FunctionDecl *F) {
    if (!F)
      return true;
    name(F->getDeclName());
    if (const auto *Method = dyn_cast<CXXMethodDecl>(F);
        Method && Method->getParent()->getName().contains("Reduce"))
      Does |= Reduces;
    Called.push_back(F);
    return true;
  }

  /// sync() of a tile or of the lanes that happen to be there: no barrier.
  static bool syncsLanesOnly(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getIdentifier() || F->getName() != "sync")
      return false;
    const Expr *Group = nullptr;
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
      Group = Member->getImplicitObjectArgument();
    else if (Call->getNumArgs())
      Group = Call->getArg(0);
    if (!Group)
      return false;
    std::string Type = Group->IgnoreParenImpCasts()
                           ->getType()
                           .getNonReferenceType()
                           .getAsString();
    return StringRef(Type).contains("tile") ||
           StringRef(Type).contains("coalesced");
  }

  /// What lies under \p E is an address, not an access.
  void see(const Expr *E) {
    while (E) {
      E = E->IgnoreParenCasts();
      Seen.insert(E);
      if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
        E = Subscript->getBase();
      else if (const auto *Unary = dyn_cast<UnaryOperator>(E))
        E = Unary->getSubExpr();
      else if (const auto *Member = dyn_cast<MemberExpr>(E))
        E = Member->getBase();
      else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
        E = Operator->getNumArgs() ? Operator->getArg(0) : nullptr;
      else
        return;
    }
  }

  /// A variable is no memory; an element of an array is, or what a pointer
  /// points to.
  static bool isAccess(const Expr *E) {
    E = E->IgnoreParenCasts();
    while (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (Member->isArrow())
        return true;
      E = Member->getBase()->IgnoreParenCasts();
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Ref->getDecl()->hasAttr<CUDASharedAttr>() ||
             Ref->getDecl()->hasAttr<CUDADeviceAttr>() ||
             Ref->getDecl()->getType()->isReferenceType();
    return true;
  }

  void write(const Expr *E, bool AlsoReads) {
    if (!isAccess(E))
      return;
    auto S = spaceOf(rootOf(E), Known);
    see(E);
    if (S == WorkFinder::Space::Global)
      Does |= StoresGlobal | (AlsoReads ? LoadsGlobal : 0u);
    else if (S == WorkFinder::Space::Shared)
      Does |= StoresShared | (AlsoReads ? LoadsShared : 0u);
  }

  void read(const Expr *E) {
    if (Seen.contains(E))
      return;
    auto S = spaceOf(rootOf(E), Known);
    see(E);
    if (S == WorkFinder::Space::Global)
      Does |= LoadsGlobal;
    else if (S == WorkFinder::Space::Shared)
      Does |= LoadsShared;
  }

  const MainFile &Main;
  const WorkFinder::Spaces &Known;
  SmallPtrSet<const Expr *, 16> Seen;
};

} // namespace

/// As it is written: clang has not made the instances of templates.
static const FunctionDecl *definitionOf(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  const FunctionDecl *Definition = nullptr;
  return F->hasBody(Definition) ? Definition : nullptr;
}

/// A body that a reader would not call a step of its own.
static bool isTrivial(const FunctionDecl *F) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody());
  return !Body || Body->size() < 2;
}

/// The function that a statement consists in a call of, with what it is to work
/// on; empty for others.
static StringRef bareCall(const Stmt *S) {
  const auto *E = dyn_cast<Expr>(S);
  const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreImplicit()) : nullptr;
  if (!Call || isa<CXXOperatorCallExpr>(Call) || Call->getNumArgs() < 2)
    return {};
  const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
  DeclarationName Name;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Callee))
    Name = Ref->getDecl()->getDeclName();
  else if (const auto *Overloads = dyn_cast<UnresolvedLookupExpr>(Callee))
    Name = Overloads->getName();
  const IdentifierInfo *Id = Name.getAsIdentifierInfo();
  if (!Id || Id->getName().starts_with("__") || Id->getName() == "printf")
    return {};
  return Id->getName();
}

WorkFinder::WorkFinder(const FunctionDecl &Kernel, const MainFile &Main)
    : Main(Main) {
  for (const ParmVarDecl *P : Kernel.parameters())
    Known[P] = Space::Global;
  PointerFollower(Main, Known).TraverseStmt(Kernel.getBody());
}

Work WorkFinder::of(const Stmt *S) {
  WorkVisitor Visitor(Main, Known);
  Visitor.TraverseStmt(const_cast<Stmt *>(S));
  Work Out;
  Out.Does = Visitor.Does;
  if (Visitor.GroupSyncs > 0)
    Out.Does |= Barriers;
  for (const FunctionDecl *F : Visitor.Called) {
    Out.InCallees |= inCallee(F);
    const FunctionDecl *Definition = definitionOf(F);
    if (!Out.Callee.empty() || !Definition || isTrivial(Definition))
      continue;
    if (Definition->getIdentifier() && Main.offset(Definition->getLocation()))
      Out.Callee = Definition->getName();
  }
  if (Out.Callee.empty())
    Out.Callee = bareCall(S);
  return Out;
}

/// Only of functions in the file: bodies in headers are not read.
unsigned WorkFinder::inCallee(const FunctionDecl *F) {
  const FunctionDecl *Definition = definitionOf(F);
  if (!Definition || !Main.offset(Definition->getLocation()))
    return 0;
  auto [It, New] = Callees.try_emplace(Definition, 0);
  if (!New)
    return It->second;
  Work Inside = of(Definition->getBody());
  unsigned Does =
      (Inside.Does | Inside.InCallees) &
      (Barriers | Waits | IssuesCopy | Multiplies | Atomics | Reduces);
  return Callees[Definition] = Does;
}

} // namespace kinstr
