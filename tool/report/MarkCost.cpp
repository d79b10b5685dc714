// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the clock readings of two marks lie the second half of the first mark
// and the first half of the second: one mark in all. A pause takes the place of
// the second reading, and of what is behind it nothing is measured.
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

/// Whether the mark of event \p I, or that behind the pause, is one of a
/// function that the kernel calls.
static bool isOfCallee(ArrayRef<Event> Events, size_t I, const Kernel &K) {
  ArrayRef<Event> Left = Events.drop_front(I).drop_while(
      [](const Event &E) { return E.Site == pause_site; });
  return !Left.empty() && Left.front().Site < K.Sites.size() &&
         K.Sites[Left.front().Site].Callee != 0;
}

void subtractMarkCost(MutableArrayRef<Event> Events, const Kernel &K,
                      double Cycles) {
  auto Cost = static_cast<uint64_t>(std::llround(Cycles));
  uint64_t Before = Events.empty() ? 0 : Events.front().Clock; // as it was
  for (size_t I = 1; I < Events.size(); ++I) {
    uint64_t Passed = Events[I].Clock - Before;
    Before = Events[I].Clock;
    bool Costs = Events[I - 1].Site != pause_site && !isOfCallee(Events, I, K);
    Events[I].Clock =
        Events[I - 1].Clock + Passed - std::min(Passed, Costs ? Cost : 0);
  }
}

} // namespace kinstr::report
