// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the records of a block to events and clocks.
#ifndef KINSTR_TRACE_DECODE_H
#define KINSTR_TRACE_DECODE_H

#include "trace/Launches.h"
#include "trace/Place.h"
#include "llvm/ADT/SmallVector.h"

namespace kinstr::trace {

/// The events of one warp, whose records these are, and the numbers that belong
/// to some of them, in order of their clocks. \p Callees are the kernel's. \p
/// Events and \p Values are overwritten.
void decodeEvents(const Block &B, llvm::ArrayRef<Placed> Records,
                  llvm::ArrayRef<RecordedCallee> Callees,
                  llvm::SmallVectorImpl<Event> &Events,
                  llvm::SmallVectorImpl<Value> &Values);

/// How many that are.
uint64_t countEvents(llvm::ArrayRef<Placed> Records);

/// What the records of a block, by warp, tell of its SM's clock between its
/// start and its end. \p Out is overwritten. None of a block that moved: it
/// may be the clock of either SM.
void decodeClocks(const Block &B, uint32_t WarpsPerBlock,
                  llvm::ArrayRef<Placed> Records,
                  llvm::SmallVectorImpl<ClockPair> &Out);

/// Whether the clocks of a warp's \p Events may be short by a multiple of
/// 2^32: slots hold 32 bits, and its block lasted long enough for more.
bool mayHaveWrapped(const Block &B, llvm::ArrayRef<Placed> Records,
                    llvm::ArrayRef<Event> Events);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_DECODE_H
