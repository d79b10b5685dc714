// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a launch, where slots of blocks stay empty.
#ifndef KINSTR_REPORT_TAIL_H
#define KINSTR_REPORT_TAIL_H

#include "report/Extent.h"
#include <cmath>
#include <optional>
#include <vector>

namespace kinstr::report {

/// A launch has as many slots as blocks had started before the first one ended.
/// A slot that no block waits for any more stays empty; so the latest ends, one
/// for each slot, are when slots became empty for good. The tail is what
/// follows the first of these.
struct Tail {
  double Ns = 0;     ///< to the end of the last block
  double IdleNs = 0; ///< how long slots were empty in it, all together
  uint64_t Slots = 0;
};

/// Takes the blocks of a launch in any order.
class TailFinder {
public:
  /// \p MostSlots: more than the device can have. So many ends are kept.
  explicit TailFinder(size_t MostSlots = 0) : MostSlots(MostSlots) {}

  void add(const TimeRange &Block);
  void join(const TailFinder &Other);

  /// Nothing where there were no blocks.
  std::optional<Tail> tail() const;

private:
  void addStart(double Ns);
  void addEnd(double Ns);

  size_t MostSlots;
  std::vector<double> Starts; ///< before FirstEnd; a heap, the latest on top
  std::vector<double> Ends;   ///< the latest; a heap, the earliest on top
  double FirstEnd = INFINITY;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_TAIL_H
