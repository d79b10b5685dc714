// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes reading a trace: sections, tables, records, time model, blocks.
// Whatever the bytes are, all of it ends, and what is handed out fits together.
#include "Require.h"
#include "TraceInput.h"
#include "trace/Visit.h"

using namespace llvm;
using namespace kinstr;
using namespace kinstr::trace;

namespace {

/// Counts, and checks each block by itself.
class Checker final : public BlockSink {
public:
  explicit Checker(const Trace &T) : T(T) {}
  void block(const BlockView &V) override {
    require(V.Launch < T.launches().size(), "a block has a launch");
    require(T.clock(V.Launch).find(V.B.SmStart) != nullptr,
            "an SM that ran a block has a line");
    require(V.B.NumWarps == V.Warps.size(), "warps are counted");
    const Kernel &K = T.kernel(T.launches()[V.Launch]);
    uint32_t Next = 0;
    for (const WarpView &W : V.Warps) {
      require(W.Index >= Next && W.Index < 32, "warps are in order");
      Next = W.Index + 1;
      Events += W.numEvents();
      for (size_t I = 1; I < W.Events.size(); ++I)
        require(W.Events[I - 1].Clock <= W.Events[I].Clock,
                "events are in order");
      for (const Span &S : W.Spans)
        require(S.Site < K.Sites.size() && S.Begin <= S.End,
                "a span is of a site and does not end before it begins");
      checkScopes(W, K);
      checkValues(W, K);
    }
    ++Blocks;
  }
  void join(Checker &&Part) {
    Events += Part.Events;
    Blocks += Part.Blocks;
  }

  uint64_t Events = 0, Blocks = 0;

private:
  static void checkScopes(const WarpView &W, const Kernel &K);
  static void checkValues(const WarpView &W, const Kernel &K);

  const Trace &T;
};

void Checker::checkScopes(const WarpView &W, const Kernel &K) {
  for (const ScopeSpan &S : W.Scopes) {
    require(S.Site < K.Sites.size() && K.Sites[S.Site].Kind == SiteKind::Scope,
            "a scope is of its site");
    require(S.Begin <= S.End && S.Paused <= S.End - S.Begin,
            "a scope is not shorter than its pauses");
    require(W.Time.Begin <= S.Begin && S.End <= W.Time.End,
            "a scope is within the warp's time");
  }
  for (size_t I = 1; I < W.Scopes.size(); ++I) // one by one, as they ended
    require(W.Scopes[I - 1].End <= W.Scopes[I].End, "inner scopes end first");
}

void Checker::checkValues(const WarpView &W, const Kernel &K) {
  const Event *At = W.Events.begin();
  for (const Value &V : W.Values) {
    At = std::find_if(At, W.Events.end(), [&](const Event &E) {
      return E.Clock == V.Clock && E.Site == V.Site;
    });
    require(At != W.Events.end() && V.Site < K.Sites.size() &&
                K.Sites[V.Site].Kind == SiteKind::Value,
            "each value has an event of its site");
  }
}

void check(const Trace &T) {
  auto All = collectBlocks(T, {}, Checker(T));
  require(bool(All), "what was read once is read again");
  require(All->Events == T.Ls.NumEvents, "all events are handed out");
  uint64_t Blocks = 0;
  for (const Launch &L : T.launches())
    Blocks += L.NumBlocks;
  require(All->Blocks == Blocks, "all blocks are handed out");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  // Parts are cut, too.
  if (auto T = openTrace(repaired(Bytes), Size % 8 == 1 ? 2 : 0,
                         Size % 2 ? 256 : LargestPart))
    check(*T);
  return 0;
}
