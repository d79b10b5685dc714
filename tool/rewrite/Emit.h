// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes that carry out a plan.
#ifndef KINSTR_REWRITE_EMIT_H
#define KINSTR_REWRITE_EMIT_H

#include "rewrite/Plan.h"

namespace kinstr {

/// Replaces bytes [Begin, End) of Sources::text(); most only insert.
struct Edit {
  unsigned Begin;
  unsigned End;
  std::string Text;
};

/// The edits in the order of their places; those at one place in the order
/// their texts are to have.
std::vector<Edit> edits(const Plan &P, const Sources &Files);

/// What the trace says about this translation unit (docs/trace-format.md,
/// "modules"), as C++ for the end of the main file.
std::string tables(const Plan &P, const Sources &Files);

} // namespace kinstr

#endif // KINSTR_REWRITE_EMIT_H
