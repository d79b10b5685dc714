// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing a result so that it is there whole or not at all.
#ifndef KINSTR_SUPPORT_OUTPUTFILE_H
#define KINSTR_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kinstr {

/// Writes \p Contents to \p Path. A regular file, or a new one, is written
/// beside and renamed, and keeps its permissions; a link is followed; a pipe or
/// a device is written to. The error says why, in lower case, without the path.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Contents);

/// Creates a folder and those above it where they do not exist.
llvm::Error createFolder(llvm::StringRef Path);

} // namespace kinstr

#endif // KINSTR_SUPPORT_OUTPUTFILE_H
