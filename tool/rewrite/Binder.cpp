// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Binder.h"

#include "rewrite/LateLoads.h"
#include "rewrite/Leaf.h"
#include "rewrite/Placement.h"
#include "rewrite/Reachability.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

//===----------------------------------------------------------------------===//
// Which function an annotation is for
//===----------------------------------------------------------------------===//

void Binder::run() {
  Functions.TraverseAST(Context);
  Out.ConstantBytes = Functions.ConstantBytes;
  roots();
  for (unsigned I = 0; I < File.Annotations.size(); ++I)
    annotation(I);
  callers();
  loads();
  for (unsigned I = 0; I < File.Unknown.size(); ++I)
    unknownDirective(I);
  launches();
}

/// "@kernel" may stand before the function, with nothing but comments between,
/// or between its header and its body.
const Function *Binder::functionBelow(const Annotation &A) const {
  const RawToken *Next = File.tokenFrom(A.End);
  if (A.Kind != Directive::Kernel || !Next)
    return nullptr;
  for (const Function &F : Functions.Functions) {
    const Decl *Outer = F.Decl->getDescribedFunctionTemplate();
    auto Begin = Main.offset((Outer ? Outer : F.Decl)->getBeginLoc());
    if (!Begin || F.isLambda() || !isDeviceCode(F))
      continue;
    if (*Begin < A.Begin && A.Begin < F.Body.Begin)
      return &F;
    if (*Begin >= A.End && File.tokenFrom(*Begin) == Next)
      return &F;
    // Attributes such as __global__ may come before what clang calls the
    // beginning: accept them as long as no statement ends in between.
    if (*Begin > Next->Begin && Next->Begin >= A.End &&
        none_of(File.Tokens, [&](const RawToken &T) {
          return T.Begin >= Next->Begin && T.End <= *Begin &&
                 (T.Kind == tok::semi || T.Kind == tok::r_brace ||
                  T.Kind == tok::l_brace);
        }))
      return &F;
  }
  return nullptr;
}

/// The function in whose body the annotation's file is included, or null.
const Function *Binder::includer(const Annotation &A) const {
  const Sources &Files = Main.sources();
  const SourceFile &Own = Files.files()[Files.fileAt(A.At)];
  for (const Include &I : Out.Includes) {
    std::optional<unsigned> From = Files.find(I.From);
    if (!From || I.To != Own.Path)
      continue;
    if (const Function *F =
            Functions.around(Files.files()[*From].Begin + I.Begin))
      return F;
  }
  return nullptr;
}

/// The function whose body a lambda is written in, or null.
const Function *Binder::enclosing(const Function &Lambda) const {
  const Function *Best = nullptr;
  for (const Function &F : Functions.Functions)
    if (F.Body.Begin < Lambda.Body.Begin && Lambda.Body.End <= F.Body.End &&
        (!Best || F.Body.Begin > Best->Body.Begin))
      Best = &F;
  return Best;
}

/// Clang makes every lambda __host__ __device__; nvcc takes the enclosing
/// function's side unless the lambda says otherwise.
bool Binder::isDeviceCode(const Function &F) const {
  if (F.isKernel())
    return true;
  const auto *Device = F.Decl->getAttr<CUDADeviceAttr>();
  if (!F.isLambda() || (Device && !Device->isImplicit()))
    return Device != nullptr;
  if (const Function *Outer = enclosing(F))
    return isDeviceCode(*Outer);
  // In a constructor's initializers, which are no part of its body.
  const auto *Constructor = dyn_cast_or_null<CXXConstructorDecl>(
      cast<CXXMethodDecl>(F.Decl)->getParent()->getParentFunctionOrMethod());
  return Constructor && Constructor->hasAttr<CUDADeviceAttr>();
}

std::string Binder::nameOf(const Function &F) const {
  if (!F.isLambda())
    return F.Decl->getQualifiedNameAsString();
  const Function *Outer = enclosing(F);
  return Outer ? "lambda in " + nameOf(*Outer) : "lambda";
}

/// Whether the word stands there: clang calls every lambda constexpr that could
/// be.
bool Binder::isConstexpr(const Function &F) const {
  if (!F.isLambda() || !F.Decl->isConstexprSpecified())
    return F.Decl->isConstexprSpecified();
  unsigned Begin = Main.offset(F.Decl->getLocation()).value_or(F.Body.Begin);
  return any_of(File.Tokens, [&](const RawToken &T) {
    StringRef Word = Main.text().slice(T.Begin, T.End);
    return Begin <= T.Begin && T.Begin < F.Body.Begin &&
           (Word == "constexpr" || Word == "consteval");
  });
}

