// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each value came, in memory that does not grow with how many came.
#ifndef KINSTR_REPORT_HISTOGRAM_H
#define KINSTR_REPORT_HISTOGRAM_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace kinstr::report {

/// Log-linear: values below 4096 have a bucket each; above, each power of two
/// is divided into 2048 buckets, so that none is wider than 1/2048 of what it
/// holds. Count, sum, minimum and maximum are exact. Pages of buckets come into
/// being when they are used.
class Histogram {
public:
  /// Relative width of a bucket: quantiles are off by half of it at most.
  static constexpr double Resolution = 1.0 / 2048;

  void add(uint64_t Value) {
    size_t Bucket = bucketOf(Value);
    ++pageOf(Bucket / PageSize)[Bucket % PageSize];
    ++Count;
    Sum += Value;
    Min = std::min(Min, Value);
    Max = std::max(Max, Value);
  }
  void join(const Histogram &Other);

  uint64_t count() const { return Count; }
  uint64_t sum() const { return Sum; }
  /// 0 where there are no values; so are the others.
  uint64_t min() const { return Count ? Min : 0; }
  uint64_t max() const { return Max; }
  double mean() const {
    return Count ? static_cast<double>(Sum) / static_cast<double>(Count) : 0;
  }
  /// Nearest-rank: the smallest value that at least \p P (0 to 1) of all values
  /// do not exceed. Exact below 4096, above the middle of its bucket.
  uint64_t quantile(double P) const;

private:
  static constexpr unsigned LinearBits = 11;
  static constexpr size_t PageSize = 64;
  using Page = std::array<uint64_t, PageSize>;
  static constexpr uint32_t NoPage = std::numeric_limits<uint32_t>::max();

  /// How many low bits of a value its bucket does not tell.
  static unsigned shiftOf(uint64_t Value) {
    unsigned Log = Value ? llvm::Log2_64(Value) : 0;
    return Log > LinearBits ? Log - LinearBits : 0;
  }
  static size_t bucketOf(uint64_t Value) {
    unsigned Shift = shiftOf(Value);
    return (size_t(Shift) << LinearBits) + (Value >> Shift);
  }
  static uint64_t middleOf(size_t Bucket);
  Page &pageOf(size_t Number) {
    if (Number >= Where.size())
      Where.resize(Number + 1, NoPage);
    if (Where[Number] == NoPage) {
      Where[Number] = static_cast<uint32_t>(Pages.size());
      Pages.push_back({});
    }
    return Pages[Where[Number]];
  }

  std::vector<uint32_t> Where; ///< position in Pages of each page
  std::vector<Page> Pages;
  uint64_t Count = 0, Sum = 0;
  uint64_t Min = std::numeric_limits<uint64_t>::max(), Max = 0;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_HISTOGRAM_H
