// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report merge.
#include "Commands.h"

namespace kinstr {

int runMerge(int, char **) { return 2; }

} // namespace kinstr