/// Whether annotations may stand in \p F at all.
bool Binder::mayCarry(const Annotation &A, const Function *F,
                      Diagnostics &Why) const {
  if (A.InDirective) {
    Why.error(A.At, "an annotation cannot stand in a preprocessor directive");
    Why.note(A.At, "the body of a macro is one line to nvcc and has no lines "
                   "of its own to time");
    return false;
  }
  if (const Function *Around = F ? nullptr : includer(A)) {
    Why.error(A.At, "annotation in a file that is included in the body of '" +
                        nameOf(*Around) + "'");
    Why.note(Around->Body.Begin,
             "annotations can stand in this body, before the '#include' and "
             "behind it");
    return false;
  }
  if (!F || (A.Kind == Directive::Kernel && F->isLambda())) {
    Why.error(A.At, A.Kind == Directive::Kernel
                        ? "'@kernel' needs a '__global__' or '__device__' "
                          "function below or around it"
                        : "annotation outside of a kernel");
    return false;
  }
  std::string Name = nameOf(*F);
  if (!isDeviceCode(*F)) {
    Why.error(A.At, (F->isLambda() ? "annotation in a host lambda: '"
                                   : "annotation in the host function '") +
                        Name + "'");
    return false;
  }
  if (isConstexpr(*F)) {
    Why.error(A.At, "annotation in the constexpr function '" + Name +
                        "', which may hold no variable that records");
    return false;
  }
  if (isIn(Out.MacroUses, A.Begin)) {
    Why.error(A.At, "an annotation cannot stand in the argument of a macro");
    return false;
  }
  const auto *Body = dyn_cast<CompoundStmt>(F->Decl->getBody());
  if (!Body) {
    Why.error(A.At,
              "annotation in '" + Name + "', whose body is a 'try' block");
    return false;
  }
  if (!Main.spelledOffset(Body->getLBracLoc())) {
    Why.error(A.At, (F->isKernel() ? "the kernel '" : "the function '") + Name +
                        "' is defined by a macro");
    return false;
  }
  return true;
}

void Binder::annotation(unsigned I) {
  const Annotation &A = File.Annotations[I];
  if (isIn(Out.Skipped, A.Begin)) {
    Out.Inactive.push_back(I);
    return;
  }
  const Function *F = Functions.around(A.Begin);
  if (!F)
    F = functionBelow(A);
  Diagnostics Why;
  std::optional<Placement> P;
  if (mayCarry(A, F, Why) && A.Kind != Directive::Kernel)
    P = place(A, *cast<CompoundStmt>(F->Decl->getBody()), Main, File, Out, Why);
  if (!Why.hasErrors()) {
    BoundFunction &B = bind(*F);
    if (P) {
      B.Sites.push_back({I, P->Insert, P->CloseBrace, P->ScopeEnd, P->InLoop});
      reach(P->Around, *F, B);
    } else if (B.KernelAnnotation) {
      Why.error(A.At, "a second '@kernel' for '" + B.Name + "'");
    } else {
      B.KernelAnnotation = I;
    }
  }
  if (Why.hasErrors())
    Out.Failures[I] = std::move(Why);
  else
    Out.Bound.insert(I);
}

/// The functions that '@kernel' makes stand-ins of kernels.
void Binder::roots() {
  for (const Annotation &A : File.Annotations) {
    if (A.Kind != Directive::Kernel || isIn(Out.Skipped, A.Begin))
      continue;
    const Function *F = Functions.around(A.Begin);
    if (!F)
      F = functionBelow(A);
    Diagnostics Ignored;
    if (mayCarry(A, F, Ignored) && !F->isKernel())
      Roots.insert(F->Body.Begin);
  }
}

void Binder::unknownDirective(unsigned I) {
  const UnknownDirective &U = File.Unknown[I];
  if (isIn(Out.Skipped, U.At))
    return;
  const Function *F = Functions.around(U.At);
  if (F && isDeviceCode(*F) &&
      (Out.Functions.count(F->Body.Begin) || !U.Suggestion.empty()))
    Out.UnknownInside.insert(I);
}

void Binder::loads() {
  for (const Function &F : Functions.Functions) {
    auto It = Out.Functions.find(F.Body.Begin);
    if (F.isKernel() && It != Out.Functions.end())
      It->second.LateLoads = lateLoads(F, It->second.Sites, File, Main);
  }
}

