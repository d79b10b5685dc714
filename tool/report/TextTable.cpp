// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out text tables.
#include "report/TextTable.h"

#include "llvm/Support/Unicode.h"
#include <algorithm>

using namespace llvm;

namespace kinstr::report {

static constexpr unsigned Gap = 2;

unsigned displayWidth(StringRef Text) {
  int W = sys::unicode::columnWidthUTF8(Text);
  return W < 0 ? Text.size() : W;
}

void TextTable::column(StringRef Title, Align A, StringRef Group) {
  Columns.push_back({Title.str(), Group.str(), A});
}

void TextTable::row(std::vector<std::string> Cells) {
  Rows.push_back(std::move(Cells));
}

std::vector<unsigned> TextTable::widths() const {
  std::vector<unsigned> Width;
  for (size_t C = 0; C < Columns.size(); ++C) {
    unsigned W = displayWidth(Columns[C].Title);
    for (const auto &R : Rows)
      W = std::max(W, displayWidth(R[C]));
    Width.push_back(W);
  }
  return Width;
}

/// `──── ns ────` centred over the columns of each group.
std::string TextTable::groupLine(const std::vector<unsigned> &Width) const {
  std::string Line;
  for (size_t C = 0; C < Columns.size();) {
    size_t End = C + 1;
    unsigned Total = Width[C];
    for (; End < Columns.size() && Columns[End].Group == Columns[C].Group;
         ++End)
      Total += Gap + Width[End];
    if (C)
      Line.append(Gap, ' ');
    if (Columns[C].Group.empty()) {
      Line.append(Total, ' ');
    } else {
      std::string Name = " " + Columns[C].Group + " ";
      unsigned Rest = Total - std::min(Total, displayWidth(Name));
      for (unsigned I = 0; I < Rest / 2; ++I)
        Line += "─";
      Line += Name;
      for (unsigned I = 0; I < Rest - Rest / 2; ++I)
        Line += "─";
    }
    C = End;
  }
  return Line;
}

void TextTable::print(raw_ostream &OS, unsigned Indent) const {
  std::vector<unsigned> Width = widths();
  auto PrintLine = [&](StringRef Line) {
    OS << std::string(Indent, ' ') << Line.rtrim(' ') << '\n';
  };
  auto PrintCells = [&](auto Cell) {
    std::string Line;
    for (size_t C = 0; C < Columns.size(); ++C) {
      std::string Text = Cell(C);
      std::string Pad(Width[C] - displayWidth(Text), ' ');
      if (C)
        Line.append(Gap, ' ');
      Line += Columns[C].A == Left ? Text + Pad : Pad + Text;
    }
    PrintLine(Line);
  };
  if (std::any_of(Columns.begin(), Columns.end(),
                  [](const Column &C) { return !C.Group.empty(); }))
    PrintLine(groupLine(Width));
  PrintCells([&](size_t C) { return Columns[C].Title; });
  for (const auto &R : Rows)
    PrintCells([&](size_t C) { return R[C]; });
}

} // namespace kinstr::report
