// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are the same on every platform.
#ifndef KINSTR_TEST_SIMT_RANDOM_H
#define KINSTR_TEST_SIMT_RANDOM_H

#include <cstdint>

namespace simt {

/// The finaliser of SplitMix64: a hash, and a generator over a counter.
constexpr uint64_t mix(uint64_t X) {
  X += 0x9E3779B97F4A7C15;
  X = (X ^ X >> 30) * 0xBF58476D1CE4E5B9;
  X = (X ^ X >> 27) * 0x94D049BB133111EB;
  return X ^ X >> 31;
}

class Random {
public:
  explicit Random(uint64_t Seed) : State(mix(Seed)) {}

  uint64_t bits() { return mix(State += 0x9E3779B97F4A7C15); }
  /// Below \p N, which is not 0.
  uint32_t below(uint32_t N) {
    return static_cast<uint32_t>((bits() >> 32) * N >> 32);
  }
  uint32_t between(uint32_t Least, uint32_t Most) {
    return Least + below(Most - Least + 1);
  }
  bool chance(uint32_t Percent) { return below(100) < Percent; }

private:
  uint64_t State;
};

} // namespace simt

#endif // KINSTR_TEST_SIMT_RANDOM_H
