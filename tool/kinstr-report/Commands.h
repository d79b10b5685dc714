// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands besides the report: kinstr-report diff, kinstr-report merge.
#ifndef KINSTR_REPORT_TOOL_COMMANDS_H
#define KINSTR_REPORT_TOOL_COMMANDS_H

namespace kinstr {

/// The exit status. 3 where a condition of --fail-if holds.
int runDiff(int argc, char **argv);

int runMerge(int argc, char **argv);

} // namespace kinstr

#endif // KINSTR_REPORT_TOOL_COMMANDS_H
