// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Binder.h"

#include "rewrite/Placement.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

/// "@kernel" may stand before the kernel, with nothing but comments between, or
/// between its header and its body.
const Function *Binder::kernelBelow(const Annotation &A) const {
  const RawToken *Next = File.tokenFrom(A.End);
  if (A.Kind != Directive::Kernel || !Next)
    return nullptr;
  for (const Function &F : Functions.Functions) {
    const Decl *Outer = F.Decl->getDescribedFunctionTemplate();
    auto Begin = Main.offset((Outer ? Outer : F.Decl)->getBeginLoc());
    if (F.Decl->hasAttr<CUDAGlobalAttr>() && Begin && *Begin < A.Begin &&
        A.Begin < F.Body.Begin)
      return &F;
    if (F.Decl->hasAttr<CUDAGlobalAttr>() && Begin && *Begin >= A.End &&
        File.tokenFrom(*Begin) == Next)
      return &F;
    // Attributes such as __global__ may come before what clang calls the
    // beginning: accept them as long as no statement ends in between.
    if (F.Decl->hasAttr<CUDAGlobalAttr>() && Begin && *Begin > Next->Begin &&
        Next->Begin >= A.End && none_of(File.Tokens, [&](const RawToken &T) {
          return T.Begin >= Next->Begin && T.End <= *Begin &&
                 (T.Kind == tok::semi || T.Kind == tok::r_brace ||
                  T.Kind == tok::l_brace);
        }))
      return &F;
  }
  return nullptr;
}

