// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places the records of one part, an SM's region, in their blocks.
#ifndef KINSTR_TRACE_PLACE_H
#define KINSTR_TRACE_PLACE_H

#include "trace/Fit.h"
#include "trace/Launches.h"
#include "trace/Reader.h"

namespace kinstr::trace {

/// A record, or some of its events, and the block they belong to: replays of a
/// graph's node may go on with a record of callees that one before began.
struct Placed {
  Record R;
  uint32_t Block = 0;          ///< in PlacedPart::Blocks
  uint32_t First = 0, End = 0; ///< events, or slots
  bool Stray = false;          ///< from another region
};

/// A record that fits no block of its own region.
struct Stray {
  Record R;
  /// Of the anchor behind it in the region, or before it.
  std::optional<uint64_t> NearClock;
};

/// The blocks of a part and their records, which lie where the part was loaded.
struct PlacedPart {
  std::vector<Found> Blocks; ///< in the order of their anchors
  std::vector<Stray> Strays;
  Unplaced Lost;
  std::vector<Warning> Warnings;

  std::vector<Placed> Records; ///< by block, then warp
  std::vector<size_t> Starts;  ///< of each block in Records, and their end

  llvm::ArrayRef<Placed> recordsOf(size_t Block) const {
    return llvm::ArrayRef(Records).slice(Starts[Block],
                                         Starts[Block + 1] - Starts[Block]);
  }
  /// Sorts records by block and warp, those of a warp as \p Before says, and
  /// drops what is one too many.
  void group(bool (*Before)(const Placed &, const Placed &));
};

/// Places what fits a block of the same part.
PlacedPart placeRecords(const Meta &M, const LoadedPart &L);

/// The blocks alone.
std::vector<Found> findBlocks(const Meta &M, const LoadedPart &L);

/// A block as those see it who look into it. Without Launch and NumWarps.
Block makeBlock(const Meta &M, const Found &F);

/// What the blocks of a launch have in common.
inline LaunchKey keyOf(const Launch &L) {
  return {L.Device,
          L.GridId,
          static_cast<uint16_t>(L.Module),
          static_cast<uint16_t>(L.Kernel),
          L.Grid[0],
          L.Grid[1],
          L.Grid[2],
          L.BlockDim[0],
          L.BlockDim[1],
          L.BlockDim[2],
          L.DynamicShared,
          L.Replay};
}

/// The records of one warp in front of \p Records, which are by warp.
inline llvm::ArrayRef<Placed> firstWarp(llvm::ArrayRef<Placed> Records) {
  uint32_t Warp = Records.front().R.tag().warp;
  return Records.take_while(
      [=](const Placed &P) { return P.R.tag().warp == Warp; });
}

} // namespace kinstr::trace

#endif // KINSTR_TRACE_PLACE_H
