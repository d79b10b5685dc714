// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "InputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kinstr {

static constexpr size_t MostFiles = 8;

/// The name on a line that begins a file, or "". A folder that a test has for
/// its main file or that it gives as -I is taken away: all files lie in one.
static StringRef nameOn(StringRef Line) {
  if (!Line.consume_front("//"))
    Line = Line.substr(1);
  if (!Line.consume_front("--- "))
    return "";
  Line = Line.trim();
  for (StringRef Folder : {"src/", "inc/", "include/"})
    if (Line.consume_front(Folder))
      break;
  auto Allowed = [](char C) {
    return isAlnum(C) || StringRef("._-/").contains(C);
  };
  bool Leaves = Line.starts_with("/") || Line.ends_with("/") ||
                Line.contains("//") || Line.contains("..");
  return Line.size() < 40 && all_of(Line, Allowed) && !Leaves ? Line : "";
}

std::vector<InputFile> splitInput(StringRef Text) {
  std::vector<InputFile> Parts;
  for (StringRef Rest = Text; !Rest.empty();) {
    StringRef Line = Rest.take_until([](char C) { return C == '\n'; });
    Rest = Rest.drop_front(std::min(Line.size() + 1, Rest.size()));
    StringRef Name = Parts.size() < MostFiles ? nameOn(Line) : "";
    if (!Name.empty())
      Parts.push_back({Name.str(), Rest.take_front(0)});
    else if (!Parts.empty())
      Parts.back().Text = StringRef(Parts.back().Text.begin(),
                                    Rest.begin() - Parts.back().Text.begin());
  }
  if (Parts.empty())
    return {{"", Text}};
  auto Main = find_if(Parts, [](const InputFile &F) {
    return StringRef(F.Name).ends_with(".cu");
  });
  if (Main != Parts.end())
    std::rotate(Parts.begin(), Main, Main + 1);
  Parts.front().Name.clear();
  return Parts;
}

} // namespace kinstr
