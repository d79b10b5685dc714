// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts large parts of a trace, so that what is in memory of it does not grow
// with what an SM recorded.
#ifndef KINSTR_TRACE_CUTS_H
#define KINSTR_TRACE_CUTS_H

#include "trace/Reader.h"
#include "trace/Workers.h"

namespace kinstr::trace {

/// How large parts may be that need no cut [bytes].
constexpr uint64_t LargestPart = 16 << 20;

/// Cuts each part that is larger than \p Most between two records where no
/// block has records on both sides, into parts of about that size. Where there
/// is no such place, as where one block fills the region, it stays as it is.
llvm::Error cutParts(RawTrace &T, const Watch &W, uint64_t Most = LargestPart);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_CUTS_H
