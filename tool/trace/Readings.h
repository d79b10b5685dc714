// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readings of both clocks, of which there may be too many to keep.
#ifndef KINSTR_TRACE_READINGS_H
#define KINSTR_TRACE_READINGS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace kinstr::trace {

/// What an anchor or a clock pair says: an SM's clock and the common timer.
struct Reading {
  uint16_t Sm = 0;
  uint64_t Clock = 0, Global = 0; ///< [cycles], [ns]
};

/// The readings of all launches, taken part by part. Up to a limit all are
/// kept. Beyond it, of each part's readings of a launch, fewer and fewer: those
/// that bound the clock from above and from below, and others evenly over its
/// time. What is kept depends on the readings and the order of the parts alone.
class ReadingStore {
public:
  /// Enough for the time model and little memory; an ordinary trace has fewer.
  static constexpr size_t Limit = 4000000;
  /// Of a launch and part no fewer are kept, so that a bend of a line has its
  /// anchors and there are bends enough: some SMs share a clock.
  static constexpr size_t FewestKept = 32;

  explicit ReadingStore(size_t MostKept = Limit) : MostKept(MostKept) {}

  /// Of launch \p Launch, any number, and one more part.
  void add(size_t Launch, std::vector<Reading> Readings);
  /// Of a launch, by SM and clock.
  std::vector<Reading> take(size_t Launch);

private:
  /// What parts gave of one launch. There may be a million launches, each with
  /// a few readings of each part.
  struct OfLaunch {
    std::vector<Reading> All;    ///< part after part
    std::vector<uint32_t> Sizes; ///< of the parts in it
  };

  void thin(std::vector<Reading> &Readings, size_t Keep) const;
  void thinAll();

  size_t MostKept;
  std::vector<OfLaunch> Launches;
  size_t Total = 0, ThinAt = MostKept;
  unsigned Level = 0; ///< one in 2^Level is kept
};

} // namespace kinstr::trace

#endif // KINSTR_TRACE_READINGS_H
