// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewritten file's text.
#ifndef KINSTR_REWRITE_EMIT_H
#define KINSTR_REWRITE_EMIT_H

#include "rewrite/Plan.h"

namespace kinstr {

/// \p Code with the plan's statements inserted. Every character of the input is
/// kept, in order, and every line keeps its number for the compiler. \p File
/// names the input in the output, as on the command line.
std::string emit(llvm::StringRef Code, llvm::StringRef FileName,
                 const Plan &Plan, const ScannedFile &File);

} // namespace kinstr

#endif // KINSTR_REWRITE_EMIT_H
