// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/DepFile.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kinstr {

StringRef asDependency(StringRef Path) {
  while (Path.consume_front("./"))
    Path = Path.ltrim('/');
  return Path;
}

/// Whether a backslash before \p C belongs to make's syntax.
static bool isEscaped(char C) { return C == ' ' || C == '\t' || C == '#'; }

static std::string escape(StringRef Name) {
  std::string Out;
  for (char C : Name) {
    if (C == '$')
      Out += '$';
    else if (isEscaped(C))
      Out += '\\';
    Out += C;
  }
  return Out;
}

/// The name that \p Text begins with; \p Length is how far it goes.
static std::string unescapeWord(StringRef Text, size_t &Length) {
  std::string Out;
  for (Length = 0; Length < Text.size(); ++Length) {
    char C = Text[Length];
    char Next = Length + 1 < Text.size() ? Text[Length + 1] : '\n';
    if (isSpace(C) || (C == '\\' && (Next == '\n' || Next == '\r')))
      break;
    if ((C == '\\' && isEscaped(Next)) || (C == '$' && Next == '$'))
      ++Length;
    Out += Text[Length];
  }
  return Out;
}

std::string renameDependencies(
    StringRef Text,
    function_ref<std::optional<std::string>(StringRef)> OriginalOf) {
  std::string Out;
  while (!Text.empty()) {
    size_t Length = 0;
    std::string Name = unescapeWord(Text, Length);
    if (Length == 0) { // space, or a backslash at the end of a line
      Out += Text.front();
      Text = Text.drop_front();
      continue;
    }
    // -MP: an empty rule for each file.
    StringRef Colon = StringRef(Name).ends_with(":") ? ":" : "";
    if (auto Original = OriginalOf(StringRef(Name).drop_back(Colon.size())))
      Out += escape(*Original) + Colon.str();
    else
      Out += Text.take_front(Length);
    Text = Text.drop_front(Length);
  }
  return Out;
}

} // namespace kinstr
