// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a fuzz target says that something is wrong.
#ifndef KINSTR_FUZZ_REQUIRE_H
#define KINSTR_FUZZ_REQUIRE_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace kinstr {

/// Ends the run with the input at fault, as a crash does.
inline void require(bool Holds, const llvm::Twine &Property) {
  if (Holds)
    return;
  llvm::errs() << "does not hold: " << Property << "\n";
  llvm::CrashRecoveryContext::Disable(); // has signal handlers of its own
  std::abort();
}

} // namespace kinstr

#endif // KINSTR_FUZZ_REQUIRE_H
