// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of kinstr-report, checked.
#ifndef KINSTR_REPORT_TOOL_OPTIONS_H
#define KINSTR_REPORT_TOOL_OPTIONS_H

#include "report/Selection.h"
#include "report/Terminal.h"

namespace kinstr {

struct Options {
  std::string Input;
  report::Filter Filter;
  report::TerminalOptions Terminal;
  /// A path for each output asked for, empty where it was not.
  std::string Svg;

  /// Standard output is another output's: no table on it.
  bool TableShown = true;
};

/// Exit statuses.
enum { Done = 0, InputError = 1, UsageError = 2 };

/// Nothing where it is wrong: what, has been printed. Does not return from
/// --help and --version.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace kinstr

#endif // KINSTR_REPORT_TOOL_OPTIONS_H
