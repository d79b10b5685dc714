// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ranges.
#include "report/Ranges.h"

#include "report/Names.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace kinstr::report {

std::optional<IndexRange> parseIndexRange(StringRef Text) {
  IndexRange R;
  if (Text.consumeInteger(10, R.First))
    return std::nullopt;
  R.Last = R.First;
  if (Text.consume_front("-") && Text.consumeInteger(10, R.Last))
    return std::nullopt;
  if (!Text.empty() || R.Last < R.First)
    return std::nullopt;
  return R;
}

/// `1.5us` [ns].
static std::optional<double> parseTime(StringRef Text) {
  double Unit = 1;
  if (Text.consume_back("us") || Text.consume_back("µs"))
    Unit = 1e3;
  else if (Text.consume_back("ms"))
    Unit = 1e6;
  else if (!Text.consume_back("ns")) {
    if (!Text.consume_back("s"))
      return std::nullopt;
    Unit = 1e9;
  }
  // A number as people write it: getAsDouble() takes "inf" and "0x1p3" too.
  double Value = 0;
  if (Text.empty() ||
      Text.find_first_not_of("+-.0123456789eE") != StringRef::npos ||
      Text.getAsDouble(Value) || !std::isfinite(Value * Unit))
    return std::nullopt;
  return Value * Unit;
}

std::optional<TimeRange> parseTimeRange(StringRef Text) {
  if (Text.count(':') != 1)
    return std::nullopt;
  auto [From, To] = Text.split(':');
  TimeRange R{-INFINITY, INFINITY};
  for (auto [End, Out] : {std::pair(From, &R.Begin), std::pair(To, &R.End)}) {
    if (End.empty())
      continue;
    std::optional<double> Ns = parseTime(End);
    if (!Ns)
      return std::nullopt;
    *Out = *Ns;
  }
  if (Text == ":" || R.End <= R.Begin)
    return std::nullopt;
  return R;
}

std::string rangeText(const IndexRange &R, StringRef Noun) {
  if (R.First == R.Last)
    return Noun.str() + " " + utostr(R.First);
  std::string Out = Noun.str() + (Noun.ends_with("h") ? "es " : "s ");
  return Out + utostr(R.First) +
         (R.Last == IndexRange::NoEnd ? " and up" : " to " + utostr(R.Last));
}

} // namespace kinstr::report
