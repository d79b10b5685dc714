// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/PragmaMacros.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

/// Defines such a macro once more, with _Pragma.
class PragmaMacros : public PPCallbacks {
public:
  explicit PragmaMacros(Preprocessor &PP) : PP(PP) {}

  void MacroDefined(const Token &Name, const MacroDirective *MD) override {
    const MacroInfo *Macro = MD->getMacroInfo();
    ArrayRef<Token> Body = Macro->tokens();
    if (Macro->isFunctionLike() || Body.size() < 2 || !Body[0].is(tok::hash) ||
        PP.getSpelling(Body[1]) != "pragma")
      return;
    std::string Pragma;
    for (const Token &T : Body.drop_front(2))
      Pragma += (Pragma.empty() ? "" : " ") + PP.getSpelling(T);
    MacroInfo *Operator = PP.AllocateMacroInfo(Macro->getDefinitionLoc());
    Operator->setTokens(
        tokensOf("_Pragma(\"" + Lexer::Stringify(Pragma) + "\")"),
        PP.getPreprocessorAllocator());
    PP.appendDefMacroDirective(Name.getIdentifierInfo(), Operator);
  }

private:
  /// The places in a macro's body have to be of one text.
  SmallVector<Token, 4> tokensOf(StringRef Text) {
    Token Whole;
    Whole.startToken();
    PP.CreateString(Text, Whole);
    const char *Begin =
        PP.getSourceManager().getCharacterData(Whole.getLocation());
    Lexer Raw(Whole.getLocation(), PP.getLangOpts(), Begin, Begin,
              Begin + Text.size());
    SmallVector<Token, 4> Tokens;
    for (bool Last = false; !Last;) {
      Token &T = Tokens.emplace_back();
      Last = Raw.LexFromRawLexer(T);
      if (T.is(tok::raw_identifier))
        PP.LookUpIdentifierInfo(T);
    }
    return Tokens;
  }

  Preprocessor &PP;
};

} // namespace

std::unique_ptr<PPCallbacks> readPragmaMacros(Preprocessor &PP) {
  return std::make_unique<PragmaMacros>(PP);
}

} // namespace kinstr
