// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Placement.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

class Placer {
public:
  Placer(const Annotation &A, const CompoundStmt &Body, const MainFile &Main,
         const ScannedFile &File, const Pass &Seen, Diagnostics &Diags)
      : A(A), Body(Body), At(A.Begin), Main(Main), File(File),
        Skipped(Seen.Skipped), PragmaMacros(Seen.PragmaMacros), Diags(Diags) {}

  std::optional<Placement> inStatement(const Stmt *S);

private:
  std::optional<Placement> inList(const CompoundStmt *List);
  std::optional<Placement> inBody(const Stmt *Parent, const Stmt *Body,
                                  bool Loop);
  std::optional<Placement> inIf(const IfStmt *If);
  std::optional<Placement> inCase(const SwitchCase *Case);
  std::optional<Placement> inLabeled(const Stmt *Labeled, const Stmt *Sub);
  std::optional<Placement> inAttributed(const AttributedStmt *S);
  std::optional<Placement> beforeList(const CompoundStmt *List);
  std::optional<Placement> beforeBareBody(const Stmt *Body, ByteRange Range);
  /// \p Next: the statement of \p Parent that follows, if one does.
  std::optional<Placement> here(const Stmt *Parent, const Stmt *Next);
  std::optional<Placement> around(const Stmt *Scope, Placement P);
  bool isSplit(ByteRange Range) const;
  bool isEnteredInside(const Stmt *Scope) const;

  std::optional<Placement> insideExpression(const Stmt *S);
  std::optional<Placement> error(std::string Message) {
    Diags.error(A.At, std::move(Message));
    return std::nullopt;
  }
  std::optional<Placement> needsBraces() {
    return error("an annotation cannot stand between a header and a body "
                 "without braces that a directive or an attribute interrupts; "
                 "add the braces");
  }

  std::optional<Placement> isOfMacro() {
    return error("what follows '@scope' comes out of a macro; put braces "
                 "around what the scope is to be");
  }

  /// The tokens around \p Offset that the compiler sees, or null.
  const RawToken *tokenBefore(unsigned Offset) const;
  const RawToken *tokenFrom(unsigned Offset) const;

  /// The statement with the ';' that ends it.
  std::optional<ByteRange> rangeOf(const Stmt *S) const;
  bool followsStatement(const CompoundStmt *List) const;
  std::optional<unsigned> beforePragmas(unsigned Insert);

  const Annotation &A;
  const CompoundStmt &Body; ///< the function's
  unsigned At;
  const MainFile &Main;
  const ScannedFile &File;
  ArrayRef<ByteRange> Skipped;
  const std::set<unsigned> &PragmaMacros;
  Diagnostics &Diags;
  bool InLoop = false;
};

} // namespace

/// At its beginning a comment is before it.
static bool isInside(ByteRange Range, unsigned At) {
  return Range.Begin < At && At < Range.End;
}

static bool isIn(ArrayRef<ByteRange> Ranges, const RawToken &Tok) {
  return any_of(Ranges, [&](ByteRange R) { return R.contains(Tok.Begin); });
}

const RawToken *Placer::tokenBefore(unsigned Offset) const {
  const RawToken *Tok = File.tokenBefore(Offset);
  while (Tok && isIn(Skipped, *Tok))
    Tok = Tok == File.Tokens.data() ? nullptr : Tok - 1;
  return Tok;
}

const RawToken *Placer::tokenFrom(unsigned Offset) const {
  const RawToken *Tok = File.tokenFrom(Offset);
  while (Tok && isIn(Skipped, *Tok))
    Tok = Tok == &File.Tokens.back() ? nullptr : Tok + 1;
  return Tok;
}

std::optional<ByteRange> Placer::rangeOf(const Stmt *S) const {
  if (!S)
    return std::nullopt;
  std::optional<ByteRange> R = Main.range(S->getSourceRange());
  if (!R)
    return std::nullopt;
  const RawToken *Last = tokenBefore(R->End);
  const RawToken *Next = tokenFrom(R->End);
  bool HasEnd = isa<CompoundStmt>(S) || (Last && Last->Kind == tok::semi);
  if (!HasEnd && Next && Next->Kind == tok::semi)
    R->End = Next->End;
  return R;
}

