// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds launches by their tokens, so that those clang skips or does not
// understand (host-only branches, braced grids) are seen too, and those in the
// bodies of macros. Private to the library.
#ifndef KINSTR_REWRITE_LAUNCHTOKENS_H
#define KINSTR_REWRITE_LAUNCHTOKENS_H

#include "annotate/Scan.h"
#include "rewrite/MainFile.h"
#include <optional>
#include <string>
#include <vector>

namespace kinstr {

/// A launch as written: kernel<<<...>>>, or a call such as cudaLaunchKernel().
struct WrittenLaunch {
  unsigned At;    ///< where the '<<<' or the called function's name is
  ByteRange Name; ///< the kernel expression in front of '<<<', or the name

  // <<<>>>
  std::string BaseName; ///< its last identifier, template arguments left out
  std::vector<ByteRange> Arguments; ///< empty: cannot be wrapped

  // A call
  bool IsCall = false;
  bool ByDriver = false;           ///< cuLaunchKernel() and its kin
  bool EndsContext = false;        ///< no launch, but cuCtxDestroy()
  std::optional<unsigned> Operand; ///< its first argument; nullopt: none to use

  /// In the body of a macro: names in it may mean anything.
  bool InMacro = false;
};

/// CUDA's functions that launch a kernel, and which argument the kernel is.
std::optional<unsigned> kernelArgument(llvm::StringRef Function);

/// In file order within the text, then within the macros' bodies.
std::vector<WrittenLaunch> findWrittenLaunches(llvm::StringRef Code,
                                               const ScannedFile &File);

} // namespace kinstr

#endif // KINSTR_REWRITE_LAUNCHTOKENS_H
