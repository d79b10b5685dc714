// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the warps of one block after another, several parts at a time.
#include "trace/Visit.h"

#include "trace/Decode.h"
#include "trace/Index.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace kinstr::trace {

BlockSink::~BlockSink() = default;

namespace {

/// Hands the blocks of a part to its sink. Arrays are used again for the next
/// block.
class Decoder {
public:
  Decoder(const Trace &T, const VisitOptions &O, const Watch &W,
          BlockSink &Sink)
      : T(T), O(O), W(W), Sink(Sink) {}

  Error run(const PlacedPart &P, bool Gathered);

private:
  struct WarpArrays {
    SmallVector<Event, 0> Events, Marks;
    SmallVector<Span, 0> Spans;
    SmallVector<ScopeSpan, 0> Scopes;
    SmallVector<Value, 0> Values;
  };

  std::optional<uint32_t> launchOf(const Found &F);
  void handOut(const Found &F, uint32_t Launch, ArrayRef<Placed> Records);
  WarpView decode(const Block &B, ArrayRef<Placed> Records,
                  WarpArrays &A) const;

  const Trace &T;
  const VisitOptions &O;
  const Watch &W;
  BlockSink &Sink;
  std::pair<LaunchKey, uint32_t> Last;
  std::vector<WarpArrays> Arrays;
  std::vector<WarpView> Views;
  SmallVector<ClockPair> Clocks;
};

} // namespace

WarpView Decoder::decode(const Block &B, ArrayRef<Placed> Records,
                         WarpArrays &A) const {
  const Launch &L = T.launches()[B.Launch];
  const Kernel &K = T.kernel(L);
  WarpView V;
  V.Index = Records.front().R.tag().warp;
  decodeEvents(B, Records, T.Ls.calleesOf(L), A.Events, A.Values);
  erase_if(A.Values, [&](const Value &N) { return !K.isValue(N.Site); });
  A.Spans.clear();
  A.Scopes.clear();
  A.Marks.clear();
  V.Time = forEachSpan(
      A.Events, K, [&](const Span &S) { A.Spans.push_back(S); },
      [&](const ScopeSpan &S) { A.Scopes.push_back(S); },
      [&](const Event &E) { A.Marks.push_back(E); }, V.UnknownSites);
  V.Events = A.Events;
  V.Spans = A.Spans;
  V.Scopes = A.Scopes;
  V.Marks = A.Marks;
  V.Values = A.Values;
  V.MayHaveWrapped = mayHaveWrapped(B, Records, A.Events);
  return V;
}

void Decoder::handOut(const Found &F, uint32_t Launch,
                      ArrayRef<Placed> Records) {
  Block B = makeBlock(T.meta(), F);
  B.Launch = Launch;
  for (ArrayRef<Placed> Left = Records; !Left.empty();
       Left = Left.drop_front(firstWarp(Left).size()))
    ++B.NumWarps;
  if (O.Wanted && !O.Wanted(Launch, B))
    return;
  if (Arrays.size() < B.NumWarps)
    Arrays.resize(B.NumWarps);
  Views.clear();
  for (ArrayRef<Placed> Left = Records; !Left.empty();
       Left = Left.drop_front(firstWarp(Left).size()))
    Views.push_back(decode(B, firstWarp(Left), Arrays[Views.size()]));
  decodeClocks(B, T.launches()[Launch].warpsPerBlock(), Records, Clocks);
  Sink.block({Launch, B, Views, Clocks});
}

/// The position in Trace::launches(); nothing where the first pass saw no such
/// launch.
std::optional<uint32_t> Decoder::launchOf(const Found &F) {
  LaunchKey Key = F.launchKey();
  if (Last.first != Key) {
    ArrayRef<Launch> All = T.launches();
    const auto *It =
        lower_bound(All, Key, [](const Launch &L, const LaunchKey &Want) {
          return keyOf(L) < Want;
        });
    if (It == All.end() || keyOf(*It) != Key)
      return std::nullopt;
    Last = {Key, static_cast<uint32_t>(It - All.begin())};
  }
  return Last.second;
}

Error Decoder::run(const PlacedPart &P, bool Gathered) {
  struct Next {
    uint32_t Launch, Number;
    size_t At;
  };
  std::vector<Next> Order;
  for (size_t I = 0; I < P.Blocks.size(); ++I) {
    const Found &F = P.Blocks[I];
    if (F.Gathered != Gathered)
      continue;
    std::optional<uint32_t> Launch = launchOf(F);
    if (!Launch)
      return createStringError(inconvertibleErrorCode(),
                               "the file changed while it was read");
    Order.push_back({*Launch, F.Block, I});
  }
  // Whatever is made of them, blocks of a launch lie together.
  llvm::sort(Order, [](const Next &A, const Next &B) {
    return std::tie(A.Launch, A.Number, A.At) <
           std::tie(B.Launch, B.Number, B.At);
  });
  for (const Next &N : Order) {
    if (W.cancelled())
      return make_error<Interrupted>();
    handOut(P.Blocks[N.At], N.Launch, P.recordsOf(N.At));
  }
  return Error::success();
}

Error visitBlocks(const Trace &T, const VisitOptions &O,
                  function_ref<std::unique_ptr<BlockSink>()> Make,
                  function_ref<Error(std::unique_ptr<BlockSink>)> Done) {
  const std::vector<Part> Parts = partsOf(T.Raw);
  // The last part is what is left of all others.
  const size_t Count = Parts.size() + (T.Gathered ? 1 : 0);
  std::vector<std::unique_ptr<BlockSink>> Sinks(Count);
  const Watch &W = O.Watching ? *O.Watching : T.Watching;
  Meter M(bytesOf(Parts));
  auto Work = [&](size_t I) -> Error {
    Sinks[I] = Make();
    Decoder D(T, O, W, *Sinks[I]);
    if (I == Parts.size())
      return D.run(T.Gathered->Placed, /*Gathered=*/true);
    LoadedPart Bytes;
    Expected<PlacedPart> P = placePart(T.Raw, Parts[I], I, T.Known, Bytes);
    if (!P)
      return P.takeError();
    Error E = D.run(*P, /*Gathered=*/false);
    M.Done += bytesOf(Parts[I]);
    return E;
  };
  return inOrder(Count, W, M, Work,
                 [&](size_t I) { return Done(std::move(Sinks[I])); });
}

} // namespace kinstr::trace