std::optional<Placement> Placer::inStatement(const Stmt *S) {
  if (const auto *List = dyn_cast<CompoundStmt>(S))
    return inList(List);
  if (const auto *If = dyn_cast<IfStmt>(S))
    return inIf(If);
  if (const auto *Loop = dyn_cast<ForStmt>(S))
    return inBody(S, Loop->getBody(), true);
  if (const auto *Loop = dyn_cast<WhileStmt>(S))
    return inBody(S, Loop->getBody(), true);
  if (const auto *Loop = dyn_cast<CXXForRangeStmt>(S))
    return inBody(S, Loop->getBody(), true);
  if (const auto *Loop = dyn_cast<DoStmt>(S))
    return inBody(S, Loop->getBody(), true);
  if (const auto *Switch = dyn_cast<SwitchStmt>(S))
    return inBody(S, Switch->getBody(), false);
  if (const auto *Case = dyn_cast<SwitchCase>(S))
    return inCase(Case);
  if (const auto *Label = dyn_cast<LabelStmt>(S))
    return inLabeled(S, Label->getSubStmt());
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    return inAttributed(Attributed);
  return insideExpression(S);
}

/// Between two statements of a list a new one may stand; else look into the
/// statement around the comment.
std::optional<Placement> Placer::inList(const CompoundStmt *List) {
  const Stmt *Next = nullptr;
  unsigned NextEnd = 0;
  for (const Stmt *Child : List->body()) {
    std::optional<ByteRange> R = rangeOf(Child);
    if (R && isInside(*R, At))
      return inStatement(Child);
    if (R && At <= R->Begin) {
      if (!Next) {
        Next = Child;
        NextEnd = R->End;
      } else if (A.Kind == Directive::Scope && R->Begin < NextEnd) {
        return isOfMacro(); // one macro for both
      }
    }
  }
  if (!followsStatement(List))
    return error("an annotation cannot stand in the middle of a statement");
  return here(List, Next);
}

/// Guards against statements that clang dropped after an error: the token
/// before the comment must end a statement.
bool Placer::followsStatement(const CompoundStmt *List) const {
  const RawToken *Before = tokenBefore(At);
  if (!Before)
    return false;
  switch (Before->Kind) {
  case tok::semi:
  case tok::l_brace:
  case tok::r_brace:
  case tok::colon:
    return true;
  default:
    break;
  }
  // A macro that is a whole statement needs no ';'.
  return any_of(List->body(), [&](const Stmt *Child) {
    std::optional<ByteRange> R = rangeOf(Child);
    return R && R->End == Before->End;
  });
}

std::optional<Placement> Placer::inBody(const Stmt *Parent, const Stmt *Body,
                                        bool Loop) {
  std::optional<ByteRange> R = rangeOf(Body);
  if (!R)
    return error("an annotation cannot stand in a macro");
  InLoop |= Loop;
  const auto *List = dyn_cast<CompoundStmt>(Body);
  const RawToken *Next = tokenFrom(At);
  bool BehindHeader = At < R->Begin && Next && Next->Begin == R->Begin;
  if (isa<SwitchStmt>(Parent) && (BehindHeader || (List && isInside(*R, At)))) {
    const Stmt *First =
        List && !List->body_empty() ? List->body_front() : nullptr;
    std::optional<ByteRange> FirstRange = rangeOf(First);
    if (!FirstRange || At < FirstRange->Begin)
      return error("code before the first 'case' of a switch is never reached");
  }
  // "if (c) // here" and then "#pragma unroll", or the two in the other order.
  if (const auto *Attributed = dyn_cast<AttributedStmt>(Body);
      Attributed && !BehindHeader &&
      !isa<CompoundStmt>(Attributed->getSubStmt())) {
    std::optional<ByteRange> Sub = rangeOf(Attributed->getSubStmt());
    if (Sub && Next && Next->Begin == Sub->Begin)
      return needsBraces();
  }
  if (isInside(*R, At))
    return inStatement(Body);
  if (!BehindHeader)
    return insideExpression(Parent);
  return List ? beforeList(List) : beforeBareBody(Body, *R);
}