/// Whether annotations may stand in \p F at all.
bool Binder::inKernel(const Annotation &A, const Function *F,
                      Diagnostics &Why) {
  if (A.InDirective) {
    Why.error(A.At, "an annotation cannot stand in a preprocessor directive");
    Why.note(A.At, "the body of a macro is one line to nvcc and has no lines "
                   "of its own to time");
    return false;
  }
  if (!F) {
    Why.error(A.At, A.Kind == Directive::Kernel
                        ? "'@kernel' needs a '__global__' function below or "
                          "around it"
                        : "annotation outside of a kernel");
    return false;
  }
  if (const auto *Method = dyn_cast<CXXMethodDecl>(F->Decl);
      Method && Method->getParent()->isLambda()) {
    Why.error(A.At, "annotations in lambdas are not supported yet");
    return false;
  }
  if (!F->Decl->hasAttr<CUDAGlobalAttr>()) {
    std::string Name = F->Decl->getNameAsString();
    Why.error(A.At, F->Decl->hasAttr<CUDADeviceAttr>()
                        ? "annotation in the __device__ function '" + Name +
                              "': only the bodies of __global__ functions are "
                              "supported yet"
                        : "annotation in the host function '" + Name + "'");
    return false;
  }
  if (isIn(Out.MacroUses, A.Begin)) {
    Why.error(A.At, "an annotation cannot stand in the argument of a macro");
    return false;
  }
  if (!Main.spelledOffset(
          cast<CompoundStmt>(F->Decl->getBody())->getLBracLoc())) {
    Why.error(A.At, "the kernel '" + F->Decl->getNameAsString() +
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
    F = kernelBelow(A);
  Diagnostics Why;
  if (!inKernel(A, F, Why)) {
    Out.Failures[I] = std::move(Why);
    return;
  }
  if (A.Kind == Directive::Kernel) {
    BoundKernel &K = kernel(*F);
    if (K.KernelAnnotation)
      Why.error(A.At, "a second '@kernel' for '" + K.Name + "'");
    else
      K.KernelAnnotation = I;
    if (Why.hasErrors())
      Out.Failures[I] = std::move(Why);
    else
      Out.KernelOf[I] = F->Body.Begin;
    return;
  }
  auto P = place(A, *cast<CompoundStmt>(F->Decl->getBody()), Main, File,
                 Out.Skipped, Why);
  if (!P) {
    Out.Failures[I] = std::move(Why);
    return;
  }
  BoundKernel &K = kernel(*F);
  K.Sites.push_back({I, P->Insert, P->CloseBrace, P->InLoop});
  Out.KernelOf[I] = F->Body.Begin;
  const Uniformity &Flow = Flows.at(F->Body.Begin);
  const Stmt *Condition = Flow.divergenceAround(P->Around);
  K.NeedsWarpRows |= Flow.needsWarpRows(P->Around);
  if (Condition && !K.Divergence)
    K.Divergence =
        Reason{Main.offset(Condition->getBeginLoc()).value_or(K.NameAt),
               "'" + conditionText(Condition) +
                   "' may differ between the lanes of a warp"};
}

BoundKernel &Binder::kernel(const Function &F) {
  auto [It, New] = Out.Kernels.try_emplace(F.Body.Begin);
  BoundKernel &K = It->second;
  if (!New)
    return K;
  K.Name = F.Decl->getQualifiedNameAsString();
  K.Body = F.Body;
  K.NameAt = Main.offset(F.Decl->getLocation()).value_or(F.Body.Begin);
  K.Line = Main.line(K.NameAt);
  threads(F.Decl, K);
  sharedMemory(F.Decl, K);
  auto Flow = Flows.try_emplace(F.Body.Begin, *F.Decl).first;
  K.HasGoto = Flow->second.hasGoto();
  K.NeedsWarpRows = Flow->second.exitNeedsWarpRows();
  if (const Stmt *Exit = Flow->second.divergentExit()) {
    bool Followed = isa<ReturnStmt, GotoStmt>(Exit);
    K.HasGoto |= !Followed;
    const Stmt *Condition = Flow->second.divergenceAround(Exit);
    const Stmt *Shown = !Followed || !Condition ? Exit : Condition;
    std::string Text = isa<AsmStmt>(Exit) ? "this may leave the kernel"
                       : !Followed
                           ? "this statement is not followed"
                           : std::string("lanes of a warp may ") +
                                 (isa<GotoStmt>(Exit) ? "jump" : "return") +
                                 " one by one: '" + conditionText(Shown) +
                                 "' may differ between them";
    // The statement may stand in a file that is included in the body.
    K.Divergence =
        Reason{Main.offset(Shown->getBeginLoc()).value_or(K.NameAt), Text};
  }
  if (std::optional<Reason> Why = unreadable(F)) {
    K.HasGoto = true;
    K.Divergence = std::move(Why);
  }
  return K;
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
void Binder::threads(const FunctionDecl *F, BoundKernel &K) const {
  const auto *Bounds = F->getAttr<CUDALaunchBoundsAttr>();
  const Expr *E = Bounds ? Bounds->getMaxThreads() : nullptr;
  K.Threads = "1024";
  if (!E)
    return;
  Expr::EvalResult Result;
  if (!E->isValueDependent() && E->EvaluateAsInt(Result, Context)) {
    K.Threads = toString(Result.Val.getInt(), 10);
    int64_t Value = Result.Val.getInt().getExtValue();
    K.MaxThreads = Value > 0 && Value < 1024 ? Value : 1024;
  }
  auto R = Main.spelledRange(E->getSourceRange());
  if (!R || !Main.offset(Bounds->getLocation()) ||
      !File.directivesIn(R->Begin, R->End).empty())
    return;
  StringRef Text = Main.text().slice(R->Begin, R->End);
  if (!Text.contains('\n') && !Text.contains("//") && !namesParameter(F, *R))
    K.Threads = Text.str();
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

void Binder::sharedMemory(const FunctionDecl *F, BoundKernel &K) {
  SmallVector<const FunctionDecl *, 4> Instances = {F};
  // Sizes that depend on template parameters are known in the instances.
  if (const FunctionTemplateDecl *Template = F->getDescribedFunctionTemplate())
    append_range(Instances, Template->specializations());
  for (const FunctionDecl *Instance : Instances) {
    SharedMemory Shared(Context, Instance);
    K.StaticShared = std::max(K.StaticShared, Shared.Bytes);
    if (!Shared.Dynamic || K.DynamicShared)
      continue;
    auto At = Main.offset(Shared.Dynamic->getLocation());
    K.DynamicShared = At ? Reason{*At, "dynamic shared memory declared here"}
                         : Reason{K.NameAt, "a function it calls uses dynamic "
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

/// The kernel as one macro argument.
static std::string kernelText(StringRef Code, const WrittenLaunch &L,
                              const LaunchFacts *Facts) {
  StringRef Text = Code.slice(L.Name.Begin, L.Name.End);
  if (!Facts || !Facts->Nameable ||
      Text.find_first_of("\n#") != StringRef::npos || Text.contains("//"))
    return "nullptr";
  return Text.contains(',') ? ("(" + Text + ")").str() : Text.str();
}

/// The annotated kernel of a launch: what the AST says, else the only one of
/// that name.
const BoundKernel *Binder::kernelOf(const WrittenLaunch &L,
                                    const LaunchFacts *Facts) const {
  const BoundKernel *Found = nullptr;
  for (const Function &F : Functions.Functions) {
    auto K = Out.Kernels.find(F.Body.Begin);
    if (K == Out.Kernels.end())
      continue;
    if (Facts && Facts->Kernel) {
      if (Facts->Kernel == F.Decl->getCanonicalDecl())
        return &K->second;
    } else if (F.Decl->getNameAsString() == L.BaseName) {
      if (Found)
        return nullptr;
      Found = &K->second;
    }
  }
  return Found;
}

void Binder::launches() {
  HostCalls Calls = findHostCalls(Context, Main, File);
  for (const WrittenLaunch &Written : findWrittenLaunches(Main.text(), File)) {
    auto It = Calls.Launches.find(Written.At);
    const LaunchFacts *Facts =
        It == Calls.Launches.end() ? nullptr : &It->second;
    const BoundKernel *Kernel = kernelOf(Written, Facts);
    bool Pointer = Facts && !Facts->Kernel; // may be any kernel
    if (!Kernel && !Pointer)
      continue;
    if (Written.Arguments.empty()) {
      Out.UnwrappedLaunches.push_back(Written.Name.Begin);
      continue;
    }
    if (Kernel) {
      Out.LaunchedBody[Written.At] = Kernel->Body.Begin;
      BoundKernel &K = Out.Kernels.at(Kernel->Body.Begin);
      if (Facts && Facts->DynamicShared && !K.DynamicShared)
        K.DynamicShared = Reason{*Facts->DynamicShared,
                                 "launched with dynamic shared memory here"};
    }
    Out.Launches[Written.At] = {Main.line(Written.Name.Begin), std::nullopt,
                                kernelText(Main.text(), Written, Facts),
                                Written.Arguments};
  }
  for (const auto &[At, Callee] : Calls.InMacros)
    if (!Callee || any_of(Functions.Functions, [&, F = Callee](const auto &K) {
          return K.Decl->getCanonicalDecl() == F &&
                 Out.Kernels.count(K.Body.Begin);
        }))
      Out.UnwrappedLaunches.push_back(At);
  Out.DeviceResets = std::move(Calls.DeviceResets);
}

} // namespace kinstr
