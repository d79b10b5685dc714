// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places records in blocks, blocks in launches, and decodes a warp's events.
#include "trace/Launches.h"

#include "trace/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// Other warps of a block may pass their first site before the one with the
/// anchor reads its start: usually by no more than UsualLead (871 is the most
/// seen, of 370000 warps), never by more than StartSlack. Hardly any is through
/// by then. [cycles]
constexpr uint64_t UsualLead = 1 << 11, StartSlack = 1 << 16;

/// By how much other warps may outlive the one with the anchor before a wrap of
/// theirs goes unseen. [cycles]
constexpr uint64_t LongestStraggle = 1 << 28;

/// How many anchors of the same key to look at in either direction where the
/// nearest two do not fit.
constexpr ptrdiff_t Window = 8;

constexpr unsigned SlotBits = 32, EventBits = 48;

/// A block as its anchor describes it, before blocks are sorted.
struct Found {
  Anchor A;
  Record R;
  uint32_t Block = 0; ///< linear index
  uint32_t Device = 0;
  uint32_t Replay = 0; ///< Launch::Replay

  bool sameSm() const { return A.SmStart == A.SmEnd; }
  bool finished() const {
    // An end before the start on the same clock is damage, not time.
    return A.GlobalEnd != 0 && (!sameSm() || A.ClockEnd >= A.ClockStart);
  }
  bool moved() const { return finished() && !sameSm(); }
  auto launchKey() const {
    return std::make_tuple(Device, A.GridId, A.Module, A.Kernel, A.Grid[0],
                           A.Grid[1], A.Grid[2], A.Block[0], A.Block[1],
                           A.Block[2], A.DynamicShared, Replay);
  }
};

/// A record and the block it belongs to.
struct Placed {
  uint32_t Block = 0; ///< index into Builder::Anchors, later into Blocks
  bool Stray = false;
  Record R;
};

/// A record that fits no block of its own region.
struct Stray {
  uint32_t Device = 0;
  uint32_t FirstAnchor = 0, EndAnchor = 0; ///< of its region, by address
  Record R;
};

/// An anchor by what records without one share with it: lookupKey(), address,
/// index into Builder::Anchors.
using Keyed = std::tuple<uint64_t, const uint8_t *, uint32_t>;

/// How well a record fits a block: the smaller the better.
using Fit = std::pair<unsigned, uint64_t>;

/// The best of the blocks that were tried.
struct Choice {
  std::optional<uint32_t> Anchor;
  void consider(uint32_t Index, std::optional<Fit> F, uint64_t Distance) {
    if (!F || (Anchor && std::pair(Best, Nearest) <= std::pair(*F, Distance)))
      return;
    Anchor = Index;
    Best = *F;
    Nearest = Distance;
  }

private:
  Fit Best;
  uint64_t Nearest = 0;
};

class Builder {
public:
  Builder(const RawTrace &Raw, Launches &Out) : Raw(Raw), Out(Out) {}
  void run();

private:
  void readRegion(ArrayRef<RegionBytes> Pieces);
  Keyed keyed(uint32_t Anchor) const;
  void matchLoose(uint32_t Device, uint32_t FirstAnchor,
                  ArrayRef<Record> Loose);
  void matchStrays();
  void place(uint32_t Anchor, const Record &R, bool IsStray);
  void placeParts(ArrayRef<Keyed> Replays, const Record &R);
  bool plausible(const Found &F) const;
  bool fitsKernel(const Found &F, const Record &R) const;
  void findReplays();
  void sortBlocks();
  void sortRecords();
  void addCallees(const Launch &L, const Record &R);
  void findCallees();

  const RawTrace &Raw;
  Launches &Out;
  std::vector<Found> Anchors;
  std::vector<Placed> Records;
  std::vector<Stray> Strays;
};

} // namespace

bool Builder::plausible(const Found &F) const {
  const Anchor &A = F.A;
  const auto &Modules = Raw.Tables.Modules;
  if (A.Module >= Modules.size() ||
      A.Kernel >= Modules[A.Module].Kernels.size())
    return false;
  uint64_t Threads = uint64_t(A.Block[0]) * A.Block[1] * A.Block[2];
  if (Threads == 0 || Threads > 1024)
    return false;
  // The grid may have more than 2^32 blocks, the index then wraps; its product
  // fits 63 bits because y and z are at most 65535.
  if (A.Grid[1] > 65535 || A.Grid[2] > 65535)
    return false;
  uint64_t Blocks = uint64_t(A.Grid[0]) * A.Grid[1] * A.Grid[2];
  return F.Block < Blocks;
}

