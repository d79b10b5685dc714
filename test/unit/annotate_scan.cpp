// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotations, tokens and directives of a file, found without a parser.
#include "annotate/Scan.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace llvm;

namespace {

std::vector<std::string> names(const ScannedFile &File) {
  std::vector<std::string> Out;
  for (const Annotation &A : File.Annotations)
    Out.push_back(A.Name);
  return Out;
}

/// Scans what must not be complained about.
ScannedFile scanned(StringRef Code) {
  Diagnostics Diags;
  ScannedFile File = scan(Code, Diags);
  EXPECT_TRUE(Diags.all().empty());
  return File;
}

using Strings = std::vector<std::string>;

} // namespace

TEST(AnnotateScan, LinesAndBytes) {
  StringRef Code = "int a;\n  // @phase x\n/*\n @phase\n y */\r\n// @phase z";
  ScannedFile File = scanned(Code);
  ASSERT_EQ(names(File), (Strings{"x", "y", "z"}));
  EXPECT_EQ(File.Annotations[0].Line, 2u);
  EXPECT_EQ(File.Annotations[1].Line, 4u); // of the '@'
  EXPECT_EQ(File.Annotations[2].Line, 6u);
  EXPECT_EQ(Code.slice(File.Annotations[0].Begin, File.Annotations[0].End),
            "// @phase x");
  EXPECT_EQ(Code[File.Annotations[1].At], '@');
  EXPECT_EQ(File.Annotations[2].End, Code.size());
}

TEST(AnnotateScan, LiteralsHoldNoComments) {
  EXPECT_EQ(names(scanned("const char *s = \"// @phase no\"; // @phase a")),
            (Strings{"a"}));
  EXPECT_EQ(names(scanned("auto s = R\"x(\n// @phase no\n)x\"; // @phase a")),
            (Strings{"a"}));
  EXPECT_EQ(names(scanned("char c = '\"'; // @phase a\nchar d = '\"';")),
            (Strings{"a"}));
  EXPECT_EQ(names(scanned("int n = 1'000; // @phase a")), (Strings{"a"}));
  EXPECT_EQ(names(scanned("s = \"\\\n// @phase no\"; // @phase a")),
            (Strings{"a"}));
}

TEST(AnnotateScan, InactiveBranchesAreScannedToo) {
  EXPECT_EQ(names(scanned("#if 0\n// @phase a\n#else\n// @phase b\n#endif")),
            (Strings{"a", "b"}));
}

TEST(AnnotateScan, DirectivesAreNoTokens) {
  ScannedFile File = scanned("#include \"a.h\" // @phase a\n"
                             "# pragma unroll\n"
                             "#define X(a) \\\n  a /* @phase b */\n"
                             "#\n"
                             "x;");
  ASSERT_EQ(File.Directives.size(), 4u);
  EXPECT_EQ(File.Directives[0].Name, "include");
  EXPECT_EQ(File.Directives[1].Name, "pragma");
  EXPECT_EQ(File.Directives[2].Name, "define");
  EXPECT_EQ(File.Directives[3].Name, "");
  EXPECT_EQ(File.Tokens.size(), 2u); // "x" and ";"
  ASSERT_EQ(names(File), (Strings{"a", "b"}));
  EXPECT_TRUE(File.Annotations[0].InDirective);
  EXPECT_TRUE(File.Annotations[1].InDirective);
}

TEST(AnnotateScan, DirectivesBetween) {
  StringRef Code = "a\n#if 1\nb\n#endif\nc";
  ScannedFile File = scanned(Code);
  EXPECT_EQ(File.directivesIn(0, Code.size()).size(), 2u);
  EXPECT_EQ(File.directivesIn(0, Code.find('b')).size(), 1u);
  EXPECT_EQ(File.directivesIn(Code.find('b'), Code.find('b')).size(), 0u);
  EXPECT_EQ(File.directivesIn(Code.find('c'), Code.size()).size(), 0u);
}

TEST(AnnotateScan, TokensAround) {
  StringRef Code = "ab /* x */ cd";
  ScannedFile File = scanned(Code);
  const RawToken *Before = File.tokenBefore(Code.find("/*"));
  const RawToken *After = File.tokenFrom(Code.find("/*"));
  ASSERT_TRUE(Before && After);
  EXPECT_EQ(Code.slice(Before->Begin, Before->End), "ab");
  EXPECT_EQ(Code.slice(After->Begin, After->End), "cd");
  EXPECT_EQ(File.tokenBefore(1), nullptr); // in the middle of the first
}

TEST(AnnotateScan, LaunchesAndDigraphsAreTokens) {
  ScannedFile File = scanned("k<<<1,2>>>();<%%>");
  auto Has = [&](clang::tok::TokenKind Kind) {
    return any_of(File.Tokens,
                  [=](const RawToken &T) { return T.Kind == Kind; });
  };
  EXPECT_TRUE(Has(clang::tok::lesslessless));
  EXPECT_TRUE(Has(clang::tok::greatergreatergreater));
  EXPECT_TRUE(Has(clang::tok::l_brace));
  EXPECT_TRUE(Has(clang::tok::r_brace));
}

TEST(AnnotateScan, TextThatEndsTooEarly) {
  for (StringRef Code : {"", "/* @phase a", "\"// @phase a", "R\"(// @phase a",
                         "#define X", "#", "\\", "'", "\xEF\xBB\xBF"}) {
    Diagnostics Diags;
    scan(Code, Diags); // must come back
  }
  EXPECT_EQ(names(scanned("\xEF\xBB\xBF// @phase a")), (Strings{"a"}));
}
