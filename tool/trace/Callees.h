// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions kernels called, and whose sites their records name.
#ifndef KINSTR_TRACE_CALLEES_H
#define KINSTR_TRACE_CALLEES_H

#include "trace/Launches.h"
#include "trace/Records.h"
#include <set>

namespace kinstr::trace {

/// Whether \p R can be of callees that its module has: an event of it is, or
/// it has none.
bool fitsCallees(const Meta &M, const Record &R);

/// Collects which kernels, by module and number, called which functions.
class CalleeSet {
public:
  explicit CalleeSet(const Meta &M) : M(&M) {}

  /// Adds those of \p R, a record of callees in a launch of that kernel.
  void add(uint32_t Module, uint32_t Kernel, const Record &R);
  void join(const CalleeSet &Part);

  /// By kernel, with the numbers their sites get there.
  decltype(Launches::Callees) numbered() const;

private:
  using Key = std::pair<uint32_t, uint32_t>; ///< module, and number in it

  const Meta *M;
  std::map<Key, std::set<Key>> Of;
};

/// Adds to each kernel's sites those of the callees that recorded in it.
void addCalleeSites(const Launches &Ls, Meta &M);

/// The kernel's site that is site \p Site of module \p Module, or
/// unknown_site.
uint32_t calleeSite(llvm::ArrayRef<RecordedCallee> Callees, uint32_t Module,
                    uint32_t Site);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_CALLEES_H
