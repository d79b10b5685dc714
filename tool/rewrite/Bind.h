// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds annotations to the kernels and statements they stand in.
#ifndef KINSTR_REWRITE_BIND_H
#define KINSTR_REWRITE_BIND_H

#include "annotate/Diagnostic.h"
#include "annotate/Scan.h"
#include "cuda/ClangArgs.h"
#include "rewrite/MainFile.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinstr {

/// Something in the source that made a decision, to be shown with it.
struct Reason {
  unsigned Offset;
  std::string Text;
};

/// One annotation that becomes a statement.
struct Site {
  unsigned Annotation;                ///< index into ScannedFile::Annotations
  unsigned Insert;                    ///< where the statement goes
  std::optional<unsigned> CloseBrace; ///< see Placement
  bool InLoop;
};

/// A kernel that carries annotations.
struct BoundKernel {
  std::string Name; ///< qualified
  unsigned NameAt;  ///< where its name stands
  unsigned Line;    ///< of its name
  ByteRange Body;   ///< braces included
  /// Most threads a block can have, as a C++ expression in the kernel's scope;
  /// 0: no bound.
  std::string Threads;
  unsigned MaxThreads = 1024; ///< the same, where clang can tell
  /// Static shared memory the kernel declares itself [bytes], the most of all
  /// instances this file has.
  std::uint64_t StaticShared = 0;
  std::optional<Reason> DynamicShared;
  std::optional<Reason> Divergence;
  /// Whether, without a Divergence, lanes may still part in blocks that cut
  /// warps from several short rows.
  bool NeedsWarpRows = false;
  bool HasGoto = false;
  std::vector<Site> Sites;                  ///< in file order
  std::optional<unsigned> KernelAnnotation; ///< index of its @kernel
};

/// A <<<>>> launch whose arguments can be wrapped.
struct BoundLaunch {
  unsigned Line;
  std::optional<unsigned> Kernel; ///< index into BoundFile::Kernels
  /// The kernel as an expression, or "nullptr" where its address cannot be
  /// taken as written.
  std::string KernelText;
  std::vector<ByteRange> Arguments; ///< 2 to 4
};

struct BoundFile {
  std::vector<BoundKernel> Kernels;   ///< in file order
  std::vector<BoundLaunch> Launches;  ///< in file order
  std::vector<unsigned> DeviceResets; ///< where cudaDeviceReset is spelled
};

/// Parses \p Path once for each architecture asked for
/// and binds the annotations of \p File. What cannot be bound is reported.
BoundFile bindAnnotations(llvm::StringRef Path, const ScannedFile &File,
                          const CompileOptions &Options, const Toolkit &Cuda,
                          Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_BIND_H
