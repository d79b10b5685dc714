// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What marks cost, and phases without it.
#ifndef KINSTR_REPORT_MARKCOST_H
#define KINSTR_REPORT_MARKCOST_H

#include "trace/Trace.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace kinstr::report {

/// Cycles of a mark of the launch's kernel, if such marks were timed on its
/// device: nobody times those of divergent flow.
std::optional<double> markCost(const trace::Trace &T, const trace::Launch &L);

/// Moves the events of a warp of kernel \p K together by the cost of the marks
/// between them; marks of functions that the kernel calls cost something else
/// and stay. No two events change places.
void subtractMarkCost(llvm::MutableArrayRef<trace::Event> Events,
                      const trace::Kernel &K, double Cycles);

} // namespace kinstr::report

#endif // KINSTR_REPORT_MARKCOST_H
