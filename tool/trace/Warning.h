// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something the reader had to work around. Never lost, never fatal.
#ifndef KINSTR_TRACE_WARNING_H
#define KINSTR_TRACE_WARNING_H

#include <cstdint>
#include <optional>
#include <string>

namespace kinstr::trace {

struct Warning {
  std::optional<uint64_t> Offset; ///< in the file [bytes]
  std::string Text;               ///< in clang's style, without "warning:"
};

} // namespace kinstr::trace

#endif // KINSTR_TRACE_WARNING_H
