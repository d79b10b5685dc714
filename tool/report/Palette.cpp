// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The colours themselves.
#include "report/Palette.h"

namespace kinstr::report {

// Okabe and Ito's eight without black, then five of Paul Tol's "muted" that
// differ from them in lightness. In an order in which neighbours, which are
// phases that follow one another, contrast most.
static constexpr llvm::StringLiteral Colours[NumColours] = {
    "#0072b2", // blue
    "#e69f00", // orange
    "#009e73", // green
    "#cc79a7", // pink
    "#56b4e9", // sky
    "#d55e00", // vermilion
    "#f0e442", // yellow
    "#332288", // indigo
    "#88ccaa", // mint
    "#882255", // wine
    "#999933", // olive
    "#555555", // grey
};

Fill fillOf(size_t Index) {
  return {Colours[Index % NumColours],
          static_cast<unsigned>(Index / NumColours)};
}

} // namespace kinstr::report