//===----------------------------------------------------------------------===//
// What there is to know about a function
//===----------------------------------------------------------------------===//

BoundFunction &Binder::bind(const Function &F) {
  auto [It, New] = Out.Functions.try_emplace(F.Body.Begin);
  BoundFunction &B = It->second;
  if (!New)
    return B;
  B.Kind = F.isKernel()                     ? Role::Kernel
           : Roots.count(F.Body.Begin) != 0 ? Role::Root
                                            : Role::Callee;
  B.Name = nameOf(F);
  if (F.isKernel())
    B.RuntimeName = runtimeName(*F.Decl);
  B.Body = F.Body;
  B.NameAt = F.isLambda()
                 ? F.Body.Begin
                 : Main.offset(F.Decl->getLocation()).value_or(F.Body.Begin);
  threads(F.Decl, B);
  wholeKernel(F.Decl, B);
  followFlow(F, B);
  otherReadings(F, B);
  return B;
}

/// A file that is included several times, under other macros or in other
/// namespaces, has several functions at one place. Only one is followed.
void Binder::otherReadings(const Function &F, BoundFunction &B) const {
  for (const Function &Other : Functions.Functions) {
    if (Other.Body.Begin != F.Body.Begin || Other.Decl == F.Decl)
      continue;
    wholeKernel(Other.Decl, B);
    B.HasGoto = true;
    if (!B.Divergence)
      B.Divergence = Reason{B.NameAt, "this file is read more than once, and "
                                      "only one of the functions that come of "
                                      "it is followed"};
  }
}

/// Kernels are entered by whole warps; who calls the others, and with what,
/// takes a look at the whole translation unit.
const Uniformity &Binder::flowOf(const Function &F, Role Kind) {
  auto It = Flows.find(F.Body.Begin);
  if (It != Flows.end())
    return It->second;
  if (Kind != Role::Kernel && !Contexts) {
    SmallVector<const FunctionDecl *, 4> Decls;
    for (const Function &Other : Functions.Functions)
      if (Roots.count(Other.Body.Begin) != 0)
        Decls.push_back(Other.Decl);
    Contexts = std::make_unique<CallContexts>(Context, Decls, WholeProgram);
  }
  return Flows
      .try_emplace(F.Body.Begin, *F.Decl,
                   Kind != Role::Kernel ? Contexts.get() : nullptr)
      .first->second;
}

/// What the lanes of a warp do until they come to the new statement at \p S.
void Binder::reach(const Stmt *S, const Function &F, BoundFunction &B) {
  const Uniformity &Flow = flowOf(F, B.Kind);
  B.NeedsWarpRows |= Flow.needsWarpRows(S);
  const Stmt *Condition = Flow.divergenceAround(S);
  if (!Condition || B.Divergence)
    return;
  B.Divergence = enteredApart(Condition, B);
  if (!B.Divergence)
    B.Divergence =
        Reason{Main.offset(Condition->getBeginLoc()).value_or(B.NameAt),
               "'" + conditionText(Condition) +
                   "' may differ between the lanes of a warp"};
}

/// If \p Condition is not the function's own but that of a call of it.
std::optional<Reason> Binder::enteredApart(const Stmt *Condition,
                                           const BoundFunction &B) const {
  std::optional<unsigned> At = Main.offset(Condition->getBeginLoc());
  if (B.Kind == Role::Kernel || !At)
    return std::nullopt;
  if (*At == B.Body.Begin)
    return Reason{B.NameAt, "not everything that may call it is in sight"};
  if (B.Body.contains(*At))
    return std::nullopt;
  return Reason{*At, "lanes of a warp may call it one by one: '" +
                         conditionText(Condition) + "'"};
}

