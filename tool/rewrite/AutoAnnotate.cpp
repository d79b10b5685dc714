// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/AutoAnnotate.h"

#include "rewrite/AutoChoose.h"
#include "rewrite/AutoKind.h"
#include "rewrite/Collectors.h"
#include "rewrite/Pass.h"
#include "rewrite/Placement.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

/// What became of one kernel.
struct AutoKernel {
  std::string Name; ///< qualified
  unsigned NameAt = 0;
  std::vector<AutoMark> Marks;
  std::string Why; ///< there are no more
};

using AutoKernels = std::map<unsigned, AutoKernel>; ///< by start of body

/// The kernels of one AST.
class KernelFinder {
public:
  KernelFinder(const MainFile &Main, const ScannedFile &File,
               const Regex *Wanted, const Pass &Seen, AutoKernels &Out)
      : Main(Main), File(File), Wanted(Wanted), Seen(Seen), Out(Out) {}

  void run(ASTContext &Context) {
    FunctionCollector Functions(Main);
    Functions.TraverseAST(Context);
    for (const Function &F : Functions.Functions)
      if (F.isKernel() && Main.sources().fileAt(F.Body.Begin) == 0 &&
          !isAnnotated(F.Body))
        kernel(F);
  }

private:
  bool isAnnotated(ByteRange Body) const {
    return any_of(File.Annotations, [&](const Annotation &A) {
      return A.Kind != Directive::Kernel && Body.contains(A.Begin);
    });
  }
  void kernel(const Function &F);
  std::string whyNone(const Function &F) const;
  void choose(const Function &F, AutoKernel &K) const;
  void recheck(const Function &F, AutoKernel &K) const;
  std::optional<AutoMark> end(const CompoundStmt &Body) const;
  std::optional<AutoMark> spot(const CompoundStmt &Body, const Stmt *S) const;
  bool accepts(const CompoundStmt &Body, unsigned At) const;
  const RawToken *tokenBefore(unsigned Offset) const;

  const MainFile &Main;
  const ScannedFile &File;
  const Regex *Wanted;
  const Pass &Seen;
  AutoKernels &Out;
};

} // namespace

void KernelFinder::kernel(const Function &F) {
  std::string Name = F.Decl->getQualifiedNameAsString();
  if (Wanted && !Wanted->match(Name))
    return;
  auto [It, New] = Out.try_emplace(F.Body.Begin);
  AutoKernel &K = It->second;
  if (!K.Marks.empty())
    return recheck(F, K);
  if (New) {
    K.Name = std::move(Name);
    SourceLocation At = F.Decl->getLocation();
    std::optional<unsigned> Spelled = Main.spelledOffset(At);
    K.NameAt = Spelled ? *Spelled : Main.offset(At).value_or(F.Body.Begin);
  }
  K.Why = whyNone(F);
  if (K.Why.empty())
    choose(F, K);
}

std::string KernelFinder::whyNone(const Function &F) const {
  const auto *Body = dyn_cast<CompoundStmt>(F.Decl->getBody());
  if (!Body)
    return "its body is no list of statements";
  if (!Main.spelledOffset(Body->getLBracLoc()))
    return "the body comes out of a macro";
  if (isIn(Seen.MacroUses, F.Body.Begin))
    return "the body is a macro's argument";
  for (const UnknownDirective &U : File.Unknown)
    if (F.Body.contains(U.At))
      return "'@" + U.Word + "' in it is no directive";
  if (all_of(Body->body(), [](const Stmt *S) {
        return isa<NullStmt>(S) || isa<ReturnStmt>(S);
      }))
    return "empty body";
  return "";
}

void KernelFinder::choose(const Function &F, AutoKernel &K) const {
  const auto *Body = cast<CompoundStmt>(F.Decl->getBody());
  std::vector<NameWish> Wishes;
  for (ChosenPhase &P : choosePhases(*F.Decl, Main, [&](const Stmt *S) {
         return spot(*Body, S).has_value();
       })) {
    std::optional<AutoMark> M = spot(*Body, P.Before);
    // Statements of one macro begin at one place.
    if (!M || (!K.Marks.empty() && M->At <= K.Marks.back().At))
      continue;
    K.Marks.push_back(std::move(*M));
    Wishes.push_back(std::move(P.Wish));
  }
  for (auto [M, Name] : zip_equal(K.Marks, phaseNames(Wishes)))
    M.Text = "@phase " + Name;
  if (K.Marks.size() > 1)
    return;
  if (std::optional<AutoMark> End = end(*Body); End && K.Marks.size() == 1) {
    End->Indent = K.Marks.front().Indent;
    K.Marks.push_back(std::move(*End));
  }
  unsigned Statements =
      count_if(Body->body(), [](const Stmt *S) { return !isa<NullStmt>(S); });
  K.Why = Statements == 1 ? "one statement" : "no place for another";
}

/// Behind the last statement that does something.
std::optional<AutoMark> KernelFinder::end(const CompoundStmt &Body) const {
  if (const auto *Return = dyn_cast<ReturnStmt>(Body.body_back())) {
    std::optional<AutoMark> M = spot(Body, Return);
    if (M)
      M->Text = "@end";
    return M;
  }
  std::optional<unsigned> Brace = Main.spelledOffset(Body.getRBracLoc());
  if (!Brace)
    return std::nullopt;
  const RawToken *Before = tokenBefore(*Brace);
  if (!Before || !accepts(Body, Before->End))
    return std::nullopt;
  return AutoMark{Before->End, *Brace, *Brace, "@end"};
}

