// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which call of the host each launch on the device came from.
#include "trace/Launches.h"

#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// What both sides know of a launch. Two launches that differ here are surely
/// not the same one.
using Shape = std::tuple<uint32_t, int32_t, Dim3, Dim3, uint64_t>;

/// The launches of one device, each side in its own order.
struct Sides {
  std::vector<std::pair<Shape, uint32_t>> Host, Device;
};

} // namespace

/// Nothing where the call launched a kernel without annotations: it leaves no
/// record.
static std::optional<Shape> shapeOf(const Meta &M, const HostLaunch &L) {
  uint32_t Module = L.Module;
  int32_t Kernel =
      L.Site < 0 ? -1 : M.Modules[L.Module].Launches[L.Site].Kernel;
  // One place may launch several kernels: then only the run could tell which.
  if (Kernel < 0 && L.Function >= 0) {
    Module = M.Functions[L.Function].Module;
    Kernel = M.Functions[L.Function].Kernel;
  }
  if (Kernel < 0)
    return std::nullopt;
  return Shape(Module, Kernel, L.Grid, L.Block, L.DynamicShared);
}

static Shape shapeOf(const Launch &L) {
  return Shape(L.Module, L.Kernel, L.Grid, L.BlockDim, L.DynamicShared);
}

static void match(const Meta &M, Launch &L, uint32_t Host) {
  L.Host = Host;
  L.Function = M.Launches[Host].Function;
  L.BlocksPerSm = M.Launches[Host].BlocksPerSm;
}

/// Several calls could be this launch. What they agree on is true of it.
static void takeCommon(const Meta &M, Launch &L, ArrayRef<uint32_t> Calls) {
  if (Calls.empty())
    return;
  const HostLaunch &First = M.Launches[Calls.front()];
  auto AllHave = [&](auto Field) {
    return all_of(Calls, [&](uint32_t I) {
      return M.Launches[I].*Field == First.*Field;
    });
  };
  if (AllHave(&HostLaunch::Function))
    L.Function = First.Function;
  if (AllHave(&HostLaunch::BlocksPerSm))
    L.BlocksPerSm = First.BlocksPerSm;
}

static void matchByShape(const Meta &M, Launches &Ls, const Sides &S) {
  std::map<Shape, std::pair<SmallVector<uint32_t>, SmallVector<uint32_t>>>
      Groups;
  for (const auto &[Key, I] : S.Host)
    Groups[Key].first.push_back(I);
  for (const auto &[Key, I] : S.Device)
    Groups[Key].second.push_back(I);
  for (const auto &[Key, Group] : Groups) {
    const auto &[Calls, Seen] = Group;
    // A graph's nodes run when it is replayed, not in the order of the calls.
    bool Captured =
        any_of(Calls, [&M](uint32_t I) { return M.Launches[I].Captured; });
    for (size_t I = 0; I < Seen.size(); ++I) {
      if (Calls.size() == Seen.size() && !Captured)
        match(M, Ls.List[Seen[I]], Calls[I]);
      else
        takeCommon(M, Ls.List[Seen[I]], Calls);
    }
  }
}

void matchHostLaunches(const Meta &M, Launches &Ls) {
  std::vector<Sides> ByDevice(M.Devices.size());
  for (uint32_t I = 0; I < M.Launches.size(); ++I)
    if (std::optional<Shape> Key = shapeOf(M, M.Launches[I]))
      ByDevice[M.Launches[I].Device].Host.emplace_back(*Key, I);
  for (uint32_t I = 0; I < Ls.List.size(); ++I)
    ByDevice[Ls.List[I].Device].Device.emplace_back(shapeOf(Ls.List[I]), I);

  for (const Sides &S : ByDevice) {
    // Equal sequences fall out of matching by shape too: each shape then has
    // equal counts, in the same order.
    matchByShape(M, Ls, S);
  }
}

} // namespace kinstr::trace
