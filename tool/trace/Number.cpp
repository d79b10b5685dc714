// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What 32 bits stand for.
#include "trace/Number.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace kinstr::trace {

double Number::toDouble() const {
  if (Type == number_type::floating_point)
    return llvm::bit_cast<float>(Bits);
  if (Type == number_type::signed_integer)
    return static_cast<int32_t>(Bits);
  return Bits;
}

std::string Number::str() const {
  if (Type == number_type::signed_integer)
    return itostr(static_cast<int32_t>(Bits));
  if (Type == number_type::unsigned_integer)
    return utostr(Bits);
  double V = toDouble();
  if (std::isnan(V))
    return "nan";
  if (std::isinf(V))
    return V < 0 ? "-inf" : "inf";
  std::string Out;
  // The fewest digits that give the same number back; nine always do.
  for (int Digits : {6, 7, 8, 9}) {
    Out.clear();
    raw_string_ostream(Out) << format("%.*g", Digits, V);
    if (std::stof(Out) == static_cast<float>(V))
      break;
  }
  return Out;
}

} // namespace kinstr::trace
