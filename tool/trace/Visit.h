// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a trace to everything that is made of it: its blocks, decoded,
// one at a time. What is made of them is not kept here, nor is more of the
// trace in memory than a few parts, each what one SM recorded.
#ifndef KINSTR_TRACE_VISIT_H
#define KINSTR_TRACE_VISIT_H

#include "trace/Spans.h"
#include "trace/Trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <memory>

namespace kinstr::trace {

/// A warp of a block. Valid until the call it was handed to returns.
struct WarpView {
  uint32_t Index = 0; ///< in the block
  WarpTime Time;
  llvm::ArrayRef<Event> Events; ///< by clock, exits and pauses included
  llvm::ArrayRef<Span> Spans;   ///< as they ended; pieces of one phase as well
  llvm::ArrayRef<ScopeSpan> Scopes; ///< as they ended
  llvm::ArrayRef<Event> Marks;      ///< instants, by clock
  llvm::ArrayRef<Value> Values;     ///< by clock; of sites of that kind
  bool MayHaveWrapped = false;      ///< mayHaveWrapped()
  uint64_t UnknownSites = 0;

  /// How many of Events are no pauses.
  uint64_t numEvents() const {
    return llvm::count_if(Events,
                          [](const Event &E) { return E.Site != pause_site; });
  }
};

/// A block and its warps, by index. Likewise.
struct BlockView {
  uint32_t Launch = 0; ///< position in Trace::launches()
  const Block &B;
  llvm::ArrayRef<WarpView> Warps;
  /// What its records tell of its SM's clock between its start and its end.
  /// None of a block that moved: it may be the clock of either SM.
  llvm::ArrayRef<ClockPair> Clocks;
};

/// Takes the blocks of one part of a trace, in no order that means anything.
class BlockSink {
public:
  virtual ~BlockSink();
  virtual void block(const BlockView &V) = 0;
};

struct VisitOptions {
  /// Asked before the warps of a block are decoded, on several threads; all
  /// blocks where empty.
  std::function<bool(uint32_t Launch, const Block &B)> Wanted;
  /// Where there is none, the trace's.
  std::optional<Watch> Watching;
};

/// Reads the regions of a trace, part by part, and hands each block to the sink
/// of its part. \p Make makes the sinks, \p Done
/// takes them when their part is through, in the order of the parts: so what is
/// joined there does not depend on threads. \p Make and Sink::block() may be
/// called on several threads, one a sink, \p Done on one at a time; an error of
/// it ends the visit.
llvm::Error
visitBlocks(const Trace &T, const VisitOptions &O,
            llvm::function_ref<std::unique_ptr<BlockSink>()> Make,
            llvm::function_ref<llvm::Error(std::unique_ptr<BlockSink>)> Done);

/// The same for a sink that can be copied when it is empty, and joined:
/// Sink::join(Sink &&). Returns all of them joined.
template <typename Sink>
llvm::Expected<Sink> collectBlocks(const Trace &T, const VisitOptions &O,
                                   const Sink &Empty) {
  Sink All = Empty;
  if (llvm::Error E = visitBlocks(
          T, O, [&] { return std::make_unique<Sink>(Empty); },
          [&](std::unique_ptr<BlockSink> Part) {
            All.join(std::move(static_cast<Sink &>(*Part)));
            return llvm::Error::success();
          }))
    return E;
  return All;
}

} // namespace kinstr::trace

#endif // KINSTR_TRACE_VISIT_H
