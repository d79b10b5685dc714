// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From SVG to PNG, by librsvg.
#ifndef KINSTR_REPORT_PNG_H
#define KINSTR_REPORT_PNG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kinstr::report {

/// The bytes of a PNG file of \p Svg, \p Scale times as large.
llvm::Expected<std::string> renderPng(llvm::StringRef Svg, double Scale);

} // namespace kinstr::report

#endif // KINSTR_REPORT_PNG_H
