// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a record without an anchor can be of a block, and how well it fits.
#ifndef KINSTR_TRACE_FIT_H
#define KINSTR_TRACE_FIT_H

#include "trace/Meta.h"
#include "trace/Records.h"
#include <tuple>
#include <utility>

namespace kinstr::trace {

/// By how many bits slots and events hold a clock.
constexpr unsigned SlotBits = 32, EventBits = 48;

/// Other warps of a block may pass their first site before the one with the
/// anchor reads its start: usually by no more than UsualLead (871 is the most
/// seen, of 370000 warps), never by more than StartSlack. Hardly any is through
/// by then. [cycles]
constexpr uint64_t UsualLead = 1 << 11, StartSlack = 1 << 16;

/// What blocks of one launch, in one replay of its node, have in common, in the
/// order of launches.
using LaunchKey =
    std::tuple<uint32_t, uint64_t, uint16_t, uint16_t, uint32_t, uint32_t,
               uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

/// A block as its anchor describes it.
struct Found {
  Anchor A;
  Record R;              ///< that has the anchor
  uint32_t Block = 0;    ///< linear index
  uint32_t Device = 0;   ///< position in Meta::Devices
  uint32_t Replay = 0;   ///< Launch::Replay
  bool Gathered = false; ///< handed out with those that lie in several parts

  bool sameSm() const { return A.SmStart == A.SmEnd; }
  bool finished() const {
    // An end before the start on the same clock is damage, not time.
    return A.GlobalEnd != 0 && (!sameSm() || A.ClockEnd >= A.ClockStart);
  }
  bool moved() const { return finished() && !sameSm(); }
  LaunchKey launchKey() const {
    return {Device,     A.GridId,   A.Module,        A.Kernel,
            A.Grid[0],  A.Grid[1],  A.Grid[2],       A.Block[0],
            A.Block[1], A.Block[2], A.DynamicShared, Replay};
  }
};

/// Whether there can be such a block.
bool plausible(const Meta &M, const Found &F);

/// Whether \p R can be a record of the kernel of \p F.
bool fitsKernel(const Meta &M, const Found &F, const Record &R);

/// How a record without anchor is looked up: what its block's anchor shares.
uint64_t lookupKey(const Found &F);
uint64_t lookupKey(const Record &R);

/// The clock of the first site the record's warp reached, or of the last one,
/// and its width.
std::optional<std::pair<uint64_t, unsigned>> outerClock(const Record &R,
                                                        bool Last);

/// How well a record fits a block: the smaller the better.
using Fit = std::pair<unsigned, uint64_t>;

/// Whether and how well record \p R can be of a warp of block \p F, by the
/// clock of the first site it reached.
std::optional<Fit> fit(const Found &F, const Record &R);

/// Whether an event with these 48 bits of clock is of a warp of \p Later, not
/// of \p Earlier: the same block in two replays, which follow one another.
bool isOfLater(const Found &Earlier, const Found &Later, uint64_t Clock48);

/// The best of the blocks that were tried.
template <typename Index> struct Choice {
  std::optional<Index> Block;
  void consider(Index I, std::optional<Fit> F, uint64_t Distance) {
    if (!F || (Block && std::pair(Best, Nearest) <= std::pair(*F, Distance)))
      return;
    Block = I;
    Best = *F;
    Nearest = Distance;
  }

private:
  Fit Best;
  uint64_t Nearest = 0;
};

/// How many anchors of the same key to look at in either direction where the
/// nearest two do not fit.
constexpr ptrdiff_t Window = 8;

} // namespace kinstr::trace

#endif // KINSTR_TRACE_FIT_H
