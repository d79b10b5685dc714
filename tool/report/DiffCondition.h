// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions on a comparison, as --fail-if takes them (docs/compare.md):
// `phase load > +5%`, `scope tile > 10us`, `share wait > +2pp`, `kernel norm >
// 300ns`.
#ifndef KINSTR_REPORT_DIFFCONDITION_H
#define KINSTR_REPORT_DIFFCONDITION_H

#include "report/DiffReport.h"

namespace kinstr::report {

struct Condition {
  enum class Of : uint8_t { Phase, Scope, Share, Kernel };
  enum class In : uint8_t { Percent, Points, Ns, Cycles };

  std::string Text;
  Of Subject = Of::Phase;
  std::string
      Name; ///< of a phase or scope, `*` any; of kernels: a valid expression
  bool Mean = false;
  bool Greater = true;
  double Amount = 0;
  In Unit = In::Percent;
};

/// The error says what is wrong with \p Text.
llvm::Expected<Condition> parseCondition(llvm::StringRef Text);

/// Whether the condition holds for any phase, scope or kernel that it is about:
/// changes by more than the amount, and significantly unless \p EvenIfNoise. An
/// error where it is about none, or cannot be decided in its unit.
llvm::Expected<ConditionOutcome> decide(const Condition &C, const Diff &D,
                                        bool EvenIfNoise);

} // namespace kinstr::report

#endif // KINSTR_REPORT_DIFFCONDITION_H
