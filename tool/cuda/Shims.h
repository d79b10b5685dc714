// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of ours: what clang's CUDA support asks for and a toolkit may lack,
// and what nvcc has and clang lacks.
#ifndef KINSTR_CUDA_SHIMS_H
#define KINSTR_CUDA_SHIMS_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace kinstr {

/// Where the shims appear; to be searched after everything else.
constexpr char ShimFolder[] = "/kinstr-shims";

/// Included in front of every file, as nvcc includes cuda_runtime.h.
constexpr char NvccHeader[] = "/kinstr-shims/kinstr_nvcc.h";

/// The real file system with the shims in it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithShims();

} // namespace kinstr

#endif // KINSTR_CUDA_SHIMS_H
