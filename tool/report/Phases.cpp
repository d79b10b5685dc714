// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the sites of a kernel by name.
#include "report/Phases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace llvm;

namespace kinstr::report {

std::string PhaseRow::lines() const {
  std::string Out;
  for (uint32_t L : Lines)
    Out += (Out.empty() ? "L" : ",L") + utostr(L);
  return Out;
}

NamedSites::NamedSites(const trace::Kernel &K,
                       ArrayRef<trace::SiteKind> Kinds) {
  std::map<trace::SiteKind, StringMap<int>> Known;
  for (const trace::Site &S : K.Sites) {
    if (!is_contained(Kinds, S.Kind)) {
      RowOfSite.push_back(-1);
      continue;
    }
    auto [It, New] =
        Known[S.Kind].try_emplace(S.Name, static_cast<int>(Rows.size()));
    if (New) {
      PhaseRow &Row = Rows.emplace_back();
      Row.Name = S.Name;
      Row.Instant =
          S.Kind == trace::SiteKind::Mark || S.Kind == trace::SiteKind::Value;
      Row.Inclusive = S.Kind == trace::SiteKind::Scope;
    }
    PhaseRow &Row = Rows[It->second];
    if (!is_contained(Row.Lines, S.Line))
      Row.Lines.push_back(S.Line);
    RowOfSite.push_back(It->second);
  }
}

} // namespace kinstr::report
