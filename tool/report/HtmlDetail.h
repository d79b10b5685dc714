// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second pass: blocks, what their warps did, and how many warps were in
// which phase when, as columns for the page.
#ifndef KINSTR_REPORT_HTMLDETAIL_H
#define KINSTR_REPORT_HTMLDETAIL_H

#include "report/HtmlColumns.h"
#include "report/HtmlSurvey.h"
#include "report/Phases.h"

namespace kinstr::report {

/// How much a page may hold. Beyond that, blocks are drawn by lot.
struct HtmlLimits {
  uint64_t Spans = 16000000; ///< scopes and numbers too
  uint64_t Blocks = 2000000;
  uint32_t Launches = 4096;
};

/// Which blocks are in the page, and which of these with their warps. By a
/// hash of launch and block, so that no stride hits only some of the SMs.
class Lot {
public:
  Lot(const Survey &S, const HtmlLimits &Limits);

  bool hasBlock(uint32_t Launch, uint32_t Block) const {
    return draws(Launch, Block, BlockShare);
  }
  bool hasSpans(uint32_t Launch, uint32_t Block) const {
    return draws(Launch, Block, SpanShare);
  }
  bool allBlocks() const { return BlockShare >= 1; }
  bool allSpans() const { return SpanShare >= 1; }

private:
  static bool draws(uint32_t Launch, uint32_t Block, double Share);

  double BlockShare = 1, SpanShare = 1;
};

/// What the page holds of a launch.
struct LaunchDetail {
  ColumnPack Pack;
  uint64_t Blocks = 0, BlocksWithSpans = 0;
  uint32_t ProfileBins = 0; ///< 0: no time axis
};

/// Of each of \p Launches.
llvm::Expected<std::vector<LaunchDetail>>
collectDetail(const trace::Trace &T, const Selection &S,
              const PageLaunches &Launches, const Survey &Found,
              const Lot &Chosen);

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTMLDETAIL_H
