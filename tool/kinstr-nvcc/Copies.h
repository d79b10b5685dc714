// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewritten copies, on disk.
#ifndef KINSTR_KINSTR_NVCC_COPIES_H
#define KINSTR_KINSTR_NVCC_COPIES_H

#include "kinstr-nvcc/NvccCommand.h"
#include "llvm/Support/Error.h"

namespace kinstr {

/// Whether kinstr found something to do: the first line of its copies says so.
bool isRewritten(llvm::StringRef Copy);

/// Removes a copy, and its folder if that is empty then.
void removeCopy(llvm::StringRef Copy);

/// Makes the dependency files that nvcc wrote name the user's files and not the
/// copies. The error is a message.
llvm::Error renameInDepFiles(const NvccCommand &Command,
                             llvm::ArrayRef<std::string> Copies);

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_COPIES_H
