// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of a macro's definition. Private to the library.
#ifndef KINSTR_REWRITE_MACROBODY_H
#define KINSTR_REWRITE_MACROBODY_H

#include "annotate/Scan.h"

namespace kinstr {

struct MacroBody {
  std::vector<RawToken> Tokens;             ///< at their places in the file
  std::vector<llvm::StringRef> Parameters;  ///< the variadic one left out
  llvm::StringRef Variadic = "__VA_ARGS__"; ///< what stands for the rest
};

/// \p Define is a '#define' of \p Code.
MacroBody readMacro(llvm::StringRef Code, const RawDirective &Define);

} // namespace kinstr

#endif // KINSTR_REWRITE_MACROBODY_H
