// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk back through the spans of a block.
#include "report/CriticalPath.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// How many spans of a warp begin before \p Clock. They do not overlap.
static size_t spansBefore(const WarpView &W, uint64_t Clock) {
  return partition_point(W.Spans,
                         [&](const Span &S) { return S.Begin < Clock; }) -
         W.Spans.begin();
}

void criticalPath(const BlockView &V, const Meetings &M,
                  function_ref<void(const PathStep &)> OnStep) {
  if (V.Warps.empty() || V.B.moved())
    return;
  auto Last = max_element(V.Warps, [](const WarpView &A, const WarpView &B) {
    return A.Time.End < B.Time.End;
  });
  auto Warp = static_cast<uint32_t>(Last - V.Warps.begin());
  uint64_t Now = Last->Time.End;
  auto StepTo = [&](uint64_t Clock, uint32_t Site) {
    if (Clock < Now)
      OnStep({Site, Warp, Now - Clock});
    Now = std::min(Now, Clock);
  };
  size_t Left = spansBefore(*Last, Now);
  while (Left > 0) {
    const Span &S = V.Warps[Warp].Spans[--Left];
    StepTo(S.End, PathStep::NoSite);
    const Passing *P = M.of(Warp, Left);
    if (P && P->together() && P->LastWarp != Warp && P->LastBegin < Now) {
      StepTo(P->LastBegin, S.Site);
      Warp = P->LastWarp;
      Left = spansBefore(V.Warps[Warp], Now);
    } else {
      StepTo(S.Begin, S.Site);
    }
  }
  StepTo(V.Warps[Warp].Time.Begin, PathStep::NoSite);
}

} // namespace kinstr::report
