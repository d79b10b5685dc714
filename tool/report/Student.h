// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Student's t distribution: how far a mean of few values may be off.
#ifndef KINSTR_REPORT_STUDENT_H
#define KINSTR_REPORT_STUDENT_H

namespace kinstr::report {

/// The probability of a value further from 0 than \p T is, on either side, with
/// \p Freedom degrees of freedom: a positive number, whole or not.
double studentTails(double T, double Freedom);

/// The value beyond which, on both sides together, \p Tails of the probability
/// lie.
double studentQuantile(double Tails, double Freedom);

} // namespace kinstr::report

#endif // KINSTR_REPORT_STUDENT_H
