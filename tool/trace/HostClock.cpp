// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds from launch calls and from when files were begun and written.
#include "trace/HostClock.h"

#include "trace/Visit.h"
#include "llvm/ADT/STLExtras.h"
#include <mutex>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// On globaltimer [ns].
struct Seen {
  bool Any = false;
  uint64_t First = 0, Last = 0;

  void add(uint64_t Ns) {
    First = Any ? std::min(First, Ns) : Ns;
    Last = Any ? std::max(Last, Ns) : Ns;
    Any = true;
  }
};

} // namespace

void ClockDistance::intersect(const ClockDistance &Other) {
  if (Other.AtLeast)
    AtLeast = std::max(AtLeast.value_or(*Other.AtLeast), *Other.AtLeast);
  if (Other.AtMost)
    AtMost = std::min(AtMost.value_or(*Other.AtMost), *Other.AtMost);
}

/// The timer shows the same value for a step, in which the true time may be
/// later.
static uint64_t stepOf(const Trace &T, uint32_t Device) {
  return T.Time.Steps[Device].Ns;
}

/// What the calls say that launches could be matched with.
static void addCalls(const Trace &T, std::vector<ClockDistance> &Out) {
  for (uint32_t I = 0; I < T.launches().size(); ++I) {
    const Launch &L = T.launches()[I];
    const HostLaunch *H = T.hostLaunch(L);
    if (!H || H->HostUnixNs == 0)
      continue;
    ClockDistance D;
    D.AtMost =
        nsBetween(T.clock(I).OriginNs + stepOf(T, L.Device), H->HostUnixNs);
    Out[L.Device].intersect(D);
  }
}

/// What the beginning and the end of each process say.
static std::vector<ClockDistance> bounds(const Trace &T,
                                         ArrayRef<Seen> Devices) {
  std::vector<ClockDistance> Out(Devices.size());
  for (size_t I = 0; I < Devices.size(); ++I) {
    const Process &P = T.meta().Processes[T.meta().Devices[I].Process];
    if (!Devices[I].Any)
      continue;
    ClockDistance D;
    if (P.StartUnixNs)
      D.AtMost = nsBetween(Devices[I].First + stepOf(T, I), P.StartUnixNs);
    if (P.EndUnixNs)
      D.AtLeast = nsBetween(Devices[I].Last, P.EndUnixNs);
    Out[I].intersect(D);
  }
  addCalls(T, Out);
  return Out;
}

std::vector<ClockDistance> roughClockDistances(const Trace &T) {
  std::vector<Seen> Devices(T.meta().Devices.size());
  for (uint32_t I = 0; I < T.launches().size(); ++I)
    Devices[T.launches()[I].Device].add(T.clock(I).OriginNs);
  return bounds(T, Devices);
}

Expected<std::vector<ClockDistance>> clockDistances(const Trace &T) {
  std::vector<Seen> Devices(T.meta().Devices.size());
  std::mutex Mutex;
  VisitOptions O;
  // Anchors are all that is looked at: no block needs to be decoded.
  O.Wanted = [&](uint32_t Launch, const Block &B) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Seen &S = Devices[T.launches()[Launch].Device];
    S.add(B.GlobalStart);
    if (B.Finished)
      S.add(B.GlobalEnd);
    return false;
  };
  struct Nothing final : BlockSink {
    void block(const BlockView & /*V*/) override {}
  };
  if (Error E = visitBlocks(
          T, O, [] { return std::make_unique<Nothing>(); },
          [](std::unique_ptr<BlockSink> /*S*/) { return Error::success(); }))
    return E;
  return bounds(T, Devices);
}

bool sameGpu(const Device &A, const Process &OfA, const Device &B,
             const Process &OfB) {
  if (!A.Uuid.empty() || !B.Uuid.empty())
    return A.Uuid == B.Uuid;
  return &OfA == &OfB && A.Index == B.Index;
}

CommonAxis::CommonAxis(const Trace &T) : T(&T) {
  const Meta &M = T.meta();
  if (M.Merged) {
    for (const Device &D : M.Devices)
      Offsets.push_back(D.TimeOffsetNs);
    return;
  }
  for (const ClockDistance &D : roughClockDistances(T))
    Offsets.push_back(D.offset());
}

int64_t CommonAxis::originNs(uint32_t Launch) const {
  return static_cast<int64_t>(
      T->clock(Launch).OriginNs +
      static_cast<uint64_t>(Offsets[T->launches()[Launch].Device]));
}

std::optional<uint64_t> betweenProcessesNs(const Meta &M) {
  uint64_t Error = 0;
  bool OneGpu = true, OneHost = true;
  for (const Device &D : M.Devices) {
    const Process &P = M.Processes[D.Process];
    const Process &First = M.Processes[M.Devices.front().Process];
    OneGpu &= sameGpu(D, P, M.Devices.front(), First);
    OneHost &= !P.clockName().empty() && P.clockName() == First.clockName();
  }
  if (OneGpu) // one globaltimer for all
    return 0;
  for (const Device &D : M.Devices) {
    if (!D.TimeErrorNs)
      return std::nullopt;
    // Each is early by up to its error, so two are apart by the larger one.
    Error = std::max(Error, *D.TimeErrorNs);
  }
  if (OneHost)
    return Error;
  if (!M.HostClockErrorNs)
    return std::nullopt;
  return Error + *M.HostClockErrorNs;
}

} // namespace kinstr::trace
