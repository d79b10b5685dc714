// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the block of each record by what it shares with the block's anchor.
#include "trace/Place.h"

#include "trace/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>
#include <utility>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// An anchor by what records without one share with it: lookupKey(), address,
/// position in PlacedPart::Blocks.
using Keyed = std::tuple<uint64_t, const uint8_t *, uint32_t>;

class Placer {
public:
  Placer(const Meta &M, PlacedPart &Out) : M(M), Out(Out) {}

  void walk(const LoadedPart &L);
  void matchLoose();

private:
  void addAnchor(const Record &R, uint32_t Device);
  std::optional<uint32_t> blockOf(const Record &R) const;
  void placeParts(ArrayRef<Keyed> Replays, const Record &R);
  void addStray(const Record &R);
  Keyed keyed(uint32_t Block) const {
    const Found &F = Out.Blocks[Block];
    return {lookupKey(F), F.R.address(), Block};
  }

  const Meta &M;
  PlacedPart &Out;
  std::vector<Record> Loose; ///< without an anchor
  std::vector<Keyed> Index;
};

} // namespace

void Placer::addAnchor(const Record &R, uint32_t Device) {
  Found F{R.anchor(), R, R.block(), Device};
  if (!plausible(M, F)) {
    ++Out.Lost.BadAnchors;
    return;
  }
  if (fitsKernel(M, F, R))
    Out.Records.push_back(
        {R, static_cast<uint32_t>(Out.Blocks.size()), 0, R.size()});
  else
    ++Out.Lost.BadRecords;
  Out.Blocks.push_back(F);
}

void Placer::walk(const LoadedPart &L) {
  for (const LoadedPart::Piece &Piece : L.Pieces) {
    RecordWalker Walk(Piece.Words);
    while (std::optional<Record> R = Walk.next())
      if (R->tag().anchor)
        addAnchor(*R, Piece.Where->Device);
      else
        Loose.push_back(*R);
    // Where the file was cut short, so was its last record.
    std::optional<uint64_t> At = Walk.damage();
    if (At && (Piece.Where->Whole || !Walk.cutOff()))
      Out.Warnings.push_back(
          {Piece.Where->Offset + *At,
           ("no record starts here; the rest of the region of SM " +
            Twine(Piece.Where->Sm) + ", " + Twine(Piece.Words.size() - *At) +
            " bytes, is skipped")
               .str()});
  }
}

/// The block of the part that \p R fits.
///
/// The replays of a graph's node repeat a block with the same key, and the 32
/// bits of a slot repeat every two seconds. But the replays follow one another,
/// and so do their reservations: a record lies next to its anchor, with none of
/// the same key in between.
std::optional<uint32_t> Placer::blockOf(const Record &R) const {
  uint64_t Key = lookupKey(R);
  auto Next = llvm::lower_bound(Index, Keyed(Key, R.address(), 0));
  Choice<uint32_t> C;
  // At the anchors of the key that are the From-th to To-th from here.
  auto Look = [&](ptrdiff_t From, ptrdiff_t To) {
    for (ptrdiff_t I = From; I < To && I < Next - Index.begin(); ++I) {
      const auto &[K, Address, Block] = Next[-1 - I];
      if (K != Key)
        break;
      const Found &F = Out.Blocks[Block];
      C.consider(Block, fit(F, R), R.address() - F.R.end());
    }
    for (ptrdiff_t I = From; I < To && I < Index.end() - Next; ++I) {
      const auto &[K, Address, Block] = Next[I];
      if (K != Key)
        break;
      C.consider(Block, fit(Out.Blocks[Block], R), Address - R.end());
    }
  };
  Look(0, 1);
  if (!C.Block)
    Look(1, Window);
  return C.Block;
}

/// Places a record of callees. Its warp's last state outlives it, so that the
/// same warp of the next replay goes on with the record. \p Replays: the anchor
/// of the first event's block and those behind it, of which the ones with its
/// %gridid and number are later replays.
void Placer::placeParts(ArrayRef<Keyed> Replays, const Record &R) {
  auto Block = [&](size_t I) { return std::get<2>(Replays[I]); };
  auto IsReplay = [&](size_t I) {
    return I < Replays.size() &&
           std::get<0>(Replays[I]) == std::get<0>(Replays[0]) &&
           Out.Blocks[Block(I)].A.GridId == Out.Blocks[Block(0)].A.GridId;
  };
  size_t At = 0;
  uint32_t First = 0;
  auto Cut = [&](uint32_t End) {
    if (fitsKernel(M, Out.Blocks[Block(At)], R))
      Out.Records.push_back({R, Block(At), First, End});
    else
      ++Out.Lost.BadRecords;
    First = End;
  };
  if (!fitsKernel(M, Out.Blocks[Block(0)], R)) {
    ++Out.Lost.BadRecords;
    return;
  }
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    StoredEvent E = R.event(I);
    size_t Next = At;
    while (E.hasClock() && IsReplay(Next + 1) &&
           isOfLater(Out.Blocks[Block(Next)], Out.Blocks[Block(Next + 1)],
                     E.Clock48))
      ++Next;
    uint32_t Begin = I > First && R.event(I - 1).isNumber() ? I - 1 : I;
    if (Next != At && Begin != 0)
      Cut(Begin);
    At = Next;
  }
  Cut(R.size());
}

