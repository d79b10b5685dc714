// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums up each part, and joins the sums in the order of the parts.
#include "trace/Index.h"

#include "trace/Callees.h"
#include "trace/Decode.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kinstr::trace {

namespace {

/// What parts say of a launch, summed up.
struct LaunchSum {
  uint32_t NumBlocks = 0;
  /// Of the block with the lowest number, of several the earliest, whose
  /// cluster is taken for the launch's.
  std::pair<uint32_t, uint64_t> First = {UINT32_MAX, UINT64_MAX};
  Dim3 Cluster = {0, 0, 0};
};

/// What one part says of it.
struct LaunchPart : LaunchSum {
  std::vector<uint32_t> Blocks; ///< their numbers
  std::vector<Reading> Readings;
};

/// What one part says.
struct PartSummary {
  explicit PartSummary(const Meta &M) : Callees(M) {}

  std::map<LaunchKey, LaunchPart> Launches;
  CalleeSet Callees;
  Unplaced Lost;
  std::vector<Warning> Warnings;
  uint64_t NumEvents = 0;
  std::vector<CopiedStray> Strays;
  RecordCopies Copies; ///< of the strays
  std::vector<std::pair<Found, std::vector<Placed>>> Gathered; ///< copied
};

/// Sums up the blocks of a part that are not handed out elsewhere.
class Summary {
public:
  Summary(const Meta &M, PartSummary &Out) : M(M), Out(Out) {}

  void add(const PlacedPart &P, bool Gathered);

private:
  void addBlock(const Found &F, ArrayRef<Placed> Records);
  LaunchPart &launchOf(const Found &F);

  const Meta &M;
  PartSummary &Out;
  std::optional<LaunchKey> Last;
  LaunchPart *LastLaunch = nullptr;
  SmallVector<ClockPair> Between;
};

} // namespace

LaunchPart &Summary::launchOf(const Found &F) {
  LaunchKey Key = F.launchKey();
  if (Last != Key) {
    LastLaunch = &Out.Launches[Key];
    Last = Key;
  }
  return *LastLaunch;
}

void Summary::addBlock(const Found &F, ArrayRef<Placed> Records) {
  LaunchPart &L = launchOf(F);
  ++L.NumBlocks;
  if (std::pair First(F.Block, F.A.GlobalStart); First < L.First) {
    L.First = First;
    llvm::copy(F.A.Cluster, L.Cluster.begin());
  }
  L.Blocks.push_back(F.Block);

  Block B = makeBlock(M, F);
  L.Readings.push_back({B.SmStart, B.ClockStart, B.GlobalStart});
  // A block that moved read its end on the other SM's clock: as good an anchor,
  // for that SM.
  if (B.Finished)
    L.Readings.push_back({B.SmEnd, B.ClockEnd, B.GlobalEnd});
  uint32_t Threads = F.A.Block[0] * F.A.Block[1] * F.A.Block[2];
  decodeClocks(B, (Threads + 31) / 32, Records, Between);
  for (const ClockPair &P : Between)
    L.Readings.push_back({B.SmStart, P.Clock, P.Global});

  Out.NumEvents += countEvents(Records);
  for (const Placed &P : Records)
    if (P.R.calleeModule() != kernel_events)
      Out.Callees.add(F.A.Module, F.A.Kernel, P.R);
}

void Summary::add(const PlacedPart &P, bool Gathered) {
  for (size_t I = 0; I < P.Blocks.size(); ++I)
    if (P.Blocks[I].Gathered == Gathered)
      addBlock(P.Blocks[I], P.recordsOf(I));
  auto &To = Out.Lost;
  To.Orphans += P.Lost.Orphans;
  To.BadRecords += P.Lost.BadRecords;
  To.BadAnchors += P.Lost.BadAnchors;
  append_range(Out.Warnings, P.Warnings);
}

