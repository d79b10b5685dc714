// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a phase table: sites of a kernel that share a name.
#ifndef KINSTR_REPORT_PHASES_H
#define KINSTR_REPORT_PHASES_H

#include "trace/Meta.h"
#include "llvm/ADT/SmallVector.h"

namespace kinstr::report {

struct PhaseRow {
  std::string Name;
  llvm::SmallVector<uint32_t, 2> Lines; ///< of its sites, in source order
  bool Instant = false;                 ///< a mark: counted, has no duration
  /// A scope: its time is that of what lies in it, too.
  bool Inclusive = false;

  /// `L41,L52`.
  std::string lines() const;
};

/// The sites of some kinds: one row per kind and name, in source order of the
/// first site that has it.
class NamedSites {
public:
  NamedSites(const trace::Kernel &K, llvm::ArrayRef<trace::SiteKind> Kinds);

  llvm::ArrayRef<PhaseRow> rows() const { return Rows; }
  size_t size() const { return Rows.size(); }
  /// The row of a site; of one of another kind, -1.
  int rowOf(uint32_t Site) const { return RowOfSite[Site]; }

private:
  std::vector<PhaseRow> Rows;
  std::vector<int> RowOfSite;
};

/// Phases and marks.
class PhaseRows : public NamedSites {
public:
  explicit PhaseRows(const trace::Kernel &K)
      : NamedSites(K, {trace::SiteKind::Phase, trace::SiteKind::Mark}) {}
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_PHASES_H
