// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilding 64-bit clocks from the truncated ones that records hold.
#ifndef KINSTR_TRACE_CLOCK_H
#define KINSTR_TRACE_CLOCK_H

#include <cstdint>

namespace kinstr::trace {

/// The mask of the low \p Bits bits, 1 to 63.
constexpr uint64_t lowMask(unsigned Bits) { return (uint64_t(1) << Bits) - 1; }

/// The value nearest \p Near whose low \p Bits bits are \p Low.
constexpr uint64_t nearestClock(uint64_t Near, uint64_t Low, unsigned Bits) {
  uint64_t Ahead = (Low - Near) & lowMask(Bits);
  uint64_t Behind = (lowMask(Bits) - Ahead) + 1;
  // Just after a reset the clock is small: there is nothing behind zero.
  return Behind < Ahead && Behind <= Near ? Near - Behind : Near + Ahead;
}

/// The smallest value not below \p Floor whose low \p Bits bits are \p Low.
constexpr uint64_t nextClock(uint64_t Floor, uint64_t Low, unsigned Bits) {
  return Floor + ((Low - Floor) & lowMask(Bits));
}

} // namespace kinstr::trace

#endif // KINSTR_TRACE_CLOCK_H
