// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of the files may call which. Private to the library.
#ifndef KINSTR_REWRITE_REACHABILITY_H
#define KINSTR_REWRITE_REACHABILITY_H

#include "rewrite/Collectors.h"
#include <map>

namespace kinstr {

/// Functions are known by the start of their bodies, which a template shares
/// with its instances. Calls through functions of other files count where clang
/// has their bodies; calls through pointers do not, but naming a function does.
class Reachability {
public:
  Reachability(const MainFile &Main, llvm::ArrayRef<Function> Functions);

  /// All that \p Body may call, itself only if it is recursive. The search
  /// does not go beyond those in \p Borders.
  std::set<unsigned> reachableFrom(unsigned Body,
                                   const std::set<unsigned> &Borders) const;

private:
  std::map<unsigned, std::set<unsigned>> Callees;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_REACHABILITY_H
