// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds annotations to the kernels and statements they stand in.
#ifndef KINSTR_REWRITE_BIND_H
#define KINSTR_REWRITE_BIND_H

#include "annotate/Diagnostic.h"
#include "annotate/Sources.h"
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
  std::optional<unsigned> ScopeEnd;   ///< of '@scope': where its statement ends
  bool InLoop;

  // Among the function's sites, which are numbered in the order in which
  // straight code passes them.
  unsigned Number = 0;
  unsigned EndNumber = 0; ///< of the end of a scope
};

/// A load of global memory that nothing needs in the phase it stands in. The
/// last three are indices into ScannedFile::Annotations.
struct LateLoad {
  unsigned At;
  std::string Variable; ///< that takes the value
  unsigned Phase;       ///< where it stands
  unsigned Next;        ///< what ends that phase
  unsigned User;        ///< the phase that waits for it
};

/// What a function is to the recording.
enum class Role {
  Kernel, ///< a __global__ function
  Root,   ///< a __device__ function that '@kernel' makes the kernel's stand-in
  Callee  ///< called by either: a __device__ function, a member, a lambda
};

/// A function that carries annotations, or a kernel that calls one.
struct BoundFunction {
  Role Kind = Role::Kernel;
  std::string Name;        ///< qualified
  std::string RuntimeName; ///< see runtimeName()
  unsigned NameAt;         ///< where its name stands
  ByteRange Body;          ///< braces included
  /// Most threads a block can have, as a C++ expression in the kernel's scope;
  /// 0: no bound.
  std::string Threads = "1024";
  unsigned MaxThreads = 1024; ///< the same, where clang can tell
  /// Static shared memory the kernel declares itself [bytes], the most of all
  /// instances this file has.
  std::uint64_t StaticShared = 0;
  std::optional<Reason> DynamicShared;
  std::optional<Reason> Divergence;
  std::optional<Reason> Quits;    ///< a way out that passes no recorder
  std::optional<Reason> OnceOnly; ///< the body cannot be in a program twice
  /// Whether, without a Divergence, lanes may still part in blocks that cut
  /// warps from several short rows.
  bool NeedsWarpRows = false;
  bool HasGoto = false;
  bool Recursive = false;  ///< may call itself
  bool Leaf = false;       ///< Callee: calls nothing annotated
  bool Reached = false;    ///< Callee: a kernel or a root calls it
  bool Launched = false;   ///< somewhere in these files
  std::vector<Site> Sites; ///< in file order
  std::vector<LateLoad> LateLoads;
  std::optional<unsigned> KernelAnnotation; ///< index of its @kernel
};

/// A launch whose place can be told to the runtime: by <<<>>>, or by a call
/// such as cudaLaunchKernel().
struct BoundLaunch {
  unsigned At;                    ///< of the kernel's name
  std::optional<unsigned> Kernel; ///< index into BoundFile::Functions
  /// The kernel as an expression, or "nullptr" where its address cannot be
  /// taken as written.
  std::string KernelText;
  std::vector<ByteRange> Arguments; ///< of <<<>>>: 2 to 4
  std::optional<unsigned> Operand;  ///< of a call: its first argument
};

/// An #include.
struct Include {
  std::string From;   ///< the file it stands in; empty: the command line
  unsigned Begin = 0; ///< of "x.h" or <x.h>, in bytes of that file
  unsigned End = 0;
  std::string To;      ///< the file it finds
  bool Beside = false; ///< found in the folder of From
  bool Fixed = false;  ///< cannot be made to find another file
};

struct BoundFile {
  std::vector<BoundFunction> Functions; ///< in file order
  std::vector<BoundLaunch> Launches;    ///< in file order
  std::vector<unsigned> DeviceResets;   ///< where cudaDeviceReset is spelled
  /// First arguments of cuLaunchKernel() and its kin.
  std::vector<unsigned> DriverLaunches;
  std::vector<unsigned> ContextEnds; ///< arguments of cuCtxDestroy()
  std::vector<Include> Includes;     ///< between user's files
  /// In __constant__ variables, the most of all architectures.
  std::uint64_t ConstantBytes = 0;
};

/// Parses the main file once for each architecture asked for and binds the
/// annotations. Headers that matter are added to \p Files. What cannot be bound
/// is reported.
BoundFile bindAnnotations(Sources &Files, const CompileOptions &Options,
                          const Toolkit &Cuda, Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_BIND_H
