// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours of phases, the same in every graphic of a report.
#ifndef KINSTR_REPORT_PALETTE_H
#define KINSTR_REPORT_PALETTE_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>

namespace kinstr::report {

/// How one phase is filled.
struct Fill {
  llvm::StringRef Colour; ///< "#rrggbb"
  unsigned Hatch = 0;     ///< 0 plain, else the number of a stripe pattern
};

/// The fill of the phase in row \p Index. Twelve colours that people with any
/// of the common colour deficiencies can tell apart, then the same with stripes
/// of different directions.
Fill fillOf(size_t Index);

constexpr size_t NumColours = 12;

/// Time of a warp in no phase.
constexpr llvm::StringLiteral UntrackedColour = "#d9d9d9";

} // namespace kinstr::report

#endif // KINSTR_REPORT_PALETTE_H
