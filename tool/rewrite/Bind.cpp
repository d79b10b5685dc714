// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Bind.h"

#include "cuda/Shims.h"
#include "rewrite/Launches.h"
#include "rewrite/Placement.h"
#include "rewrite/Uniformity.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include <map>
#include <set>

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

/// A function with a body in the main file.
struct Function {
  const FunctionDecl *Decl;
  ByteRange Body;
};

/// What one pass of clang over the file yields, beyond the AST itself.
struct Pass {
  std::vector<ByteRange> Skipped;            ///< inactive branches
  std::vector<ByteRange> MacroUses;          ///< of function-like macros
  std::vector<Diagnostic> ClangErrors;       ///< in the main file
  std::string FirstErrorElsewhere;           ///< "header.h:3: ..." or empty
  std::map<unsigned, BoundKernel> Kernels;   ///< by start of body
  std::map<unsigned, unsigned> KernelOf;     ///< annotation -> start of body
  std::map<unsigned, Diagnostics> Failures;  ///< annotation -> why not
  std::vector<unsigned> Inactive;            ///< annotations
  std::set<unsigned> UnknownInKernel;        ///< unknown directives
  std::map<unsigned, BoundLaunch> Launches;  ///< by start of first argument
  std::map<unsigned, unsigned> LaunchedBody; ///< launch -> start of body
  std::vector<unsigned> DeviceResets;
  std::vector<unsigned> UnwrappedLaunches;
  /// Where the main file includes a header with annotations; its name.
  std::map<unsigned, std::string> AnnotatedHeaders;
  bool Parsed = false;
};

