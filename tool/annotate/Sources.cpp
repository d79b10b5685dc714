// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "annotate/Sources.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kinstr {

unsigned Sources::add(StringRef Path, StringRef FileText, Diagnostics &Diags) {
  unsigned Begin = Text.size();
  Text += FileText;
  Files.push_back({Path.str(), Begin, static_cast<unsigned>(Text.size())});
  Text += '\n'; // the end of a file is not the beginning of the next
  ScannedFile New = scan(FileText, Diags, Begin);
  append_range(Scanned.Annotations, std::move(New.Annotations));
  append_range(Scanned.Unknown, std::move(New.Unknown));
  append_range(Scanned.Tokens, std::move(New.Tokens));
  append_range(Scanned.Directives, std::move(New.Directives));
  return Files.size() - 1;
}

std::optional<unsigned> Sources::find(StringRef Path) const {
  auto It = find_if(Files, [&](const SourceFile &F) { return F.Path == Path; });
  if (It == Files.end())
    return std::nullopt;
  return It - Files.begin();
}

unsigned Sources::fileAt(unsigned Offset) const {
  auto Behind = partition_point(
      Files, [&](const SourceFile &F) { return F.Begin <= Offset; });
  return Behind - Files.begin() - 1;
}

unsigned Sources::line(unsigned Offset) const {
  unsigned Begin = Files[fileAt(Offset)].Begin;
  return text().slice(Begin, Offset).count('\n') + 1;
}

} // namespace kinstr
