// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the warps of a block wait for each other, as far as times show it.
#ifndef KINSTR_REPORT_MEETINGS_H
#define KINSTR_REPORT_MEETINGS_H

#include "trace/Visit.h"
#include <limits>

namespace kinstr::report {

/// The n-th time that the warps of a block were in a phase (a site).
struct Passing {
  uint32_t Site = 0;
  uint32_t Warps = 0;                     ///< that came so often
  uint64_t FirstBegin = 0, LastBegin = 0; ///< [cycles]
  uint64_t FirstEnd = 0, LastEnd = 0;     ///< [cycles]
  uint32_t LastWarp = 0;                  ///< began last: BlockView::Warps
  uint64_t SumBegins = 0;                 ///< from the block's anchor
  bool Closed = true;                     ///< all left it

  /// Less than this apart they came together: what they do next says nothing.
  static constexpr uint64_t Apart = 64;

  /// They came so far apart that their ends tell whether they waited.
  bool telling() const { return Warps > 1 && Closed && apart() >= Apart; }
  /// Nobody left before the last had come, and they left much closer together
  /// than they came: what a barrier does.
  bool together() const {
    return telling() && !leftEarly() && LastEnd - FirstEnd <= apart() / 2;
  }
  /// Someone left before the last had come, which no barrier lets happen.
  bool leftEarly() const { return FirstEnd < LastBegin; }
  uint64_t apart() const { return LastBegin - FirstBegin; }
};

/// The passings of a block, and which spans belong to which. Its arrays are
/// used again for the next block.
class Meetings {
public:
  static constexpr uint32_t None = std::numeric_limits<uint32_t>::max();

  /// \p NumSites of the block's kernel. A phase that callees interrupt, or that
  /// had no end, belongs to no passing. Of a block that moved between SMs there
  /// are none.
  void find(const trace::BlockView &V, size_t NumSites);

  llvm::ArrayRef<Passing> passings() const { return All; }
  /// The passing of span \p Span of the warp at position \p Warp, or null.
  const Passing *of(size_t Warp, size_t Span) const {
    uint32_t P = OfSpan[FirstSpan[Warp] + Span];
    return P == None ? nullptr : &All[P];
  }
  /// How long warps waited for the last to come, all together [cycles].
  static double waited(const Passing &P, const trace::Block &B) {
    return static_cast<double>(P.Warps) *
               static_cast<double>(P.LastBegin - B.ClockStart) -
           static_cast<double>(P.SumBegins);
  }

private:
  uint32_t passingOf(uint32_t Site, uint32_t Nth);

  std::vector<Passing> All;
  std::vector<llvm::SmallVector<uint32_t, 1>> OfSite; ///< n-th passing
  std::vector<uint32_t> Times;                        ///< of a warp, by site
  std::vector<size_t> FirstSpan;                      ///< of a warp, in OfSpan
  std::vector<uint32_t> OfSpan;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_MEETINGS_H