/// The callee of module \p Module that has site \p Site.
static std::optional<uint32_t> calleeOf(const Meta &M, uint64_t Module,
                                        uint32_t Site) {
  if (Module >= M.Modules.size())
    return std::nullopt;
  ArrayRef<Callee> Callees = M.Modules[Module].Callees;
  auto Behind = partition_point(
      Callees, [&](const Callee &C) { return C.FirstSite <= Site; });
  if (Behind == Callees.begin() ||
      Site - std::prev(Behind)->FirstSite >= std::prev(Behind)->Sites.size())
    return std::nullopt;
  return std::prev(Behind) - Callees.begin();
}

/// Whether \p R can be of callees that its module has: an event of it is, or it
/// has none.
static bool fitsCallees(const Meta &M, const Record &R) {
  uint64_t Module = R.calleeModule();
  bool Empty = true;
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    StoredEvent E = R.event(I);
    if (E.Written && calleeOf(M, Module, E.Site))
      return true;
    Empty &= !E.Written || E.Site == pause_site;
  }
  return Empty && Module < M.Modules.size();
}

bool Builder::fitsKernel(const Found &F, const Record &R) const {
  const Kernel &K = Raw.Tables.Modules[F.A.Module].Kernels[F.A.Kernel];
  record_tag T = R.tag();
  if (T.warp * 32 >= F.A.Block[0] * F.A.Block[1] * F.A.Block[2])
    return false;
  if (R.calleeModule() != kernel_events)
    return fitsCallees(Raw.Tables, R);
  return T.stream || R.size() == K.Sites.size() + 1;
}

/// The clock of the first site the record's warp reached, or of the last one,
/// and its width.
static std::optional<std::pair<uint64_t, unsigned>> outerClock(const Record &R,
                                                               bool Last) {
  bool Stream = R.tag().stream;
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    uint32_t At = Last ? N - 1 - I : I;
    if (!Stream) {
      if (uint32_t Low = R.slot(At))
        return std::make_pair(uint64_t(Low), SlotBits);
    } else if (StoredEvent E = R.event(At); E.Written) {
      return std::make_pair(E.Clock48, EventBits);
    }
  }
  return std::nullopt;
}

/// How a record without anchor is looked up: what its block's anchor shares.
static uint64_t lookupKey(uint64_t GridId, uint32_t Block) {
  return (GridId & 0xFFFF) << 32 | Block;
}
static uint64_t lookupKey(const Found &F) {
  return lookupKey(F.A.GridId, F.Block);
}
static uint64_t lookupKey(const Record &R) {
  return lookupKey(R.tag().grid_id_low16, R.block());
}

Keyed Builder::keyed(uint32_t Anchor) const {
  const Found &F = Anchors[Anchor];
  return {lookupKey(F), F.R.address(), Anchor};
}

/// Whether and how well record \p R can be of a warp of block \p F, by the
/// clock of the first site it reached.
static std::optional<Fit> fit(const Found &F, const Record &R) {
  auto First = outerClock(R, /*Last=*/false);
  if (!First)
    return Fit(0, 0);
  auto [Low, Bits] = *First;
  const uint64_t Mask = lowMask(Bits);
  uint64_t Before = (F.A.ClockStart - Low) & Mask;
  uint64_t After = (Low - F.A.ClockStart) & Mask;
  if (F.moved()) { // its clocks are of two SMs
    uint64_t ToEnd = std::min((F.A.ClockEnd - Low) & Mask, //
                              (Low - F.A.ClockEnd) & Mask);
    return Fit(2, std::min({Before, After, ToEnd}));
  }
  if (Before <= UsualLead) {
    uint64_t Last = outerClock(R, /*Last=*/true).value_or(*First).first;
    uint64_t LastBefore = (F.A.ClockStart - Last) & Mask;
    if (LastBefore <= UsualLead / 4 || LastBefore > Mask / 2)
      return Fit(0, Before);
  }
  uint64_t Length = F.finished() ? F.A.ClockEnd - F.A.ClockStart : 0;
  if (After <= Length)
    return Fit(0, 0);
  // That warp may leave long before the others: its end says where a record
  // fits better, not that it does not fit.
  if (After <= Mask / 2)
    return Fit(1, After - Length);
  if (Before <= StartSlack)
    return Fit(2, Before);
  return std::nullopt;
}

