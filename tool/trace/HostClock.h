// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the globaltimers of a trace's devices lie on the clock of their host:
// one axis for several devices and processes.
//
// A kernel cannot start before the call that launches it, nor before the
// runtime attached, and whatever a trace holds happened before it was written.
// Each of these bounds the distance of the two clocks from one side; the
// distance is taken to be the same all the time. From above the bound is good
// to the microseconds that the fastest launch took; from below it is as wide as
// the time from the last block's end to the writing of the file. So the upper
// bound is what the axis is made of: the true time of anything is what it says,
// or later, by as much as lies between both bounds.
#ifndef KINSTR_TRACE_HOSTCLOCK_H
#define KINSTR_TRACE_HOSTCLOCK_H

#include "trace/Trace.h"

namespace kinstr::trace {

/// A - B. Those of damaged files wrap.
inline int64_t nsBetween(uint64_t A, uint64_t B) {
  return static_cast<int64_t>(A - B);
}

/// A device's globaltimer less the clock of its host [ns].
struct ClockDistance {
  std::optional<int64_t> AtLeast, AtMost;

  /// What the axis is made of, to be added to globaltimer; 0 where unknown.
  int64_t offset() const {
    return nsBetween(0, static_cast<uint64_t>(AtMost.value_or(0)));
  }

  void intersect(const ClockDistance &Other);
};

/// One for each device, from what is known without looking at the records.
std::vector<ClockDistance> roughClockDistances(const Trace &T);

/// The same with the times at which blocks ended.
llvm::Expected<std::vector<ClockDistance>> clockDistances(const Trace &T);

/// Whether two devices are the same GPU, as far as is known, whose globaltimer
/// all contexts and processes share.
bool sameGpu(const Device &A, const Process &OfA, const Device &B,
             const Process &OfB);

/// Absolute times of a trace: on the clock of the host. Of a merged trace as it
/// was merged; else as the launch calls tell.
class CommonAxis {
public:
  explicit CommonAxis(const Trace &T);

  /// When the origin of a launch's own axis was (LaunchClock::OriginNs) [ns
  /// since 1970].
  int64_t originNs(uint32_t Launch) const;
  /// To add to the globaltimer of a device.
  int64_t offsetNs(uint32_t Device) const { return Offsets[Device]; }

private:
  const Trace *T;
  std::vector<int64_t> Offsets; ///< by device
};

/// By how much the times of two processes of a merged trace may be apart beyond
/// their alignment errors [ns]. Nothing: not known.
std::optional<uint64_t> betweenProcessesNs(const Meta &M);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_HOSTCLOCK_H
