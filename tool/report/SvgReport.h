// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graphics of a report, each a complete SVG file.
#ifndef KINSTR_REPORT_SVGREPORT_H
#define KINSTR_REPORT_SVGREPORT_H

#include "report/Selection.h"
#include "report/Svg.h"

namespace kinstr::report {

/// All blocks of a launch on one time axis, grouped by SM, coloured by the
/// phase that most of the block's warps are in. Of them, what is selected.
llvm::Expected<std::string> drawBlocks(const trace::Trace &T,
                                       const Selection &S, uint32_t Launch,
                                       const PictureOptions &O);

/// The warps of one block, likewise. Nothing where block \p Number left no
/// record.
llvm::Expected<std::optional<std::string>>
drawWarps(const trace::Trace &T, const Selection &S, uint32_t Launch,
          uint32_t Number, const PictureOptions &O);

/// Where the pictures go, and as what.
struct PictureFiles {
  std::string SvgFolder, PngFolder; ///< empty: none of these
  double PngScale = 2;              ///< pixels of PNG for one of SVG
  PictureOptions Look;

  static constexpr double MinScale = 0.1, MaxScale = 10;
};

/// All of them, of as many launches and blocks as anyone looks at; names the
/// files in \p Log. The text of an error begins with a path.
llvm::Error writePictures(const trace::Trace &T, const Selection &S,
                          const PictureFiles &Files, llvm::raw_ostream &Log);

} // namespace kinstr::report

#endif // KINSTR_REPORT_SVGREPORT_H