void Builder::place(uint32_t Anchor, const Record &R, bool IsStray) {
  if (fitsKernel(Anchors[Anchor], R))
    Records.push_back({Anchor, IsStray, R});
  else
    ++Out.Lost.BadRecords;
}

/// Whether an event with these 48 bits of clock is of a warp of \p Later, not
/// of
/// \p Earlier: the same block in two replays, which follow one another.
static bool isOfLater(const Found &Earlier, const Found &Later,
                      uint64_t Clock48) {
  uint64_t Start = Later.A.ClockStart, End = Earlier.A.ClockEnd,
           Lead = UsualLead;
  if (Earlier.finished() && Earlier.sameSm() && End < Start)
    Lead = std::min(Lead, (Start - End) / 2);
  return nearestClock(Start, Clock48, EventBits) >=
         Start - std::min(Start, Lead);
}

/// Places a record of callees. Its warp's last state outlives it, so that the
/// same warp of the next replay goes on with the record. \p Replays: the anchor
/// of the first event's block and those behind it, of which the ones with its
/// %gridid and number are later replays.
void Builder::placeParts(ArrayRef<Keyed> Replays, const Record &R) {
  auto Block = [&](size_t I) { return std::get<2>(Replays[I]); };
  auto IsReplay = [&](size_t I) {
    return I < Replays.size() &&
           std::get<0>(Replays[I]) == std::get<0>(Replays[0]) &&
           Anchors[Block(I)].A.GridId == Anchors[Block(0)].A.GridId;
  };
  size_t At = 0;
  uint32_t First = 0;
  const size_t Before = Records.size();
  auto Cut = [&](uint32_t End) {
    place(Block(At), R, /*IsStray=*/false);
    Out.Parts.push_back({R.address(), Block(At), First, End});
    First = End;
  };
  if (!fitsKernel(Anchors[Block(0)], R)) {
    ++Out.Lost.BadRecords;
    return;
  }
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    StoredEvent E = R.event(I);
    size_t Next = At;
    while (E.Written && IsReplay(Next + 1) &&
           isOfLater(Anchors[Block(Next)], Anchors[Block(Next + 1)], E.Clock48))
      ++Next;
    if (Next != At && I != 0)
      Cut(I);
    At = Next;
  }
  Cut(R.size());
  if (Records.size() == Before + 1) // all of it is one block's
    Out.Parts.pop_back();
}

/// Gives each record without an anchor the block of its region that it fits.
///
/// The replays of a graph's node repeat a block with the same key, and the 32
/// bits of a slot repeat every two seconds. But the replays follow one another,
/// and so do their reservations: a record lies next to its anchor, with none of
/// the same key in between.
void Builder::matchLoose(uint32_t Device, uint32_t FirstAnchor,
                         ArrayRef<Record> Loose) {
  std::vector<Keyed> Index;
  Index.reserve(Anchors.size() - FirstAnchor);
  for (uint32_t I = FirstAnchor; I < Anchors.size(); ++I)
    Index.push_back(keyed(I));
  llvm::sort(Index);

  for (const Record &R : Loose) {
    uint64_t Key = lookupKey(R);
    auto Next = llvm::lower_bound(Index, Keyed(Key, R.address(), 0));
    Choice C;
    // At the anchors of the key that are the From-th to To-th from here.
    auto Look = [&](ptrdiff_t From, ptrdiff_t To) {
      for (ptrdiff_t I = From; I < To && I < Next - Index.begin(); ++I) {
        const auto &[K, Address, Anchor] = Next[-1 - I];
        if (K != Key)
          break;
        const Found &F = Anchors[Anchor];
        C.consider(Anchor, fit(F, R), R.address() - F.R.end());
      }
      for (ptrdiff_t I = From; I < To && I < Index.end() - Next; ++I) {
        const auto &[K, Address, Anchor] = Next[I];
        if (K != Key)
          break;
        C.consider(Anchor, fit(Anchors[Anchor], R), Address - R.end());
      }
    };
    Look(0, 1);
    if (!C.Anchor)
      Look(1, Window);
    if (C.Anchor && R.calleeModule() != kernel_events)
      placeParts(
          ArrayRef(Index).drop_front(
              llvm::lower_bound(Index, keyed(*C.Anchor)) - Index.begin()),
          R);
    else if (C.Anchor)
      place(*C.Anchor, R, /*IsStray=*/false);
    else
      Strays.push_back(
          {Device, FirstAnchor, static_cast<uint32_t>(Anchors.size()), R});
  }
}

