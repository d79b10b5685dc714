// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison as text for people, as JSON, and as a page.
#ifndef KINSTR_REPORT_DIFFREPORT_H
#define KINSTR_REPORT_DIFFREPORT_H

#include "report/Diff.h"

namespace kinstr::report {

/// What a condition of the command line came to.
struct ConditionOutcome {
  std::string Condition;
  bool Holds = false;
  std::string Why; ///< one line; empty where there is nothing to say
};

struct DiffTextOptions {
  bool Colour = false;
  bool Wrap = false; ///< break text at Width
  unsigned Width = 80;
};

void printDiff(const Diff &D, const DiffTextOptions &O, llvm::raw_ostream &OS);

/// docs/diff.schema.json.
std::string diffJson(const Diff &D, llvm::ArrayRef<ConditionOutcome> Outcomes);

/// One page that needs nothing else.
std::string diffHtml(const Diff &D, llvm::ArrayRef<ConditionOutcome> Outcomes);

// ---- words that they share ----

/// `slower`, `less`; \p IsShare: of the time, not of a duration.
llvm::StringRef verdictWord(Verdict V, bool IsShare);

/// `ns`, `cycles`.
llvm::StringRef unitName(TimeUnit U);

/// `1234`, `12.3`: three digits at least.
std::string figure(double Value);

/// `+5.3`; `new` where there is nothing to compare with.
std::string percent(double Value);

/// `432 blocks of 1 launch`, `3 launches, 1296 blocks`.
std::string sideText(const SideDiff &S);

/// What was drawn again.
std::string unitsText(const KernelDiff &K);

/// What is noise, of how many comparisons.
std::string significanceText(const Diff &D);

constexpr llvm::StringLiteral UnclearText =
    "unclear: what marks cost, or what is not known of clocks, may explain it";

/// Over the names of the first rows: `phase`; `scope` where there is no phase.
llvm::StringRef firstHeading(const KernelDiff &K);

/// Whether \p R is the first scope below phases.
bool headsScopes(const KernelDiff &K, const RowDiff &R);

constexpr llvm::StringLiteral ScopesText =
    "scopes overlap each other and phases: their shares do not add up";

bool hasScopes(const Diff &D);

/// The three comparisons of a row, and what each is of.
struct NamedComparison {
  const char *Of; ///< `p50`, `mean`, `share`
  const Comparison *C;
  bool IsShare;
};
llvm::SmallVector<NamedComparison, 3> comparisonsOf(const RowDiff &R);

} // namespace kinstr::report

#endif // KINSTR_REPORT_DIFFREPORT_H
