// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interactive page: one HTML file that needs nothing else. See
// docs/viewer.md for what it shows, and viewer/ for how.
#ifndef KINSTR_REPORT_HTML_H
#define KINSTR_REPORT_HTML_H

#include "report/HtmlDetail.h"
#include "llvm/Support/raw_ostream.h"

namespace kinstr::report {

struct HtmlOptions {
  std::string Path;
  /// Where the source files may be, best first.
  std::vector<std::string> SourceFolders;
  HtmlLimits Limits;
};

/// The page's text.
llvm::Expected<std::string> drawHtml(const trace::Trace &T, const Selection &S,
                                     const HtmlOptions &O);

/// Writes it to HtmlOptions::Path and says so in \p Log. The text of an error
/// begins with a path.
llvm::Error writeHtml(const trace::Trace &T, const Selection &S,
                      const HtmlOptions &O, llvm::raw_ostream &Log);

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTML_H