/// Looks for the blocks of strays in the other regions of their device: where a
/// block moves, its warps reserve on more than one SM.
void Builder::matchStrays() {
  if (Strays.empty())
    return;
  using Entry = std::tuple<uint32_t, uint64_t, uint64_t, uint32_t>;
  std::vector<Entry> Index;
  Index.reserve(Anchors.size());
  for (uint32_t I = 0; I < Anchors.size(); ++I)
    Index.emplace_back(Anchors[I].Device, lookupKey(Anchors[I]),
                       Anchors[I].A.ClockStart, I);
  llvm::sort(Index);

  for (const Stray &S : Strays) {
    uint64_t Key = lookupKey(S.R);
    auto Begin = llvm::lower_bound(Index, Entry(S.Device, Key, 0, 0));
    auto End = std::upper_bound(Begin, Index.end(),
                                Entry(S.Device, Key, UINT64_MAX, UINT32_MAX));
    Choice C;
    if (Begin != End) {
      // The clocks of a device's SMs started together, more or less, and a
      // record is about as old as the anchors around it.
      uint64_t Clock = std::get<2>(*Begin);
      auto Around =
          ArrayRef(Anchors).slice(S.FirstAnchor, S.EndAnchor - S.FirstAnchor);
      if (!Around.empty()) {
        auto It = llvm::partition_point(Around, [&](const Found &F) {
          return F.R.address() < S.R.address();
        });
        Clock = (It == Around.end() ? Around.back() : *It).A.ClockStart;
      }
      if (auto First = outerClock(S.R, /*Last=*/false))
        Clock = nearestClock(Clock, First->first, First->second);
      auto Middle =
          std::lower_bound(Begin, End, Entry(S.Device, Key, Clock, 0));
      for (auto It = Middle - std::min(Window, Middle - Begin),
                Last = Middle + std::min(Window, End - Middle);
           It != Last; ++It) {
        uint64_t Start = std::get<2>(*It);
        C.consider(std::get<3>(*It), fit(Anchors[std::get<3>(*It)], S.R),
                   Start > Clock ? Start - Clock : Clock - Start);
      }
    }
    if (C.Anchor)
      place(*C.Anchor, S.R, /*IsStray=*/true);
    else
      ++Out.Lost.Orphans;
  }
}

void Builder::readRegion(ArrayRef<RegionBytes> Pieces) {
  uint32_t FirstAnchor = Anchors.size();
  std::vector<Record> Loose;
  for (const RegionBytes &Piece : Pieces) {
    RecordWalker Walk(Piece.Words);
    while (std::optional<Record> R = Walk.next()) {
      if (!R->tag().anchor) {
        Loose.push_back(*R);
        continue;
      }
      Found F{R->anchor(), *R, R->block(), Piece.Device};
      if (!plausible(F)) {
        ++Out.Lost.BadAnchors;
        continue;
      }
      bool Fits = fitsKernel(F, *R);
      Anchors.push_back(F);
      if (Fits)
        Records.push_back(
            {static_cast<uint32_t>(Anchors.size() - 1), /*Stray=*/false, *R});
      else
        ++Out.Lost.BadRecords;
    }
    if (auto At = Walk.damage())
      Out.Warnings.push_back(
          {Piece.Offset + *At,
           ("no record starts here; the rest of the region of SM " +
            Twine(Piece.Sm) + ", " + Twine(Piece.Words.size() - *At) +
            " bytes, is skipped")
               .str()});
  }
  matchLoose(Pieces.front().Device, FirstAnchor, Loose);
}

/// A block that a launch has twice ran in two replays of a graph, which follow
/// one another: the second time it starts is the second replay.
void Builder::findReplays() {
  std::vector<uint32_t> Order(Anchors.size());
  std::iota(Order.begin(), Order.end(), 0);
  auto Key = [&](uint32_t I) {
    return std::make_tuple(Anchors[I].launchKey(), Anchors[I].Block);
  };
  llvm::sort(Order, [&](uint32_t I, uint32_t J) {
    auto A = Key(I), B = Key(J);
    return A != B ? A < B
                  : std::tie(Anchors[I].A.GlobalStart, I) <
                        std::tie(Anchors[J].A.GlobalStart, J);
  });
  std::vector<uint32_t> Replays(Anchors.size());
  for (size_t I = 1; I < Order.size(); ++I)
    if (Key(Order[I]) == Key(Order[I - 1]))
      Replays[Order[I]] = Replays[Order[I - 1]] + 1;
  for (size_t I = 0; I < Anchors.size(); ++I)
    Anchors[I].Replay = Replays[I];
}

