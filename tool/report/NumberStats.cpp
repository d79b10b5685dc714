// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds numbers up. Parts of a trace are joined in their order, so that the sum
// does not depend on threads.
#include "report/NumberStats.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

NumberPlace placeOfNumber(const Trace &T, const BlockView &V, const WarpView &W,
                          const Value &N) {
  const LaunchClock &Clock = T.clock(V.Launch);
  const SmLine *Line =
      Clock.Source == SlopeSource::None ? nullptr : Clock.find(V.B.SmStart);
  double Ns =
      Line ? Clock.toNs(*Line, N.Clock) : static_cast<double>(V.B.GlobalStart);
  return {Ns, V.B.Number, W.Index, N.Clock};
}

void NumberStats::addRange(const Number &Low, const Number &High) {
  if (!Finite || Low.toDouble() < Min.toDouble())
    Min = Low;
  if (!Finite || High.toDouble() > Max.toDouble())
    Max = High;
}

void NumberStats::add(const Number &N, const NumberPlace &At) {
  double Value = N.toDouble();
  if (std::isfinite(Value)) {
    addRange(N, N);
    ++Finite;
    Sum += Value;
  }
  if (!Count || LastAt < At) {
    Last = N;
    LastAt = At;
  }
  ++Count;
}

std::string NumberStats::meanText() const {
  double Size = std::abs(mean());
  std::string Out;
  raw_string_ostream(Out) << format(
      Size >= 1e6 && Size < 1e15 ? "%.1f" : "%.7g", mean());
  return Out;
}

void NumberStats::join(const NumberStats &Other) {
  if (Other.Finite)
    addRange(Other.Min, Other.Max);
  Finite += Other.Finite;
  if (Other.Count && (!Count || LastAt < Other.LastAt)) {
    Last = Other.Last;
    LastAt = Other.LastAt;
  }
  Count += Other.Count;
  Sum += Other.Sum;
}

} // namespace kinstr::report