void Binder::followFlow(const Function &F, BoundFunction &B) {
  const Uniformity &Flow = flowOf(F, B.Kind);
  B.HasGoto = Flow.hasGoto();
  B.NeedsWarpRows = Flow.exitNeedsWarpRows();
  const Stmt *Around = Flow.divergenceAround(F.Decl->getBody());
  if (Around)
    B.Divergence = enteredApart(Around, B);
  if (const Stmt *Exit = Flow.divergentExit(); Exit && !B.Divergence) {
    bool Followed = isa<ReturnStmt, GotoStmt>(Exit);
    B.HasGoto |= !Followed;
    const Stmt *Condition = Flow.divergenceAround(Exit);
    const Stmt *Shown = !Followed || !Condition ? Exit : Condition;
    std::string Text = isa<AsmStmt>(Exit) ? "this may leave the kernel"
                       : !Followed
                           ? "this statement is not followed"
                           : std::string("lanes of a warp may ") +
                                 (isa<GotoStmt>(Exit) ? "jump" : "return") +
                                 " one by one: '" + conditionText(Shown) +
                                 "' may differ between them";
    // The statement may stand in a file that is included in the body.
    B.Divergence =
        Reason{Main.offset(Shown->getBeginLoc()).value_or(B.NameAt), Text};
  }
  QuitFinder Quits;
  Quits.TraverseStmt(F.Decl->getBody());
  if (const Stmt *S = Quits.Exit ? Quits.Exit : Quits.Trap)
    B.Quits = Reason{Main.offset(S->getBeginLoc()).value_or(B.NameAt),
                     Quits.Exit ? "a warp that leaves here records no end, and "
                                  "with a shared buffer nothing at all"
                                : "a trap ends the program's use of the "
                                  "device: what was recorded until then is "
                                  "lost, but with KINSTR_OPTIONS=arena=host"};
  if (std::optional<Reason> Why = unreadable(F)) {
    B.HasGoto = true;
    B.Divergence = std::move(Why);
  }
}

/// Kernels that call what is annotated have to record, too: the events of the
/// callee belong to a block that somebody has to introduce.
void Binder::callers() {
  std::set<unsigned> Entries, Callees;
  for (const auto &[Body, B] : Out.Functions)
    (B.Kind == Role::Callee ? Callees : Entries).insert(Body);
  if (Callees.empty())
    return;
  Reachability Calls(Main, Functions.Functions);
  for (unsigned Callee : Callees)
    Out.Functions.at(Callee).Recursive =
        Calls.reachableFrom(Callee, {}).count(Callee) != 0;
  leaves();
  auto Reach = [&](unsigned Body) {
    bool Any = false;
    for (unsigned Callee : Calls.reachableFrom(Body, Entries))
      if (Callees.count(Callee))
        Any = Out.Functions.at(Callee).Reached = true;
    return Any;
  };
  for (unsigned Entry : Entries)
    Reach(Entry);
  for (const Function &F : Functions.Functions) {
    const auto *Body = dyn_cast<CompoundStmt>(F.Decl->getBody());
    if (F.isKernel() && Entries.count(F.Body.Begin) == 0 && Body &&
        Main.spelledOffset(Body->getLBracLoc()) && Reach(F.Body.Begin))
      bind(F);
  }
}

/// Whether a system header knows \p F, too.
static bool isDeclaredBySystem(const FunctionDecl &F) {
  const SourceManager &Sources = F.getASTContext().getSourceManager();
  return any_of(F.redecls(), [&](const FunctionDecl *D) {
    return Sources.isInSystemHeader(D->getLocation());
  });
}

/// Callees from which no other is called. Annotations count whether or not they
/// are for this architecture: the text is one.
void Binder::leaves() {
  auto IsAnnotated = [&](const FunctionDecl &F) {
    std::optional<ByteRange> Body = Main.range(F.getBody()->getSourceRange());
    return Body && any_of(File.Annotations, [&](const Annotation &A) {
             return Body->contains(A.At);
           });
  };
  auto IsLeaf = [&](const Function &F) {
    ArrayRef<const FunctionDecl *> Instances = Contexts->instancesOf(*F.Decl);
    return !Instances.empty() && all_of(Instances, [&](const FunctionDecl *I) {
      return isLeaf(*I, IsAnnotated);
    });
  };
  // A library that declares a function of the user's may call it.
  if (any_of(Functions.Functions, [&](const Function &F) {
        return IsAnnotated(*F.Decl) && isDeclaredBySystem(*F.Decl);
      }))
    return;
  for (auto &[Body, B] : Out.Functions)
    B.Leaf = B.Kind == Role::Callee &&
             all_of(Functions.Functions, [&, At = Body](const Function &F) {
               return F.Body.Begin != At || IsLeaf(F);
             });
}

/// Errors about a value or an overload leave the control flow as it is written.
static bool leavesControlFlow(StringRef ClangError) {
  return any_of(
      std::initializer_list<StringRef>{
          "no matching ", "no viable ", "call to ", "reference to __host__ ",
          "cannot initialize ", "initialization is not supported ",
          "assigning to "},
      [&](StringRef Start) { return ClangError.starts_with(Start); });
}

