// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of reading a trace, in order.
#include "trace/Trace.h"

namespace kinstr::trace {

Trace understand(RawTrace Raw) {
  Trace T;
  T.Raw = std::move(Raw);
  T.Ls = buildLaunches(T.Raw);
  addCalleeSites(T.Ls, T.Raw.Tables);
  matchHostLaunches(T.meta(), T.Ls);
  T.Time = buildTimeModel(T.meta(), T.Ls);
  return T;
}

} // namespace kinstr::trace
