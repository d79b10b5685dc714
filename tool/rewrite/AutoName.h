// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for phases that kinstr chose itself, as a person would have written.
#ifndef KINSTR_REWRITE_AUTONAME_H
#define KINSTR_REWRITE_AUTONAME_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace kinstr {

/// What a phase is to be called after.
struct NameWish {
  std::string Base;      ///< "load", "barrier", a function's name
  unsigned Line = 0;     ///< in the source, from 1
  bool WithLine = false; ///< one of many by nature: "barrier_L42"
  std::string And;       ///< what else the phase holds: "barrier_L42+store"
};

/// A name for each wish, no two the same. A base that occurs once stays as it
/// is; others carry their line.
std::vector<std::string> phaseNames(llvm::ArrayRef<NameWish> Wishes);

} // namespace kinstr

#endif // KINSTR_REWRITE_AUTONAME_H