/// Sorts blocks by launch and number, cuts the launches out of the sequence,
/// and points the records at the sorted blocks.
void Builder::sortBlocks() {
  std::vector<uint32_t> Order(Anchors.size());
  for (uint32_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](uint32_t I, uint32_t J) {
    const Found &A = Anchors[I], &B = Anchors[J];
    auto KeyA = A.launchKey(), KeyB = B.launchKey();
    if (KeyA != KeyB)
      return KeyA < KeyB;
    return std::tie(A.Block, A.A.GlobalStart, I) <
           std::tie(B.Block, B.A.GlobalStart, J);
  });

  std::vector<uint32_t> NewIndex(Anchors.size());
  Out.Blocks.reserve(Anchors.size());
  for (uint32_t I = 0; I < Order.size(); ++I) {
    const Found &F = Anchors[Order[I]];
    NewIndex[Order[I]] = I;
    if (I == 0 || F.launchKey() != Anchors[Order[I - 1]].launchKey()) {
      Launch L;
      L.Device = F.Device;
      L.GridId = F.A.GridId;
      L.Replay = F.Replay;
      L.Module = F.A.Module;
      L.Kernel = F.A.Kernel;
      for (size_t D = 0; D < 3; ++D) {
        L.Grid[D] = F.A.Grid[D];
        L.BlockDim[D] = F.A.Block[D];
        L.Cluster[D] = F.A.Cluster[D];
      }
      L.DynamicShared = F.A.DynamicShared;
      L.FirstBlock = I;
      Out.List.push_back(L);
    }
    ++Out.List.back().NumBlocks;
    Block B;
    B.Launch = Out.List.size() - 1;
    B.GlobalStart = F.A.GlobalStart;
    B.ClockStart = F.A.ClockStart;
    B.Number = F.Block;
    B.SmStart = F.A.SmStart;
    B.SmEnd = F.A.SmEnd;
    B.Divergent =
        Raw.Tables.Modules[F.A.Module].Kernels[F.A.Kernel].Flow == "divergent";
    B.Finished = F.finished();
    if (B.Finished) {
      B.GlobalEnd = F.A.GlobalEnd;
      B.ClockEnd = F.A.ClockEnd;
    }
    Out.Blocks.push_back(B);
  }
  for (Placed &P : Records)
    P.Block = NewIndex[P.Block];
  for (RecordPart &P : Out.Parts)
    P.Block = NewIndex[P.Block];
  llvm::sort(Out.Parts, [](const RecordPart &A, const RecordPart &B) {
    return std::tie(A.Record, A.Block) < std::tie(B.Record, B.Block);
  });
}

void Builder::sortRecords() {
  // A warp's records stay in the order they were reserved in.
  llvm::sort(Records, [](const Placed &A, const Placed &B) {
    return std::make_tuple(A.Block, A.R.tag().warp, A.Stray, A.R.address()) <
           std::make_tuple(B.Block, B.R.tag().warp, B.Stray, B.R.address());
  });
  Out.Records.reserve(Records.size());
  bool HasSlots = false; // the warp at hand
  for (size_t I = 0; I < Records.size(); ++I) {
    const Placed &P = Records[I];
    Block &B = Out.Blocks[P.Block];
    bool NewBlock = I == 0 || P.Block != Records[I - 1].Block;
    if (NewBlock)
      B.FirstWarp = Out.Warps.size();
    uint32_t Index = P.R.tag().warp;
    if (NewBlock || Index != Out.Warps.back().Index) {
      Warp W;
      W.Index = Index;
      W.FirstRecord = Out.Records.size();
      Out.Warps.push_back(W);
      ++B.NumWarps;
      HasSlots = false;
    }
    if (!P.R.tag().stream && std::exchange(HasSlots, true)) {
      // A warp leaves one slots record. The second one is of another block,
      // whose anchor was dropped.
      ++Out.Lost.Orphans;
      continue;
    }
    ++Out.Warps.back().NumRecords;
    Out.Records.push_back(P.R);
  }
}

