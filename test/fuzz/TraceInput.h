// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a trace, or as several.
#ifndef KINSTR_FUZZ_TRACEINPUT_H
#define KINSTR_FUZZ_TRACEINPUT_H

#include "report/Selection.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kinstr {

/// The traces in \p Input: each begins with the magic. One if there is none.
std::vector<llvm::StringRef> splitTraces(llvm::StringRef Input);

/// \p Trace with checksums that are right: a reader that stops at the first
/// wrong one would see nothing of what the fuzzer changes. Where a reserved
/// word of the header is not 0 they stay as they are.
std::string repaired(llvm::StringRef Trace);

/// Nothing where it cannot be read, or not be understood.
std::optional<trace::Trace> openTrace(llvm::StringRef Bytes,
                                      unsigned Threads = 0,
                                      uint64_t PartBytes = trace::LargestPart);

/// Calls \p Look with all of a trace, and with a part that many filters leave.
void forSelections(const trace::Trace &T,
                   llvm::function_ref<void(const report::Selection &)> Look);

} // namespace kinstr

#endif // KINSTR_FUZZ_TRACEINPUT_H
