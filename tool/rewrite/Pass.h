// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one pass of clang over the file yields, as data. Private to the library.
#ifndef KINSTR_REWRITE_PASS_H
#define KINSTR_REWRITE_PASS_H

#include "rewrite/Bind.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

namespace kinstr {

/// What one pass of clang for one architecture yields.
struct Pass {
  std::vector<ByteRange> Skipped;            ///< inactive branches
  std::vector<ByteRange> MacroUses;          ///< of function-like macros
  std::vector<Diagnostic> ClangErrors;       ///< in the main file
  std::string FirstErrorElsewhere;           ///< "header.h:3: ..." or empty
  std::map<unsigned, BoundKernel> Kernels;   ///< by start of body
  std::map<unsigned, unsigned> KernelOf;     ///< annotation -> start of body
  std::map<unsigned, Diagnostics> Failures;  ///< annotation -> why not
  std::vector<unsigned> Inactive;            ///< annotations
  std::set<unsigned> UnknownInKernel;        ///< unknown directives
  std::map<unsigned, BoundLaunch> Launches;  ///< by WrittenLaunch::At
  std::map<unsigned, unsigned> LaunchedBody; ///< launch -> start of body
  std::vector<unsigned> DeviceResets;
  std::vector<unsigned> DriverLaunches;
  std::vector<unsigned> UnwrappedLaunches;
  /// Where the main file includes a header with annotations; its name.
  std::map<unsigned, std::string> AnnotatedHeaders;
  bool Parsed = false;
};

inline bool isIn(llvm::ArrayRef<ByteRange> Ranges, unsigned Offset) {
  return llvm::any_of(Ranges, [=](ByteRange R) { return R.contains(Offset); });
}

/// Runs clang's device pass over \p Path for \p Arch and binds the annotations
/// of \p File.
Pass runPass(llvm::StringRef Path, llvm::StringRef Arch,
             const ScannedFile &File, const CompileOptions &Options,
             const Toolkit &Cuda);

} // namespace kinstr

#endif // KINSTR_REWRITE_PASS_H
