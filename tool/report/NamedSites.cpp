// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the sites of one kind by name.
#include "report/NamedSites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace kinstr::report {

NamedSites::NamedSites(const trace::Kernel &K, trace::SiteKind Kind) {
  StringMap<int> Known;
  for (const trace::Site &S : K.Sites) {
    if (S.Kind != Kind) {
      RowOfSite.push_back(-1);
      continue;
    }
    auto [It, New] = Known.try_emplace(S.Name, static_cast<int>(Rows.size()));
    if (New)
      Rows.push_back({S.Name,
                      {},
                      /*Instant=*/Kind != trace::SiteKind::Scope,
                      /*Inclusive=*/Kind == trace::SiteKind::Scope});
    PhaseRow &Row = Rows[It->second];
    if (!is_contained(Row.Lines, S.Line))
      Row.Lines.push_back(S.Line);
    RowOfSite.push_back(It->second);
  }
}

} // namespace kinstr::report
