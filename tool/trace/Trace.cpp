// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of reading a trace, in order.
#include "trace/Trace.h"

#include "trace/Callees.h"
#include "trace/Index.h"

using namespace llvm;

namespace kinstr::trace {

Expected<Trace> understand(RawTrace Raw, const Watch &W, uint64_t Most) {
  if (Error E = cutParts(Raw, W, Most))
    return E;
  Expected<TraceIndex> Index = indexTrace(Raw, W);
  if (!Index)
    return Index.takeError();
  Trace T;
  T.Watching = W;
  T.Raw = std::move(Raw);
  T.Ls = std::move(Index->Ls);
  T.Known = std::move(Index->Known);
  T.Gathered = std::move(Index->Gathered);
  addCalleeSites(T.Ls, T.Raw.Tables);
  matchHostLaunches(T.meta(), T.Ls);
  Expected<TimeModel> Time =
      buildTimeModel(T.meta(), T.Ls, std::move(Index->Readings), W);
  if (!Time)
    return Time.takeError();
  T.Time = std::move(*Time);
  return T;
}

} // namespace kinstr::trace
