// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up callees by their sites.
#include "trace/Callees.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kinstr::trace {

/// The callee of module \p Module that has site \p Site.
static std::optional<uint32_t> calleeOf(const Meta &M, uint64_t Module,
                                        uint32_t Site) {
  if (Module >= M.Modules.size())
    return std::nullopt;
  ArrayRef<Callee> Callees = M.Modules[Module].Callees;
  auto Behind = partition_point(
      Callees, [&](const Callee &C) { return C.FirstSite <= Site; });
  if (Behind == Callees.begin() ||
      Site - std::prev(Behind)->FirstSite >= std::prev(Behind)->Sites.size())
    return std::nullopt;
  return std::prev(Behind) - Callees.begin();
}

bool fitsCallees(const Meta &M, const Record &R) {
  uint64_t Module = R.calleeModule();
  bool Empty = true;
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    StoredEvent E = R.event(I);
    if (E.Written && calleeOf(M, Module, E.Site))
      return true;
    Empty &= !E.isOfUser();
  }
  return Empty && Module < M.Modules.size();
}

void CalleeSet::add(uint32_t Module, uint32_t Kernel, const Record &R) {
  uint32_t From = R.calleeModule(); // fitsCallees() asked before
  std::set<Key> &Called = Of[{Module, Kernel}];
  std::optional<uint32_t> Last;
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    StoredEvent E = R.event(I);
    if (!E.Written)
      continue;
    std::optional<uint32_t> Number = calleeOf(*M, From, E.Site);
    if (Number && Number != Last)
      Called.insert({From, *Number});
    Last = Number;
  }
}

void CalleeSet::join(const CalleeSet &Part) {
  for (const auto &[Kernel, Called] : Part.Of)
    Of[Kernel].insert(Called.begin(), Called.end());
}

decltype(Launches::Callees) CalleeSet::numbered() const {
  decltype(Launches::Callees) Out;
  for (const auto &[Kernel, Called] : Of) {
    std::vector<RecordedCallee> &List = Out[Kernel];
    uint32_t Next = M->Modules[Kernel.first].Kernels[Kernel.second].OwnSites;
    for (auto [Module, Number] : Called) {
      const Callee &C = M->Modules[Module].Callees[Number];
      auto NumSites = static_cast<uint32_t>(C.Sites.size());
      List.push_back({Module, Number, C.FirstSite, NumSites, Next});
      Next += NumSites;
    }
  }
  return Out;
}

void addCalleeSites(const Launches &Ls, Meta &M) {
  for (const auto &[Key, List] : Ls.Callees) {
    std::vector<Site> &Sites = M.Modules[Key.first].Kernels[Key.second].Sites;
    for (size_t I = 0; I < List.size(); ++I)
      for (Site S : M.Modules[List[I].Module].Callees[List[I].Callee].Sites) {
        S.Callee = I + 1;
        Sites.push_back(std::move(S));
      }
  }
}

uint32_t calleeSite(ArrayRef<RecordedCallee> Callees, uint32_t Module,
                    uint32_t Site) {
  if (Site == pause_site)
    return Site;
  for (const RecordedCallee &C : Callees)
    if (C.has(Module, Site))
      return C.FirstKernelSite + (Site - C.FirstSite);
  return unknown_site;
}

} // namespace kinstr::trace