std::optional<Placement> Placer::inIf(const IfStmt *If) {
  std::optional<ByteRange> Then = rangeOf(If->getThen());
  std::optional<ByteRange> Else = rangeOf(If->getElse());
  if (Then && At < Then->End)
    return inBody(If, If->getThen(), false);
  if (!Else)
    return insideExpression(If);
  const RawToken *Next = tokenFrom(At);
  if (Next && Next->Kind == tok::raw_identifier &&
      Main.text().slice(Next->Begin, Next->End) == "else")
    return error("an annotation cannot stand between a statement and its "
                 "'else'");
  return inBody(If, If->getElse(), false);
}

std::optional<Placement> Placer::inCase(const SwitchCase *Case) {
  return inLabeled(Case, Case->getSubStmt());
}

std::optional<Placement> Placer::inLabeled(const Stmt *Labeled,
                                           const Stmt *Sub) {
  std::optional<ByteRange> R = rangeOf(Sub);
  if (R && isInside(*R, At))
    return inStatement(Sub);
  const RawToken *Before = tokenBefore(At);
  if (Before && Before->Kind == tok::colon)
    return here(Labeled, Sub);
  return insideExpression(Labeled);
}

/// A pragma is an attribute to clang, as [[likely]] is.
std::optional<Placement> Placer::inAttributed(const AttributedStmt *S) {
  const Stmt *Sub = S->getSubStmt();
  std::optional<ByteRange> R = rangeOf(Sub);
  if (R && isInside(*R, At))
    return inStatement(Sub);
  if (any_of(S->getAttrs(), [](const Attr *A) { return isa<LoopHintAttr>(A); }))
    return here(S, S); // steps back over the pragma
  const RawToken *Next = tokenFrom(At);
  const auto *List = dyn_cast<CompoundStmt>(Sub);
  if (List && R && Next && Next->Begin == R->Begin)
    return beforeList(List);
  return insideExpression(S);
}

/// Between a header and its '{': the statement goes inside.
std::optional<Placement> Placer::beforeList(const CompoundStmt *List) {
  std::optional<unsigned> Brace = Main.spelledOffset(List->getLBracLoc());
  if (!Brace)
    return error("an annotation cannot stand before a block that comes out of "
                 "a macro");
  Placement P;
  P.Insert = *Brace + (Main.text()[*Brace] == '{' ? 1 : 2); // or "<%"
  P.InLoop = InLoop;
  P.Around = List;
  return A.Kind == Directive::Scope ? around(List, P) : P;
}

/// Between a header and a body without braces: give it braces.
std::optional<Placement> Placer::beforeBareBody(const Stmt *Body,
                                                ByteRange Range) {
  const RawToken *Before = tokenBefore(At);
  if (!File.directivesIn(At, Range.End).empty() || !Before ||
      any_of(File.directivesIn(Before->End, At),
             [](const RawDirective &D) { return D.Name == "pragma"; }))
    return needsBraces();
  Placement P;
  P.Insert = At;
  P.CloseBrace = Range.End;
  P.InLoop = InLoop;
  P.Around = Body;
  return A.Kind == Directive::Scope ? around(Body, P) : P;
}

std::optional<Placement> Placer::here(const Stmt *Parent, const Stmt *Next) {
  std::optional<unsigned> Moved = beforePragmas(At);
  // _Pragma is not a directive.
  if (!Moved || (isa<AttributedStmt>(Parent) && *Moved == At))
    return error("a mark cannot stand between a pragma and its loop; move the "
                 "comment above the pragma");
  Placement P;
  P.Insert = *Moved;
  P.InLoop = InLoop;
  P.Around = Parent;
  if (A.Kind != Directive::Scope)
    return P;
  std::optional<ByteRange> R = rangeOf(Next);
  const RawToken *First = tokenFrom(At);
  // An attribute is no part of its statement to everybody.
  if (Next && (!R || !First ||
               (First->Begin != R->Begin && !isa<AttributedStmt>(Next))))
    return isOfMacro();
  if (R)
    P.CloseBrace = R->End;
  return around(Next, P);
}

/// Whether the preprocessor may drop one end of \p Range and keep the other.
bool Placer::isSplit(ByteRange Range) const {
  unsigned Depth = 0;
  for (const RawDirective &D : File.directivesIn(Range.Begin, Range.End)) {
    StringRef Name = D.Name;
    if (Name == "if" || Name == "ifdef" || Name == "ifndef")
      ++Depth;
    else if (Depth == 0 && (Name.starts_with("el") || Name == "endif"))
      return true;
    else if (Name == "endif")
      --Depth;
  }
  return Depth != 0;
}