/// Adds those of \p R to what the kernel of \p L called.
void Builder::addCallees(const Launch &L, const Record &R) {
  uint32_t Module = R.calleeModule(); // fitsKernel() asked before
  auto &List = Out.Callees[{L.Module, L.Kernel}];
  for (uint32_t I = 0, N = R.size(); I < N; ++I) {
    StoredEvent E = R.event(I);
    if (!E.Written || any_of(List, [&](const RecordedCallee &C) {
          return C.has(Module, E.Site);
        }))
      continue;
    if (std::optional<uint32_t> Number = calleeOf(Raw.Tables, Module, E.Site)) {
      const Callee &C = Raw.Tables.Modules[Module].Callees[*Number];
      List.push_back({Module, *Number, C.FirstSite,
                      static_cast<uint32_t>(C.Sites.size()), 0});
    }
  }
}

/// Which kernels called which callees.
void Builder::findCallees() {
  for (const Block &B : Out.Blocks)
    for (const Warp &W : Out.warps(B))
      for (const Record &R :
           ArrayRef(Out.Records).slice(W.FirstRecord, W.NumRecords))
        if (R.calleeModule() != kernel_events)
          addCallees(Out.List[B.Launch], R);
  for (auto &[Key, List] : Out.Callees) {
    llvm::sort(List, [](const RecordedCallee &A, const RecordedCallee &B) {
      return std::tie(A.Module, A.Callee) < std::tie(B.Module, B.Callee);
    });
    uint32_t Next =
        Raw.Tables.Modules[Key.first].Kernels[Key.second].Sites.size();
    for (RecordedCallee &C : List) {
      C.FirstKernelSite = Next;
      Next += C.NumSites;
    }
  }
}

void addCalleeSites(const Launches &Ls, Meta &M) {
  for (const auto &[Key, List] : Ls.Callees) {
    std::vector<Site> &Sites = M.Modules[Key.first].Kernels[Key.second].Sites;
    for (size_t I = 0; I < List.size(); ++I)
      for (Site S : M.Modules[List[I].Module].Callees[List[I].Callee].Sites) {
        S.Callee = I + 1;
        Sites.push_back(std::move(S));
      }
  }
}

void Builder::run() {
  ArrayRef<RegionBytes> Left = Raw.Regions;
  while (!Left.empty()) {
    ArrayRef<RegionBytes> Same = Left.take_while([&](const RegionBytes &R) {
      return R.Device == Left.front().Device && R.Sm == Left.front().Sm;
    });
    readRegion(Same);
    Left = Left.drop_front(Same.size());
  }
  matchStrays();
  findReplays();
  sortBlocks();
  sortRecords();
  findCallees();
}

Launches buildLaunches(const RawTrace &Raw) {
  Launches Out;
  Builder(Raw, Out).run();
  return Out;
}

static void addSlots(const Block &B, const Record &R,
                     SmallVectorImpl<Event> &Out) {
  uint32_t Exit = R.size() - 1;
  // No warp starts much before its block; on which clock, only a block that
  // stayed on its SM can tell.
  uint64_t Floor =
      B.moved() ? 0 : B.ClockStart - std::min(B.ClockStart, StartSlack);
  // No two times in it have the same low bits.
  bool Short = B.Finished && !B.moved() &&
               B.ClockEnd - B.ClockStart + StartSlack + LongestStraggle <=
                   lowMask(SlotBits);
  auto Nearest = [&](uint64_t Near, uint32_t Low) {
    if (Short)
      return nextClock(Floor, Low, SlotBits);
    uint64_t Clock = nearestClock(Near, Low, SlotBits);
    return Clock < Floor ? nextClock(Floor, Low, SlotBits) : Clock;
  };
  // Lanes that diverge come to the sites in any order.
  bool InOrder = !B.Divergent && !B.moved();
  std::optional<uint64_t> Last;
  for (uint32_t I = 0; I <= Exit; ++I) {
    uint32_t Low = R.slot(I);
    if (Low == 0) // the warp never came here
      continue;
    Last = Last && InOrder ? nextClock(*Last, Low, SlotBits)
                           : Nearest(Last.value_or(B.ClockStart), Low);
    Out.push_back({*Last, I == Exit ? exit_site : I});
  }
}

