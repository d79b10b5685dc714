// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads whose time goes to another phase than the one they stand in: a warp
// stops where it needs the value, not where it asks for it.
//
// Nothing is reported that is not plain: the value is that of a variable of its
// own, nothing in the phase names it, and the mark behind does not wait.
#ifndef KINSTR_REWRITE_LATELOADS_H
#define KINSTR_REWRITE_LATELOADS_H

#include "rewrite/Bind.h"
#include "rewrite/Collectors.h"

namespace kinstr {

/// Those of the kernel \p F, by offset.
std::vector<LateLoad> lateLoads(const Function &F, llvm::ArrayRef<Site> Sites,
                                const ScannedFile &File, const MainFile &Main);

} // namespace kinstr

#endif // KINSTR_REWRITE_LATELOADS_H