bool isIn(ArrayRef<ByteRange> Ranges, unsigned Offset) {
  return any_of(Ranges, [=](ByteRange R) { return R.contains(Offset); });
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

class FunctionCollector : public RecursiveASTVisitor<FunctionCollector> {
public:
  explicit FunctionCollector(const MainFile &Main) : Main(Main) {}

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (!F->doesThisDeclarationHaveABody() || !F->getBody())
      return true;
    if (auto Body = Main.range(F->getBody()->getSourceRange()))
      Functions.push_back({F, *Body});
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

private:
  const MainFile &Main;
};

/// Where the keywords of branches and loops stand.
class BranchCollector : public RecursiveASTVisitor<BranchCollector> {
public:
  explicit BranchCollector(const MainFile &Main) : Main(Main) {}

  bool VisitIfStmt(IfStmt *S) { return add(S->getIfLoc()); }
  bool VisitForStmt(ForStmt *S) { return add(S->getForLoc()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) { return add(S->getForLoc()); }
  bool VisitWhileStmt(WhileStmt *S) { return add(S->getWhileLoc()); }
  bool VisitDoStmt(DoStmt *S) {
    return add(S->getDoLoc()) && add(S->getWhileLoc());
  }
  bool VisitSwitchStmt(SwitchStmt *S) { return add(S->getSwitchLoc()); }

  std::set<unsigned> Keywords;

private:
  bool add(SourceLocation Loc) {
    if (std::optional<unsigned> At = Main.spelledOffset(Loc))
      Keywords.insert(*At);
    return true;
  }

  const MainFile &Main;
};

/// Shared memory that a kernel uses, and the functions it calls as far as clang
/// has their bodies.
class SharedMemory : public RecursiveASTVisitor<SharedMemory> {
public:
  SharedMemory(ASTContext &Context, const FunctionDecl *Kernel)
      : Context(Context) {
    reach(Kernel);
    while (!Pending.empty())
      TraverseStmt(Pending.pop_back_val()->getBody());
  }

  bool VisitVarDecl(VarDecl *V) {
    if (!V->hasAttr<CUDASharedAttr>() || !Variables.insert(V).second)
      return true;
    QualType T = V->getType();
    if (V->hasExternalStorage() || T->isIncompleteArrayType())
      Dynamic = V;
    else if (!T->isDependentType() && !T->isIncompleteType())
      Bytes += Context.getTypeSizeInChars(T).getQuantity();
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    if (auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
      return VisitVarDecl(V);
    return reach(dyn_cast<FunctionDecl>(Ref->getDecl()));
  }
  bool VisitMemberExpr(MemberExpr *Member) {
    return reach(dyn_cast<FunctionDecl>(Member->getMemberDecl()));
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) {
    return reach(Construct->getConstructor());
  }
  bool VisitOverloadExpr(OverloadExpr *Overloads) {
    for (NamedDecl *D : Overloads->decls())
      reach(D->getUnderlyingDecl()->getAsFunction());
    return true;
  }

  const VarDecl *Dynamic = nullptr;
  std::uint64_t Bytes = 0; ///< static; what depends on parameters left out

private:
  bool reach(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (F && F->hasBody(Definition) && Functions.insert(Definition).second)
      Pending.push_back(Definition);
    return true;
  }

  ASTContext &Context;
  SmallPtrSet<const VarDecl *, 8> Variables;
  SmallPtrSet<const FunctionDecl *, 8> Functions;
  SmallVector<const FunctionDecl *, 8> Pending;
};

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

class Binder {
public:
  Binder(ASTContext &Context, const MainFile &Main, const ScannedFile &File,
         Pass &Out)
      : Context(Context), Main(Main), File(File), Out(Out), Functions(Main) {}

  void run() {
    Functions.TraverseAST(Context);
    for (unsigned I = 0; I < File.Annotations.size(); ++I)
      annotation(I);
    for (unsigned I = 0; I < File.Unknown.size(); ++I)
      if (!isIn(Out.Skipped, File.Unknown[I].At))
        if (const Function *F = Functions.around(File.Unknown[I].At);
            F && F->Decl->hasAttr<CUDAGlobalAttr>())
          Out.UnknownInKernel.insert(I);
    launches();
  }

private:
  void annotation(unsigned I);
  const Function *kernelBelow(const Annotation &A) const;
  bool inKernel(const Annotation &A, const Function *F, Diagnostics &Why);
  BoundKernel &kernel(const Function &F);
  void threads(const FunctionDecl *F, BoundKernel &K) const;
  bool namesParameter(const FunctionDecl *F, ByteRange Range) const;
  void sharedMemory(const FunctionDecl *F, BoundKernel &K);
  std::optional<Reason> unreadable(const Function &F) const;
  void launches();
  const BoundKernel *kernelOf(const WrittenLaunch &L,
                              const LaunchFacts *Facts) const;
  std::string conditionText(const Stmt *Condition) const;

  ASTContext &Context;
  const MainFile &Main;
  const ScannedFile &File;
  Pass &Out;
  FunctionCollector Functions;
  std::map<unsigned, Uniformity> Flows; ///< by start of body
};

} // namespace

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
  const Stmt *Condition = Flows.at(F->Body.Begin).divergenceAround(P->Around);
  if (Condition && !K.Divergence)
    if (auto At = Main.offset(Condition->getBeginLoc()))
      K.Divergence =
          Reason{*At, "'" + conditionText(Condition) +
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
  if (const Stmt *Exit = Flow->second.divergentExit()) {
    K.HasGoto = !isa<ReturnStmt>(Exit);
    const Stmt *Condition = Flow->second.divergenceAround(Exit);
    const Stmt *Shown = K.HasGoto || !Condition ? Exit : Condition;
    std::string Text =
        isa<AsmStmt>(Exit) ? "this may leave the kernel"
        : K.HasGoto        ? "'goto' is not followed"
                           : "lanes of a warp may return one by one: '" +
                                 conditionText(Shown) + "' may differ between them";
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

//===----------------------------------------------------------------------===//
// Running clang
//===----------------------------------------------------------------------===//

namespace {

class Preprocessing : public PPCallbacks {
public:
  Preprocessing(SourceManager &SM, const MainFile &Main, Pass &Out)
      : SM(SM), Main(Main), Out(Out) {}

  void FileChanged(SourceLocation Loc, FileChangeReason Reason,
                   SrcMgr::CharacteristicKind Kind, FileID) override {
    if (Reason != EnterFile || Kind != SrcMgr::C_User)
      return;
    FileID File = SM.getFileID(Loc);
    OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
    if (File == SM.getMainFileID() || !Entry)
      return;
    SourceLocation Include = SM.getIncludeLoc(File);
    while (Include.isValid() && !SM.isInMainFile(Include))
      Include = SM.getIncludeLoc(SM.getFileID(Include));
    auto At = Main.offset(Include);
    Diagnostics Ignored;
    if (At && !scan(SM.getBufferData(File), Ignored).Annotations.empty())
      Out.AnnotatedHeaders.emplace(*At, Entry->getName().str());
  }

  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    if (auto R = Main.range(Range))
      Out.Skipped.push_back(*R);
  }
  void MacroExpands(const Token &, const MacroDefinition &, SourceRange Range,
                    const MacroArgs *Args) override {
    if (Args && Range.getBegin().isFileID())
      if (auto R = Main.range(Range))
        Out.MacroUses.push_back(*R);
  }

private:
  SourceManager &SM;
  const MainFile &Main;
  Pass &Out;
};

/// Keeps clang's errors instead of printing them: nvcc judges the language.
class ErrorCollector : public DiagnosticConsumer {
public:
  explicit ErrorCollector(Pass &Out) : Out(Out) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    if (Level < DiagnosticsEngine::Error)
      return;
    SmallString<256> Message;
    Info.FormatDiagnostic(Message);
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      const SourceManager &SM = Info.getSourceManager();
      SourceLocation Loc = SM.getExpansionLoc(Info.getLocation());
      auto [File, Offset] = SM.getDecomposedLoc(Loc);
      if (File == SM.getMainFileID()) {
        Out.ClangErrors.push_back(
            {Severity::Note, Offset, Message.str().str(), std::nullopt});
        return;
      }
    }
    if (Out.FirstErrorElsewhere.empty())
      Out.FirstErrorElsewhere = Message.str().str();
  }

private:
  Pass &Out;
};

class Consumer : public ASTConsumer {
public:
  Consumer(const SourceManager &SM, const ScannedFile &File, Pass &Out)
      : SM(SM), File(File), Out(Out) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    MainFile Main(Context.getSourceManager(), Context.getLangOpts());
    Binder(Context, Main, File, Out).run();
    Out.Parsed = true;
  }

  /// Bodies in headers say nothing about where the user's marks go, except for
  /// the shared memory that those in the user's own may use.
  bool shouldSkipFunctionBody(Decl *D) override {
    SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
    if (SM.isInMainFile(Loc))
      return false;
    return SM.isInSystemHeader(Loc) || !mentionsShared(SM.getFileID(Loc));
  }

private:
  bool mentionsShared(FileID Header) {
    auto [It, New] = Mentions.try_emplace(Header, false);
    if (New)
      It->second = SM.getBufferData(Header).contains("__shared__");
    return It->second;
  }

  const SourceManager &SM;
  DenseMap<FileID, bool> Mentions;
  const ScannedFile &File;
  Pass &Out;
};

class Action : public ASTFrontendAction {
public:
  Action(const ScannedFile &File, Pass &Out) : File(File), Out(Out) {}

  bool BeginInvocation(CompilerInstance &CI) override {
    CI.getFrontendOpts().SkipFunctionBodies = true;
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    Main = std::make_unique<MainFile>(CI.getSourceManager(), CI.getLangOpts());
    CI.getPreprocessor().addPPCallbacks(
        std::make_unique<Preprocessing>(CI.getSourceManager(), *Main, Out));
    return std::make_unique<Consumer>(CI.getSourceManager(), File, Out);
  }

private:
  const ScannedFile &File;
  Pass &Out;
  std::unique_ptr<MainFile> Main;
};

} // namespace

