// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds 64-bit clocks and puts events in order.
#include "trace/Decode.h"

#include "trace/Callees.h"
#include "trace/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace kinstr::trace {

/// By how much other warps may outlive the one with the anchor before a wrap of
/// theirs goes unseen. [cycles]
constexpr uint64_t LongestStraggle = 1 << 28;

static void addSlots(const Block &B, const Record &R,
                     SmallVectorImpl<Event> &Out) {
  uint32_t Exit = R.size() - 1;
  // No warp starts much before its block; on which clock, only a block that
  // stayed on its SM can tell.
  uint64_t Floor =
      B.moved() ? 0 : B.ClockStart - std::min(B.ClockStart, StartSlack);
  // No two times in it have the same low bits.
  bool Short = B.Finished && !B.moved() &&
               B.ClockEnd - B.ClockStart + StartSlack + LongestStraggle <=
                   lowMask(SlotBits);
  auto Nearest = [&](uint64_t Near, uint32_t Low) {
    if (Short)
      return nextClock(Floor, Low, SlotBits);
    uint64_t Clock = nearestClock(Near, Low, SlotBits);
    return Clock < Floor ? nextClock(Floor, Low, SlotBits) : Clock;
  };
  // Lanes that diverge come to the sites in any order.
  bool InOrder = !B.Divergent && !B.moved();
  std::optional<uint64_t> Last;
  for (uint32_t I = 0; I <= Exit; ++I) {
    uint32_t Low = R.slot(I);
    if (Low == 0) // the warp never came here
      continue;
    Last = Last && InOrder ? nextClock(*Last, Low, SlotBits)
                           : Nearest(Last.value_or(B.ClockStart), Low);
    Out.push_back({*Last, I == Exit ? exit_site : I});
  }
}

/// Of a stream.
static void addEvents(const Block &B, const Placed &P,
                      ArrayRef<RecordedCallee> Callees,
                      SmallVectorImpl<Event> &Out,
                      SmallVectorImpl<Value> &Values) {
  int Module = P.R.calleeModule();
  std::optional<Number> OfNext; // right in front
  for (uint32_t I = P.First; I < P.End; ++I) {
    StoredEvent E = P.R.event(I);
    std::optional<Number> N = std::exchange(OfNext, E.number());
    if (!E.Written || E.isNumber())
      continue;
    uint32_t Site =
        Module == kernel_events ? E.Site : calleeSite(Callees, Module, E.Site);
    Out.push_back({nearestClock(B.ClockStart, E.Clock48, EventBits), Site});
    if (N)
      Values.push_back({Out.back().Clock, Site, *N});
  }
}

void decodeEvents(const Block &B, ArrayRef<Placed> Records,
                  ArrayRef<RecordedCallee> Callees,
                  SmallVectorImpl<Event> &Events,
                  SmallVectorImpl<Value> &Values) {
  Events.clear();
  Values.clear();
  for (const Placed &P : Records)
    if (P.R.tag().stream)
      addEvents(B, P, Callees, Events, Values);
    else
      addSlots(B, P.R, Events);
  // Of equal clocks the exit, whose number is the largest, comes last.
  auto Before = [](const auto &X, const auto &Y) {
    return std::tie(X.Clock, X.Site) < std::tie(Y.Clock, Y.Site);
  };
  if (!llvm::is_sorted(Events, Before))
    llvm::sort(Events, Before);
  if (!llvm::is_sorted(Values, Before))
    llvm::sort(Values, Before);
}

uint64_t countEvents(ArrayRef<Placed> Records) {
  uint64_t Count = 0;
  for (const Placed &P : Records) {
    bool Stream = P.R.tag().stream;
    for (uint32_t I = P.First; I < P.End; ++I)
      Count += Stream ? P.R.event(I).isOfUser() : P.R.slot(I) != 0;
  }
  return Count;
}

void decodeClocks(const Block &B, uint32_t WarpsPerBlock,
                  ArrayRef<Placed> Records, SmallVectorImpl<ClockPair> &Out) {
  Out.clear();
  const uint32_t Anchored = anchor_warp(WarpsPerBlock);
  if (B.moved())
    return;
  // Only the records of that warp, the last one, have any.
  for (const Placed &Next : reverse(Records)) {
    if (Next.R.tag().warp != Anchored)
      break;
    std::optional<ClockPair> P = Next.R.clocks();
    if (!P || P->Clock < B.ClockStart || P->Global < B.GlobalStart ||
        (B.Finished && (P->Clock > B.ClockEnd || P->Global > B.GlobalEnd)))
      continue;
    Out.push_back(*P);
  }
  std::reverse(Out.begin(), Out.end());
}

bool mayHaveWrapped(const Block &B, ArrayRef<Placed> Records,
                    ArrayRef<Event> Events) {
  bool Slots =
      any_of(Records, [](const Placed &P) { return !P.R.tag().stream; });
  if (!Slots || Events.empty() || !B.Finished || B.moved())
    return false;
  constexpr uint64_t Wrap = lowMask(SlotBits) + 1;
  // In order, each clock is the earliest it can be: what is missing would put
  // the last one later, but hardly behind the end that one warp of the block
  // recorded. Out of order, each may be anywhere in the block.
  return B.Divergent
             ? B.ClockEnd - B.ClockStart + StartSlack >= Wrap
             : Events.back().Clock + Wrap <= B.ClockEnd + LongestStraggle;
}

} // namespace kinstr::trace
