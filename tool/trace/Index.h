// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first pass over a trace: which launches there are, and what is known of
// them without their events.
#ifndef KINSTR_TRACE_INDEX_H
#define KINSTR_TRACE_INDEX_H

#include "trace/Elsewhere.h"
#include "trace/Launches.h"
#include "trace/Readings.h"

namespace kinstr::trace {

/// What the first pass finds.
struct TraceIndex {
  Launches Ls;                                ///< by keyOf()
  std::vector<std::vector<Reading>> Readings; ///< likewise; by SM and clock
  Elsewhere Known;                        ///< what later passes are to be told
  std::unique_ptr<GatheredPart> Gathered; ///< or null
};

/// Loads part \p Number, tells its blocks what is known and places its
/// records.
llvm::Expected<PlacedPart> placePart(const RawTrace &T, Part P, uint32_t Number,
                                     const Elsewhere &Known, LoadedPart &Bytes);

/// Goes through all parts; again, if there is something that no part tells
/// alone.
llvm::Expected<TraceIndex> indexTrace(const RawTrace &T, const Watch &W);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_INDEX_H
