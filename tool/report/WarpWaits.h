// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where warps of one kind wait for warps of another, as far as times show it:
// consumers for producers, or the reverse.
#ifndef KINSTR_REPORT_WARPWAITS_H
#define KINSTR_REPORT_WARPWAITS_H

#include "trace/Visit.h"
#include <map>

namespace kinstr::report {

/// Stays in one phase, by warps that are never in another phase, and ends of
/// that one in other warps of the block, which are never in this.
struct WaitPair {
  uint64_t Long = 0;      ///< stays of LongEnough and more
  uint64_t EndedWith = 0; ///< of them: ended Near after an end of the other
  double Chance = 0;      ///< how many would have if ends fell anywhere

  void join(const WaitPair &Other);
};

/// Takes the blocks of a kernel.
class WarpWaits {
public:
  /// From the end of what a warp waits for to the end of its wait [cycles].
  static constexpr uint64_t Near = 200;
  static constexpr uint64_t LongEnough = 4 * Near;

  void add(const trace::BlockView &V, size_t NumSites);
  void join(const WarpWaits &Other);

  /// By the site that waits and the site that it ends with.
  const std::map<std::pair<uint32_t, uint32_t>, WaitPair> &pairs() const {
    return Pairs;
  }
  /// Indices of the warps that were in a site, and their time altogether.
  struct User {
    uint64_t Warps = 0;    ///< a bit for each of the first 64
    double Cycles = 0;     ///< WarpTime of these warps
    double LongCycles = 0; ///< in stays of LongEnough and more
  };
  const std::map<uint32_t, User> &users() const { return Users; }

private:
  /// More sites than this are not put together.
  static constexpr size_t MostSites = 64;

  void addStays(const trace::WarpView &W, uint32_t Site, uint32_t Other,
                llvm::ArrayRef<uint64_t> Ends);

  std::map<std::pair<uint32_t, uint32_t>, WaitPair> Pairs;
  std::map<uint32_t, User> Users;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_WARPWAITS_H
