// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides how each kernel is recorded.
#ifndef KINSTR_REWRITE_PLAN_H
#define KINSTR_REWRITE_PLAN_H

#include "rewrite/Bind.h"

namespace kinstr {

enum class Layout { Slots, Stream };

/// What is known about the lanes of a warp: that they pass every site and leave
/// together; that they do unless blocks have several rows that are no whole
/// warps; nothing.
enum class Lockstep { Uniform, WarpRows, Divergent };

/// Which annotated functions one that is not the kernel may call: none; others;
/// itself, too.
enum class Nesting { Leaf, Once, Recursive };

// As the recorder's macros and the trace spell them.
/// Of what is recorded; not of '@kernel'.
llvm::StringRef kindName(Directive D);
llvm::StringRef name(Buffer B);
llvm::StringRef name(Layout L);
llvm::StringRef name(Drain D);
llvm::StringRef name(Lockstep F);
llvm::StringRef name(Nesting N);

/// A function that is not the kernel itself. Its sites, then its return and,
/// where it may call itself, its entry have numbers of their own in the module.
struct CalleePlan {
  std::string Name; ///< as reported
  unsigned NameAt;
  unsigned BodyBegin; ///< of its '{'
  unsigned FirstSite; ///< its number
  Lockstep Flow;
  Nesting Calls;
  std::vector<Site> Sites;
  unsigned NumSites; ///< without return and entry; a scope is two

  bool recordsEntry() const { return Calls == Nesting::Recursive; }
  unsigned siteCount() const { return NumSites + 1 + recordsEntry(); }
};

/// How often the program has a kernel's body.
enum class Body {
  Once,
  PerRecorder, ///< for each of two recorders, between which the block's shape
               ///< decides: or each mark would ask
  Twin ///< as PerRecorder, and without marks for blocks that do not record
};

/// What is asked of the buffers of a file.
struct BufferRequest {
  std::optional<Buffer> Named; ///< for kernels that name none themselves
  bool WriteThrough = false;   ///< no event waits, whatever is named
};

/// What the command line asks of the plan.
struct PlanOptions {
  BufferRequest Buffers;
  bool Twin = false; ///< see Body
};

struct KernelPlan {
  std::string Name;        ///< as reported
  std::string RuntimeName; ///< see runtimeName(); empty: not launched itself
  unsigned NameAt;
  unsigned BodyBegin; ///< of its '{'
  unsigned BodyEnd;   ///< behind its '}'
  Body Copies;
  Buffer Where;
  bool KeepAlignment; ///< dynamic shared memory lies behind the buffer
  Layout Events;
  Lockstep Flow;
  std::string Threads; ///< see BoundFunction::Threads
  std::vector<Site> Sites;
  unsigned NumSites; ///< a scope is two
};

struct Plan {
  std::vector<KernelPlan> Kernels;
  std::vector<CalleePlan> Callees;
  std::vector<BoundLaunch> Launches;
  std::vector<unsigned> DeviceResets;
  std::vector<unsigned> DriverLaunches;
  std::vector<unsigned> ContextEnds;
  std::vector<Include> Includes;
  /// What the recorder must know is in global memory: the constants are full.
  bool StateInGlobalMemory = false;

  bool empty() const { return Kernels.empty() && Callees.empty(); }
};

/// Remarks say what was chosen where it is not the default, and why.
Plan plan(BoundFile Bound, const ScannedFile &File, const PlanOptions &Options,
          Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_PLAN_H
