// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A field of comma-separated values.
#ifndef KINSTR_REPORT_CSV_H
#define KINSTR_REPORT_CSV_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kinstr::report {

/// \p Text as a field, quoted as RFC 4180 wants it where that is needed. A
/// spreadsheet would take one that begins with = + - or @ for a formula to be
/// executed: an apostrophe goes in front of these, as spreadsheets themselves
/// have it.
std::string csvText(llvm::StringRef Text);

} // namespace kinstr::report

#endif // KINSTR_REPORT_CSV_H