namespace {

/// Which blocks a launch has, to see one the second time. Takes memory in
/// proportion to what is there, whatever the numbers are.
class BlockNumbers {
public:
  /// Whether it is new.
  bool add(size_t Launch, uint32_t Block) {
    uint64_t &Bits = Chunks[{Launch, Block / 64}];
    uint64_t Bit = uint64_t(1) << Block % 64;
    bool New = (Bits & Bit) == 0;
    Bits |= Bit;
    return New;
  }

private:
  /// Small ones: there may be a million launches of one block each.
  DenseMap<std::pair<size_t, uint32_t>, uint64_t> Chunks;
};

class Indexer {
public:
  Indexer(const RawTrace &T, const Watch &W)
      : T(T), W(W), Parts(partsOf(T)), Callees(T.Tables) {}

  Expected<TraceIndex> run();

private:
  struct OfLaunch {
    size_t Number = 0; ///< in the order in which they were met
    LaunchSum Sum;
  };

  Error pass();
  Error summarise(uint32_t Number, PartSummary &Out) const;
  void copyGathered(const PlacedPart &P, PartSummary &Out) const;
  void join(PartSummary Part);
  void joinLaunch(const LaunchKey &Key, LaunchPart Part);
  void addGathered(ArrayRef<std::pair<BlockId, Record>> Strays);
  void finish();

  const RawTrace &T;
  const Watch &W;
  const std::vector<Part> Parts;

  TraceIndex Out;
  // Of one pass.
  std::map<LaunchKey, OfLaunch> Launches;
  BlockNumbers Numbers;
  CalleeSet Callees;
  ReadingStore Readings; ///< by OfLaunch::Number
  ElsewhereQuestion Question;
  RecordCopies Copies; ///< of Question::Strays and Out.Gathered
};

} // namespace

Expected<PlacedPart> placePart(const RawTrace &T, Part P, uint32_t Number,
                               const Elsewhere &Known, LoadedPart &Bytes) {
  Expected<LoadedPart> L = loadPart(T, P);
  if (!L)
    return L.takeError();
  Bytes = std::move(*L);
  PlacedPart Placed = placeRecords(T.Tables, Bytes);
  Known.tell(Number, Placed.Blocks);
  return Placed;
}

void Indexer::copyGathered(const PlacedPart &P, PartSummary &Out) const {
  for (size_t I = 0; I < P.Blocks.size(); ++I) {
    if (!P.Blocks[I].Gathered)
      continue;
    Out.Gathered.emplace_back(P.Blocks[I], std::vector<Placed>());
    for (Placed Copy : P.recordsOf(I)) {
      Copy.R = Out.Copies.add(Copy.R);
      Out.Gathered.back().second.push_back(Copy);
    }
  }
}

Error Indexer::summarise(uint32_t Number, PartSummary &Sum) const {
  LoadedPart Bytes;
  Expected<PlacedPart> P =
      placePart(T, Parts[Number], Number, Out.Known, Bytes);
  if (!P)
    return P.takeError();
  Summary(T.Tables, Sum).add(*P, /*Gathered=*/false);
  if (Out.Known.empty()) // else they have been looked for
    for (const Stray &S : P->Strays)
      Sum.Strays.push_back(
          {{Sum.Copies.add(S.R), S.NearClock}, Parts[Number].front().Device});
  copyGathered(*P, Sum);
  return Error::success();
}

void Indexer::joinLaunch(const LaunchKey &Key, LaunchPart Part) {
  auto [It, New] = Launches.try_emplace(Key);
  OfLaunch &L = It->second;
  if (New)
    L.Number = Launches.size() - 1;
  L.Sum.NumBlocks += Part.NumBlocks;
  if (Part.First < L.Sum.First) {
    L.Sum.First = Part.First;
    L.Sum.Cluster = Part.Cluster;
  }
  bool Repeats = false;
  for (uint32_t Block : Part.Blocks)
    Repeats |= !Numbers.add(L.Number, Block);
  if (Repeats)
    Question.Repeated.insert(Key);
  Readings.add(L.Number, std::move(Part.Readings));
}

