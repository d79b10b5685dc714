// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of counts, made coarser when it grows too large.
#include "report/Durations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace kinstr::report {

/// The ten leading bits.
static uint64_t coarse(uint64_t Cycles) {
  unsigned Low = Cycles < 1024 ? 0 : Log2_64(Cycles) - 9;
  return Cycles >> Low << Low;
}

void Durations::add(uint64_t Cycles, uint64_t Times) {
  // Damaged clocks yield anything; the table's two largest keys are its own.
  Cycles = std::min(Cycles, uint64_t(1) << 62);
  Counts[Rounded ? coarse(Cycles) : Cycles] += Times;
  if (!Rounded && Counts.size() > MostValues)
    round();
}

void Durations::round() {
  DenseMap<uint64_t, uint64_t> Exact;
  std::swap(Exact, Counts);
  Rounded = true;
  for (auto [Cycles, Times] : Exact)
    Counts[coarse(Cycles)] += Times;
}

void Durations::join(const Durations &Other) {
  if (Other.Rounded && !Rounded)
    round();
  for (auto [Cycles, Times] : Other.Counts)
    add(Cycles, Times);
}

SortedDurations Durations::sorted() const {
  SortedDurations S;
  S.Counts.reserve(Counts.size());
  for (auto [Cycles, Times] : Counts) {
    S.Counts.push_back({Cycles, Times});
    S.Number += Times;
  }
  llvm::sort(S.Counts);
  return S;
}

uint64_t SortedDurations::quantile(double P) const {
  auto Rank = static_cast<uint64_t>(std::ceil(P * static_cast<double>(Number)));
  uint64_t Seen = 0;
  for (auto [Cycles, Times] : Counts) {
    Seen += Times;
    if (Seen >= std::max<uint64_t>(Rank, 1))
      return Cycles;
  }
  return most();
}

} // namespace kinstr::report
