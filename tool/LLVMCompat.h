// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every difference between LLVM 19 and 22 that kinstr meets, in one place.
#ifndef KINSTR_LLVMCOMPAT_H
#define KINSTR_LLVMCOMPAT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 20
#include "clang/Basic/OffloadArch.h"
#else
#include "clang/Basic/Cuda.h"
#endif

namespace kinstr {

/// Whether clang can parse for \p Arch ("sm_90a").
inline bool isKnownGpuArchitecture(llvm::StringRef Arch) {
#if LLVM_VERSION_MAJOR >= 20
  return clang::StringToOffloadArch(Arch) != clang::OffloadArch::UNKNOWN;
#else
  return clang::StringToCudaArch(Arch) != clang::CudaArch::UNKNOWN;
#endif
}

} // namespace kinstr

// Tables generated from Options.td: LLVM 21 moved option names and prefixes
// into string tables.
#if LLVM_VERSION_MAJOR >= 21
#define KINSTR_OPTTABLE_STRING_TABLES 1
#else
#define KINSTR_OPTTABLE_STRING_TABLES 0
#endif

#endif // KINSTR_LLVMCOMPAT_H
