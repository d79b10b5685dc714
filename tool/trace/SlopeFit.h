// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fitting one slope through the anchors of many SMs. Internal to tool/trace.
#ifndef KINSTR_TRACE_SLOPEFIT_H
#define KINSTR_TRACE_SLOPEFIT_H

#include <cstdint>
#include <vector>

namespace kinstr::trace {

/// An anchor relative to the launch's time and the SM's clock origin.
struct AnchorPoint {
  double Cycles = 0;
  double Ns = 0; ///< the timer's value; the true time is less than a step later
};

/// The anchors of one SM that can bound a line from above or below.
class SmAnchors {
public:
  explicit SmAnchors(std::vector<AnchorPoint> Points);

  /// The largest and smallest Ns - Slope * Cycles. A line of that slope passes
  /// through all intervals if its offset lies in [highest, lowest + step).
  double highest(double Slope) const;
  double lowest(double Slope) const;
  /// By how much the intervals contradict that slope [ns]; below 0 the room
  /// left for the offset.
  double conflict(double Slope, double StepNs) const {
    return highest(Slope) - lowest(Slope) - StepNs;
  }
  double span() const { return Span; } ///< [cycles]

private:
  std::vector<AnchorPoint> Upper, Lower; ///< convex hulls
  double Span = 0;
};

struct SlopeFit {
  double Best = 0;         ///< [ns/cycle]
  double Min = 0, Max = 0; ///< all slopes that the anchors allow
  bool bounded(double RelativeWidth) const {
    return Max - Min <= RelativeWidth * Best;
  }
};

/// \p StepNs is the step of globaltimer.
SlopeFit fitSlope(const std::vector<SmAnchors> &Sms, double StepNs);

/// Bounds of the search: 20 MHz to 10 GHz. A fit whose Min and Max are these
/// says nothing.
constexpr double MinSlope = 0.1, MaxSlope = 50;

} // namespace kinstr::trace

#endif // KINSTR_TRACE_SLOPEFIT_H
