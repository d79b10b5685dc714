// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "annotate/Scan.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;
using namespace llvm;

namespace kinstr {

static LangOptions cudaOptions() {
  LangOptions Opts;
  Opts.CPlusPlus = Opts.CPlusPlus11 = Opts.CPlusPlus14 = Opts.CPlusPlus17 =
      Opts.CPlusPlus20 = true;
  Opts.CUDA = true;
  Opts.LineComment = true;
  Opts.RawStringLiterals = true;
  Opts.Digraphs = true;
  Opts.Bool = true;
  return Opts;
}

namespace {

class Scanner {
public:
  Scanner(StringRef Code, Diagnostics &Diags)
      : Code(Code), Diags(Diags), LangOpts(cudaOptions()),
        Raw(SourceLocation(), LangOpts, Code.begin(), Code.begin(),
            Code.end()) {
    Raw.SetCommentRetentionState(true);
    File.Code = Code;
  }

  ScannedFile run() {
    Token Tok;
    do {
      Raw.LexFromRawLexer(Tok);
      unsigned End = Raw.getBufferLocation() - Code.begin();
      take(Tok, End - Tok.getLength(), End);
    } while (Tok.isNot(tok::eof));
    return std::move(File);
  }

private:
  void take(const Token &Tok, unsigned Begin, unsigned End) {
    if (Tok.is(tok::comment)) {
      comment(Begin, End);
    } else if (Tok.is(tok::eod) || Tok.is(tok::eof)) {
      if (InDirective)
        File.Directives.back().End = Begin;
      InDirective = false;
    } else if (InDirective) {
      std::string &Name = File.Directives.back().Name;
      if (Name.empty() && Tok.is(tok::raw_identifier))
        Name = Code.slice(Begin, End).str();
    } else if (Tok.is(tok::hash) && Tok.isAtStartOfLine()) {
      Raw.setParsingPreprocessorDirective(true);
      InDirective = true;
      File.Directives.push_back({Begin, End, ""});
    } else {
      File.Tokens.push_back({Tok.getKind(), Begin, End});
    }
  }

  void comment(unsigned Begin, unsigned End) {
    ParsedComment Parsed = parseComment(Code.slice(Begin, End), Begin, Diags);
    if (Parsed.Unknown)
      File.Unknown.push_back(*Parsed.Unknown);
    if (!Parsed.Found)
      return;
    Annotation A = *Parsed.Found;
    A.Line = lineOf(A.At);
    A.InDirective = InDirective;
    File.Annotations.push_back(std::move(A));
  }

  /// Comments come in file order, so each line is counted once.
  unsigned lineOf(unsigned Offset) {
    Line += Code.slice(Counted, Offset).count('\n');
    Counted = Offset;
    return Line;
  }

  StringRef Code;
  Diagnostics &Diags;
  LangOptions LangOpts;
  Lexer Raw;
  ScannedFile File;
  bool InDirective = false;
  unsigned Line = 1;
  unsigned Counted = 0;
};

} // namespace

ScannedFile scan(StringRef Code, Diagnostics &Diags) {
  return Scanner(Code, Diags).run();
}

const RawToken *ScannedFile::tokenBefore(unsigned Offset) const {
  auto It = partition_point(Tokens,
                            [&](const RawToken &T) { return T.End <= Offset; });
  return It == Tokens.begin() ? nullptr : &*std::prev(It);
}

const RawToken *ScannedFile::tokenFrom(unsigned Offset) const {
  auto It = partition_point(
      Tokens, [&](const RawToken &T) { return T.Begin < Offset; });
  return It == Tokens.end() ? nullptr : &*It;
}

ArrayRef<RawDirective> ScannedFile::directivesIn(unsigned Begin,
                                                 unsigned End) const {
  auto First = partition_point(
      Directives, [&](const RawDirective &D) { return D.Begin < Begin; });
  auto Last =
      std::partition_point(First, Directives.end(), [&](const RawDirective &D) {
        return D.Begin < End;
      });
  return ArrayRef<RawDirective>(Directives)
      .slice(First - Directives.begin(), Last - First);
}

} // namespace kinstr
