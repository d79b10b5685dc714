// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of reports share.
#ifndef KINSTR_TEST_REPORTTEST_H
#define KINSTR_TEST_REPORTTEST_H

#include "TraceTest.h"
#include "report/Statistics.h"

namespace kinstr::test {

/// A filter that a trace is known to have something for.
inline report::Selection selectionOf(const trace::Trace &T,
                                     report::Filter F = {}) {
  return llvm::cantFail(report::Selection::make(T, std::move(F)));
}

/// Of one group of launches.
inline report::Statistics statisticsOf(const trace::Trace &T,
                                       report::Filter F = {},
                                       report::LaunchGroup Launches = {0},
                                       report::StatisticsOptions O = {}) {
  auto S =
      report::computeStatistics(T, selectionOf(T, std::move(F)), {Launches}, O);
  if (!S) {
    ADD_FAILURE() << llvm::toString(S.takeError());
    return {};
  }
  return std::move(S->front());
}

} // namespace kinstr::test

#endif // KINSTR_TEST_REPORTTEST_H
