// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two traces compared: which kernels, phases and scopes are in both, what
// changed, and whether that means anything.
#ifndef KINSTR_REPORT_DIFF_H
#define KINSTR_REPORT_DIFF_H

#include "report/DiffBootstrap.h"

namespace kinstr::report {

enum class Verdict : uint8_t {
  Absent,     ///< nothing to compare
  NoInterval, ///< of one unit on either side: nobody knows
  Noise,      ///< chance may have made it
  Unclear,    ///< not chance, but marks or clocks may have made it
  Lower,
  Higher,
};

/// `no-interval`, `lower`: as in JSON.
llvm::StringRef verdictName(Verdict V);

struct Comparison : Difference {
  double AdjustedP = 1; ///< by holm(), over all comparisons of a diff
  /// A change up to this much may come from what marks cost, where that differs
  /// between the traces, and from what is not known of the clocks. Infinite:
  /// not known.
  double Explained = 0;
  /// Less than one mark takes.
  bool BelowMark = false;
  Verdict Says = Verdict::Absent;

  bool significant() const {
    return Says == Verdict::Lower || Says == Verdict::Higher;
  }
  /// Of A; infinite where that is 0.
  double percentOf(double Value) const;
  double changePercent() const { return percentOf(change()); }
};

struct RowDiff {
  std::string Name;
  bool IsScope = false;
  uint64_t CountA = 0, CountB = 0;
  bool InA = true, InB = true;    ///< the kernel has such a row
  Comparison Median, Mean, Share; ///< Share: of 1
};

/// What is known of one side of a kernel.
struct SideDiff {
  KernelGroup Group;
  uint64_t Units = 0, Blocks = 0, Warps = 0, Marks = 0;
};

struct KernelDiff {
  SideDiff A, B;
  TimeUnit Unit = TimeUnit::Ns; ///< of Rows; launches are in ns
  std::string UnitReason;
  RowDiff Launch;            ///< first block's start to last block's end
  std::vector<RowDiff> Rows; ///< phases, then scopes
  std::vector<std::string> Warnings;
};

struct TraceFacts {
  std::string File, Program, Devices;
  uint64_t Launches = 0, DroppedEvents = 0;
};

struct Diff {
  TraceFacts A, B;
  std::vector<KernelDiff> Kernels;
  std::vector<std::string> OnlyA, OnlyB; ///< kernels
  std::vector<std::string> Warnings;
  uint64_t Compared = 0; ///< comparisons that have a P
};

/// One side: a trace, and which part of it.
struct DiffInput {
  std::string File; ///< as the user named it
  const trace::Trace &T;
  const Selection &S;
};

llvm::Expected<Diff> compareTraces(const DiffInput &A, const DiffInput &B,
                                   std::optional<TimeUnit> Unit);

} // namespace kinstr::report

#endif // KINSTR_REPORT_DIFF_H
