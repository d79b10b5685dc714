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

void ReadingStore::thin(std::vector<Reading> &B, size_t Keep) const {
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
  size_t Kept = 0;
  for (size_t I = 0; I < B.size(); ++I)
    if (Marked[I])
      B[Kept++] = B[I];
  B.resize(Kept);
}

/// Thins what there is of every launch and part by half.
void ReadingStore::thinAll() {
  ++Level;
  Total = 0;
  for (OfLaunch &L : Launches) {
    std::vector<Reading> Kept;
    ArrayRef<Reading> Left = L.All;
    for (uint32_t &Size : L.Sizes) {
      std::vector<Reading> OfPart = Left.take_front(Size).vec();
      Left = Left.drop_front(Size);
      llvm::sort(OfPart, before);
      thin(OfPart, OfPart.size() / 2);
      Size = OfPart.size();
      append_range(Kept, OfPart);
    }
    Kept.shrink_to_fit();
    L.All = std::move(Kept);
    Total += L.All.size();
  }
  // Where there are few of each launch and part, all of them are needed.
  ThinAt = std::max(MostKept, Total + Total / 2);
}

void ReadingStore::add(size_t Launch, std::vector<Reading> Readings) {
  if (Launches.size() <= Launch)
    Launches.resize(Launch + 1);
  if (Level != 0) {
    llvm::sort(Readings, before);
    thin(Readings, Readings.size() >> Level);
  }
  OfLaunch &L = Launches[Launch];
  // By less than a vector grows by itself: all launches together are much.
  if (size_t Need = L.All.size() + Readings.size(); Need > L.All.capacity())
    L.All.reserve(std::max(Need, L.All.size() + L.All.size() / 8));
  append_range(L.All, Readings);
  L.Sizes.push_back(Readings.size());
  Total += Readings.size();
  if (Total > ThinAt)
    thinAll();
}

std::vector<Reading> ReadingStore::take(size_t Launch) {
  if (Launch >= Launches.size())
    return {};
  std::vector<Reading> All = std::exchange(Launches[Launch], {}).All;
  llvm::sort(All, before);
  return All;
}

} // namespace kinstr::trace
