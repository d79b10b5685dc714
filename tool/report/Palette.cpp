// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The colours themselves.
#include "report/Palette.h"

namespace kinstr::report {

// Phases: Okabe and Ito's eight without black, then five of Paul Tol's "muted"
// that differ from them in lightness. In an order in which neighbours, which
// are phases that follow one another, contrast most.
static constexpr Theme Light = {
    /*Page=*/"#ffffff",
    /*Title=*/"#111111",
    /*Text=*/"#222222",
    /*Muted=*/"#555555",
    /*Axis=*/"#444444",
    /*Tick=*/"#888888",
    /*Grid=*/"#e4e4e4",
    /*Mark=*/"#000000",
    /*Untracked=*/"#d9d9d9",
    {
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
    }};

// The same, but for the four that a dark page would swallow.
static constexpr Theme Dark = {
    /*Page=*/"#16181d",
    /*Title=*/"#f4f4f4",
    /*Text=*/"#dddddd",
    /*Muted=*/"#b4b8c0",
    /*Axis=*/"#c4c8d0",
    /*Tick=*/"#8a8f98",
    /*Grid=*/"#2c3038",
    /*Mark=*/"#ffffff",
    /*Untracked=*/"#41464f",
    {
        "#2a86c8", // blue
        "#e69f00", // orange
        "#009e73", // green
        "#cc79a7", // pink
        "#56b4e9", // sky
        "#d55e00", // vermilion
        "#f0e442", // yellow
        "#7464d6", // indigo
        "#88ccaa", // mint
        "#b23a72", // wine
        "#999933", // olive
        "#9aa0a8", // grey
    }};

const Theme &theme(bool IsDark) { return IsDark ? Dark : Light; }

} // namespace kinstr::report
