// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The viewer: HTML, styles and script, as built from viewer/ (see
// viewer/CMakeLists.txt).
#ifndef KINSTR_REPORT_HTMLVIEWER_H
#define KINSTR_REPORT_HTMLVIEWER_H

#include "llvm/ADT/StringRef.h"

namespace kinstr::report {

/// From the document's beginning to where its title belongs.
llvm::StringRef viewerHead();
/// From there to where the data belong.
llvm::StringRef viewerBody();
/// The rest: the script, which finds the data above it.
llvm::StringRef viewerEnd();

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTMLVIEWER_H
