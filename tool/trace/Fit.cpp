// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what records and anchors say.
#include "trace/Fit.h"

#include "trace/Callees.h"
#include "trace/Clock.h"
#include <algorithm>

using namespace llvm;

namespace kinstr::trace {

bool plausible(const Meta &M, const Found &F) {
  const Anchor &A = F.A;
  const auto &Modules = M.Modules;
  if (A.Module >= Modules.size() ||
      A.Kernel >= Modules[A.Module].Kernels.size())
    return false;
  uint64_t Threads = uint64_t(A.Block[0]) * A.Block[1] * A.Block[2];
  if (Threads == 0 || Threads > 1024)
    return false;
  // The grid may have more than 2^32 blocks, the index then wraps; its product
  // fits 63 bits because y and z are at most 65535.
  if (A.Grid[1] > 65535 || A.Grid[2] > 65535)
    return false;
  uint64_t Blocks = uint64_t(A.Grid[0]) * A.Grid[1] * A.Grid[2];
  return F.Block < Blocks;
}

bool fitsKernel(const Meta &M, const Found &F, const Record &R) {
  const Kernel &K = M.Modules[F.A.Module].Kernels[F.A.Kernel];
  record_tag T = R.tag();
  if (T.warp * 32 >= F.A.Block[0] * F.A.Block[1] * F.A.Block[2])
    return false;
  if (R.calleeModule() != kernel_events)
    return fitsCallees(M, R);
  return T.stream || R.size() == K.OwnSites + 1;
}

std::optional<std::pair<uint64_t, unsigned>> outerClock(const Record &R,
                                                        bool Last) {
  bool Stream = R.tag().stream;
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    uint32_t At = Last ? N - 1 - I : I;
    if (!Stream) {
      if (uint32_t Low = R.slot(At))
        return std::make_pair(uint64_t(Low), SlotBits);
    } else if (StoredEvent E = R.event(At); E.hasClock()) {
      return std::make_pair(E.Clock48, EventBits);
    }
  }
  return std::nullopt;
}

static uint64_t lookupKey(uint64_t GridId, uint32_t Block) {
  return (GridId & 0xFFFF) << 32 | Block;
}
uint64_t lookupKey(const Found &F) { return lookupKey(F.A.GridId, F.Block); }
uint64_t lookupKey(const Record &R) {
  return lookupKey(R.tag().grid_id_low16, R.block());
}

std::optional<Fit> fit(const Found &F, const Record &R) {
  auto First = outerClock(R, /*Last=*/false);
  if (!First)
    return Fit(0, 0);
  auto [Low, Bits] = *First;
  const uint64_t Mask = lowMask(Bits);
  uint64_t Before = (F.A.ClockStart - Low) & Mask;
  uint64_t After = (Low - F.A.ClockStart) & Mask;
  if (F.moved()) { // its clocks are of two SMs
    uint64_t ToEnd = std::min((F.A.ClockEnd - Low) & Mask, //
                              (Low - F.A.ClockEnd) & Mask);
    return Fit(2, std::min({Before, After, ToEnd}));
  }
  if (Before <= UsualLead) {
    uint64_t Last = outerClock(R, /*Last=*/true).value_or(*First).first;
    uint64_t LastBefore = (F.A.ClockStart - Last) & Mask;
    if (LastBefore <= UsualLead / 4 || LastBefore > Mask / 2)
      return Fit(0, Before);
  }
  uint64_t Length = F.finished() ? F.A.ClockEnd - F.A.ClockStart : 0;
  if (After <= Length)
    return Fit(0, 0);
  // That warp may leave long before the others: its end says where a record
  // fits better, not that it does not fit.
  if (After <= Mask / 2)
    return Fit(1, After - Length);
  if (Before <= StartSlack)
    return Fit(2, Before);
  return std::nullopt;
}

bool isOfLater(const Found &Earlier, const Found &Later, uint64_t Clock48) {
  uint64_t Start = Later.A.ClockStart, End = Earlier.A.ClockEnd,
           Lead = UsualLead;
  if (Earlier.finished() && Earlier.sameSm() && End < Start)
    Lead = std::min(Lead, (Start - End) / 2);
  return nearestClock(Start, Clock48, EventBits) >=
         Start - std::min(Start, Lead);
}

} // namespace kinstr::trace