void Placer::addStray(const Record &R) {
  Stray S{R, std::nullopt};
  if (!Out.Blocks.empty()) {
    auto It = llvm::partition_point(Out.Blocks, [&](const Found &F) {
      return F.R.address() < R.address();
    });
    S.NearClock =
        (It == Out.Blocks.end() ? Out.Blocks.back() : *It).A.ClockStart;
  }
  Out.Strays.push_back(S);
}

/// Gives each record without an anchor the block of its region that it fits.
void Placer::matchLoose() {
  Out.Records.reserve(Out.Records.size() + Loose.size());
  Index.reserve(Out.Blocks.size());
  for (uint32_t I = 0; I < Out.Blocks.size(); ++I)
    Index.push_back(keyed(I));
  llvm::sort(Index);
  for (const Record &R : Loose) {
    std::optional<uint32_t> Block = blockOf(R);
    if (!Block)
      addStray(R);
    else if (R.calleeModule() != kernel_events)
      placeParts(ArrayRef(Index).drop_front(
                     llvm::lower_bound(Index, keyed(*Block)) - Index.begin()),
                 R);
    else if (fitsKernel(M, Out.Blocks[*Block], R))
      Out.Records.push_back({R, *Block, 0, R.size()});
    else
      ++Out.Lost.BadRecords;
  }
}

void PlacedPart::group(bool (*Before)(const Placed &, const Placed &)) {
  // By block, by counting: there are many.
  Starts.assign(Blocks.size() + 1, 0);
  for (const Placed &P : Records)
    ++Starts[P.Block + 1];
  for (size_t I = 0; I < Blocks.size(); ++I)
    Starts[I + 1] += Starts[I];
  std::vector<size_t> Next(Starts.begin(), Starts.end() - 1);
  std::vector<Placed> Sorted(Records.size(), Placed{Record(nullptr)});
  for (const Placed &P : Records)
    Sorted[Next[P.Block]++] = P;
  Records = std::move(Sorted);

  size_t Kept = 0;
  for (size_t I = 0; I < Blocks.size(); ++I) {
    auto OfBlock =
        MutableArrayRef(Records).slice(Starts[I], Next[I] - Starts[I]);
    if (!llvm::is_sorted(OfBlock, Before))
      llvm::stable_sort(OfBlock, Before);
    Starts[I] = Kept;
    std::optional<uint32_t> HasSlots; // the last warp that has
    for (const Placed &P : OfBlock) {
      uint32_t Warp = P.R.tag().warp;
      // A warp leaves one slots record. The second one is of another block,
      // whose anchor was dropped.
      if (!P.R.tag().stream && std::exchange(HasSlots, Warp) == Warp)
        ++Lost.Orphans;
      else
        Records[Kept++] = P;
    }
  }
  Records.erase(Records.begin() + Kept, Records.end());
  Starts.back() = Kept;
}

PlacedPart placeRecords(const Meta &M, const LoadedPart &L) {
  PlacedPart Out;
  {
    Placer P(M, Out);
    P.walk(L);
    P.matchLoose();
  }
  // A warp's records stay in the order they were reserved in.
  Out.group([](const Placed &A, const Placed &B) {
    return std::pair(A.R.tag().warp, A.R.address()) <
           std::pair(B.R.tag().warp, B.R.address());
  });
  return Out;
}

std::vector<Found> findBlocks(const Meta &M, const LoadedPart &L) {
  PlacedPart Out;
  Placer(M, Out).walk(L);
  return std::move(Out.Blocks);
}

Block makeBlock(const Meta &M, const Found &F) {
  Block B;
  B.GlobalStart = F.A.GlobalStart;
  B.ClockStart = F.A.ClockStart;
  B.Number = F.Block;
  B.SmStart = F.A.SmStart;
  B.SmEnd = F.A.SmEnd;
  B.Divergent = M.Modules[F.A.Module].Kernels[F.A.Kernel].Flow == "divergent";
  B.Finished = F.finished();
  if (B.Finished) {
    B.GlobalEnd = F.A.GlobalEnd;
    B.ClockEnd = F.A.ClockEnd;
  }
  return B;
}

} // namespace kinstr::trace
