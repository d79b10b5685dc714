// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace, read and understood: the one call that reports start from.
#ifndef KINSTR_TRACE_TRACE_H
#define KINSTR_TRACE_TRACE_H

#include "trace/Cuts.h"
#include "trace/Elsewhere.h"
#include "trace/TimeModel.h"
#include "trace/Workers.h"

namespace kinstr::trace {

struct Trace {
  RawTrace Raw;
  Launches Ls;
  TimeModel Time;

  // For visitBlocks().
  Watch Watching;
  Elsewhere Known;
  std::unique_ptr<GatheredPart> Gathered; ///< or null

  const Meta &meta() const { return Raw.Tables; }
  llvm::ArrayRef<Launch> launches() const { return Ls.List; }
  const LaunchClock &clock(uint32_t Launch) const {
    return Time.Launches[Launch];
  }
  const Device &device(const Launch &L) const {
    return meta().Devices[L.Device];
  }
  const Module &module(const Launch &L) const {
    return meta().Modules[L.Module];
  }
  const Kernel &kernel(const Launch &L) const {
    return module(L).Kernels[L.Kernel];
  }
  /// The host's call, or null.
  const HostLaunch *hostLaunch(const Launch &L) const {
    return L.Host < 0 ? nullptr : &meta().Launches[L.Host];
  }
  /// The kernel instance, or null.
  const Function *function(const Launch &L) const {
    return L.Function < 0 ? nullptr : &meta().Functions[L.Function];
  }
};

/// Goes through all regions, to find the launches and align their clocks.
/// Whoever watches that also watches what is done with the trace later. Parts
/// of more than \p Most bytes are cut.
llvm::Expected<Trace> understand(RawTrace Raw, const Watch &W = {},
                                 uint64_t Most = LargestPart);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_TRACE_H
