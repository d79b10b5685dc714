// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of text with aligned columns and groups of columns under one heading.
#ifndef KINSTR_REPORT_TEXTTABLE_H
#define KINSTR_REPORT_TEXTTABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace kinstr::report {

class TextTable {
public:
  enum Align { Left, Right };

  /// \p Group: a heading above this column and its neighbours of the same
  /// group; empty for none.
  void column(llvm::StringRef Title, Align A, llvm::StringRef Group = "");
  void row(std::vector<std::string> Cells);
  /// Cuts cells of the first column where the table would be wider than
  /// \p Width, printed with this indent, but not to less than 12.
  void fit(unsigned Width, unsigned Indent);
  /// Every line is indented by \p Indent and free of trailing blanks.
  void print(llvm::raw_ostream &OS, unsigned Indent) const;

private:
  struct Column {
    std::string Title, Group;
    Align A;
  };
  std::vector<unsigned> widths() const;
  /// The first column behind those of the same group as \p Begin.
  size_t groupEnd(size_t Begin) const;
  void widenGroups(std::vector<unsigned> &Width) const;
  std::string groupLine(const std::vector<unsigned> &Width) const;

  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

/// \p Text in lines of \p Width, broken at blanks, but not before a unit; what
/// follows is indented a little more.
std::string wrapText(llvm::StringRef Text, unsigned Width);

/// Columns that \p Text takes on a terminal; colours take none.
unsigned displayWidth(llvm::StringRef Text);

/// \p Text, cut at a character and with `…` behind it where it is wider.
std::string cutToWidth(llvm::StringRef Text, unsigned Width);

} // namespace kinstr::report

#endif // KINSTR_REPORT_TEXTTABLE_H
