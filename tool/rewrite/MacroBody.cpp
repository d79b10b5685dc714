// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/MacroBody.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

static std::vector<RawToken> lex(StringRef Code, const RawDirective &D) {
  LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.CPlusPlus14 =
      Options.CPlusPlus17 = Options.CPlusPlus20 = true;
  Options.CUDA = true;
  std::string Text = Code.slice(D.Begin, D.End).str(); // the lexer wants a 0
  const char *Begin = Text.c_str();
  Lexer Raw(SourceLocation(), Options, Begin, Begin, Begin + Text.size());
  std::vector<RawToken> Tokens;
  Token Tok;
  for (Raw.LexFromRawLexer(Tok); Tok.isNot(tok::eof);
       Raw.LexFromRawLexer(Tok)) {
    unsigned End = D.Begin + (Raw.getBufferLocation() - Begin);
    Tokens.push_back({Tok.getKind(), End - Tok.getLength(), End});
  }
  return Tokens;
}

MacroBody readMacro(StringRef Code, const RawDirective &Define) {
  MacroBody Out;
  std::vector<RawToken> All = lex(Code, Define);
  size_t I = 3; // behind "# define NAME"
  if (I >= All.size())
    return Out;
  // The parenthesis of parameters touches the name.
  if (All[I].Kind == tok::l_paren && All[I].Begin == All[I - 1].End) {
    for (++I; I < All.size() && All[I].Kind != tok::r_paren; ++I) {
      StringRef Word = Code.slice(All[I].Begin, All[I].End);
      if (All[I].Kind == tok::raw_identifier)
        Out.Parameters.push_back(Word);
      bool Named = All[I].Kind == tok::ellipsis &&
                   All[I - 1].Kind == tok::raw_identifier;
      if (Named) { // "args..."
        Out.Variadic = Out.Parameters.back();
        Out.Parameters.pop_back();
      }
    }
    ++I;
  }
  if (I < All.size())
    Out.Tokens.assign(All.begin() + I, All.end());
  return Out;
}

} // namespace kinstr
