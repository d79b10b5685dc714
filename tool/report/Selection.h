// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a trace a report is about: what every output is made of.
#ifndef KINSTR_REPORT_SELECTION_H
#define KINSTR_REPORT_SELECTION_H

#include "trace/Visit.h"
#include "llvm/ADT/BitVector.h"
#include <cmath>
#include <map>
#include <optional>

namespace kinstr::report {

/// Both ends belong to it.
struct IndexRange {
  uint64_t First = 0, Last = UINT64_MAX;

  bool has(uint64_t I) const { return First <= I && I <= Last; }
};

struct Filter {
  std::optional<uint32_t> Launch;
  std::string Kernel; ///< a valid regular expression on the name; "" all
  std::string Phase;  ///< likewise
  IndexRange Blocks, Warps, Sms;
  /// What lies in it, or reaches into it [ns from the launch's origin].
  double FromNs = -INFINITY, ToNs = INFINITY;

  bool allTime() const { return FromNs == -INFINITY && ToNs == INFINITY; }
};

/// Positions in Launches::List, ascending. An error where the launch does not
/// exist, or no kernel matches.
llvm::Expected<std::vector<uint32_t>> selectLaunches(const trace::Trace &T,
                                                     const Filter &F);

/// A filter, applied to a trace.
class Selection {
public:
  /// The errors of selectLaunches(), and where no phase matches.
  static llvm::Expected<Selection> make(const trace::Trace &T, Filter F);

  const Filter &filter() const { return F; }
  /// Positions in Trace::launches(), ascending.
  llvm::ArrayRef<uint32_t> launches() const { return Launches; }
  /// Whether it is all of each of these launches.
  bool wholeLaunches() const;

  bool hasLaunch(uint32_t Launch) const { return IsSelected.test(Launch); }
  bool hasBlock(uint32_t Launch, const trace::Block &B) const;
  /// Of the kernel of \p Launch. Ends, returns and entries belong to no phase:
  /// they are selected only where all phases are.
  bool hasSite(uint32_t Launch, uint32_t Site) const;

private:
  Selection(const trace::Trace &T, Filter F) : T(&T), F(std::move(F)) {}

  const trace::Trace *T;
  Filter F;
  std::vector<uint32_t> Launches;
  llvm::BitVector IsSelected;
  /// By module and kernel; empty: all sites.
  std::map<std::pair<uint32_t, uint32_t>, llvm::BitVector> Sites;
};

/// trace::visitBlocks() of what is selected: sinks see the blocks, the warps in
/// them and the spans and marks of these that are. WarpView::Time and Events
/// stay those of the whole warp.
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
