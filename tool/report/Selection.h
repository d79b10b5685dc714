// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a trace a report is about: what every output is made of.
#ifndef KINSTR_REPORT_SELECTION_H
#define KINSTR_REPORT_SELECTION_H

#include "report/Ranges.h"
#include "trace/Visit.h"
#include "llvm/ADT/BitVector.h"
#include <cmath>
#include <map>

namespace kinstr::report {

struct Filter {
  IndexRange Launches; ///< positions in Trace::launches()
  std::string Kernel;  ///< a valid regular expression on the name; "" all
  std::string Phase;   ///< likewise
  IndexRange Blocks, Warps;
  IndexRange Sms; ///< on which a block began
  /// What lies in it, or reaches into it [ns from the launch's origin]. ToNs
  /// does not belong to it.
  double FromNs = -INFINITY, ToNs = INFINITY;

  bool allTime() const { return FromNs == -INFINITY && ToNs == INFINITY; }
};

/// `block 7, warps 0 to 3, phases 'load'`: what within launches; empty where
/// all.
std::string filterText(const Filter &F);

/// A filter, applied to a trace.
class Selection {
public:
  /// An error where no launch is there or matches, or no phase matches.
  static llvm::Expected<Selection> make(const trace::Trace &T, Filter F);

  const Filter &filter() const { return F; }
  /// Positions in Trace::launches(), ascending.
  llvm::ArrayRef<uint32_t> launches() const { return Launches; }
  /// Whether it is all launches, and all of each of them.
  bool all() const {
    return Launches.size() == IsSelected.size() && wholeLaunches();
  }
  /// Whether it is all of each of these launches.
  bool wholeLaunches() const;

  bool hasLaunch(uint32_t Launch) const { return IsSelected.test(Launch); }
  bool hasBlock(uint32_t Launch, const trace::Block &B) const;
  /// Of the kernel of \p Launch. Ends, returns and entries belong to no phase:
  /// they are selected only where all phases are.
  bool hasSite(uint32_t Launch, uint32_t Site) const;
  /// Whether the time from \p Begin to \p End [cycles] of the clock of \p B
  /// reaches into what is selected. Of a block that moved, all does or nothing.
  bool hasTime(uint32_t Launch, const trace::Block &B, uint64_t Begin,
               uint64_t End) const;
  /// How much of a time that hasTime() is in what is selected [cycles].
  double cyclesWithin(uint32_t Launch, const trace::Block &B, uint64_t Begin,
                      uint64_t End) const;
  /// How much of that part the recorder was busy [cycles]; \p W has the events
  /// of the whole warp.
  double pausedWithin(const trace::BlockView &V, const trace::WarpView &W,
                      uint64_t Begin, uint64_t End) const;

private:
  Selection(const trace::Trace &T, Filter F) : T(&T), F(std::move(F)) {}

  const trace::Trace *T;
  Filter F;
  std::vector<uint32_t> Launches;
  llvm::BitVector IsSelected;
  /// By module and kernel; empty: all sites.
  std::map<std::pair<uint32_t, uint32_t>, llvm::BitVector> Sites;
};

/// An error that names the first filter that leaves nothing: a block that left
/// no record, say. Reads as much of the trace as it takes to find something.
llvm::Error checkNotEmpty(const trace::Trace &T, const Selection &S);

/// trace::visitBlocks() of what is selected: sinks see the blocks, the warps in
/// them and the spans and marks of these that are. A block without such warps
/// is not seen; a warp is there also if none of its spans is. WarpView::Time
/// and Events stay those of the whole warp.
llvm::Error visitSelected(
    const trace::Trace &T, const Selection &S, trace::VisitOptions O,
    llvm::function_ref<std::unique_ptr<trace::BlockSink>()> Make,
    llvm::function_ref<llvm::Error(std::unique_ptr<trace::BlockSink>)> Done);

/// trace::collectBlocks() of it.
template <typename Sink>
llvm::Expected<Sink> collectSelected(const trace::Trace &T, const Selection &S,
                                     trace::VisitOptions O, const Sink &Empty) {
  Sink All = Empty;
  if (llvm::Error E = visitSelected(
          T, S, std::move(O), [&] { return std::make_unique<Sink>(Empty); },
          [&](std::unique_ptr<trace::BlockSink> Part) {
            All.join(std::move(static_cast<Sink &>(*Part)));
            return llvm::Error::success();
          }))
    return E;
  return All;
}

} // namespace kinstr::report

#endif // KINSTR_REPORT_SELECTION_H
