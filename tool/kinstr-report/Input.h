// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a trace that a command line names, and what is said when that fails.
#ifndef KINSTR_REPORT_TOOL_INPUT_H
#define KINSTR_REPORT_TOOL_INPUT_H

#include "trace/Trace.h"
#include <optional>

namespace kinstr {

/// Nothing where it cannot be read; \p Status then is the exit status. Errors
/// and warnings have been printed.
std::optional<trace::Trace> openTrace(const std::string &File, int &Status);

/// Prints \p E as an error of \p File. Returns the exit status.
int inputError(llvm::StringRef File, llvm::Error E);

/// The same for an error whose text names the file. Of an interruption, whoever
/// asked for it knows.
int outputError(llvm::Error E);

} // namespace kinstr

#endif // KINSTR_REPORT_TOOL_INPUT_H
