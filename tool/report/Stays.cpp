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

void sortScopes(ArrayRef<ScopeSpan> Scopes, std::vector<Stay> &Out) {
  Out.clear();
  for (const ScopeSpan &S : Scopes)
    Out.push_back({S.Site, S.Depth, S.Begin, S.End, S.cycles(), S.Open});
  llvm::stable_sort(Out, [](const Stay &A, const Stay &B) {
    return std::pair(A.Begin, A.Depth) < std::pair(B.Begin, B.Depth);
  });
}

void placeValues(ArrayRef<Stay> Stays, ArrayRef<Value> Values,
                 std::vector<StayValue> &Out) {
  Out.clear();
  SmallVector<uint32_t, 8> Open; // positions in Stays
  uint32_t Next = 0;
  for (const Value &V : Values) {
    for (; Next < Stays.size() && Stays[Next].Begin <= V.Clock; ++Next) {
      while (!Open.empty() && Stays[Open.back()].Depth >= Stays[Next].Depth)
        Open.pop_back();
      Open.push_back(Next);
    }
    while (!Open.empty() && Stays[Open.back()].End < V.Clock)
      Open.pop_back();
    Out.push_back({Open.empty() ? StayValue::NoStay : Open.back(), V});
  }
}

void lastOfEach(ArrayRef<StayValue> Values, ArrayRef<uint32_t> Names,
                std::vector<StayValue> &Out) {
  Out.clear();
  copy_if(Values, std::back_inserter(Out),
          [](const StayValue &P) { return P.Stay != StayValue::NoStay; });
  auto Key = [&](const StayValue &P) {
    return std::pair(P.Stay, Names[P.V.Site]);
  };
  llvm::stable_sort(Out, [&](const StayValue &A, const StayValue &B) {
    return Key(A) < Key(B);
  });
  size_t Kept = 0;
  for (const StayValue &P : Out) {
    Kept += Kept == 0 || Key(Out[Kept - 1]) != Key(P);
    Out[Kept - 1] = P;
  }
  Out.resize(Kept);
}

} // namespace kinstr::report
