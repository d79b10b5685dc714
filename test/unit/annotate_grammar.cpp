// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of one comment: what is understood, and what is said of the rest.
#include "annotate/Grammar.h"
#include "gtest/gtest.h"

using namespace kinstr;

namespace {

/// The annotation in \p Comment, which must be one without any complaint.
Annotation parsed(llvm::StringRef Comment) {
  Diagnostics Diags;
  ParsedComment P = parseComment(Comment, 100, Diags);
  EXPECT_TRUE(P.Found) << Comment.str();
  EXPECT_FALSE(P.Unknown) << Comment.str();
  EXPECT_TRUE(Diags.all().empty()) << Comment.str();
  return P.Found.value_or(Annotation());
}

/// Whether \p Comment is none of kinstr's business.
bool isIgnored(llvm::StringRef Comment) {
  Diagnostics Diags;
  ParsedComment P = parseComment(Comment, 100, Diags);
  return !P.Found && !P.Unknown && Diags.all().empty();
}

/// The first error about \p Comment, with where in it: "3: message".
std::string errorOf(llvm::StringRef Comment) {
  Diagnostics Diags;
  ParsedComment P = parseComment(Comment, 100, Diags);
  EXPECT_FALSE(P.Found) << Comment.str();
  if (!Diags.hasErrors())
    return "none";
  const Diagnostic &D = Diags.all().front();
  return std::to_string(D.Offset - 100) + ": " + D.Message;
}

} // namespace

TEST(AnnotateGrammar, LineAndBlockComments) {
  for (llvm::StringRef Comment :
       {"// @phase load", "//@phase load", "//\t @phase\tload \t",
        "/* @phase load */", "/*@phase load*/", "/*\n  @phase\r\n  load\n*/",
        "// @phase load\r"}) {
    Annotation A = parsed(Comment);
    EXPECT_EQ(A.Kind, Directive::Phase);
    EXPECT_EQ(A.Name, "load");
    EXPECT_EQ(A.Wait, Drain::None);
  }
}

TEST(AnnotateGrammar, PlacesAreBytesOfTheFile) {
  Annotation A = parsed("/* @phase load */");
  EXPECT_EQ(A.Begin, 100u);
  EXPECT_EQ(A.At, 103u);
  EXPECT_EQ(A.End, 117u);
}

TEST(AnnotateGrammar, EveryDirective) {
  EXPECT_EQ(parsed("// @mark here").Kind, Directive::Mark);
  EXPECT_EQ(parsed("// @end").Kind, Directive::End);
  EXPECT_EQ(parsed("// @kernel").Kind, Directive::Kernel);
  EXPECT_EQ(parsed("// @scope s drain").Kind, Directive::Scope);
  EXPECT_EQ(parsed("// @scope s drain").Wait, Drain::Loads);
  EXPECT_EQ(parsed("// @value v = 1").Kind, Directive::Value);
}

TEST(AnnotateGrammar, Values) {
  for (llvm::StringRef Text :
       {"// @value v = a + f(b, c)[1]", "// @value v=a + f(b, c)[1]",
        "/* @value v = a + f(b, c)[1] */", "// @value v =a + f(b, c)[1] \t"}) {
    EXPECT_EQ(parsed(Text).Name, "v") << Text.str();
    EXPECT_EQ(parsed(Text).Expression, "a + f(b, c)[1]") << Text.str();
  }
  for (llvm::StringRef Expression :
       {"a == b", "x <= y ? 1 : -1", "int{3}", "sizeof(T) << 2", "a<b, c>::v",
        "'='", "p->n", "!q && r >= 2", "[&] { return 1; }()"})
    if (!Expression.contains(';')) {
      EXPECT_EQ(parsed("// @value v = " + Expression.str()).Expression,
                Expression);
    }
}

TEST(AnnotateGrammar, ExpressionsThatCannotBe) {
  auto Error = [](const char *Expression) {
    return errorOf((std::string("// @value v = ") + Expression).c_str());
  };
  EXPECT_EQ(errorOf("// @value v"),
            "11: expected '=' and an expression behind '@value v'");
  EXPECT_EQ(errorOf("// @value v 3"),
            "12: expected '=' and an expression behind '@value v'");
  EXPECT_EQ(errorOf("// @value = 3"),
            "10: '=' in the name '=': names consist of letters, digits and "
            "_ - . : / +");
  EXPECT_EQ(Error(""), "14: expected an expression behind '='");
  EXPECT_EQ(Error("a = 1"), "16: '=' in the expression of '@value': it would "
                            "change what the kernel does");
  EXPECT_EQ(Error("++i"), "14: '++' in the expression of '@value': it would "
                          "change what the kernel does");
  EXPECT_EQ(Error("n <<= 2"), "16: '<<=' in the expression of '@value': it "
                              "would change what the kernel does");
  EXPECT_EQ(Error("1; g()"), "15: ';' cannot be part of an expression");
  EXPECT_EQ(Error("#x"), "14: '#' cannot be part of an expression");
  EXPECT_EQ(Error("x # y"), "16: '#' cannot be part of an expression");
  EXPECT_EQ(Error("x ` y"), "16: '`' cannot be part of an expression");
  EXPECT_EQ(Error("f(a"), "15: '(' is not closed in the expression");
  EXPECT_EQ(Error("a)"), "15: ')' closes nothing in the expression");
  EXPECT_EQ(Error("(a]"), "16: ']' closes nothing in the expression");
  EXPECT_EQ(Error("a // b"), "16: a comment cannot stand in the expression of "
                             "'@value'");
  EXPECT_EQ(errorOf("/* @value v = a\n + b */"),
            "15: the expression of '@value' has to stand on one line");
}