/// Of events \p First to \p End - 1; \p Site makes a stored site one of the
/// kernel's.
static void addEvents(const Block &B, const Record &R, uint32_t First,
                      uint32_t End, function_ref<uint32_t(uint32_t)> Site,
                      SmallVectorImpl<Event> &Out) {
  for (uint32_t I = First; I < End; ++I)
    if (StoredEvent E = R.event(I); E.Written)
      Out.push_back(
          {nearestClock(B.ClockStart, E.Clock48, EventBits), Site(E.Site)});
}

uint32_t Launches::calleeSite(const Block &B, uint32_t Module,
                              uint32_t Site) const {
  if (Site == pause_site)
    return Site;
  const Launch &L = List[B.Launch];
  if (auto It = Callees.find({L.Module, L.Kernel}); It != Callees.end())
    for (const RecordedCallee &C : It->second)
      if (C.has(Module, Site))
        return C.FirstKernelSite + (Site - C.FirstSite);
  return unknown_site;
}

std::pair<uint32_t, uint32_t> Launches::eventsOf(const Block &B,
                                                 const Record &R) const {
  uint32_t Number = &B - Blocks.data();
  auto It = llvm::partition_point(Parts, [&](const RecordPart &P) {
    return std::pair(P.Record, P.Block) < std::pair(R.address(), Number);
  });
  if (It == Parts.end() || It->Record != R.address() || It->Block != Number)
    return {0, R.size()};
  return {It->First, It->End};
}

void Launches::events(const Block &B, const Warp &W,
                      SmallVectorImpl<Event> &Out) const {
  Out.clear();
  for (const Record &R : ArrayRef(Records).slice(W.FirstRecord, W.NumRecords)) {
    int Module = R.calleeModule();
    if (!R.tag().stream) {
      addSlots(B, R, Out);
      continue;
    }
    auto [First, End] = eventsOf(B, R);
    addEvents(
        B, R, First, End,
        [&](uint32_t Site) {
          return Module == kernel_events ? Site : calleeSite(B, Module, Site);
        },
        Out);
  }
  // Of equal clocks the exit, whose number is the largest, comes last.
  auto Before = [](const Event &X, const Event &Y) {
    return std::tie(X.Clock, X.Site) < std::tie(Y.Clock, Y.Site);
  };
  if (!llvm::is_sorted(Out, Before))
    llvm::sort(Out, Before);
}

void Launches::clocks(const Block &B, SmallVectorImpl<ClockPair> &Out) const {
  Out.clear();
  const uint32_t Anchored = anchor_warp(List[B.Launch].warpsPerBlock());
  if (B.moved() || B.NumWarps == 0 || warps(B).back().Index != Anchored)
    return;
  const Warp &W = warps(B).back(); // only its records have any
  for (const Record &R : ArrayRef(Records).slice(W.FirstRecord, W.NumRecords)) {
    std::optional<ClockPair> P = R.clocks();
    if (!P || P->Clock < B.ClockStart || P->Global < B.GlobalStart ||
        (B.Finished && (P->Clock > B.ClockEnd || P->Global > B.GlobalEnd)))
      continue;
    Out.push_back(*P);
  }
}

bool Launches::mayHaveWrapped(const Block &B, const Warp &W,
                              ArrayRef<Event> Events) const {
  bool Slots = any_of(ArrayRef(Records).slice(W.FirstRecord, W.NumRecords),
                      [](const Record &R) { return !R.tag().stream; });
  if (!Slots || Events.empty() || !B.Finished || B.moved())
    return false;
  constexpr uint64_t Wrap = lowMask(SlotBits) + 1;
  // In order, each clock is the earliest it can be: what is missing would put
  // the last one later, but hardly behind the end that one warp of the block
  // recorded. Out of order, each may be anywhere in the block.
  return B.Divergent
             ? B.ClockEnd - B.ClockStart + StartSlack >= Wrap
             : Events.back().Clock + Wrap <= B.ClockEnd + LongestStraggle;
}

uint64_t Launches::countEvents() const {
  uint64_t Count = 0;
  for (const Block &B : Blocks)
    for (const Warp &W : warps(B))
      for (const Record &R :
           ArrayRef(Records).slice(W.FirstRecord, W.NumRecords)) {
        bool Stream = R.tag().stream;
        auto [First, End] = eventsOf(B, R);
        for (uint32_t I = First; I < End; ++I)
          Count += Stream ? R.event(I).Written && R.event(I).Site != pause_site
                          : R.slot(I) != 0;
      }
  return Count;
}

} // namespace kinstr::trace
