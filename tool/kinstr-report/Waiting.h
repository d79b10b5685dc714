// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a person sees and may do while kinstr-report is at work: a progress bar,
// and Ctrl-C.
#ifndef KINSTR_REPORT_WAITING_H
#define KINSTR_REPORT_WAITING_H

#include "trace/Workers.h"

namespace kinstr {

/// From now on SIGINT and SIGTERM end the work that \p W watches, cleanly; the
/// second of them ends the program. Where standard error is a terminal and the
/// work takes longer than a second, it shows how far that is.
trace::Watch watchWork();

/// Removes the progress bar, if there is one.
void clearProgress();

/// The exit status after one of these signals.
int interruptedStatus();

} // namespace kinstr

#endif // KINSTR_REPORT_WAITING_H
