// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte planes, zlib and base 85.
#include "report/HtmlColumns.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>
#include <zlib.h>

using namespace llvm;

namespace kinstr::report {

void Column::push(uint64_t Value) {
  for (size_t I = 0; I < Planes.size() || Value; ++I, Value >>= 8) {
    if (I == Planes.size())
      Planes.emplace_back(Count, '\0');
    Planes[I] += static_cast<char>(Value & 0xFF);
  }
  ++Count;
}

void Column::pushDouble(double Value) {
  uint64_t Bits = 0;
  static_assert(sizeof(Bits) == sizeof(Value));
  std::memcpy(&Bits, &Value, sizeof(Bits));
  push(Bits);
}

void Column::appendTo(std::string &Out) const {
  for (const std::string &P : Planes)
    Out += P;
}

void ColumnPack::add(StringRef Name, const Column &C, bool IsDouble) {
  List.push_back(json::Array{Name.str(), static_cast<int64_t>(C.size()),
                             static_cast<int64_t>(C.planes()), IsDouble});
  C.appendTo(Bytes);
}

std::string base85(ArrayRef<uint8_t> Bytes) {
  std::string Out;
  Out.reserve((Bytes.size() + 3) / 4 * 5);
  for (size_t I = 0; I < Bytes.size(); I += 4) {
    uint32_t Word = 0;
    for (size_t J = 0; J < 4; ++J)
      Word = Word << 8 | (I + J < Bytes.size() ? Bytes[I + J] : 0);
    char Group[5];
    for (int J = 4; J >= 0; --J, Word /= 85) {
      char C = static_cast<char>('#' + Word % 85);
      Group[J] = C == '<' ? 'x' : C;
    }
    Out.append(Group, 5);
  }
  return Out;
}

std::string dataElement(StringRef Id, StringRef Bytes) {
  // Its one way to fail is having no memory.
  uLongf Size = compressBound(Bytes.size());
  std::vector<uint8_t> Packed(Size);
  if (compress2(Packed.data(), &Size, Bytes.bytes_begin(), Bytes.size(),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    report_bad_alloc_error("zlib");
  Packed.resize(Size);
  return ("<script type=\"application/octet-stream\" id=\"" + Id +
          "\" data-bytes=\"" + Twine(Packed.size()) + "\">" + base85(Packed) +
          "</script>\n")
      .str();
}

} // namespace kinstr::report
