// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the warps of one block after another.
#include "trace/Visit.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace kinstr::trace {

BlockSink::~BlockSink() = default;

namespace {

/// The warps of a block. Its arrays are used again for the next block.
class Decoder {
public:
  explicit Decoder(const Trace &T) : T(T) {}

  ArrayRef<WarpView> decode(const Launch &L, const Block &B) {
    ArrayRef<Warp> Warps = T.Ls.warps(B);
    if (Arrays.size() < Warps.size())
      Arrays.resize(Warps.size());
    Views.clear();
    for (size_t I = 0; I < Warps.size(); ++I)
      Views.push_back(decode(L, B, Warps[I], Arrays[I]));
    return Views;
  }

private:
  struct WarpArrays {
    SmallVector<Event, 0> Events, Marks;
    SmallVector<Span, 0> Spans;
  };

  WarpView decode(const Launch &L, const Block &B, const Warp &W,
                  WarpArrays &A) const {
    WarpView V;
    V.Index = W.Index;
    T.Ls.events(B, W, A.Events);
    A.Spans.clear();
    A.Marks.clear();
    V.Time = forEachSpan(
        A.Events, T.kernel(L), [&](const Span &S) { A.Spans.push_back(S); },
        [&](const Event &E) { A.Marks.push_back(E); }, V.UnknownSites);
    V.Events = A.Events;
    V.Spans = A.Spans;
    V.Marks = A.Marks;
    V.MayHaveWrapped = T.Ls.mayHaveWrapped(B, W, A.Events);
    return V;
  }

  const Trace &T;
  std::vector<WarpArrays> Arrays;
  std::vector<WarpView> Views;
};

} // namespace

Error visitBlocks(const Trace &T, const VisitOptions &O,
                  function_ref<std::unique_ptr<BlockSink>()> Make,
                  function_ref<Error(std::unique_ptr<BlockSink>)> Done) {
  Decoder D(T);
  std::unique_ptr<BlockSink> Sink = Make();
  SmallVector<ClockPair> Clocks;
  for (const Block &B : T.Ls.Blocks) {
    if (O.Wanted && !O.Wanted(B.Launch, B))
      continue;
    T.Ls.clocks(B, Clocks);
    Sink->block({B.Launch, B, D.decode(T.launches()[B.Launch], B), Clocks});
  }
  return Done(std::move(Sink));
}

} // namespace kinstr::trace
