// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups launches.
#include "report/LaunchGroups.h"

#include <map>
#include <tuple>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

std::vector<LaunchGroup> groupByKernel(const Trace &T,
                                       ArrayRef<uint32_t> Launches) {
  using Key =
      std::tuple<uint32_t, uint32_t, uint32_t, int32_t, Dim3, Dim3, uint32_t>;
  std::map<Key, size_t> Known;
  std::vector<LaunchGroup> Groups;
  for (uint32_t I : Launches) {
    const Launch &L = T.launches()[I];
    Key K(L.Device, L.Module, L.Kernel, L.Function, L.Grid, L.BlockDim,
          L.DynamicShared);
    auto [It, New] = Known.try_emplace(K, Groups.size());
    if (New)
      Groups.emplace_back();
    Groups[It->second].push_back(I);
  }
  return Groups;
}

std::vector<LaunchGroup> oneByOne(ArrayRef<uint32_t> Launches) {
  std::vector<LaunchGroup> Groups;
  for (uint32_t I : Launches)
    Groups.push_back({I});
  return Groups;
}

} // namespace kinstr::report
