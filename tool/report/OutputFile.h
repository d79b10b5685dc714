// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing a result so that it is there whole or not at all.
#ifndef KINSTR_REPORT_OUTPUTFILE_H
#define KINSTR_REPORT_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kinstr::report {

/// Writes \p Contents to a temporary file next to \p Path and renames it. The
/// error names the path.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Contents);

/// Creates a folder and those above it where they do not exist.
llvm::Error createFolder(llvm::StringRef Path);

} // namespace kinstr::report

#endif // KINSTR_REPORT_OUTPUTFILE_H