/// Chosen for another architecture: what this one does not accept goes.
void KernelFinder::recheck(const Function &F, AutoKernel &K) const {
  const auto *Body = dyn_cast<CompoundStmt>(F.Decl->getBody());
  size_t Before = K.Marks.size();
  erase_if(K.Marks, [&](const AutoMark &M) {
    return !Body || (!isIn(Seen.Skipped, M.At) && !accepts(*Body, M.At));
  });
  if (K.Marks.size() < 2 && K.Marks.size() < Before)
    K.Why = "its statements differ between the architectures";
}

/// Where a comment before \p S can be inserted.
std::optional<AutoMark> KernelFinder::spot(const CompoundStmt &Body,
                                           const Stmt *S) const {
  std::optional<ByteRange> R = Main.range(S->getSourceRange());
  if (!R)
    return std::nullopt;
  // The pragmas of a loop are attributes of it to clang.
  const Stmt *Bare = withoutAttributes(S);
  std::optional<unsigned> Begin = Main.offset(Bare->getBeginLoc());
  if (!Begin)
    return std::nullopt;
  unsigned At = std::min(R->Begin, *Begin);
  for (const RawDirective &D : File.Directives)
    if (D.Begin <= At && At < D.End)
      At = D.Begin;
  const RawToken *Before = tokenBefore(At);
  if (!Before)
    return std::nullopt;
  ArrayRef<RawDirective> Between = File.directivesIn(Before->End, *Begin);
  auto IsPragma = [](const RawDirective &D) { return D.Name == "pragma"; };
  AutoMark M{At, At, At, ""};
  if (any_of(Between, IsPragma)) {
    if (!all_of(Between, IsPragma))
      return std::nullopt;
    unsigned Pragma = Between.front().Begin;
    M = {Before->End, Pragma, Pragma, ""};
  } else if (Seen.PragmaMacros.count(At) != 0) {
    M = {Before->End, At, At, ""};
  } else if (!Between.empty()) {
    // In another branch of an #if the statement may have a header before it.
    const RawToken *Raw = File.tokenBefore(At);
    if (Raw->Kind != tok::semi && Raw->Kind != tok::l_brace &&
        Raw->Kind != tok::r_brace)
      return std::nullopt;
  }
  if (!accepts(Body, M.At))
    return std::nullopt;
  return M;
}

/// Whether the rewriter takes an annotation at \p At as it stands.
bool KernelFinder::accepts(const CompoundStmt &Body, unsigned At) const {
  auto Inside = [&](const auto &R) { return R.Begin < At && At < R.End; };
  if (any_of(Seen.MacroUses, Inside) || any_of(File.Directives, Inside))
    return false;
  Annotation A;
  A.Begin = A.End = A.At = At;
  Diagnostics Ignored;
  std::optional<Placement> P = place(A, Body, Main, File, Seen, Ignored);
  return P && P->Insert == At && !P->CloseBrace;
}

const RawToken *KernelFinder::tokenBefore(unsigned Offset) const {
  const RawToken *Tok = File.tokenBefore(Offset);
  while (Tok && isIn(Seen.Skipped, Tok->Begin))
    Tok = Tok == File.Tokens.data() ? nullptr : Tok - 1;
  return Tok;
}

//===----------------------------------------------------------------------===//
// All passes
//===----------------------------------------------------------------------===//

static void report(const AutoKernel &K, Diagnostics &Diags) {
  size_t Phases =
      count_if(K.Marks, [](const AutoMark &M) { return M.Text != "@end"; });
  std::string Message =
      "auto: " + (Phases ? utostr(Phases) : std::string("no")) +
      (Phases == 1 ? " phase" : " phases") +
      (Phases < K.Marks.size() ? " and its end in '" : " in '") + K.Name + "'";
  if (Phases < 2)
    Message += ": " + K.Why;
  Diags.remark(K.NameAt, std::move(Message));
}

/// One remark a kernel, or one that there is none.
static void report(const AutoKernels &Found, const Regex *Wanted,
                   Diagnostics &Diags) {
  for (const auto &[Body, K] : Found)
    report(K, Diags);
  if (Found.empty())
    Diags.remark(0, Wanted ? "auto: no kernel without annotations matches"
                           : "auto: no kernel without annotations");
}

static std::vector<AutoMark> marksOf(const AutoKernels &Found) {
  std::vector<AutoMark> Marks;
  for (const auto &[Body, K] : Found)
    append_range(Marks, K.Marks);
  llvm::sort(Marks,
             [](const AutoMark &A, const AutoMark &B) { return A.At < B.At; });
  return Marks;
}

AutoChoice chooseAnnotations(Sources &Files, const Regex *Kernels,
                             const CompileOptions &Options, const Toolkit &Cuda,
                             Diagnostics &Diags) {
  AutoKernels Found;
  std::vector<std::string> Architectures = architecturesOf(Options, Cuda);
  std::vector<Pass> Passes; // of a file without annotations
  for (const std::string &Arch : Architectures) {
    bool Bound = false;
    Pass Seen = runPass(
        Arch, Files, Options, Cuda, [] { return false; },
        [&](ASTContext &Context, const MainFile &Main, Pass &Out) {
          KernelFinder(Main, Files.scanned(), Kernels, Out, Found).run(Context);
          Bound = Files.scanned().Annotations.empty() && marksOf(Found).empty();
          if (Bound)
            bindPass(Context, Main, Files, Options, Out);
        },
        Diags);
    if (reportUnread(Seen, Diags))
      return {};
    if (Bound)
      Passes.push_back(std::move(Seen));
  }
  report(Found, Kernels, Diags);
  AutoChoice Choice{marksOf(Found), std::nullopt, {}};
  if (Choice.Marks.empty() && Passes.size() == Architectures.size())
    Choice.Bound =
        putTogether(std::move(Passes), Architectures, Files, Choice.Binding);
  return Choice;
}

} // namespace kinstr
