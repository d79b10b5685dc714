// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common time axis: one line per SM from its clock64 to globaltimer.
//
// An anchor is an interval: the timer showed g, so the true time lay in
// [g, g + step). The SMs of a device tick at nearly the same rate, so the SMs
// of a launch share a slope [ns/cycle]; each has an offset of its own. The
// slope is the one for which the SMs' intervals contradict each other least;
// how far it can be moved before they do is its uncertainty, and the width of
// what is left of an SM's intervals is that SM's alignment error.
//
// Over a longer launch that is not enough. An H200 has a clock for each GPC:
// its SMs count the same cycles, to within ten, while rates of GPCs differ by
// up to 0.8 % under load, and drift (seen: 100 ns and more within 130 us). So
// where no common slope satisfies all intervals, SMs that show the same clock
// at the same time share a line, or, where none passes through their intervals,
// a curve through their anchors. Where a block recorded clock pairs, those are
// anchors as well. Of the time between two anchors nothing is known but that:
// that a clock's rate stays among the rates seen about then; of a long time not
// even that, only that no clock is faster than the fastest.
#ifndef KINSTR_TRACE_TIMEMODEL_H
#define KINSTR_TRACE_TIMEMODEL_H

#include "trace/Launches.h"
#include "trace/Readings.h"
#include "trace/Workers.h"

namespace kinstr::trace {

/// Where the slope of a launch comes from.
enum class SlopeSource : uint8_t {
  Launch,  ///< measured from this launch's own anchors
  Device,  ///< measured from other launches of the device
  Nominal, ///< the clock rate the driver states
  None,    ///< unknown: there is no time axis, only cycles
};

/// A point of the correction added to an SM's line.
struct Bend {
  double Cycles = 0; ///< from ClockOrigin
  double Ns = 0;
};

/// What to add to a line with these bends, by Cycles, so many \p Cycles after
/// its ClockOrigin: interpolated between bends, and beyond the outer ones as
/// between the nearest two.
double bendAt(llvm::ArrayRef<Bend> Bends, double Cycles);

/// The line of one SM. There may be millions: of each launch one for each SM.
struct SmLine {
  uint16_t Sm = 0;
  int32_t Curve = -1;       ///< in LaunchClock::Curves; -1: it is straight
  uint64_t ClockOrigin = 0; ///< [cycles]
  double OffsetNs = 0;      ///< time at ClockOrigin, from the launch's origin
  double ErrorNs = 0;
};

/// The time axis of a launch.
struct LaunchClock {
  SlopeSource Source = SlopeSource::None;
  /// TimerStep::wellKnown(): where not, the error is unknown as well.
  bool StepKnown = false;
  double NsPerCycle = 0;
  /// What this launch's own anchors allow; 0 to infinity where they say
  /// nothing.
  double MinNsPerCycle = 0, MaxNsPerCycle = 0;
  uint64_t OriginNs = 0;                 ///< globaltimer of the earliest anchor
  double AlignmentErrorNs = 0;           ///< the largest ErrorNs
  std::vector<SmLine> Sms;               ///< by SM
  std::vector<std::vector<Bend>> Curves; ///< bends by Cycles, for each clock

  const SmLine *find(uint16_t Sm) const;
  /// [ns] from OriginNs. Differences of 64-bit values are taken before anything
  /// becomes floating point.
  double toNs(const SmLine &Line, uint64_t Clock) const {
    auto Cycles =
        static_cast<double>(static_cast<int64_t>(Clock - Line.ClockOrigin));
    return Line.OffsetNs + NsPerCycle * Cycles + bendAt(bendsOf(Line), Cycles);
  }
  llvm::ArrayRef<Bend> bendsOf(const SmLine &Line) const {
    return Line.Curve < 0 ? llvm::ArrayRef<Bend>()
                          : llvm::ArrayRef(Curves[Line.Curve]);
  }
  /// Nothing to align: all times are of one clock.
  bool oneSm() const { return Sms.size() == 1; }
  /// The clock's rate changed during the launch, or differs between SMs.
  bool drifts() const { return !Curves.empty(); }
};

/// The step of a device's globaltimer, as its readings show it: the greatest
/// common divisor of their differences. Of few readings that can be a large
/// multiple of the true step: then it is the one measured when the device was
/// attached. Where that is not known either, the step is not worth telling, and
/// to calculate with, no more than the largest of any device seen is taken.
struct TimerStep {
  static constexpr uint64_t LargestNs = 1024;

  uint64_t Ns = LargestNs;
  uint64_t Readings = 0; ///< that differ from the first
  bool Measured = false; ///< Device::TimerStepNs
  bool enoughReadings() const { return Readings >= 8; }
  bool wellKnown() const { return Measured || enoughReadings(); }
};

struct TimeModel {
  std::vector<TimerStep> Steps;      ///< per device
  std::vector<LaunchClock> Launches; ///< as Launches::List
};

/// \p Readings: of each launch, by SM, clock and timer; at least one each. An
/// error is an interruption.
llvm::Expected<TimeModel>
buildTimeModel(const Meta &M, const Launches &Ls,
               std::vector<std::vector<Reading>> Readings, const Watch &W = {});

} // namespace kinstr::trace

#endif // KINSTR_TRACE_TIMEMODEL_H
