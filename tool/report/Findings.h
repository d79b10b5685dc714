// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numbers of a kernel say, in words; nothing where they say nothing.
// docs/cli.md, "Findings", has the conditions.
#ifndef KINSTR_REPORT_FINDINGS_H
#define KINSTR_REPORT_FINDINGS_H

#include "report/Statistics.h"

namespace kinstr::report {

enum class FindingKind : uint8_t {
  Barrier,     ///< warps of a block wait for each other
  WarpWait,    ///< warps of one kind wait for those of another
  PartialWave, ///< the last wave leaves slots empty
  WideSpread,  ///< a phase that takes much longer now and then
  SlowSm,      ///< an SM on which everything takes longer
  MarkCost,    ///< phases too short for what a mark costs
};

struct Finding {
  FindingKind Kind;
  bool Certain = false; ///< high confidence, else medium
  std::string Phase;    ///< printable; empty where it is about no one phase
  std::string Text;     ///< a sentence or two, without a full stop
  std::string See;      ///< options that show more; may be empty
  double Share = 0;     ///< of warp time, or of slots' time: what it is worth
  std::optional<uint32_t> Warp; ///< that comes last
};

/// `barrier`, `warp-wait`, ...
llvm::StringRef kindName(FindingKind K);

/// What findings are made of.
struct FindingInput {
  const trace::Trace &T;
  const LaunchGroup &Launches;
  const PhaseRows &Phases;
  const Statistics &S;
  std::optional<double> MarkCycles; ///< markCost()
  bool Subtracted = false;          ///< StatisticsOptions::SubtractMarkCost
};

/// The most important ones first.
std::vector<Finding> findings(const FindingInput &In);

/// Sites where the warps of a block wait for each other.
bool isBarrier(const MeetingStats &M);

} // namespace kinstr::report

#endif // KINSTR_REPORT_FINDINGS_H