namespace {

/// The labels and cases in a statement, and the jumps and switches they are of.
struct LabelCollector : RecursiveASTVisitor<LabelCollector> {
  bool VisitLabelStmt(LabelStmt *S) {
    Labels.insert(S->getDecl());
    return true;
  }
  bool VisitGotoStmt(GotoStmt *S) {
    Gotos[S->getLabel()]++;
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt *S) {
    for (const SwitchCase *C = S->getSwitchCaseList(); C;
         C = C->getNextSwitchCase())
      Entered.insert(C);
    return true;
  }
  bool VisitSwitchCase(SwitchCase *S) {
    Cases.push_back(S);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; } // has its own

  std::set<const LabelDecl *> Labels;
  std::map<const LabelDecl *, unsigned> Gotos;
  std::set<const SwitchCase *> Entered; ///< by a switch that was seen
  std::vector<const SwitchCase *> Cases;
};

} // namespace

/// Whether a jump from outside leads into \p Scope, past its begin.
bool Placer::isEnteredInside(const Stmt *Scope) const {
  LabelCollector Inside, All;
  Inside.TraverseStmt(const_cast<Stmt *>(Scope));
  All.TraverseStmt(const_cast<CompoundStmt *>(&Body));
  return any_of(
             Inside.Cases,
             [&](const SwitchCase *C) { return !Inside.Entered.count(C); }) ||
         any_of(Inside.Labels, [&](const LabelDecl *L) {
           return All.Gotos[L] != Inside.Gotos[L];
         });
}

/// \p P is where the scope begins, and its braces.
std::optional<Placement> Placer::around(const Stmt *Scope, Placement P) {
  if (!Scope)
    return error("'@scope' has no statement behind it");
  if (isa<DeclStmt>(Scope))
    return error("what this declares would end with the scope; put braces "
                 "around what the scope is to be");
  if (isEnteredInside(Scope))
    return error("the program may jump into this scope past its begin");
  std::optional<ByteRange> R = rangeOf(Scope);
  if (!R)
    return isOfMacro();
  P.ScopeEnd = R->End;
  if (isSplit({P.Insert, R->End}))
    return error("a directive may take away one end of this scope; put it and "
                 "its statement on one side of the '#if'");
  return P;
}

/// A statement between '#pragma unroll' and its loop would cancel the pragma.
/// Steps back behind the last token before the pragmas, unless that lies on
/// the other side of an #if.
std::optional<unsigned> Placer::beforePragmas(unsigned Insert) {
  const RawToken *Before = tokenBefore(Insert);
  const RawToken *Next = tokenFrom(Insert);
  if (!Before || !Next)
    return Insert;
  // What the preprocessor makes of "UNROLL" has to begin a line.
  if (PragmaMacros.count(Next->Begin) != 0 &&
      !Main.text().slice(Insert, Next->Begin).contains('\n'))
    return Before->End;
  StringRef Word = Main.text().slice(Next->Begin, Next->End);
  if (Word != "for" && Word != "while" && Word != "do")
    return Insert;
  ArrayRef<RawDirective> Between = File.directivesIn(Before->End, Insert);
  if (Between.empty() || Between.back().Name != "pragma")
    return Insert;
  if (any_of(Between, [](const RawDirective &D) { return D.Name != "pragma"; }))
    return std::nullopt;
  // Not past a mark that stands there already.
  unsigned Moved = Before->End;
  for (const Annotation &Other : File.Annotations)
    if (Other.Begin >= Moved && Other.Begin < Between.front().Begin)
      Moved = Other.Begin;
  return Moved;
}

std::optional<Placement> Placer::insideExpression(const Stmt *S) {
  Diags.error(A.At, "an annotation cannot stand in the middle of a statement");
  if (std::optional<ByteRange> R = rangeOf(S); R && isa<Expr, DeclStmt>(S))
    Diags.note(R->End - 1, "it can stand behind this");
  return std::nullopt;
}

std::optional<Placement> place(const Annotation &A, const CompoundStmt &Body,
                               const MainFile &Main, const ScannedFile &File,
                               const Pass &Seen, Diagnostics &Diags) {
  return Placer(A, Body, Main, File, Seen, Diags).inStatement(&Body);
}

} // namespace kinstr
