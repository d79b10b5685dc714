// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chosen annotations as text.
#include "rewrite/AutoAnnotate.h"

using namespace llvm;

namespace kinstr {

static Insertion inLine(const AutoMark &M) {
  std::string Comment = "/* " + M.Text + " */";
  // Behind a token, or right before the statement.
  return {M.At, M.At == M.Below ? Comment + " " : " " + Comment};
}

std::vector<Insertion> commentsInLine(ArrayRef<AutoMark> Marks) {
  std::vector<Insertion> Out;
  for (const AutoMark &M : Marks)
    Out.push_back(inLine(M));
  return Out;
}

/// White space before the statement: pragmas above it often have none.
static StringRef indentation(StringRef Rest) {
  while (true) {
    auto [Line, Below] = Rest.split('\n');
    StringRef Text = Line.ltrim(" \t");
    if (Below.empty() || (!Text.trim().empty() && Text.front() != '#'))
      return Line.drop_back(Text.size());
    Rest = Below;
  }
}

std::vector<Insertion> commentsOnLines(StringRef Code,
                                       ArrayRef<AutoMark> Marks) {
  std::vector<Insertion> Out;
  for (const AutoMark &M : Marks) {
    unsigned Line = Code.rfind('\n', M.Below) + 1; // 0 if there is none
    StringRef Before = Code.slice(Line, M.Below);
    size_t End = Code.find('\n', M.Below);
    bool Continued = Line > 1 && Code.take_front(Line - 1).ends_with("\\");
    if (!Before.trim(" \t").empty() || Continued) {
      Out.push_back(inLine(M)); // something stands before it
      continue;
    }
    bool CarriageReturn =
        End != StringRef::npos && Code.take_front(End).ends_with("\r");
    StringRef Indent =
        indentation(Code.drop_front(Code.take_front(M.Indent).rfind('\n') + 1));
    Out.push_back(
        {Line,
         (Indent + "// " + M.Text + (CarriageReturn ? "\r\n" : "\n")).str()});
  }
  return Out;
}

std::string insertAll(StringRef Code, ArrayRef<Insertion> Inserted) {
  std::string Out;
  unsigned Done = 0;
  for (const Insertion &I : Inserted) {
    Out += Code.slice(Done, I.At);
    Out += I.Text;
    Done = I.At;
  }
  Out += Code.drop_front(Done);
  return Out;
}

unsigned offsetBefore(ArrayRef<Insertion> Inserted, unsigned Offset) {
  unsigned Shift = 0;
  for (const Insertion &I : Inserted) {
    unsigned At = I.At + Shift; // in the result
    if (Offset < At)
      break;
    if (Offset < At + I.Text.size())
      return I.At;
    Shift += I.Text.size();
  }
  return Offset - Shift;
}

} // namespace kinstr
