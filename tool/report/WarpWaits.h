// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where warps of one kind wait for warps of another, as far as times show it:
// consumers for producers, or the reverse.
#ifndef KINSTR_REPORT_WARPWAITS_H
#define KINSTR_REPORT_WARPWAITS_H

#include "trace/Visit.h"
#include <array>
#include <map>
#include <optional>

namespace kinstr::report {

/// Stays in one phase, by warps that are never in another phase, and ends of
/// that one in other warps of the block, which are never in this.
class WaitPair {
public:
  /// A stay of \p Length in which the other phase ended \p Ends times, the last
  /// time \p Lag before the stay did. [cycles]
  void add(uint64_t Length, uint64_t Ends, uint64_t Lag);
  void join(const WaitPair &Other);

  /// How alike the lags are.
  struct Match {
    uint64_t From = 0, To = 0; ///< lags of most stays [cycles]
    uint64_t Hits = 0;         ///< of how many
    double Chance = 0; ///< how many there would be if ends fell anywhere
  };
  struct Demand {
    uint64_t Stays;       ///< at least
    double Share, Chance; ///< of the stays: hits at least, chance at most
    double Sigmas;        ///< of chance, by which there are more hits
  };
  /// The narrowest that fulfils \p D. What a warp waits for is over when most
  /// of the wait is.
  std::optional<Match> match(const Demand &D) const;

  uint64_t stays() const { return Stays; }

private:
  /// A copy that is under way arrives later than whoever began it went on.
  static constexpr uint64_t Bin = 100, MostBins = 32;              ///< [cycles]
  static constexpr std::array<uint64_t, 4> Widths = {2, 4, 8, 16}; ///< [bins]

  uint64_t Stays = 0;
  double Cycles = 0; ///< of all stays
  std::array<uint64_t, MostBins> Lags = {};
  std::array<double, Widths.size()> Chances = {}; ///< by width
};

/// Takes the blocks of a kernel.
class WarpWaits {
public:
  static constexpr uint64_t LongEnough = 800; ///< stays [cycles]

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