static Pass runClang(StringRef Path, StringRef Arch, const ScannedFile &File,
                     const CompileOptions &Options, const Toolkit &Cuda) {
  Pass Out;
  ErrorCollector Errors(Out);
  // Reference-counted: the compiler instance takes a share.
  IntrusiveRefCntPtr<FileManager> Files(
      new FileManager(FileSystemOptions(), fileSystemWithShims()));
  std::vector<std::string> Args = clangArguments(Path, Arch, Options, Cuda);
  Args.insert(Args.begin() + 1, {"-resource-dir", KINSTR_CLANG_RESOURCE_DIR});
  tooling::ToolInvocation Invocation(Args, std::make_unique<Action>(File, Out),
                                     Files.get());
  Invocation.setDiagnosticConsumer(&Errors);
  Invocation.run();
  return Out;
}

//===----------------------------------------------------------------------===//
// Merging the architectures
//===----------------------------------------------------------------------===//

/// One place has to do for all: braces that one needs do not hurt the others.
static void mergeSite(Site &Into, const Site &From, const Annotation &A,
                      Diagnostics &Diags) {
  if (Into.Insert != From.Insert || (Into.CloseBrace && From.CloseBrace &&
                                     Into.CloseBrace != From.CloseBrace))
    Diags.error(A.At, "this place means different things to the architectures "
                      "asked for; add braces, or rewrite for one at a time");
  if (!Into.CloseBrace)
    Into.CloseBrace = From.CloseBrace;
  Into.InLoop |= From.InLoop;
}

