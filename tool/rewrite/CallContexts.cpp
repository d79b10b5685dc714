// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/CallContexts.h"

#include "rewrite/CallGraph.h"
#include "rewrite/Flow.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

/// Nothing is known about who calls \p F; \p Why says why.
static FunctionEntry unknownEntry(const FunctionDecl &F, const Stmt *Why) {
  FunctionEntry Entry;
  Entry.Apart = Why;
  for (const ParmVarDecl *P : F.parameters())
    Entry.Variables.raise(P, Lanes::Any);
  return Entry;
}

/// A whole warp, as if \p F were a kernel. What its references name is not
/// known to stay as it is, unless they are to constants. A number that a
/// library hands to a function of the user's is more often than not an index.
static FunctionEntry rootEntry(const FunctionDecl &F) {
  FunctionEntry Entry;
  bool IsKernel = F.hasAttr<CUDAGlobalAttr>();
  for (const ParmVarDecl *P : F.parameters()) {
    QualType Type = P->getType();
    bool Changes =
        Type->isReferenceType() && !Type->getPointeeType().isConstQualified();
    bool Index = !IsKernel && Type->isArithmeticType();
    Entry.Variables.raise(P, Changes || Index ? Lanes::Any : Lanes::Same);
  }
  return Entry;
}

/// Adds \p From to \p Into. Returns whether that is news.
static bool add(FunctionEntry &Into, const FunctionEntry &From,
                const FunctionDecl &F) {
  bool News = !Into.Apart && From.Apart;
  if (News)
    Into.Apart = From.Apart;
  for (const ParmVarDecl *P : F.parameters())
    News |= Into.Variables.raise(P, From.Variables.of(P));
  for (const ValueDecl *D : capturesOf(F))
    News |= Into.Variables.raise(D, From.captured(D));
  News |= join(Into.This, From.This) != Into.This;
  Into.This = join(Into.This, From.This);
  return News;
}

namespace {

/// Goes from the roots to all they reach, until nothing changes.
class Solver {
public:
  using Entries = std::map<const FunctionDecl *, FunctionEntry>;

  Solver(bool WarpRows, Entries &Known) : Called(WarpRows), Known(Known) {}

  void enter(const FunctionDecl *F, const FunctionEntry &Entry) {
    auto [It, New] = Known.try_emplace(F);
    if (New) {
      It->second.This = Lanes::Same;
    }
    if (add(It->second, Entry, *F) || New)
      Pending.insert(F);
  }

  void run() {
    while (!Pending.empty()) {
      const FunctionDecl *F = Pending.pop_back_val();
      FunctionEntry Entry = Known.at(F);
      Flow Body(*F, Entry, Called);
      for (auto &[Call, Site] : Body.Sites) {
        Followed.insert(
            {Call->getCallee()->IgnoreParenImpCasts(), Site.Callee});
        // Lanes may have left before, in a loop also further down.
        if (!Site.Entry.Apart)
          Site.Entry.Apart = Body.Exit;
        enter(Site.Callee, Site.Entry);
      }
    }
  }

  bool hasFollowed(const CallGraph::Reference &R) const {
    return Followed.contains({R.At, R.Named});
  }

private:
  Callees Called;
  Entries &Known;
  SmallSetVector<const FunctionDecl *, 16> Pending;
  DenseSet<std::pair<const Expr *, const FunctionDecl *>> Followed;
};

} // namespace

CallContexts::CallContexts(ASTContext &Context,
                           ArrayRef<const FunctionDecl *> Roots,
                           bool WholeProgram) {
  CallGraph Graph(Context);
  for (const FunctionDecl *F : Graph.Functions)
    Instances[F->getBody()->getBeginLoc()].push_back(F);
  SmallPtrSet<const FunctionDecl *, 8> IsRoot;
  for (const FunctionDecl *Root : Roots)
    for (const FunctionDecl *F : instancesOf(*Root))
      IsRoot.insert(F);
  for (const FunctionDecl *F : Graph.Functions)
    if (F->hasAttr<CUDAGlobalAttr>())
      IsRoot.insert(F);

  for (bool WarpRows : {true, false}) {
    Solver S(WarpRows, WarpRows ? Rows : AnyShape);
    for (const FunctionDecl *F : Graph.Functions)
      if (IsRoot.contains(F))
        S.enter(F, rootEntry(*F));
      else if (Graph.mayHaveHiddenCallers(*F, WholeProgram))
        S.enter(F, unknownEntry(*F, F->getBody()));
    S.run();
    // Where a function is named, and not in a call that was followed, anything
    // may become of it. Code that is never reached counts, too.
    for (const CallGraph::Reference &R : Graph.References)
      if (!S.hasFollowed(R) && !IsRoot.contains(R.Named))
        S.enter(R.Named, unknownEntry(*R.Named, R.At));
    S.run();
  }
}

ArrayRef<const FunctionDecl *>
CallContexts::instancesOf(const FunctionDecl &F) const {
  const FunctionDecl *Definition = nullptr;
  if (!F.hasBody(Definition) || !Definition->getBody())
    return {};
  auto It = Instances.find(Definition->getBody()->getBeginLoc());
  return It == Instances.end() ? ArrayRef<const FunctionDecl *>()
                               : ArrayRef(It->second);
}

FunctionEntry CallContexts::entryOf(const FunctionDecl &F,
                                    bool WarpRows) const {
  const Entries &Known = WarpRows ? Rows : AnyShape;
  const FunctionDecl *Definition = nullptr;
  F.hasBody(Definition);
  auto It = Known.find(Definition);
  return It == Known.end() ? unknownEntry(F, F.getBody()) : It->second;
}

} // namespace kinstr
