// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/LateLoads.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kinstr {

namespace {

/// Where each variable is named, and the blocks of statements.
class Names : public RecursiveASTVisitor<Names> {
public:
  explicit Names(const MainFile &Main) : Main(Main) {}

  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
      Of[V].push_back(Main.offset(Ref->getLocation()));
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt *S) {
    Blocks.push_back(S);
    return true;
  }

  /// nullopt: it stands in another file.
  llvm::DenseMap<const VarDecl *, std::vector<std::optional<unsigned>>> Of;
  std::vector<const CompoundStmt *> Blocks;

private:
  const MainFile &Main;
};

class Finder {
public:
  Finder(llvm::ArrayRef<Site> Sites, const ScannedFile &File,
         const MainFile &Main)
      : File(File), Main(Main), Where(Main) {
    for (const Site &S : Sites)
      if (llvm::is_contained({Directive::Phase, Directive::End},
                             File.Annotations[S.Annotation].Kind))
        Boundaries.push_back(S);
    llvm::sort(Boundaries, [](const Site &A, const Site &B) {
      return A.Insert < B.Insert;
    });
  }

  std::vector<LateLoad> run(const FunctionDecl &Kernel);

private:
  void block(const CompoundStmt &Block);
  void load(const CompoundStmt &Block, const Stmt &S, const VarDecl &V,
            const Expr &Value);
  const Site *before(unsigned Offset) const;
  bool standsIn(const CompoundStmt &Block, const Site &S) const;
  const Annotation &annotation(const Site &S) const {
    return File.Annotations[S.Annotation];
  }

  const ScannedFile &File;
  const MainFile &Main;
  Names Where;
  std::vector<Site> Boundaries; ///< phases and ends, by offset
  std::vector<LateLoad> Found;
};

} // namespace

static bool isPointer(QualType T) {
  return T->isPointerType() || T->isArrayType() || T->isDependentType();
}

/// Whether \p E is a kernel's parameter, or is made from one: all of those
/// point to global memory.
static bool pointsToGlobal(const Expr *E, unsigned Steps = 8) {
  if (Steps == 0)
    return false;
  E = E->IgnoreParenCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !isPointer(V->getType()))
      return false;
    if (isa<ParmVarDecl>(V))
      return true;
    return V->hasLocalStorage() && V->getInit() &&
           pointsToGlobal(V->getInit(), Steps - 1);
  }
  if (const auto *Sum = dyn_cast<BinaryOperator>(E))
    return Sum->isAdditiveOp() && (pointsToGlobal(Sum->getLHS(), Steps - 1) ||
                                   pointsToGlobal(Sum->getRHS(), Steps - 1));
  if (const auto *Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    if (const auto *Element =
            dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()))
      return pointsToGlobal(Element->getBase(), Steps - 1);
  return false;
}

/// Without what costs no instruction.
static const Expr *bare(const Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E);
             Cast && (Cast->getCastKind() == CK_LValueToRValue ||
                      Cast->getCastKind() == CK_NoOp))
      E = Cast->getSubExpr();
    else if (const auto *Made = dyn_cast<CXXConstructExpr>(E);
             Made && Made->getNumArgs() == 1 &&
             Made->getConstructor()->isCopyOrMoveConstructor())
      E = Made->getArg(0);
    else
      return E;
  }
}

/// Whether \p E is the value of a place in global memory, and no more.
static bool isLoad(const Expr *E) {
  E = bare(E);
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
    return pointsToGlobal(Element->getBase());
  if (const auto *Target = dyn_cast<UnaryOperator>(E))
    return Target->getOpcode() == UO_Deref &&
           pointsToGlobal(Target->getSubExpr());
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return Member->isArrow() ? pointsToGlobal(Member->getBase())
                             : isLoad(Member->getBase());
  return false;
}

