// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a stack of the stays of which more pieces are to come.
#include "report/Stays.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// A later piece says how long those before it were; only where these took no
/// time at all can it be taken for the first piece of a call of itself.
static bool continues(const Stay &S, const Span &Piece) {
  return S.Site == Piece.Site && S.Cycles == Piece.Before;
}

void joinPieces(ArrayRef<Span> Pieces, std::vector<Stay> &Out) {
  Out.clear();
  SmallVector<size_t, 4> Interrupted; // positions in Out
  for (const Span &P : Pieces) {
    bool Continues =
        !Interrupted.empty() && continues(Out[Interrupted.back()], P);
    if (!Continues) {
      Out.push_back(
          {P.Site, static_cast<uint32_t>(Interrupted.size()), P.Begin});
      if (P.Interrupted)
        Interrupted.push_back(Out.size() - 1);
    }
    Stay &S = Continues ? Out[Interrupted.back()] : Out.back();
    S.End = P.End;
    S.Cycles = P.Before + P.cycles();
    S.Open = P.Open;
    if (Continues && !P.Interrupted)
      Interrupted.pop_back();
  }
  // A filter took the last piece: it lasts as long as what lies within it.
  while (!Interrupted.empty()) {
    Stay &S = Out[Interrupted.pop_back_val()];
    S.End = std::max(S.End, Out.back().End);
  }
}

} // namespace kinstr::report
