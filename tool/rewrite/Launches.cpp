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

//===----------------------------------------------------------------------===//
// In the AST
//===----------------------------------------------------------------------===//

namespace {

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(ASTContext &Context, const MainFile &Main, const ScannedFile &File)
      : Context(Context), Main(Main), File(File) {}

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    auto Name = Main.spelledRange(Call->getCallee()->getSourceRange());
    const RawToken *Chevron = Name ? File.tokenFrom(Name->End) : nullptr;
    Callee Kernel = calleeOf(Call->getCallee());
    if (!Chevron || Chevron->Kind != tok::lesslessless) {
      if (auto At = Main.offset(Call->getBeginLoc()))
        Found.InMacros[*At] = Kernel.Function;
      return true;
    }
    LaunchFacts &Facts = Found.Launches[Chevron->Begin];
    Facts.Kernel = Kernel.Function;
    Facts.Nameable = Kernel.Nameable;
    const CallExpr *Config = Call->getConfig();
    if (Config->getNumArgs() >= 3)
      if (const Expr *Size = Config->getArg(2);
          !isa<CXXDefaultArgExpr>(Size) && !isZero(Size))
        Facts.DynamicShared = Main.spelledOffset(Size->getBeginLoc());
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

//===----------------------------------------------------------------------===//
// In the tokens
//===----------------------------------------------------------------------===//

/// The arguments between '<<<', which is token \p Chevron, and '>>>', split at
/// commas outside of brackets. Empty if that is not what stands there.
static std::vector<ByteRange> splitArguments(ArrayRef<RawToken> Tokens,
                                             size_t Chevron) {
  std::vector<ByteRange> Arguments;
  std::optional<ByteRange> Current;
  unsigned Depth = 0;
  for (const RawToken &Tok : Tokens.drop_front(Chevron + 1)) {
    bool Last = Tok.Kind == tok::greatergreatergreater;
    if (Depth == 0 && (Last || Tok.Kind == tok::comma)) {
      if (!Current)
        return {};
      Arguments.push_back(*Current);
      Current.reset();
      if (Last)
        return Arguments;
      continue;
    }
    if (Tok.Kind == tok::semi)
      return {};
    if (is_contained({tok::l_paren, tok::l_brace, tok::l_square}, Tok.Kind))
      ++Depth;
    if (is_contained({tok::r_paren, tok::r_brace, tok::r_square}, Tok.Kind) &&
        Depth-- == 0)
      return {};
    Current = ByteRange{Current ? Current->Begin : Tok.Begin, Tok.End};
  }
  return {};
}

/// Walks back from '<<<' over "ns::kernel<Args>" and notes where it starts and
/// its last identifier.
static void readName(StringRef Code, ArrayRef<RawToken> Tokens, size_t Chevron,
                     WrittenLaunch &L) {
  size_t I = Chevron;
  int Angles = 0; // open, seen from the right
  for (; I > 0; --I) {
    const RawToken &Tok = Tokens[I - 1];
    bool Word = Tok.Kind == tok::raw_identifier;
    if (Tok.Kind == tok::greater) {
      ++Angles;
    } else if (Tok.Kind == tok::greatergreater) {
      Angles += 2;
    } else if (Tok.Kind == tok::less && Angles > 0) {
      --Angles;
    } else {
      bool Ends =
          Angles == 0
              ? !Word && Tok.Kind != tok::coloncolon
              : is_contained({tok::semi, tok::l_brace, tok::r_brace}, Tok.Kind);
      // Two words in a row: a keyword such as 'return' stands in front.
      bool Keyword = Angles == 0 && Word && I < Chevron &&
                     Tokens[I].Kind == tok::raw_identifier;
      if (Ends || Keyword)
        break;
    }
    if (Angles == 0 && Word && L.BaseName.empty())
      L.BaseName = Code.slice(Tok.Begin, Tok.End).str();
  }
  L.Name = ByteRange{I < Chevron ? Tokens[I].Begin : Tokens[Chevron].Begin,
                     Tokens[Chevron - (Chevron > 0)].End};
}

std::vector<WrittenLaunch> findWrittenLaunches(StringRef Code,
                                               const ScannedFile &File) {
  std::vector<WrittenLaunch> Found;
  for (size_t I = 0; I < File.Tokens.size(); ++I) {
    if (File.Tokens[I].Kind != tok::lesslessless)
      continue;
    WrittenLaunch L;
    L.At = File.Tokens[I].Begin;
    readName(Code, File.Tokens, I, L);
    L.Arguments = splitArguments(File.Tokens, I);
    // A directive inside a macro's argument is undefined behaviour.
    if (L.Arguments.size() < 2 || L.Arguments.size() > 4 ||
        !File.directivesIn(L.At, L.Arguments.back().End).empty())
      L.Arguments.clear();
    Found.push_back(std::move(L));
  }
  return Found;
}

} // namespace kinstr
