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

struct KernelPlan {
  std::string Name; ///< as reported
  unsigned Line;
  unsigned BodyBegin; ///< of its '{'
  Buffer Where;
  bool KeepAlignment; ///< dynamic shared memory lies behind the buffer
  Layout Events;
  Lockstep Flow;
  std::string Threads; ///< see BoundKernel::Threads
  std::vector<Site> Sites;
};

struct Plan {
  std::vector<KernelPlan> Kernels;
  std::vector<BoundLaunch> Launches;
  std::vector<unsigned> DeviceResets;
};

/// \p Asked is the buffer named on the command line, if any. Remarks say what
/// was chosen where it is not the default, and why.
Plan plan(BoundFile Bound, const ScannedFile &File, std::optional<Buffer> Asked,
          Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_PLAN_H
