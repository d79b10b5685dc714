// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/Shims.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace kinstr {

/// Clang includes these in every CUDA file. Where they are missing, nothing
/// that kinstr looks at depends on them: empty ones do.
static constexpr StringLiteral EmptyHeaders[] = {
    // Part of cuRAND, which Python packages deliver separately.
    "curand_mtgp32_kernel.h",
    // Removed in CUDA 13; LLVM 19 still asks for it.
    "texture_fetch_functions.h",
    // The host compiler's, which clang does not find. Host code only.
    "omp.h",
};

static constexpr StringLiteral NvccHeaderText =
#include "NvccHeader.inc"
    ;

IntrusiveRefCntPtr<vfs::FileSystem> fileSystemWithShims() {
  auto Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (StringRef Header : EmptyHeaders)
    Memory->addFile(Twine(ShimFolder) + "/" + Header, 0,
                    MemoryBuffer::getMemBuffer(""));
  Memory->addFile(NvccHeader, 0, MemoryBuffer::getMemBuffer(NvccHeaderText));
  auto Overlay =
      makeIntrusiveRefCnt<vfs::OverlayFileSystem>(vfs::getRealFileSystem());
  Overlay->pushOverlay(Memory);
  return Overlay;
}

} // namespace kinstr
