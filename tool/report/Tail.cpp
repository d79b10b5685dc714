// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks were the first and the last in their slots.
#include "report/Tail.h"

#include <algorithm>
#include <functional>

namespace kinstr::report {

void TailFinder::addStart(double Ns) {
  if (Ns < FirstEnd) {
    Starts.push_back(Ns);
    std::push_heap(Starts.begin(), Starts.end());
  }
  while (!Starts.empty() &&
         (Starts.size() > MostSlots || Starts.front() >= FirstEnd)) {
    std::pop_heap(Starts.begin(), Starts.end());
    Starts.pop_back();
  }
}

void TailFinder::addEnd(double Ns) {
  Ends.push_back(Ns);
  std::push_heap(Ends.begin(), Ends.end(), std::greater<>());
  if (Ends.size() > MostSlots) {
    std::pop_heap(Ends.begin(), Ends.end(), std::greater<>());
    Ends.pop_back();
  }
}

void TailFinder::add(const TimeRange &Block) {
  FirstEnd = std::min(FirstEnd, Block.End);
  addStart(Block.Begin);
  addEnd(Block.End);
}

void TailFinder::join(const TailFinder &Other) {
  MostSlots = std::max(MostSlots, Other.MostSlots);
  FirstEnd = std::min(FirstEnd, Other.FirstEnd);
  for (double Start : Other.Starts)
    addStart(Start);
  addStart(INFINITY); // what the other's first end rules out
  for (double End : Other.Ends)
    addEnd(End);
}

std::optional<Tail> TailFinder::tail() const {
  Tail T;
  T.Slots = std::min(Starts.size(), Ends.size());
  if (T.Slots == 0)
    return std::nullopt;
  std::vector<double> Latest = Ends;
  std::sort(Latest.begin(), Latest.end(), std::greater<>());
  Latest.resize(T.Slots);
  T.Ns = Latest.front() - Latest.back();
  for (double End : Latest)
    T.IdleNs += Latest.front() - End;
  return T;
}

} // namespace kinstr::report
