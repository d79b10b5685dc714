// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the clock readings of two marks lie the second half of the first mark
// and the first half of the second: one mark in all.
#include "report/MarkCost.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

std::optional<double> markCost(const Trace &T, const Launch &L) {
  const Kernel &K = T.kernel(L);
  if (K.Flow == "divergent")
    return std::nullopt;
  for (const MarkCost &C : T.device(L).MarkCosts)
    if (C.Buffer == K.Buffer && C.Layout == K.Layout)
      return C.Cycles;
  return std::nullopt;
}

void subtractMarkCost(MutableArrayRef<Event> Events, const Kernel &K,
                      double Cycles) {
  auto Cost = static_cast<uint64_t>(std::llround(Cycles));
  uint64_t Before = Events.empty() ? 0 : Events.front().Clock; // as it was
  for (size_t I = 1; I < Events.size(); ++I) {
    uint64_t Passed = Events[I].Clock - Before;
    Before = Events[I].Clock;
    uint32_t Site = Events[I].Site;
    bool OfCallee = Site < K.Sites.size() && K.Sites[Site].Callee != 0;
    Events[I].Clock =
        Events[I - 1].Clock + Passed - std::min(Passed, OfCallee ? 0 : Cost);
  }
}

} // namespace kinstr::report
