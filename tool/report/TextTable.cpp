// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out text tables.
#include "report/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

using namespace llvm;

namespace kinstr::report {

static constexpr unsigned Gap = 2;

unsigned displayWidth(StringRef Text) {
  unsigned Sum = 0;
  while (!Text.empty()) {
    auto [Plain, Behind] = Text.split("\x1b[");
    int W = sys::unicode::columnWidthUTF8(Plain);
    Sum += W < 0 ? Plain.size() : W;
    Text = Behind.split('m').second;
  }
  return Sum;
}

std::string wrapText(StringRef Text, unsigned Width) {
  static constexpr StringLiteral Units[] = {"ns", "µs",  "ms", "s",
                                            "%",  "GHz", "B"};
  size_t Margin = std::min(Text.find_first_not_of(' '), Text.size());
  std::string Out = Text.take_front(Margin).str();
  size_t Used = Margin;
  Text = Text.drop_front(Margin);
  while (!Text.empty()) {
    size_t End = Text.find(' ');
    while (End < Text.size()) {
      StringRef Next = Text.drop_front(End + 1).split(' ').first;
      if (!is_contained(Units, Next.rtrim(",;:.")))
        break;
      End += 1 + Next.size();
    }
    StringRef Word = Text.take_front(End);
    Text = Text.drop_front(std::min(Text.size(), Word.size() + 1));
    unsigned W = displayWidth(Word);
    if (Used > Margin && Used + 1 + W > Width) {
      Out += "\n" + std::string(Margin + 2, ' ');
      Used = Margin + 2;
    } else if (Used > Margin) {
      Out += ' ';
      ++Used;
    }
    Out += Word;
    Used += W;
  }
  return Out;
}

std::string cutToWidth(StringRef Text, unsigned Width) {
  if (displayWidth(Text) <= Width)
    return Text.str();
  size_t End = 0;
  unsigned Used = 1; // the dots
  while (End < Text.size()) {
    size_t Next = End + 1; // behind the continuation bytes
    while (Next < Text.size() && (Text[Next] & 0xC0) == 0x80)
      ++Next;
    Used += displayWidth(Text.slice(End, Next));
    if (Used > Width)
      break;
    End = Next;
  }
  return Text.take_front(End).str() + "…";
}

void TextTable::column(StringRef Title, Align A, StringRef Group) {
  Columns.push_back({Title.str(), Group.str(), A});
}

void TextTable::row(std::vector<std::string> Cells) {
  Rows.push_back(std::move(Cells));
}

void TextTable::fit(unsigned Width, unsigned Indent) {
  constexpr unsigned Fewest = 12;
  const std::vector<unsigned> Of = widths();
  unsigned Total = Indent + Gap * static_cast<unsigned>(Of.size() - 1);
  for (unsigned W : Of)
    Total += W;
  if (Total <= Width)
    return;
  unsigned Cut = std::max(Fewest, Of[0] - std::min(Of[0], Total - Width));
  for (auto &R : Rows)
    R[0] = cutToWidth(R[0], Cut);
}

std::vector<unsigned> TextTable::widths() const {
  std::vector<unsigned> Width;
  for (size_t C = 0; C < Columns.size(); ++C) {
    unsigned W = displayWidth(Columns[C].Title);
    for (const auto &R : Rows)
      W = std::max(W, displayWidth(R[C]));
    Width.push_back(W);
  }
  widenGroups(Width);
  return Width;
}

size_t TextTable::groupEnd(size_t Begin) const {
  size_t End = Begin + 1;
  while (End < Columns.size() && Columns[End].Group == Columns[Begin].Group)
    ++End;
  return End;
}

/// So that headings have room above their columns.
void TextTable::widenGroups(std::vector<unsigned> &Width) const {
  for (size_t C = 0, End = 0; C < Columns.size(); C = End) {
    End = groupEnd(C);
    unsigned Total = Gap * static_cast<unsigned>(End - C - 1);
    for (size_t I = C; I < End; ++I)
      Total += Width[I];
    unsigned Needed = displayWidth(Columns[C].Group);
    Width[C] += Needed - std::min(Needed, Total);
  }
}

/// `──── ns ────` centred over the columns of each group.
std::string TextTable::groupLine(const std::vector<unsigned> &Width) const {
  std::string Line;
  for (size_t C = 0; C < Columns.size();) {
    size_t End = groupEnd(C);
    unsigned Total = Width[C];
    for (size_t I = C + 1; I < End; ++I)
      Total += Gap + Width[I];
    if (C)
      Line.append(Gap, ' ');
    if (Columns[C].Group.empty()) {
      Line.append(Total, ' ');
    } else {
      std::string Name = Columns[C].Group;
      if (displayWidth(Name) + 2 <= Total)
        Name.insert(0, " ").append(" ");
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
    OS << StringRef(std::string(Indent, ' ').append(Line)).rtrim(' ') << '\n';
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
