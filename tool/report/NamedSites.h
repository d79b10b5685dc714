// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes and values of a kernel by name.
#ifndef KINSTR_REPORT_NAMEDSITES_H
#define KINSTR_REPORT_NAMEDSITES_H

#include "report/Phases.h"

namespace kinstr::report {

/// The sites of one kind: one row per name, in source order of the first site
/// that has it.
class NamedSites {
public:
  NamedSites(const trace::Kernel &K, trace::SiteKind Kind);

  llvm::ArrayRef<PhaseRow> rows() const { return Rows; }
  size_t size() const { return Rows.size(); }
  /// The row of a site; of one of another kind, -1.
  int rowOf(uint32_t Site) const { return RowOfSite[Site]; }

private:
  std::vector<PhaseRow> Rows;
  std::vector<int> RowOfSite;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_NAMEDSITES_H