/// What keeps clang from seeing the kernel's control flow as nvcc will: an
/// unknown name may be a macro that hides a loop or a return.
std::optional<Reason> Binder::unreadable(const Function &F) const {
  unsigned Begin = Main.offset(F.Decl->getBeginLoc()).value_or(F.Body.Begin);
  ByteRange Kernel{std::min(Begin, F.Body.Begin), F.Body.End};
  bool Errors = false;
  for (const Diagnostic &E : Out.ClangErrors) {
    if (!Kernel.contains(E.Offset))
      continue;
    Errors = true;
    if (!leavesControlFlow(E.Message))
      return Reason{E.Offset, "clang does not understand this"};
  }
  for (const RawDirective &D : File.directivesIn(Kernel.Begin, Kernel.End))
    if (Main.text().slice(D.Begin, D.End).contains("__clang__"))
      return Reason{D.Begin, "clang and nvcc read different code here"};
  if (!Errors)
    return std::nullopt;
  // A branch or a loop that clang dropped with the error in it.
  BranchCollector Known(Main);
  Known.TraverseStmt(F.Decl->getBody());
  for (const RawToken &T : File.Tokens)
    if (F.Body.contains(T.Begin) && !isIn(Out.Skipped, T.Begin) &&
        is_contained({"if", "for", "while", "do", "switch"},
                     Main.text().slice(T.Begin, T.End)) &&
        Known.Keywords.count(T.Begin) == 0)
      return Reason{T.Begin, "clang does not understand this statement"};
  return std::nullopt;
}

/// The launch bound where there is one: the shared buffer is sized by it. As
/// spelled, since nvcc's flags may give its macros other values.
void Binder::threads(const FunctionDecl *F, BoundFunction &B) const {
  const auto *Bounds = F->getAttr<CUDALaunchBoundsAttr>();
  const Expr *E = Bounds ? Bounds->getMaxThreads() : nullptr;
  if (!E)
    return;
  Expr::EvalResult Result;
  if (!E->isValueDependent() && E->EvaluateAsInt(Result, Context)) {
    B.Threads = toString(Result.Val.getInt(), 10);
    int64_t Value = Result.Val.getInt().getExtValue();
    B.MaxThreads = Value > 0 && Value < 1024 ? Value : 1024;
  }
  auto R = Main.spelledRange(E->getSourceRange());
  if (!R || !Main.offset(Bounds->getLocation()) ||
      !File.directivesIn(R->Begin, R->End).empty())
    return;
  StringRef Text = Main.text().slice(R->Begin, R->End);
  if (!Text.contains('\n') && !Text.contains("//") && !namesParameter(F, *R))
    B.Threads = Text.str();
}

/// Whether a word in \p Range means something else in the kernel's body.
bool Binder::namesParameter(const FunctionDecl *F, ByteRange Range) const {
  for (const RawToken *T = File.tokenFrom(Range.Begin);
       T && T != File.Tokens.data() + File.Tokens.size() &&
       T->Begin < Range.End;
       ++T)
    if (any_of(F->parameters(), [&](const ParmVarDecl *P) {
          return P->getName() == Main.text().slice(T->Begin, T->End);
        }))
      return true;
  return false;
}

void Binder::wholeKernel(const FunctionDecl *F, BoundFunction &B) const {
  SmallVector<const FunctionDecl *, 4> Instances = {F};
  // Sizes that depend on template parameters are known in the instances.
  if (const FunctionTemplateDecl *Template = F->getDescribedFunctionTemplate())
    append_range(Instances, Template->specializations());
  for (const FunctionDecl *Instance : Instances) {
    WholeKernel Whole(Context, Instance);
    B.StaticShared = std::max(B.StaticShared, Whole.Bytes);
    if (Whole.Names && !B.OnceOnly)
      B.OnceOnly =
          Reason{Main.offset(Whole.Names->getBeginLoc()).value_or(B.NameAt),
                 "asm defines a label or a variable outside of braces"};
    if (!Whole.Dynamic || B.DynamicShared)
      continue;
    auto At = Main.offset(Whole.Dynamic->getLocation());
    B.DynamicShared = At ? Reason{*At, "dynamic shared memory declared here"}
                         : Reason{B.NameAt, "a function it calls uses dynamic "
                                            "shared memory"};
  }
}

std::string Binder::conditionText(const Stmt *Condition) const {
  auto R = Main.range(Condition->getSourceRange());
  StringRef Text =
      R ? Main.text().slice(R->Begin, R->End).split('\n').first.rtrim()
        : StringRef("a condition");
  return (Text.size() > 60 ? Text.take_front(57) + "..." : Twine(Text)).str();
}

} // namespace kinstr
