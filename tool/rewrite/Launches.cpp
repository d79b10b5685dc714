// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Launches.h"

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

/// The arguments between <<< and >>>, split at commas outside of brackets.
static std::vector<ByteRange> splitArguments(const ScannedFile &File,
                                             unsigned From) {
  const RawToken *Tok = File.tokenFrom(From);
  const RawToken *End = File.Tokens.data() + File.Tokens.size();
  while (Tok && Tok != End && Tok->Kind != tok::lesslessless)
    ++Tok;
  std::vector<ByteRange> Arguments;
  if (!Tok || Tok == End)
    return Arguments;
  unsigned Depth = 0;
  std::optional<ByteRange> Current;
  for (++Tok; Tok != End; ++Tok) {
    bool Top = Depth == 0;
    if (Top &&
        (Tok->Kind == tok::comma || Tok->Kind == tok::greatergreatergreater)) {
      if (!Current)
        return {};
      Arguments.push_back(*Current);
      Current.reset();
      if (Tok->Kind != tok::comma)
        return Arguments;
      continue;
    }
    if (Tok->Kind == tok::l_paren || Tok->Kind == tok::l_brace ||
        Tok->Kind == tok::l_square)
      ++Depth;
    if (Tok->Kind == tok::r_paren || Tok->Kind == tok::r_brace ||
        Tok->Kind == tok::r_square) {
      if (Depth == 0)
        return {};
      --Depth;
    }
    Current = ByteRange{Current ? Current->Begin : Tok->Begin, Tok->End};
  }
  return {};
}

static unsigned countWritten(const CallExpr *Config) {
  return count_if(Config->arguments(),
                  [](const Expr *Arg) { return !isa<CXXDefaultArgExpr>(Arg); });
}

namespace {

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(ASTContext &Context, const MainFile &Main, const ScannedFile &File)
      : Context(Context), Main(Main), File(File) {}

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    SourceRange Callee = Call->getCallee()->getSourceRange();
    std::optional<unsigned> Where = Main.offset(Callee.getBegin());
    if (!Where)
      return true;
    std::optional<ByteRange> Name = Main.spelledRange(Callee);
    if (!Name || !launch(Call, *Name))
      Found.UnwrappedLaunches.push_back(*Where);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl());
    if (F && F->getDeclName().isIdentifier() &&
        F->getName() == "cudaDeviceReset")
      if (std::optional<unsigned> At = Main.spelledOffset(Ref->getLocation()))
        Found.DeviceResets.push_back(*At);
    return true;
  }

  HostCalls Found;

private:
  bool launch(CUDAKernelCallExpr *Call, ByteRange Name) {
    FoundLaunch L;
    Callee Kernel = calleeOf(Call->getCallee());
    L.Kernel = Kernel.Function;
    L.Launch.Arguments = splitArguments(File, Name.End);
    const CallExpr *Config = Call->getConfig();
    if (L.Launch.Arguments.size() < 2 || L.Launch.Arguments.size() > 4 ||
        countWritten(Config) != L.Launch.Arguments.size())
      return false;
    // A directive inside a macro's argument is undefined behaviour.
    if (!File.directivesIn(Name.Begin, L.Launch.Arguments.back().End).empty())
      return false;
    L.Launch.Line = Main.line(Name.Begin);
    L.Launch.KernelText = Kernel.Nameable ? kernelText(Name) : "nullptr";
    if (L.Launch.Arguments.size() >= 3 && !isZero(Config->getArg(2)))
      L.DynamicShared = L.Launch.Arguments[2].Begin;
    Found.Launches.push_back(std::move(L));
    return true;
  }

  /// The kernel's name as one macro argument.
  std::string kernelText(ByteRange Name) const {
    std::string Text = Main.text().slice(Name.Begin, Name.End).str();
    if (StringRef(Text).find_first_of("\n#") != StringRef::npos ||
        StringRef(Text).contains("//"))
      return "nullptr";
    return StringRef(Text).contains(',') ? "(" + Text + ")" : Text;
  }

  bool isZero(const Expr *E) const {
    if (E->isValueDependent())
      return false;
    Expr::EvalResult Result;
    return E->EvaluateAsInt(Result, Context) && Result.Val.getInt() == 0;
  }

  ASTContext &Context;
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
