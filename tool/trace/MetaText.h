// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of a meta section, which is small but for the table of launches: a
// million rows, which as one tree of values would take gigabytes. So that table
// is taken out while the text comes in, and parsed row by row.
#ifndef KINSTR_TRACE_METATEXT_H
#define KINSTR_TRACE_METATEXT_H

#include "trace/Meta.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace kinstr::trace {

/// Takes JSON piece by piece. Faults are those that llvm::json::parse() would
/// have found in the whole, with the same line, column and byte.
class MetaText {
public:
  /// \p Launch takes the entries of the array at the key `launches` in order;
  /// null where such an array begins. The last array counts. It has to outlive
  /// this.
  explicit MetaText(llvm::function_ref<void(const llvm::json::Value *)> Launch)
      : Launch(Launch) {}

  llvm::Error add(llvm::StringRef Piece);
  /// All else; `launches` is empty in it.
  llvm::Expected<llvm::json::Value> finish();

private:
  /// What was taken out of Rest.
  struct Gap {
    size_t At = 0; ///< in Rest
    uint64_t Bytes = 0, Lines = 0;
    uint64_t Behind = 0; ///< bytes after the last line's end

    void add(llvm::StringRef Text);
    std::string blanks() const;
  };

  llvm::Error add(char C);
  llvm::Error bracket(char C);
  llvm::Error entry(char End);
  llvm::Error entryFault(char End) const;
  std::string withGaps() const;

  llvm::function_ref<void(const llvm::json::Value *)> Launch;
  std::string Rest;      ///< without entries
  std::vector<Gap> Gaps; ///< one for each array at the key
  std::string Entry;     ///< so far, behind a bracket

  unsigned Depth = 0; ///< of brackets
  bool InString = false, Escaped = false;
  bool InLaunches = false; ///< Gaps.back() is open
  // Of the outermost object:
  size_t KeyBegin = 0, KeyEnd = 0; ///< the last string, in Rest
  char Last = 0;                   ///< the last character that is no blank
};

/// parseMeta() of text that comes in pieces; an empty one is the end.
llvm::Expected<Meta> parseMeta(llvm::function_ref<llvm::StringRef()> Next);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_METATEXT_H
