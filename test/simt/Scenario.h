// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random test: a program, the shape of its launch, the machine, the arena.
#ifndef KINSTR_TEST_SIMT_SCENARIO_H
#define KINSTR_TEST_SIMT_SCENARIO_H

#include "Model.h"

namespace simt {

struct Scenario {
  Program What;
  Grid G;
  uint32_t Regions = 1, Module = 0;
  bool Attached = true; ///< else kernels find all zero
  bool StartsOn = true;
  std::vector<uint32_t> SwitchAt; ///< blocks before which recording switches
};

/// The test of that number. It uses recorder number modulo kernelTypes().size()
/// of the list.
Scenario makeScenario(uint64_t Number);

/// How \p S launches, for a reader who looks for a fault.
std::string text(const Scenario &S);

/// Runs it twice, first with plenty of room, then with as much as that took or
/// less. Returns what is wrong, or "".
std::string runScenario(const Scenario &S);

} // namespace simt

#endif // KINSTR_TEST_SIMT_SCENARIO_H
