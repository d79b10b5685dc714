// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes minima and maxima of clocks, then of times.
#include "report/Extent.h"

#include <algorithm>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

void Extent::beginBlock(const Block &B) {
  Current = &B;
  First = B.ClockStart;
  Last = B.Finished && !B.moved() ? B.ClockEnd : B.ClockStart;
}

void Extent::addWarp(ArrayRef<Event> Events) {
  if (Events.empty() || Current->moved())
    return;
  First = std::min(First, Events.front().Clock);
  Last = std::max(Last, Events.back().Clock);
}

TimeRange Extent::endBlock() {
  // Each anchor is a reading of its SM's line.
  TimeRange R;
  const SmLine &Line = *Clock.find(Current->SmStart);
  R.Begin = Clock.toNs(Line, First);
  R.End = Current->moved()
              ? Clock.toNs(*Clock.find(Current->SmEnd), Current->ClockEnd)
              : Clock.toNs(Line, Last);
  // Damaged clocks may lie 2^63 cycles apart, where differences wrap.
  R.End = std::max(R.End, R.Begin);
  Whole = Whole ? TimeRange{std::min(Whole->Begin, R.Begin),
                            std::max(Whole->End, R.End)}
                : R;
  return R;
}

} // namespace kinstr::report
