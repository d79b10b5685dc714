// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Launches.h"

#include "rewrite/LaunchTokens.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

/// The function a template instance was made from, or the function itself.
static const FunctionDecl *patternOf(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  return F->getCanonicalDecl();
}

namespace {

/// The kernel of a launch: which function, and whether its name as written
/// stands for one function only, so that its address can be taken.
struct Callee {
  const FunctionDecl *Function = nullptr;
  bool Nameable = false;
};

} // namespace

/// Whether \p Given explicit arguments name one instance of \p Template.
static bool argumentsSuffice(const TemplateDecl *Template, unsigned Given) {
  const TemplateParameterList *Params = Template->getTemplateParameters();
  return Given >= Params->getMinRequiredArguments() &&
         !Params->hasParameterPack() && Given >= Params->size();
}

static Callee calleeOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl());
    if (!F) // a function pointer
      return {nullptr, true};
    bool Nameable = !Ref->hadMultipleCandidates();
    if (const FunctionTemplateDecl *Template = F->getPrimaryTemplate())
      Nameable = argumentsSuffice(Template, Ref->getNumTemplateArgs());
    return {patternOf(F), Nameable};
  }
  if (const auto *Lookup = dyn_cast<UnresolvedLookupExpr>(E)) {
    if (std::distance(Lookup->decls_begin(), Lookup->decls_end()) != 1)
      return {};
    const NamedDecl *D = (*Lookup->decls_begin())->getUnderlyingDecl();
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
      return {patternOf(Template->getTemplatedDecl()),
              argumentsSuffice(Template, Lookup->getNumTemplateArgs())};
    if (const auto *F = dyn_cast<FunctionDecl>(D))
      return {patternOf(F), true};
  }
  return {};
}

std::string runtimeName(const FunctionDecl &F) {
  std::string Name = F.getNameAsString();
  if (F.isExternC())
    return Name;
  for (const DeclContext *C = F.getDeclContext(); C; C = C->getParent()) {
    const auto *Space = dyn_cast<NamespaceDecl>(C);
    if (Space && Space->isAnonymousNamespace())
      Name.insert(0, "(anonymous namespace)::");
    else if (Space || isa<TagDecl>(C))
      Name.insert(0, cast<NamedDecl>(C)->getNameAsString().append("::"));
  }
  return Name;
}

/// The called function's name and where it stands; none for a call that is not
/// by name.
static std::pair<StringRef, SourceLocation> calledName(const CallExpr *Call) {
  const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
  DeclarationName Name;
  SourceLocation At;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Callee)) {
    Name = Ref->getDecl()->getDeclName();
    At = Ref->getLocation();
  } else if (const auto *Lookup = dyn_cast<UnresolvedLookupExpr>(Callee)) {
    Name = Lookup->getName();
    At = Lookup->getNameLoc();
  }
  if (!Name.isIdentifier() || !Name.getAsIdentifierInfo())
    return {};
  return {Name.getAsIdentifierInfo()->getName(), At};
}

namespace {

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(ASTContext &Context, const MainFile &Main, const ScannedFile &File)
      : Context(Context), SM(Context.getSourceManager()), Main(Main),
        File(File) {}

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    const CallExpr *Config = Call->getConfig();
    // That is where the '<<<' is.
    SourceLocation Chevron = Config->getCallee()->getExprLoc();
    // In what may be device code clang calls cudaLaunchDevice(), which has two
    // more in front and the missing ones where the '<<<' is.
    constexpr unsigned OfHost = 4, SharedSize = 2;
    unsigned First = Config->getNumArgs() > OfHost ? 2 : 0;
    auto IsWritten = [&](const Expr *Argument) {
      return !isa<CXXDefaultArgExpr>(Argument) &&
             Argument->getExprLoc() != Chevron;
    };
    SmallVector<const Expr *, OfHost> Arguments;
    for (unsigned I = First; I < Config->getNumArgs(); ++I)
      if (IsWritten(Config->getArg(I)))
        Arguments.push_back(Config->getArg(I));
    note(Chevron, Call->getCallee(), Arguments.size(),
         Arguments.size() > SharedSize ? Arguments[SharedSize] : nullptr);
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    auto [Name, At] = calledName(Call);
    std::optional<unsigned> Kernel = kernelArgument(Name);
    if (!Kernel || *Kernel >= Call->getNumArgs())
      return true;
    const Expr *E = Call->getArg(*Kernel)->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(E);
        Address && Address->getOpcode() == UO_AddrOf)
      E = Address->getSubExpr();
    constexpr unsigned SharedSize = 4; // of those that take a kernel first
    note(At, E, 0,
         *Kernel == 0 && Call->getNumArgs() > SharedSize
             ? Call->getArg(SharedSize)
             : nullptr);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl());
    if (!F || !F->getDeclName().isIdentifier() ||
        F->getName() != "cudaDeviceReset" || !F->isExternC())
      return true;
    auto At = Main.spelledOffset(Ref->getLocation());
    if (At && !isQualified(*At))
      Found.DeviceResets.push_back(*At);
    return true;
  }

  HostCalls Found;

private:
  void note(SourceLocation At, const Expr *Kernel, unsigned Arguments,
            const Expr *SharedSize) {
    std::optional<unsigned> Spelled = Main.offset(SM.getSpellingLoc(At));
    std::optional<unsigned> Used = Main.offset(At);
    if (!Spelled && !Used)
      return;
    LaunchFacts &Facts =
        Spelled ? Found.Launches[*Spelled] : Found.Elsewhere[*Used];
    Callee C = calleeOf(Kernel);
    if (!C.Function)
      Facts.Unknown = true;
    else if (!is_contained(Facts.Kernels, C.Function))
      Facts.Kernels.push_back(C.Function);
    Facts.Nameable &= C.Nameable;
    Facts.Arguments = std::max(Facts.Arguments, Arguments);
    if (!SharedSize || isa<CXXDefaultArgExpr>(SharedSize) || isZero(SharedSize))
      return;
    Facts.DynamicShared = Main.spelledOffset(SharedSize->getBeginLoc());
    if (!Facts.DynamicShared)
      Facts.DynamicShared = Used;
  }

  /// "name::" in front; "::" alone stays right with a prefix behind it.
  bool isQualified(unsigned At) const {
    const RawToken *Colons = File.tokenBefore(At);
    return Colons && Colons->Kind == tok::coloncolon &&
           Colons != File.Tokens.data() &&
           (Colons - 1)->Kind == tok::raw_identifier &&
           (Colons - 1)->End == Colons->Begin;
  }

  bool isZero(const Expr *E) const {
    if (E->isValueDependent())
      return false;
    Expr::EvalResult Result;
    return E->EvaluateAsInt(Result, Context) && Result.Val.getInt() == 0;
  }

  ASTContext &Context;
  const SourceManager &SM;
  const MainFile &Main;
  const ScannedFile &File;
};

} // namespace

HostCalls findHostCalls(ASTContext &Context, const MainFile &Main,
                        const ScannedFile &File) {
  Visitor V(Context, Main, File);
  V.TraverseAST(Context);
  return std::move(V.Found);
}

} // namespace kinstr
