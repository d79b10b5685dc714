// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a warp, nested: what a function called records lies within the
// caller's phase.
#ifndef KINSTR_REPORT_STAYS_H
#define KINSTR_REPORT_STAYS_H

#include "trace/Spans.h"

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

} // namespace kinstr::report

#endif // KINSTR_REPORT_STAYS_H
