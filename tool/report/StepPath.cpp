// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes steps as H and V.
#include "report/StepPath.h"

#include "report/Svg.h"
#include <algorithm>

namespace kinstr::report {

/// Upright at Begin, from where the line was to where it is, by way of the
/// highest and the lowest in between.
void StepPath::close() {
  if (!Open)
    return;
  Path += Path.empty() ? "M" + coord(Begin) + " " + coord(Last)
                       : "H" + coord(Begin) + "V" + coord(Last);
  if (Low < High)
    Path += "V" + coord(Low) + "V" + coord(High) + "V" + coord(Last);
  Open = false;
}

void StepPath::add(double X, double Y) {
  if (Open && X - Begin >= Narrow)
    close();
  if (!Open) {
    Open = true;
    Begin = X;
    Low = High = Y;
  }
  Low = std::min(Low, Y);
  High = std::max(High, Y);
  Last = Y;
}

std::string StepPath::endAt(double X) {
  close();
  if (!Path.empty())
    Path += "H" + coord(X);
  return std::move(Path);
}

} // namespace kinstr::report
