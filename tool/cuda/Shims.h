// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers that clang's CUDA support asks for and a toolkit may lack.
#ifndef KINSTR_CUDA_SHIMS_H
#define KINSTR_CUDA_SHIMS_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace kinstr {

/// Where the shims appear; to be searched after everything else.
constexpr char ShimFolder[] = "/kinstr-shims";

/// The real file system with the shims in it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithShims();

} // namespace kinstr

#endif // KINSTR_CUDA_SHIMS_H
