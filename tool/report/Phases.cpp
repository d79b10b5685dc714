// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the sites of a kernel by name.
#include "report/Phases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace kinstr::report {

std::string PhaseRow::lines() const {
  std::string Out;
  for (uint32_t L : Lines)
    Out += (Out.empty() ? "L" : ",L") + utostr(L);
  return Out;
}

PhaseRows::PhaseRows(const trace::Kernel &K) {
  StringMap<int> Known[2]; // phases, marks
  for (const trace::Site &S : K.Sites) {
    if (S.Kind != trace::SiteKind::Phase && S.Kind != trace::SiteKind::Mark) {
      RowOfSite.push_back(-1);
      continue;
    }
    bool Instant = S.Kind == trace::SiteKind::Mark;
    auto [It, New] =
        Known[Instant].try_emplace(S.Name, static_cast<int>(Rows.size()));
    if (New)
      Rows.push_back({S.Name, {}, Instant});
    PhaseRow &Row = Rows[It->second];
    if (!is_contained(Row.Lines, S.Line))
      Row.Lines.push_back(S.Line);
    RowOfSite.push_back(It->second);
  }
}

} // namespace kinstr::report
