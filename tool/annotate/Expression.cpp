// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "annotate/Expression.h"

#include "annotate/Scan.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

static bool assigns(tok::TokenKind Kind) {
  switch (Kind) {
  case tok::equal:
  case tok::plusequal:
  case tok::minusequal:
  case tok::starequal:
  case tok::slashequal:
  case tok::percentequal:
  case tok::ampequal:
  case tok::pipeequal:
  case tok::caretequal:
  case tok::lesslessequal:
  case tok::greatergreaterequal:
  case tok::plusplus:
  case tok::minusminus:
    return true;
  default:
    return false;
  }
}

/// What closes a bracket of that kind, or tok::unknown.
static tok::TokenKind closerOf(tok::TokenKind Kind) {
  return Kind == tok::l_paren    ? tok::r_paren
         : Kind == tok::l_square ? tok::r_square
         : Kind == tok::l_brace  ? tok::r_brace
                                 : tok::unknown;
}

static bool closes(tok::TokenKind Kind) {
  return Kind == tok::r_paren || Kind == tok::r_square || Kind == tok::r_brace;
}

static std::optional<ExpressionFault>
faultOf(const RawToken &T, StringRef Text,
        SmallVectorImpl<const RawToken *> &Open) {
  auto Fault = [&](const Twine &Message) {
    return ExpressionFault{
        T.Begin, ("'" + Text.slice(T.Begin, T.End) + "' " + Message).str()};
  };
  if (assigns(T.Kind))
    return Fault("in the expression of '@value': it would change what the "
                 "kernel does");
  if (T.Kind == tok::semi || T.Kind == tok::hash || T.Kind == tok::unknown)
    return Fault("cannot be part of an expression");
  if (closerOf(T.Kind) != tok::unknown)
    Open.push_back(&T);
  else if (closes(T.Kind) &&
           (Open.empty() || closerOf(Open.pop_back_val()->Kind) != T.Kind))
    return Fault("closes nothing in the expression");
  return std::nullopt;
}

std::optional<ExpressionFault> findFault(StringRef Text) {
  if (Text.empty())
    return ExpressionFault{0, "expected an expression behind '='"};
  if (size_t At = Text.find_first_of("\r\n"); At != StringRef::npos)
    return ExpressionFault{At, "the expression of '@value' has to stand on one "
                               "line"};
  for (StringRef Comment : {"//", "/*"})
    if (size_t At = Text.find(Comment); At != StringRef::npos)
      return ExpressionFault{At, "a comment cannot stand in the expression of "
                                 "'@value'"};
  Diagnostics Ignored;
  std::string Copy = Text.str(); // the lexer wants a zero behind it
  ScannedFile Scanned = scan(Copy, Ignored);
  if (!Scanned.Directives.empty())
    return ExpressionFault{Scanned.Directives.front().Begin,
                           "'#' cannot be part of an expression"};
  SmallVector<const RawToken *, 8> Open;
  for (const RawToken &T : Scanned.Tokens)
    if (std::optional<ExpressionFault> Fault = faultOf(T, Text, Open))
      return Fault;
  if (!Open.empty())
    return ExpressionFault{Open.back()->Begin,
                           ("'" +
                            Text.slice(Open.back()->Begin, Open.back()->End) +
                            "' is not closed in the expression")
                               .str()};
  return std::nullopt;
}

} // namespace kinstr
