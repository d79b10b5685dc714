// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the recorder was busy in a warp.
#ifndef KINSTR_REPORT_PAUSES_H
#define KINSTR_REPORT_PAUSES_H

#include "trace/Visit.h"

namespace kinstr::report {

/// Calls \p OnPause(Begin, End) for each pause that is in the warp's
/// Time.Paused: from the first of the events that say so to the next other one.
template <typename Fn> void forEachPause(const trace::WarpView &W, Fn OnPause) {
  if (!W.Time.Paused)
    return;
  uint64_t Begin = 0;
  bool Paused = false;
  bool InWarp = false; // before its first event, it has no time
  for (const trace::Event &E : W.Events) {
    bool IsPause = E.Site == pause_site;
    if (IsPause && InWarp && !Paused)
      Begin = E.Clock;
    if (!IsPause && Paused)
      OnPause(Begin, E.Clock);
    Paused = IsPause && InWarp;
    InWarp |= !IsPause;
  }
}

} // namespace kinstr::report

#endif // KINSTR_REPORT_PAUSES_H
