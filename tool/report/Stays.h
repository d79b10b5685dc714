// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a warp, nested: what a function called records lies within the
// caller's phase. Its scopes, likewise, and in which phases it recorded values.
#ifndef KINSTR_REPORT_STAYS_H
#define KINSTR_REPORT_STAYS_H

#include "trace/Spans.h"
#include <limits>

namespace kinstr::report {

/// One stay of a warp in a phase, its pieces put together.
struct Stay {
  uint32_t Site = 0;
  uint32_t Depth = 0;          ///< stays that it lies within
  uint64_t Begin = 0, End = 0; ///< [cycles]
  uint64_t Cycles = 0;         ///< its own: of its pieces
  bool Open = false;           ///< trace::Span::Open
};

/// \p Pieces as WarpView::Spans, of which a filter may have taken some. In the
/// order in which they began, each before those that lie within it.
void joinPieces(llvm::ArrayRef<trace::Span> Pieces, std::vector<Stay> &Out);

/// \p Scopes as WarpView::Scopes, in the order in which they began, each before
/// those that lie within it. Depth is ScopeSpan::Depth: a filter may have taken
/// those around it.
void sortScopes(llvm::ArrayRef<trace::ScopeSpan> Scopes,
                std::vector<Stay> &Out);

/// A value and the innermost of the stays that it was recorded in.
struct StayValue {
  static constexpr uint32_t NoStay = std::numeric_limits<uint32_t>::max();

  uint32_t Stay = NoStay; ///< its position
  trace::Value V;
};

/// \p Stays as joinPieces() makes them, \p Values as WarpView::Values; in their
/// order. What ends when a value is recorded has it, unless something else
/// begins then.
void placeValues(llvm::ArrayRef<Stay> Stays,
                 llvm::ArrayRef<trace::Value> Values,
                 std::vector<StayValue> &Out);

/// Of those in stays the last of each name, \p Names by site; by stay.
void lastOfEach(llvm::ArrayRef<StayValue> Values,
                llvm::ArrayRef<uint32_t> Names, std::vector<StayValue> &Out);

/// Those of \p Stay, which \p Rest begins with if there are any, taken from it.
inline llvm::ArrayRef<StayValue> takeOf(llvm::ArrayRef<StayValue> &Rest,
                                        size_t Stay) {
  llvm::ArrayRef<StayValue> Taken =
      Rest.take_while([&](const StayValue &P) { return P.Stay == Stay; });
  Rest = Rest.drop_front(Taken.size());
  return Taken;
}

} // namespace kinstr::report

#endif // KINSTR_REPORT_STAYS_H
