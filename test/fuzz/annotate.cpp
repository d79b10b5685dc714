// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as one comment, and as a file.
#include "Check.h"

using namespace kinstr;
using namespace llvm;

static void checkAnnotation(const Annotation &A, StringRef Comment) {
  require(A.Begin < A.At && A.At < A.End, "the '@' is in the comment");
  require(Comment[A.At - A.Begin] == '@', "At is where the '@' is");
  require(A.Kind == Directive::End || A.Kind == Directive::Kernel ||
              !A.Name.empty(),
          "phases and marks have names");
  require(A.Name.empty() || Comment.contains(A.Name),
          "the name is in the comment");
  // The trace and the rewritten file quote names.
  require(A.Name.find_first_of("\"\\\n*") == std::string::npos,
          "names need no escape");
  require(A.Expression.empty() == (A.Kind != Directive::Value),
          "values have expressions, and nothing else has");
  require(Comment.contains(A.Expression) &&
              A.Expression.find_first_of("\r\n") == std::string::npos,
          "an expression is in the comment, on one line");
}

static void checkComment(StringRef Comment) {
  constexpr unsigned Begin = 7;
  Diagnostics Diags;
  ParsedComment Parsed = parseComment(Comment, Begin, Diags);
  requirePlaces(Diags, Begin, Begin + Comment.size());
  require(Parsed.Found.has_value() + Parsed.Unknown.has_value() +
                  Diags.hasErrors() <=
              1,
          "a comment is understood, unknown or wrong");
  if (!Parsed.Found)
    return;
  require(Parsed.Found->Begin == Begin &&
              Parsed.Found->End == Begin + Comment.size(),
          "an annotation is a whole comment");
  checkAnnotation(*Parsed.Found, Comment);
}

template <typename T> static void requireInOrder(ArrayRef<T> Things) {
  for (size_t I = 0; I + 1 < Things.size(); ++I)
    require(Things[I].End <= Things[I + 1].Begin, "in file order, apart");
}

static void checkFile(StringRef Code) {
  constexpr unsigned Base = 1000;
  Diagnostics Diags, Again;
  ScannedFile File = scan(Code, Diags), Later = scan(Code, Again, Base);
  requirePlaces(Diags, 0, Code.size());
  requireInOrder<RawToken>(File.Tokens);
  requireInOrder<RawDirective>(File.Directives);
  requireInOrder<Annotation>(File.Annotations);
  for (const Annotation &A : File.Annotations) {
    require(A.End <= Code.size(), "annotations are in the file");
    require(A.Line == Code.take_front(A.At).count('\n') + 1, "lines count");
    checkAnnotation(A, Code.slice(A.Begin, A.End));
  }
  require(Diags.all().size() == Again.all().size() &&
              kinstr::equal(File.Annotations, Later.Annotations,
                            [](const Annotation &A, const Annotation &B) {
                              return A.At + Base == B.At && A.Name == B.Name &&
                                     A.Line == B.Line;
                            }) &&
              kinstr::equal(File.Tokens, Later.Tokens,
                            [](const RawToken &A, const RawToken &B) {
                              return A.Begin + Base == B.Begin &&
                                     A.Kind == B.Kind;
                            }),
          "a file is read in the same way wherever it stands");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size);
  checkComment("//" + Text);
  checkComment("/*" + Text + "*/");
  checkFile(Text);
  return 0;
}