/// The larger of two launch bounds; the most there can be if not comparable.
static std::string mergeThreads(StringRef A, StringRef B) {
  unsigned NumberA = 0, NumberB = 0;
  if (A == B)
    return A.str();
  if (A.getAsInteger(10, NumberA) || B.getAsInteger(10, NumberB))
    return "1024";
  return utostr(std::max(NumberA, NumberB));
}

static void mergeKernel(BoundKernel &Into, BoundKernel &&From,
                        const ScannedFile &File, Diagnostics &Diags) {
  for (Site &S : From.Sites) {
    auto Known = find_if(Into.Sites, [&](const Site &Known) {
      return Known.Annotation == S.Annotation;
    });
    if (Known == Into.Sites.end())
      Into.Sites.push_back(S);
    else
      mergeSite(*Known, S, File.Annotations[S.Annotation], Diags);
  }
  Into.Threads = mergeThreads(Into.Threads, From.Threads);
  Into.MaxThreads = std::max(Into.MaxThreads, From.MaxThreads);
  llvm::sort(Into.Sites, [](const Site &A, const Site &B) {
    return A.Annotation < B.Annotation;
  });
  if (!Into.Divergence)
    Into.Divergence = std::move(From.Divergence);
  if (!Into.DynamicShared)
    Into.DynamicShared = std::move(From.DynamicShared);
  Into.StaticShared = std::max(Into.StaticShared, From.StaticShared);
  Into.HasGoto |= From.HasGoto;
  if (!Into.KernelAnnotation)
    Into.KernelAnnotation = From.KernelAnnotation;
}

static std::string listOf(ArrayRef<std::string> Architectures) {
  return join(Architectures, ", ");
}

/// Annotations that some architecture could not place, or that none has.
static void reportUnbound(const ScannedFile &File, ArrayRef<Pass> Passes,
                          ArrayRef<std::string> Architectures,
                          Diagnostics &Diags) {
  for (unsigned I = 0; I < File.Annotations.size(); ++I) {
    const Diagnostics *Why = nullptr;
    bool Bound = false;
    for (const Pass &P : Passes) {
      Bound |= P.KernelOf.count(I) != 0;
      if (auto It = P.Failures.find(I); !Why && It != P.Failures.end())
        Why = &It->second;
    }
    if (Bound && !Why)
      continue;
    if (!Why) {
      Diags.warning(File.Annotations[I].At,
                    "this branch is inactive for " + listOf(Architectures) +
                        "; the annotation has no effect");
      continue;
    }
    for (const Diagnostic &D : Why->all())
      Diags.add(D.Level, D.Offset, D.Message).Fix = D.Fix;
  }
}

/// In a kernel an unknown directive is a mistake. Elsewhere it may be anything,
/// unless it looks like one of kinstr's.
static void reportUnknown(const ScannedFile &File, ArrayRef<Pass> Passes,
                          Diagnostics &Diags) {
  for (unsigned I = 0; I < File.Unknown.size(); ++I) {
    const UnknownDirective &U = File.Unknown[I];
    bool InKernel = any_of(
        Passes, [&](const Pass &P) { return P.UnknownInKernel.count(I) != 0; });
    if (!InKernel && U.Suggestion.empty())
      continue;
    std::string Message = "unknown directive '@" + U.Word + "'";
    if (!U.Suggestion.empty())
      Message += "; did you mean '@" + U.Suggestion + "'?";
    Diagnostic &D = InKernel ? Diags.error(U.At, std::move(Message))
                             : Diags.warning(U.At, std::move(Message));
    if (!U.Suggestion.empty()) {
      unsigned Begin = U.At + 1;
      unsigned End = Begin + static_cast<unsigned>(U.Word.size());
      D.Fix = FixIt{Begin, End, U.Suggestion};
    }
  }
}