TEST(AnnotateGrammar, Names) {
  for (llvm::StringRef Name :
       {"a", "7", "_", "load_sumsq", "mma::k/2+1.5-x", "début", "読み込み"})
    EXPECT_EQ(parsed("// @phase " + Name.str()).Name, Name);
  // A name may be a word of the grammar.
  EXPECT_EQ(parsed("// @phase drain").Name, "drain");
  EXPECT_EQ(parsed("// @phase drain drain").Wait, Drain::Loads);

  EXPECT_EQ(errorOf("// @phase"), "3: '@phase' needs a name");
  EXPECT_EQ(errorOf("/* @mark  */"), "3: '@mark' needs a name");
  EXPECT_EQ(errorOf("// @phase a,b"),
            "11: ',' in the name 'a,b': names consist of letters, digits and "
            "_ - . : / +");
  EXPECT_EQ(errorOf("// @phase \"a\""),
            "10: '\"' in the name '\"a\"': names consist of letters, digits "
            "and _ - . : / +");
}

TEST(AnnotateGrammar, Drain) {
  EXPECT_EQ(parsed("// @phase a drain").Wait, Drain::Loads);
  EXPECT_EQ(parsed("// @phase a drain=loads").Wait, Drain::Loads);
  EXPECT_EQ(parsed("// @phase a drain=stores").Wait, Drain::Stores);
  EXPECT_EQ(errorOf("// @phase a drain="),
            "12: 'drain=' is neither 'drain' nor 'drain=stores'");
  EXPECT_EQ(errorOf("// @mark a drain"),
            "11: unexpected 'drain' after the name");
}

TEST(AnnotateGrammar, KernelOptions) {
  Annotation A = parsed("// @kernel");
  EXPECT_EQ(A.Name, "");
  EXPECT_FALSE(A.KernelBuffer);
  A = parsed("// @kernel norm buffer=global");
  EXPECT_EQ(A.Name, "norm");
  EXPECT_EQ(A.KernelBuffer, Buffer::Global);
  A = parsed("/* @kernel buffer=shared norm */");
  EXPECT_EQ(A.Name, "norm");
  EXPECT_EQ(A.KernelBuffer, Buffer::Shared);
  EXPECT_EQ(parsed("// @kernel buffer").Name, "buffer");
  EXPECT_EQ(
      errorOf("// @kernel buffer="),
      "11: unknown buffer '': use 'shared', 'lanes', 'global', or 'auto'");
  EXPECT_EQ(errorOf("// @kernel warps=0:2"),
            "11: 'warps=' is not supported yet");
}

TEST(AnnotateGrammar, ProseIsAnError) {
  EXPECT_EQ(errorOf("// @phase load the tile"),
            "15: unexpected 'the tile' after the name; only 'drain' or "
            "'drain=stores' may follow");
  EXPECT_EQ(errorOf("// @end of loop"), "8: unexpected 'of loop' after '@end'");
}

TEST(AnnotateGrammar, NotForKinstr) {
  for (llvm::StringRef Comment :
       {"//", "// prose", "// see @phase load", "/**/", "/* */",
        // Documentation comments.
        "/// @phase load", "//! @phase load", "/** @phase load */",
        "/*! @phase load */",
        // Words of documentation tools.
        "// @todo x", "// @brief x", "/* @return x */",
        // No word.
        "// @", "// @@ -1 +1 @@", "// @ phase load"})
    EXPECT_TRUE(isIgnored(Comment)) << Comment.str();
}

TEST(AnnotateGrammar, UnknownDirectivesAreTheCallersToJudge) {
  struct Case {
    llvm::StringRef Comment, Word, Suggestion;
  };
  for (const Case &C : {Case{"// @phse a", "phse", "phase"},
                        {"// @pahse: a", "pahse", "phase"},
                        {"// @Phase a", "Phase", "phase"},
                        {"// @phases a", "phases", "phase"},
                        {"// @and", "and", "end"},
                        {"// @kernal", "kernal", "kernel"},
                        {"// @frobnicate", "frobnicate", ""},
                        {"// @x", "x", ""}}) {
    Diagnostics Diags;
    ParsedComment P = parseComment(C.Comment, 0, Diags);
    EXPECT_FALSE(P.Found);
    ASSERT_TRUE(P.Unknown) << C.Comment.str();
    EXPECT_EQ(P.Unknown->At, 3u);
    EXPECT_EQ(P.Unknown->Word, C.Word);
    EXPECT_EQ(P.Unknown->Suggestion, C.Suggestion);
    EXPECT_TRUE(Diags.all().empty());
  }
}

TEST(AnnotateGrammar, AContinuedLineComment) {
  EXPECT_EQ(errorOf("// @phase a \\\n next"),
            "3: this comment ends in a backslash and so continues on the next "
            "line");
  // In prose it is nobody's business.
  EXPECT_TRUE(isIgnored("// prose \\\n next"));
}
