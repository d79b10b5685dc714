// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All stages from a scanned file to the files to write.
#ifndef KINSTR_REWRITE_REWRITE_H
#define KINSTR_REWRITE_REWRITE_H

#include "rewrite/Copies.h"

namespace kinstr {

struct RewriteOptions {
  /// The copy's path. "-": standard output, which cannot take headers' copies.
  std::string Output;
  std::optional<Buffer> AskedBuffer;
  bool WriteThrough = false; ///< every event is in global memory at once
  CompileOptions Compile;
};

/// The files to write; the first is the main one. Empty when there are errors.
std::vector<Copy> rewrite(const RewriteOptions &Options, Sources &Files,
                          const Toolkit &Cuda, Diagnostics &Diags);

/// The same, of files that are read and bound.
std::vector<Copy> rewrite(const RewriteOptions &Options, const Sources &Files,
                          BoundFile Bound, Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_REWRITE_H