void Indexer::join(PartSummary Part) {
  for (auto &[Key, L] : Part.Launches)
    joinLaunch(Key, std::move(L));
  Callees.join(Part.Callees);
  Unplaced &Lost = Out.Ls.Lost;
  Lost.Orphans += Part.Lost.Orphans;
  Lost.BadRecords += Part.Lost.BadRecords;
  Lost.BadAnchors += Part.Lost.BadAnchors;
  append_range(Out.Ls.Warnings, Part.Warnings);
  Out.Ls.NumEvents += Part.NumEvents;
  append_range(Question.Strays, Part.Strays);
  for (auto &[F, Records] : Part.Gathered) {
    for (Placed &P : Records)
      P.Block = Out.Gathered->Placed.Blocks.size();
    append_range(Out.Gathered->Placed.Records, Records);
    Out.Gathered->Placed.Blocks.push_back(F);
  }
  Copies.take(std::move(Part.Copies));
}

/// Sums up all parts.
Error Indexer::pass() {
  Out.Ls = {};
  Launches.clear();
  Numbers = {};
  Callees = CalleeSet(T.Tables);
  Readings = ReadingStore();
  Question = {};
  Meter M(bytesOf(Parts));
  std::vector<std::optional<PartSummary>> Sums(Parts.size());
  return inOrder(
      Parts.size(), W, M,
      [&](size_t I) {
        Error E = summarise(I, Sums[I].emplace(T.Tables));
        M.Done += bytesOf(Parts[I]);
        return E;
      },
      [&](size_t I) {
        join(std::move(*Sums[I]));
        Sums[I].reset();
        return Error::success();
      });
}

/// Adds the last part: the blocks that were left out of theirs, with the
/// records that lie elsewhere, both by part.
void Indexer::addGathered(ArrayRef<std::pair<BlockId, Record>> Strays) {
  PlacedPart &P = Out.Gathered->Placed;
  for (const auto &[Id, R] : Strays) {
    auto It = lower_bound(Out.Known.Gathered, Id);
    auto Block = static_cast<uint32_t>(It - Out.Known.Gathered.begin());
    if (Block < P.Blocks.size())
      P.Records.push_back(
          {Out.Gathered->Copies.add(R), Block, 0, R.size(), /*Stray=*/true});
  }
  // Those of a warp stay in order: first its block's part's, then the others.
  P.group([](const Placed &A, const Placed &B) {
    return std::pair(A.R.tag().warp, A.Stray) <
           std::pair(B.R.tag().warp, B.Stray);
  });
  PartSummary Sum(T.Tables);
  Summary(T.Tables, Sum).add(P, /*Gathered=*/true);
  join(std::move(Sum));
}

void Indexer::finish() {
  Numbers = {};
  Out.Ls.List.reserve(Launches.size());
  Out.Readings.reserve(Launches.size());
  for (; !Launches.empty(); Launches.erase(Launches.begin())) {
    const auto &[Key, From] = *Launches.begin();
    trace::Launch L;
    std::tie(L.Device, L.GridId, L.Module, L.Kernel, L.Grid[0], L.Grid[1],
             L.Grid[2], L.BlockDim[0], L.BlockDim[1], L.BlockDim[2],
             L.DynamicShared, L.Replay) = Key;
    L.Cluster = From.Sum.Cluster;
    L.NumBlocks = From.Sum.NumBlocks;
    Out.Ls.List.push_back(L);
    Out.Readings.push_back(Readings.take(From.Number));
  }
  Out.Ls.Callees = Callees.numbered();
}

Expected<TraceIndex> Indexer::run() {
  if (Error E = pass())
    return E;
  Unplaced Lost;
  if (!Question.Repeated.empty() || !Question.Strays.empty()) {
    RecordCopies OfStrays = std::exchange(Copies, {});
    Expected<ElsewhereAnswer> A = lookElsewhere(T, Question, W);
    if (!A)
      return A.takeError();
    Lost = A->Lost;
    if (!A->Known.empty()) {
      Out.Known = std::move(A->Known);
      Out.Gathered = std::make_unique<GatheredPart>();
      if (Error E = pass())
        return E;
      addGathered(A->Placed);
      Out.Gathered->Copies.take(std::move(Copies));
    }
  }
  Out.Ls.Lost.Orphans += Lost.Orphans;
  Out.Ls.Lost.BadRecords += Lost.BadRecords;
  finish();
  return std::move(Out);
}

Expected<TraceIndex> indexTrace(const RawTrace &T, const Watch &W) {
  return Indexer(T, W).run();
}

} // namespace kinstr::trace
