// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No output takes the place of a trace that is read, or of another output.
#ifndef KINSTR_REPORT_TOOL_OUTPUTS_H
#define KINSTR_REPORT_TOOL_OUTPUTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kinstr {

struct Output {
  llvm::StringRef Option; ///< `csv`
  llvm::StringRef Path;   ///< empty where it was not asked for
};

/// What is wrong; empty if nothing is. Standard output, by any name, devices and
/// pipes may be named twice.
std::string checkOutputs(llvm::ArrayRef<std::string> Inputs,
                         llvm::ArrayRef<Output> Outputs);

} // namespace kinstr

#endif // KINSTR_REPORT_TOOL_OUTPUTS_H
