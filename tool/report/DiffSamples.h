// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is compared of a kernel's launches: durations and times by phase and
// scope, for each of the units that are drawn again when asking how far chance
// reaches.
//
// A unit is a launch or, where there is one launch, a block: warps of a block
// wait for each other, so they are no measurements of their own. Where there
// are more than MostUnits, neighbours share one. So memory does not grow with
// the trace, nothing is left out, and what neighbours have in common does not
// count twice.
#ifndef KINSTR_REPORT_DIFFSAMPLES_H
#define KINSTR_REPORT_DIFFSAMPLES_H

#include "report/Selection.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <set>

namespace kinstr::report {

/// Counts of values that are not negative, to within 2^-12 of each; whole
/// numbers below 4096 are kept as they are.
class Durations {
public:
  void add(double Value, uint64_t Times = 1) {
    Total += Times;
    Counts[keyOf(Value)] += Times;
  }
  void join(const Durations &Other);

  uint64_t count() const { return Total; }
  /// Values and how often each, ascending.
  std::vector<std::pair<double, uint64_t>> sorted() const;
  /// Of those that do not exceed \p Value.
  uint64_t upTo(double Value) const;

private:
  static uint32_t keyOf(double Value);
  static double valueOf(uint32_t Key);

  uint64_t Total = 0;
  llvm::DenseMap<uint32_t, uint64_t> Counts; ///< by the upper bits of a double
};

/// Of one phase, or the scopes of one name, in one unit.
struct RowSamples {
  Durations Stays;    ///< that were closed
  double Sum = 0;     ///< of them
  double Time = 0;    ///< in it, also where it stayed open
  uint64_t Marks = 0; ///< whose cost the stays have in them

  void join(const RowSamples &Other);
};

struct UnitSamples {
  std::vector<RowSamples> Rows; ///< as KernelGroup::Rows
  double WarpTime = 0;
  uint64_t Warps = 0, Blocks = 0;
  uint64_t Marks = 0; ///< all
};

/// Values are in nanoseconds or in clock cycles.
enum class TimeUnit : uint8_t { Ns, Cycles };

constexpr size_t MostUnits = 256;

/// The clocks of a set of launches.
struct ClockSummary {
  double NsPerCycle = 0; ///< mean; 0 where that of any launch is not known
  /// Every launch's was measured on its own anchors.
  bool Measured = false;
  /// Half of what the anchors allow, mean, as a share of the rate.
  double Uncertainty = 0;
  double AlignmentErrorNs = 0; ///< largest; infinite where it is not known
};

/// A phase, or the scopes of one name.
struct RowName {
  bool IsScope = false;
  std::string Name;

  bool operator==(const RowName &Other) const {
    return IsScope == Other.IsScope && Name == Other.Name;
  }
};

/// Launches of one kernel instance.
struct KernelGroup {
  std::string Name;   ///< of the instance, kernelName()
  std::string Source; ///< in the source
  std::vector<uint32_t> Launches;
  std::vector<RowName> Rows;       ///< phases without marks, then scopes
  std::set<std::string> Shapes;    ///< grids, blocks and clusters, as text
  std::set<std::string> Places;    ///< files and lines of kernels of this name
  std::set<std::string> Recorders; ///< buffer, layout and flow, as text
  std::set<uint32_t> Devices;
  ClockSummary Clock;
  std::optional<double> MarkCost; ///< [cycles], the highest of its launches'

  bool severalLaunches() const { return Launches.size() > 1; }
};

/// The kernels of what is selected, in the order of their first launches.
std::vector<KernelGroup> groupByName(const trace::Trace &T, const Selection &S);

struct KernelSamples {
  std::vector<UnitSamples> Units; ///< those that recorded anything
  /// First block's start to last block's end [ns], for each of the units that
  /// are launches, one where there is one launch. Empty where parts of launches
  /// were selected or sampled, or a clock is not known.
  std::vector<RowSamples> LaunchTimes;
  /// Launches that are not in LaunchTimes, as blocks of theirs are missing or
  /// never ended.
  uint64_t Incomplete = 0;
};

/// One for each of \p Groups, in one pass. \p Units: in what each group's
/// values are wanted.
llvm::Expected<std::vector<KernelSamples>>
collectSamples(const trace::Trace &T, const Selection &S,
               llvm::ArrayRef<KernelGroup> Groups,
               llvm::ArrayRef<TimeUnit> Units);

} // namespace kinstr::report

#endif // KINSTR_REPORT_DIFFSAMPLES_H
