// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps what bounds a clock's line, and an even choice of the rest.
#include "trace/Readings.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

using namespace llvm;

namespace kinstr::trace {

static bool before(const Reading &A, const Reading &B) {
  return std::tie(A.Sm, A.Clock, A.Global) < std::tie(B.Sm, B.Clock, B.Global);
}

/// Marks one half of the convex hull of \p Points, which are of one SM, by
/// clock: no line that passes above (\p Sign 1) or below (-1) these is stopped
/// by another.
static void markHull(ArrayRef<Reading> Points, double Sign,
                     MutableArrayRef<bool> Marked) {
  std::vector<size_t> Hull;
  auto Cross = [&](size_t A, size_t B, size_t C) {
    auto X = [&](size_t I) {
      return static_cast<double>(Points[I].Clock - Points[A].Clock);
    };
    auto Y = [&](size_t I) {
      return static_cast<double>(
          static_cast<int64_t>(Points[I].Global - Points[A].Global));
    };
    return X(B) * Y(C) - X(C) * Y(B);
  };
  for (size_t I = 0; I < Points.size(); ++I) {
    while (Hull.size() >= 2 &&
           Sign * Cross(Hull[Hull.size() - 2], Hull.back(), I) >= 0)
      Hull.pop_back();
    Hull.push_back(I);
  }
  for (size_t I : Hull)
    Marked[I] = true;
}

void ReadingStore::thin(Batch &B, size_t Keep) const {
  Keep = std::max(Keep, FewestKept);
  if (B.size() <= Keep)
    return;
  auto Marked = std::make_unique<bool[]>(B.size());
  for (size_t I = 0; I < B.size(); ++I) // one of each stretch of equal length
    Marked[I] = I == 0 || I * Keep / B.size() != (I - 1) * Keep / B.size();
  for (size_t First = 0; First < B.size();) {
    auto OfSm = ArrayRef(B).drop_front(First).take_while(
        [&](const Reading &R) { return R.Sm == B[First].Sm; });
    MutableArrayRef<bool> Marks(&Marked[First], OfSm.size());
    markHull(OfSm, 1, Marks);
    markHull(OfSm, -1, Marks);
    First += OfSm.size();
  }
  Batch Kept;
  Kept.reserve(std::count(&Marked[0], &Marked[B.size()], true));
  for (size_t I = 0; I < B.size(); ++I)
    if (Marked[I])
      Kept.push_back(B[I]);
  B = std::move(Kept);
}

void ReadingStore::add(size_t Launch, std::vector<Reading> Readings) {
  if (Batches.size() <= Launch)
    Batches.resize(Launch + 1);
  if (Level != 0) {
    llvm::sort(Readings, before);
    thin(Readings, Readings.size() >> Level);
  }
  Readings.shrink_to_fit(); // they stay
  Total += Readings.size();
  Batches[Launch].push_back(std::move(Readings));
  if (Total <= ThinAt)
    return;
  ++Level;
  Total = 0;
  for (std::vector<Batch> &OfLaunch : Batches)
    for (Batch &B : OfLaunch) {
      llvm::sort(B, before);
      thin(B, B.size() / 2);
      Total += B.size();
    }
  // Where there are few of each launch and part, all of them are needed.
  ThinAt = std::max(MostKept, Total + Total / 2);
}

std::vector<Reading> ReadingStore::take(size_t Launch) {
  Batch All;
  if (Launch < Batches.size())
    for (Batch &B : std::exchange(Batches[Launch], {}))
      append_range(All, B);
  llvm::sort(All, before);
  return All;
}

} // namespace kinstr::trace
