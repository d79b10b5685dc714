// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How numbers travel inside an HTML page: columns of integers, split into
// planes of bytes, compressed, as text that no HTML parser stumbles over.
// viewer/columns.js is the other side.
#ifndef KINSTR_REPORT_HTMLCOLUMNS_H
#define KINSTR_REPORT_HTMLCOLUMNS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kinstr::report {

/// A column of numbers. Its N lowest bytes come first, then the N next higher
/// ones, and so on, as many planes as the largest number needs: bytes of a
/// kind together compress better than whole numbers.
class Column {
public:
  void push(uint64_t Value);
  /// As the bits of an IEEE 754 double.
  void pushDouble(double Value);

  size_t size() const { return Count; }
  size_t planes() const { return Planes.size(); }
  /// Appends the planes to \p Out.
  void appendTo(std::string &Out) const;

private:
  size_t Count = 0;
  std::vector<std::string> Planes;
};

/// Columns of a table, one after another, and the list of what they are.
class ColumnPack {
public:
  void add(llvm::StringRef Name, const Column &C, bool IsDouble = false);
  /// `[[name, count, planes, isDouble], ...]` in the order of the bytes.
  llvm::json::Array list() && { return std::move(List); }
  const std::string &bytes() const { return Bytes; }

private:
  llvm::json::Array List;
  std::string Bytes;
};

/// Four bytes as five characters from '#' to 'x', none of them '<': as dense as
/// characters of one byte get without effort, and safe inside <script>. The
/// last group is filled up with zero bytes.
std::string base85(llvm::ArrayRef<uint8_t> Bytes);

/// `<script type=... id=Id data-bytes=N>`: \p Bytes, compressed by zlib.
std::string dataElement(llvm::StringRef Id, llvm::StringRef Bytes);

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTMLCOLUMNS_H
