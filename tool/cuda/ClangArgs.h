// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an nvcc command line to clang's.
#ifndef KINSTR_CUDA_CLANGARGS_H
#define KINSTR_CUDA_CLANGARGS_H

#include "cuda/Toolkit.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kinstr {

/// What of an nvcc command line decides how a file is read.
struct CompileOptions {
  std::vector<std::string> Architectures; ///< "sm_90", as given, no duplicates
  std::string Standard;                   ///< "c++17"
  /// -I, -isystem, -D, -U, -include with their values, in order.
  std::vector<std::string> Preprocessor;
  bool RelaxedConstexpr = false;
  bool ExtendedLambda = false;
  bool RelocatableDeviceCode = false;
  bool DeviceDebug = false; ///< -G
  bool PerThreadDefaultStream = false;
  std::vector<std::string> ClangArgs; ///< behind "--": passed as they are
};

/// Adds the architecture that nvcc's -arch value \p Value names: "sm_90",
/// "compute_90", "native". Fails for what no nvcc knows.
llvm::Error addArchitecture(llvm::StringRef Value,
                            std::vector<std::string> &Architectures);

/// The same for -gencode: "arch=compute_90,code=[sm_90,sm_90a]". What the
/// source looks like is up to arch=.
llvm::Error addGencode(llvm::StringRef Value,
                       std::vector<std::string> &Architectures);

/// The architecture clang is to parse \p Arch as: itself, or the nearest older
/// one when clang does not know it ("native" and "all" become nvcc's default).
std::string clangArchitecture(llvm::StringRef Arch, const Toolkit &Cuda);

/// Those asked for, or the toolkit's default: one pass of clang for each.
std::vector<std::string> architecturesOf(const CompileOptions &Options,
                                         const Toolkit &Cuda);

/// Arguments for clang's driver (argv[0] included) that parse \p File as nvcc
/// would compile it for \p Arch, device side.
std::vector<std::string> clangArguments(llvm::StringRef File,
                                        llvm::StringRef Arch,
                                        const CompileOptions &Options,
                                        const Toolkit &Cuda);

} // namespace kinstr

#endif // KINSTR_CUDA_CLANGARGS_H
