// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that kernels record.
#ifndef KINSTR_TRACE_NUMBER_H
#define KINSTR_TRACE_NUMBER_H

#include "kinstr/record.h"
#include <string>

namespace kinstr::trace {

struct Number {
  number_type Type = number_type::unsigned_integer;
  uint32_t Bits = 0;

  double toDouble() const;
  /// In decimal; of single precision with so many digits that it can be told
  /// from its neighbours, "inf", "-inf" or "nan".
  std::string str() const;
};

} // namespace kinstr::trace

#endif // KINSTR_TRACE_NUMBER_H
