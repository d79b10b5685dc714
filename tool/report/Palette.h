// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours of phases, the same in every graphic of a report.
#ifndef KINSTR_REPORT_PALETTE_H
#define KINSTR_REPORT_PALETTE_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstddef>

namespace kinstr::report {

/// How one phase is filled.
struct Fill {
  llvm::StringRef Colour; ///< "#rrggbb"
  unsigned Hatch = 0;     ///< 0 plain, else the number of a stripe pattern
};

constexpr size_t NumColours = 12;

/// The colours of a graphic.
struct Theme {
  llvm::StringLiteral Page, Title, Text, Muted, Axis, Tick, Grid, Mark;
  llvm::StringLiteral Untracked; ///< time of a warp in no phase
  std::array<llvm::StringLiteral, NumColours> Phases;

  /// The fill of the phase in row \p Index. Twelve colours that people with any
  /// of the common colour deficiencies can tell apart, then the same with
  /// stripes of different directions.
  Fill fillOf(size_t Index) const {
    return {Phases[Index % NumColours],
            static_cast<unsigned>(Index / NumColours)};
  }
};

/// On a light page, or on a dark one.
const Theme &theme(bool Dark);

} // namespace kinstr::report

#endif // KINSTR_REPORT_PALETTE_H