/// Clang's own errors matter only where they may have hidden something.
static void reportClangErrors(const Pass &P, Diagnostics &Diags) {
  constexpr unsigned Shown = 5;
  unsigned Count = 0;
  for (const Diagnostic &E : P.ClangErrors) {
    bool InKernel = any_of(P.Kernels, [&](const auto &K) {
      return K.second.Body.contains(E.Offset);
    });
    if (StringRef(E.Message).contains("file not found")) {
      Diags.warning(E.Offset,
                    E.Message + "; give kinstr the -I flags you give nvcc");
      continue;
    }
    if (!InKernel && !Diags.hasErrors())
      continue;
    if (++Count > Shown)
      break;
    if (Diags.hasErrors())
      Diags.note(E.Offset, "clang stumbled here: " + E.Message);
    else
      Diags.warning(E.Offset,
                    "clang does not understand this, nvcc may: " + E.Message);
  }
  if (Diags.hasErrors() && P.ClangErrors.empty() &&
      !P.FirstErrorElsewhere.empty())
    Diags.note(0, "clang stumbled: " + P.FirstErrorElsewhere);
}

BoundFile bindAnnotations(StringRef Path, const ScannedFile &File,
                          const CompileOptions &Options, const Toolkit &Cuda,
                          Diagnostics &Diags) {
  std::vector<std::string> Architectures = Options.Architectures;
  if (Architectures.empty())
    Architectures.push_back(clangArchitecture("native", Cuda));
  std::vector<Pass> Passes;
  Passes.reserve(Architectures.size());
  for (const std::string &Arch : Architectures)
    Passes.push_back(runClang(Path, Arch, File, Options, Cuda));

  for (const Pass &P : Passes)
    if (!P.Parsed) {
      Diags.error(0, "clang did not read this file");
      if (!P.FirstErrorElsewhere.empty())
        Diags.note(0, P.FirstErrorElsewhere);
      return {};
    }
  reportUnbound(File, Passes, Architectures, Diags);
  reportUnknown(File, Passes, Diags);
  reportClangErrors(Passes.front(), Diags);
  for (const auto &[At, Header] : Passes.front().AnnotatedHeaders)
    Diags.warning(At, "annotations in '" + Header +
                          "' have no effect: headers are not supported yet");

  std::map<unsigned, BoundKernel> Kernels;
  std::map<unsigned, BoundLaunch> Launches;
  std::map<unsigned, unsigned> LaunchedBody;
  std::vector<unsigned> Resets, Unwrapped;
  for (Pass &P : Passes) {
    for (auto &[Body, K] : P.Kernels) {
      auto [It, New] = Kernels.try_emplace(Body, K);
      if (!New)
        mergeKernel(It->second, std::move(K), File, Diags);
    }
    Launches.merge(P.Launches);
    LaunchedBody.merge(P.LaunchedBody);
    append_range(Resets, P.DeviceResets);
    append_range(Unwrapped, P.UnwrappedLaunches);
  }

  BoundFile Out;
  std::map<unsigned, unsigned> IndexOf;
  for (auto &[Body, K] : Kernels) {
    IndexOf[Body] = Out.Kernels.size();
    Out.Kernels.push_back(std::move(K));
  }
  for (auto &[Key, L] : Launches) {
    if (auto Body = LaunchedBody.find(Key); Body != LaunchedBody.end())
      if (auto K = IndexOf.find(Body->second); K != IndexOf.end())
        L.Kernel = K->second;
    Out.Launches.push_back(std::move(L));
  }
  llvm::sort(Resets);
  Resets.erase(std::unique(Resets.begin(), Resets.end()), Resets.end());
  Out.DeviceResets = std::move(Resets);
  llvm::sort(Unwrapped);
  Unwrapped.erase(std::unique(Unwrapped.begin(), Unwrapped.end()),
                  Unwrapped.end());
  for (unsigned At : Unwrapped)
    Diags.remark(At, "this launch cannot be wrapped; it is recorded once "
                     "another launch, or kinstr_start(), has attached");
  return Out;
}

} // namespace kinstr
