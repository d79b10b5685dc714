// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints diagnostics as clang does, with the line and a caret.
#ifndef KINSTR_KINSTR_PRINT_H
#define KINSTR_KINSTR_PRINT_H

#include "annotate/Sources.h"
#include "llvm/Support/raw_ostream.h"

namespace kinstr {

void print(const Diagnostics &Diags, const Sources &Files, bool Remarks,
           llvm::raw_ostream &OS);

} // namespace kinstr

#endif // KINSTR_KINSTR_PRINT_H
