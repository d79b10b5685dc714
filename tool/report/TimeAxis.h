// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One time axis for all launches of a trace, those of several GPUs too, in
// whole nanoseconds.
#ifndef KINSTR_REPORT_TIMEAXIS_H
#define KINSTR_REPORT_TIMEAXIS_H

#include "report/Extent.h"
#include "trace/HostClock.h"
#include "trace/Visit.h"
#include <algorithm>
#include <cmath>

namespace kinstr::report {

/// Turns clocks of one block into times. All of a block are rounded down, so
/// what lies within something does so in time as well.
class BlockTimes {
public:
  BlockTimes(const trace::LaunchClock &Clock, const trace::Block &B,
             int64_t LaunchNs)
      : Clock(&Clock), Line(Clock.find(B.SmStart)), LaunchNs(LaunchNs),
        Known(Line && !B.moved() && Clock.Source != trace::SlopeSource::None) {}

  /// Without a clock rate there is no time, and none of the clocks of a block
  /// that moved from one SM to another: they may be those of either.
  bool known() const { return Known; }
  /// [ns] from TimeAxis::originNs().
  int64_t ns(uint64_t Cycles) const {
    return whole(Clock->toNs(*Line, Cycles));
  }
  int64_t whole(double Ns) const {
    constexpr double Most = 4e18; // damaged clocks
    return LaunchNs +
           static_cast<int64_t>(std::clamp(std::floor(Ns), -Most, Most));
  }

private:
  const trace::LaunchClock *Clock;
  const trace::SmLine *Line;
  int64_t LaunchNs;
  bool Known;
};

class TimeAxis {
public:
  explicit TimeAxis(const trace::Trace &T) : T(&T), Common(T) {
    for (uint32_t I = 0; I < T.launches().size(); ++I)
      if (known(I) && (!First || Common.originNs(I) < Common.originNs(*First)))
        First = I;
  }

  /// The origin of the first launch [ns of its device's globaltimer].
  uint64_t originNs() const { return First ? T->clock(*First).OriginNs : 0; }
  bool known(uint32_t Launch) const {
    return T->clock(Launch).Source != trace::SlopeSource::None;
  }
  /// The origin of a launch [ns from originNs()]. The largest of a damaged
  /// trace leave room for what is added.
  int64_t launchNs(uint32_t Launch) const {
    constexpr uint64_t Most = 4'000'000'000'000'000'000;
    if (!First)
      return 0;
    return static_cast<int64_t>(
        std::min(static_cast<uint64_t>(Common.originNs(Launch)) -
                     static_cast<uint64_t>(Common.originNs(*First)),
                 Most));
  }
  /// What makes globaltimer of a device the host's clock.
  int64_t offsetNs(uint32_t Device) const { return Common.offsetNs(Device); }
  BlockTimes of(uint32_t Launch, const trace::Block &B) const {
    return {T->clock(Launch), B, launchNs(Launch)};
  }

private:
  const trace::Trace *T;
  trace::CommonAxis Common;
  std::optional<uint32_t> First; ///< launch, of those with times
};

/// When a block began and ended, its selected warps included [ns from the
/// launch's origin].
inline TimeRange blockRange(const trace::LaunchClock &Clock,
                            const trace::BlockView &V) {
  Extent E(Clock);
  E.beginBlock(V.B);
  for (const trace::WarpView &W : V.Warps)
    E.addWarp(W.Events);
  return E.endBlock();
}

} // namespace kinstr::report

#endif // KINSTR_REPORT_TIMEAXIS_H
