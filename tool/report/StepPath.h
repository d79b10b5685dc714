// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of steps as the path of an SVG: of points that lie closer together
// than can be seen, from the highest to the lowest.
#ifndef KINSTR_REPORT_STEPPATH_H
#define KINSTR_REPORT_STEPPATH_H

#include <string>

namespace kinstr::report {

class StepPath {
public:
  /// From here on it is at \p Y. \p X: not before the last one [px].
  void add(double X, double Y);
  /// It goes on to \p X; the whole path, empty without points.
  std::string endAt(double X);

private:
  void close();

  static constexpr double Narrow = 0.25; ///< [px]

  std::string Path;
  bool Open = false; ///< there is a step that is not yet in Path
  double Begin = 0;  ///< of it
  double Low = 0, High = 0, Last = 0;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_STEPPATH_H
