// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot be known from one part of a trace alone: which replay of a
// graph's node a block ran in, and whose the records are that fit no block of
// their own part. Both are rare; where there is neither, nothing here is run.
#ifndef KINSTR_TRACE_ELSEWHERE_H
#define KINSTR_TRACE_ELSEWHERE_H

#include "trace/Place.h"
#include "trace/Workers.h"
#include <memory>
#include <set>

namespace kinstr::trace {

/// A block by its part and its position among the anchors there.
using BlockId = std::pair<uint32_t, uint32_t>;

/// Bytes of records that outlive their part.
class RecordCopies {
public:
  Record add(const Record &R);
  void take(RecordCopies &&From);

private:
  std::vector<std::unique_ptr<uint8_t[]>> Bytes;
};

/// What the parts of a trace have to be told.
struct Elsewhere {
  /// By block: its replay, where that is not 0.
  std::vector<std::pair<BlockId, uint32_t>> Replays;
  /// Blocks that have records in other parts. They are handed out together,
  /// after all others.
  std::vector<BlockId> Gathered;

  bool empty() const { return Replays.empty() && Gathered.empty(); }
  /// Tells the blocks of part \p Number.
  void tell(uint32_t Number, llvm::MutableArrayRef<Found> Blocks) const;
};

/// The blocks of Elsewhere::Gathered and their records, copied.
struct GatheredPart {
  PlacedPart Placed;
  RecordCopies Copies;
};

/// A record that fits no block of its own part, copied.
struct CopiedStray {
  Stray S;
  uint32_t Device = 0;
};

/// What was asked of the parts, and the answer.
struct ElsewhereQuestion {
  std::set<LaunchKey> Repeated; ///< launches that have a block more than once
  std::vector<CopiedStray> Strays; ///< by part
};
struct ElsewhereAnswer {
  Elsewhere Known;
  /// The strays that were placed, and the block each belongs to.
  std::vector<std::pair<BlockId, Record>> Placed;
  Unplaced Lost;
};

/// Looks at the anchors of all parts.
llvm::Expected<ElsewhereAnswer>
lookElsewhere(const RawTrace &T, const ElsewhereQuestion &Q, const Watch &W);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_ELSEWHERE_H
