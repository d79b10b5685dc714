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

/// What both sides know of a launch, its device first. Two launches that differ
/// here are surely not the same one.
using Shape = std::tuple<uint32_t, uint32_t, int32_t, Dim3, Dim3, uint64_t>;

/// Launches of one shape, each side in its own order.
struct Sides {
  std::vector<uint32_t> Calls, Seen; ///< Meta::Launches, Launches::List
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
  return Shape(L.Device, Module, Kernel, L.Grid, L.Block, L.DynamicShared);
}

static Shape shapeOf(const Launch &L) {
  return Shape(L.Device, L.Module, L.Kernel, L.Grid, L.BlockDim,
               L.DynamicShared);
}

/// Several calls could be a launch. What they agree on is true of it.
static HostLaunch common(const Meta &M, ArrayRef<uint32_t> Calls) {
  HostLaunch Common = M.Launches[Calls.front()];
  for (uint32_t I : Calls) {
    if (M.Launches[I].Function != Common.Function)
      Common.Function = -1;
    if (M.Launches[I].BlocksPerSm != Common.BlocksPerSm)
      Common.BlocksPerSm = 0;
  }
  return Common;
}

static void take(const HostLaunch &Call, Launch &L) {
  L.Function = Call.Function;
  L.BlocksPerSm = Call.BlocksPerSm;
}

static void match(const Meta &M, const Sides &S, Launches &Ls) {
  if (S.Calls.empty())
    return;
  // A graph's nodes run when it is replayed, not in the order of the calls.
  bool Captured =
      any_of(S.Calls, [&M](uint32_t I) { return M.Launches[I].Captured; });
  if (S.Calls.size() != S.Seen.size() || Captured) {
    const HostLaunch Common = common(M, S.Calls);
    for (uint32_t I : S.Seen)
      take(Common, Ls.List[I]);
    return;
  }
  for (auto [Call, I] : zip_equal(S.Calls, S.Seen)) {
    Ls.List[I].Host = Call;
    take(M.Launches[Call], Ls.List[I]);
  }
}

// Equal sequences fall out of matching by shape too: each shape then has equal
// counts, in the same order.
void matchHostLaunches(const Meta &M, Launches &Ls) {
  std::map<Shape, Sides> ByShape;
  for (uint32_t I = 0; I < M.Launches.size(); ++I)
    if (std::optional<Shape> Key = shapeOf(M, M.Launches[I]))
      ByShape[*Key].Calls.push_back(I);
  for (uint32_t I = 0; I < Ls.List.size(); ++I)
    ByShape[shapeOf(Ls.List[I])].Seen.push_back(I);
  for (const auto &[Key, S] : ByShape)
    match(M, S, Ls);
}

} // namespace kinstr::trace