const Site *Finder::before(unsigned Offset) const {
  auto It = llvm::partition_point(
      Boundaries, [=](const Site &S) { return S.Insert <= Offset; });
  return It == Boundaries.begin() ? nullptr : &*std::prev(It);
}

/// Whether \p S is one of the statements of \p Block, not inside one.
bool Finder::standsIn(const CompoundStmt &Block, const Site &S) const {
  auto Range = Main.range(Block.getSourceRange());
  return Range && Range->contains(S.Insert) &&
         llvm::none_of(Block.body(), [&](const Stmt *Child) {
           auto Inner = Main.range(Child->getSourceRange());
           return !Inner || (Inner->Begin < S.Insert && S.Insert < Inner->End);
         });
}

/// \p S, a statement of \p Block, gives \p V the value of \p Value.
void Finder::load(const CompoundStmt &Block, const Stmt &S, const VarDecl &V,
                  const Expr &Value) {
  std::optional<ByteRange> Range = Main.range(S.getSourceRange());
  std::optional<unsigned> At = Main.offset(Value.getBeginLoc());
  if (!Range || !At || !V.hasLocalStorage() || V.getType()->isReferenceType() ||
      V.getType().isVolatileQualified() || !isLoad(&Value))
    return;
  const Site *Issued = before(*At);
  if (!Issued || annotation(*Issued).Kind != Directive::Phase ||
      Issued == &Boundaries.back())
    return;
  const Site *Next = Issued + 1;
  if (Next->Insert < Range->End || annotation(*Next).Wait != Drain::None ||
      !standsIn(Block, *Issued) || !standsIn(Block, *Next))
    return;
  std::optional<unsigned> FirstUse;
  for (std::optional<unsigned> Name : Where.Of.lookup(&V)) {
    if (!Name || (*Name >= Range->End && *Name < Next->Insert))
      return;
    if (*Name >= Next->Insert)
      FirstUse = std::min(FirstUse.value_or(*Name), *Name);
  }
  if (!FirstUse)
    return;
  const Site *User = before(*FirstUse);
  if (annotation(*User).Kind == Directive::Phase)
    Found.push_back({*At, V.getName().str(), Issued->Annotation,
                     Next->Annotation, User->Annotation});
}

/// The two sides of an assignment, also of a class such as float4.
static std::pair<const Expr *, const Expr *> assignment(const Stmt *S) {
  if (const auto *E = dyn_cast<Expr>(S))
    S = bare(E);
  if (const auto *Op = dyn_cast<BinaryOperator>(S);
      Op && Op->getOpcode() == BO_Assign)
    return {Op->getLHS(), Op->getRHS()};
  if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(S);
      Call && Call->getOperator() == OO_Equal && Call->getNumArgs() == 2)
    return {Call->getArg(0), Call->getArg(1)};
  return {nullptr, nullptr};
}

void Finder::block(const CompoundStmt &Block) {
  for (const Stmt *S : Block.body()) {
    if (const auto *Declared = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Declared->decls())
        if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit())
          load(Block, *S, *V, *V->getInit());
    } else if (auto [To, Value] = assignment(S); To) {
      if (const auto *Ref = dyn_cast<DeclRefExpr>(To->IgnoreParens()))
        if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
          load(Block, *S, *V, *Value);
    }
  }
}

std::vector<LateLoad> Finder::run(const FunctionDecl &Kernel) {
  if (Boundaries.size() < 2)
    return {};
  Where.TraverseStmt(Kernel.getBody());
  for (const CompoundStmt *Block : Where.Blocks)
    block(*Block);
  llvm::sort(Found,
             [](const LateLoad &A, const LateLoad &B) { return A.At < B.At; });
  return std::move(Found);
}

std::vector<LateLoad> lateLoads(const Function &F, llvm::ArrayRef<Site> Sites,
                                const ScannedFile &File, const MainFile &Main) {
  return Finder(Sites, File, Main).run(*F.Decl);
}

} // namespace kinstr
