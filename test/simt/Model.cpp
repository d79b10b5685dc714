// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a trace with what the lanes did.
#include "Model.h"
#include "trace/Clock.h"
#include "trace/Records.h"
#include "trace/Visit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include <sstream>

using namespace kinstr;

namespace simt {
namespace {

/// An event that was found in the arena, at a time of the machine's.
struct Found {
  uint64_t Time = 0;
  uint32_t Site = 0;
  /// When the pause before it began, in the same record; 0: there is none.
  uint64_t Pause = 0;
  std::optional<uint32_t> Number;

  uint32_t places() const { return Number ? 2 : 1; }
};

/// All that one warp left in the arena.
struct WarpRecords {
  std::vector<Found> Events;                ///< of the kernel's sites, by time
  std::vector<Found> CalleeEvents;          ///< of the module's callees
  std::vector<std::vector<uint32_t>> Slots; ///< of each slots record
  std::vector<uint64_t> Pauses; ///< that end a record of the kernel's events
};

/// Whether a warp, or a block, has to be in the trace.
enum class Wanted { No, Perhaps, Yes };

/// Events that may be in the trace or counted as dropped.
struct Bounds {
  uint64_t Least = 0, Most = 0;
};

/// Sites of the kernel, or of one callee.
using Source = const CalleeType *;

class Checker {
public:
  Checker(const Recorded &R, const Arena &A);
  std::vector<std::string> run();

private:
  void readRegion(uint32_t Region);
  void readRecord(uint32_t Region, const trace::Record &Rec);
  void checkAnchor(const trace::Record &Rec);
  void checkClocks(const trace::Record &Rec);
  void checkWarp(uint32_t Block, uint32_t Warp);
  void checkExact(const std::string &Who, const std::vector<Found> &Events,
                  bool All, uint32_t Block, uint32_t Warp, Source S);
  void checkLoose(const std::string &Who, const std::vector<Found> &Events,
                  bool All, uint32_t Block, uint32_t Warp, Source S);
  void pausesAtEnds(const std::string &Who, WarpRecords &W);
  void checkPauses(const std::string &Who, const std::vector<Found> &Events,
                   uint32_t Block, uint32_t Warp, Source S);
  void checkPause(const std::string &Who, const Found &E, Source S,
                  uint32_t Block, uint32_t Warp);
  std::vector<bool> waits(const std::vector<Found> &Events, Source S) const;
  void checkSlots(const std::string &Who, const std::vector<uint32_t> &Slots,
                  uint32_t Block, uint32_t Warp);
  void checkCounts(uint32_t Region);
  trace::RawTrace asFile() const;
  void checkRead(const trace::Block &B, const trace::WarpView &W);
  void checkReader();

  bool isExact(Source S) const {
    const Flow F = S ? S->Flw : K.Flw;
    return F == Flow::uniform || (F == Flow::warprows && WholeRows);
  }
  /// Whether warps of the kernel leave a slots record.
  bool hasSlots() const {
    return K.Lay == Layout::slots &&
           (isExact(nullptr) ||
            (K.Flw == Flow::divergent && K.Buffer[0] == 's')); // shared
  }
  uint32_t regionOf(uint32_t Block) const {
    return std::min<uint32_t>(R.SmOf[Block], A.Heads.size() - 1);
  }
  /// What the runtime would copy of a region.
  llvm::ArrayRef<uint8_t> bytes(uint32_t Region) const {
    const uint64_t Used =
        std::min<uint64_t>(A.Heads[Region].next, A.RegionWords);
    const auto *First = A.Words.data() + size_t(Region) * A.RegionWords;
    return {reinterpret_cast<const uint8_t *>(First), size_t(Used * 4)};
  }
  bool dropped(uint32_t Region) const {
    return A.Heads[Region].dropped_records != 0;
  }
  Wanted wanted(uint64_t Begin, uint64_t End) const;
  Wanted wanted(uint32_t Block, uint32_t Warp) const;
  std::vector<const LaneLog *> lanes(uint32_t Block, uint32_t Warp) const;
  template <typename Fn> void forEachPass(const LaneLog &L, Source S, Fn Do) {
    for (const Pass &P : L.Passes)
      if (S ? P.Callee && P.Site >= S->FirstSite && P.Site <= S->lastSite()
            : !P.Callee)
        Do(P);
  }
  uint64_t timer(uint64_t Now) const {
    return (R.G.TimerOffset + Now) / TimerStep * TimerStep;
  }
  /// The time whose clock on the block's SM has those low bits.
  uint64_t timeOf(uint32_t Block, uint64_t From, uint64_t Clock,
                  unsigned Bits) const {
    const uint64_t Base = R.G.ClockOffset[R.SmOf[Block]] + From;
    return From + ((Clock - Base) & trace::lowMask(Bits));
  }
  uint64_t beginOf(uint32_t Block) const { return Begins[Block]; }
  WarpRecords &records(uint32_t Block, uint32_t Warp) {
    return Records[size_t(Block) * Warps + Warp];
  }
  template <typename... T> void wrong(const T &...Parts) {
    std::ostringstream Out;
    (Out << ... << Parts);
    Problems.push_back(Out.str());
  }

  const Recorded &R;
  const Arena &A;
  const KernelType &K;
  const uint32_t Blocks, Threads, Warps;
  const bool WholeRows;
  std::vector<WarpRecords> Records;
  std::vector<Source> Called;         ///< callees that passed a site
  std::vector<uint64_t> Begins;       ///< by block: now()
  std::vector<uint32_t> Anchors;      ///< by block: how many
  std::vector<uint64_t> RegionEvents; ///< recorded, by region
  std::vector<uint64_t> RegionSlots;  ///< slots records, by region
  std::vector<std::string> Problems;
};

Checker::Checker(const Recorded &R, const Arena &A)
    : R(R), A(A), K(*R.What->Kernel), Blocks(R.G.Blocks.size()),
      Threads(R.G.Threads.size()), Warps((Threads + 31) / 32),
      WholeRows(R.G.Threads.x % 32 == 0 || R.G.Threads.y * R.G.Threads.z == 1),
      Records(size_t(Blocks) * Warps), Anchors(Blocks),
      RegionEvents(A.Heads.size()), RegionSlots(A.Heads.size()) {
  for (const auto &Lanes : R.Log) {
    Begins.push_back(~0ull);
    for (const LaneLog &L : Lanes)
      Begins.back() = std::min(Begins.back(), L.Begin);
  }
  for (const CalleeType &T : calleeTypes()) {
    bool Any = false;
    for (const auto &Lanes : R.Log)
      for (const LaneLog &L : Lanes)
        forEachPass(L, &T, [&](const Pass &) { Any = true; });
    if (Any)
      Called.push_back(&T);
  }
}

//===----------------------------------------------------------------------===//
// What the lanes did
//===----------------------------------------------------------------------===//

Wanted Checker::wanted(uint64_t Begin, uint64_t End) const {
  bool On = false, Off = false;
  for (size_t I = 0; I < R.Switches.size(); ++I) {
    const bool Last = I + 1 == R.Switches.size();
    if (R.Switches[I].Time <= End && (Last || R.Switches[I + 1].Time >= Begin))
      (R.Switches[I].On ? On : Off) = true;
  }
  return !On ? Wanted::No : Off ? Wanted::Perhaps : Wanted::Yes;
}

std::vector<const LaneLog *> Checker::lanes(uint32_t Block,
                                            uint32_t Warp) const {
  std::vector<const LaneLog *> Out;
  for (uint32_t I = Warp * 32; I < std::min(Threads, Warp * 32 + 32); ++I)
    Out.push_back(&R.Log[Block][I]);
  return Out;
}

Wanted Checker::wanted(uint32_t Block, uint32_t Warp) const {
  uint64_t Begin = ~0ull, End = 0;
  for (const LaneLog *L : lanes(Block, Warp)) {
    Begin = std::min(Begin, L->Begin);
    End = std::max(End, L->End);
  }
  return wanted(Begin, End);
}

//===----------------------------------------------------------------------===//
// What is in the arena
//===----------------------------------------------------------------------===//

void Checker::readRegion(uint32_t Region) {
  const auto *First = A.Words.data() + size_t(Region) * A.RegionWords;
  const uint64_t Next = A.Heads[Region].next;
  const uint64_t Used = std::min<uint64_t>(Next, A.RegionWords);
  for (uint64_t I = Used; I < A.RegionWords; ++I)
    if (First[I] != 0) {
      wrong("region ", Region, ": a word beyond what was reserved");
      break;
    }
  trace::RecordWalker Walk(bytes(Region));
  while (std::optional<trace::Record> Rec = Walk.next())
    readRecord(Region, *Rec);
  if (Walk.damage())
    wrong("region ", Region, ": no record at word ", *Walk.damage() / 4);
}

void Checker::readRecord(uint32_t Region, const trace::Record &Rec) {
  const record_tag Tag = Rec.tag();
  const uint32_t Block = Rec.block();
  if (Block >= Blocks || Tag.warp >= Warps ||
      Tag.grid_id_low16 != (R.G.GridId & 0xFFFF))
    return wrong("a record of block ", Block, ", warp ", Tag.warp, ", grid ",
                 Tag.grid_id_low16);
  if (Region != regionOf(Block))
    wrong("block ", Block, ": a record in region ", Region);
  if (Rec.calleeModule() != kernel_events &&
      (Rec.calleeModule() != int(R.Module) || Tag.anchor))
    wrong("a callee's record of module ", Rec.calleeModule());
  if (Tag.anchor)
    checkAnchor(Rec);
  checkClocks(Rec);
  WarpRecords &W = records(Block, Tag.warp);
  if (!Tag.stream) {
    ++RegionSlots[Region];
    W.Slots.emplace_back();
    for (uint32_t I = 0; I < Rec.size(); ++I)
      W.Slots.back().push_back(Rec.slot(I));
    return;
  }
  const bool OfKernel = Rec.calleeModule() == kernel_events;
  uint64_t Pause = 0;
  std::optional<uint32_t> Number;
  for (uint32_t I = 0; I < Rec.size(); ++I) {
    const trace::StoredEvent E = Rec.event(I);
    if (!E.Written)
      continue;
    if (Number && (E.isNumber() || E.Site == pause_site))
      wrong("block ", Block, ": a number of no event");
    if (E.isNumber()) {
      Number = E.number()->Bits;
      continue;
    }
    const uint64_t Time = timeOf(Block, beginOf(Block), E.Clock48, 48);
    if (E.Site == pause_site) {
      if (Pause != 0)
        wrong("block ", Block, ": a pause behind a pause");
      Pause = Time;
      continue;
    }
    ++RegionEvents[Region];
    (OfKernel ? W.Events : W.CalleeEvents)
        .push_back({Time, E.Site, Pause, Number});
    Pause = 0;
    Number.reset();
  }
  if (Number)
    wrong("block ", Block, ": a record ends in a number");
  if (Pause != 0 && OfKernel)
    W.Pauses.push_back(Pause);
  else if (Pause != 0)
    wrong("block ", Block, ": a callee's record ends in a pause");
}

void Checker::checkAnchor(const trace::Record &Rec) {
  const uint32_t Block = Rec.block();
  const trace::Anchor N = Rec.anchor();
  const uint32_t Sm = R.SmOf[Block];
  const Dim3 &Grid = R.G.Blocks, &Dim = R.G.Threads;
  ++Anchors[Block];
  if (N.GridId != R.G.GridId || N.Module != R.Module || N.Kernel != K.Id)
    wrong("anchor of block ", Block, ": grid ", N.GridId, ", kernel ", N.Module,
          " ", N.Kernel);
  if (N.SmStart != Sm || N.SmEnd != Sm)
    wrong("anchor of block ", Block, ": SM ", N.SmStart, " ", N.SmEnd);
  if (N.Grid[0] != Grid.x || N.Grid[1] != Grid.y || N.Grid[2] != Grid.z ||
      N.Block[0] != Dim.x || N.Block[1] != Dim.y || N.Block[2] != Dim.z ||
      N.DynamicShared != R.G.DynamicShared ||
      (N.Cluster[0] | N.Cluster[1] << 8 | N.Cluster[2] << 16) != R.G.ClusterDim)
    wrong("anchor of block ", Block, ": another shape");
  // Both clocks, the timer first, while the block ran.
  const uint64_t Base = R.G.ClockOffset[Sm];
  uint64_t End = 0;
  for (const LaneLog &L : R.Log[Block])
    End = std::max(End, L.End);
  const uint64_t Start = N.ClockStart - Base, Stop = N.ClockEnd - Base;
  if (!(beginOf(Block) < Start && Start < Stop && Stop <= End))
    wrong("anchor of block ", Block, ": clocks ", Start, " to ", Stop);
  if (N.GlobalStart < timer(beginOf(Block)) || N.GlobalStart > timer(Start) ||
      N.GlobalEnd < timer(Start) || N.GlobalEnd > timer(Stop))
    wrong("anchor of block ", Block, ": timer ", N.GlobalStart, " to ",
          N.GlobalEnd);
}

/// In the middle of a block the warp that has its anchor reads both clocks for
/// each record, where lanes stay together.
void Checker::checkClocks(const trace::Record &Rec) {
  const record_tag Tag = Rec.tag();
  const uint32_t Block = Rec.block();
  const bool Expected = Tag.stream && !Tag.anchor && Tag.warp + 1 == Warps &&
                        Rec.calleeModule() == kernel_events &&
                        K.Lay == Layout::stream && isExact(nullptr);
  const std::optional<trace::ClockPair> P = Rec.clocks();
  if (P.has_value() != Expected)
    return wrong("block ", Block, ", warp ", Tag.warp, ": a record with",
                 P ? "" : "out", " a pair of clocks");
  if (!P)
    return;
  const uint64_t Clock = P->Clock - R.G.ClockOffset[R.SmOf[Block]];
  uint64_t End = 0;
  for (const LaneLog *L : lanes(Block, Tag.warp))
    End = std::max(End, L->End);
  if (!(beginOf(Block) < Clock && Clock < End))
    wrong("block ", Block, ": a pair's clock ", Clock);
  if (P->Global < timer(beginOf(Block)) || P->Global > timer(Clock))
    wrong("block ", Block, ": a pair's timer ", P->Global);
}

//===----------------------------------------------------------------------===//
// One against the other
//===----------------------------------------------------------------------===//

std::vector<std::string> Checker::run() {
  for (uint32_t I = 0; I < A.Heads.size(); ++I)
    readRegion(I);
  for (uint32_t B = 0; B < Blocks; ++B) {
    Wanted All = Wanted::Yes;
    for (uint32_t W = 0; W < Warps; ++W) {
      All = std::min(All, wanted(B, W));
      checkWarp(B, W);
    }
    if (Anchors[B] > 1 ||
        (Anchors[B] == 0 && All == Wanted::Yes && !dropped(regionOf(B))))
      wrong("block ", B, ": ", Anchors[B], " anchors");
  }
  for (uint32_t I = 0; I < A.Heads.size(); ++I)
    checkCounts(I);
  if (Problems.empty())
    checkReader();
  return std::move(Problems);
}

void Checker::checkWarp(uint32_t Block, uint32_t Warp) {
  const std::string Who =
      "block " + std::to_string(Block) + ", warp " + std::to_string(Warp);
  WarpRecords &W = records(Block, Warp);
  const Wanted Want = wanted(Block, Warp);
  if (Want == Wanted::No &&
      !(W.Events.empty() && W.CalleeEvents.empty() && W.Slots.empty()))
    return wrong(Who, ": recorded while recording was off");
  const bool All = Want == Wanted::Yes && !dropped(regionOf(Block));
  const auto Earlier = [](const Found &X, const Found &Y) {
    return X.Time < Y.Time;
  };
  llvm::sort(W.Events, Earlier);
  llvm::sort(W.CalleeEvents, Earlier);
  if (All)
    pausesAtEnds(Who, W);

  if (hasSlots()) {
    if (W.Slots.size() > 1 || (All && W.Slots.empty()) || !W.Events.empty())
      wrong(Who, ": ", W.Slots.size(), " slots records, ", W.Events.size(),
            " events");
    for (const auto &Slots : W.Slots)
      checkSlots(Who, Slots, Block, Warp);
  } else if (!W.Slots.empty()) {
    wrong(Who, ": a slots record");
  } else if (isExact(nullptr)) {
    checkExact(Who, W.Events, All, Block, Warp, nullptr);
  } else {
    checkLoose(Who, W.Events, All, Block, Warp, nullptr);
  }
  if (All && Problems.empty())
    checkPauses(Who, W.Events, Block, Warp, nullptr);
  size_t Known = 0;
  for (Source S : Called) {
    std::vector<Found> Events;
    for (const Found &E : W.CalleeEvents)
      if (E.Site >= S->FirstSite && E.Site <= S->lastSite())
        Events.push_back(E);
    Known += Events.size();
    if (isExact(S))
      checkExact(Who + ", " + S->name(), Events, All, Block, Warp, S);
    else
      checkLoose(Who + ", " + S->name(), Events, All, Block, Warp, S);
    if (All && Problems.empty())
      checkPauses(Who + ", " + S->name(), Events, Block, Warp, S);
  }
  if (Known != W.CalleeEvents.size())
    wrong(Who, ": events of sites that no callee has");
}

/// Where a pause ends its record, the event behind it begins another.
void Checker::pausesAtEnds(const std::string &Who, WarpRecords &W) {
  for (uint64_t Pause : W.Pauses) {
    auto Next =
        llvm::find_if(W.Events, [&](const Found &E) { return E.Time > Pause; });
    if (Next == W.Events.end() || Next->Pause != 0)
      return wrong(Who, ": nothing follows the pause at ", Pause);
    Next->Pause = Pause;
  }
}

/// Before which of the events it left a warp whose lanes stay together had to
/// wait: copied what it had kept, or had no room yet.
std::vector<bool> Checker::waits(const std::vector<Found> &Events,
                                 Source S) const {
  const bool Shared = K.Buffer[0] == 's';
  const bool Chunks = K.Buffer[0] == 'g' || (!Shared && Threads % 32 != 0);
  const uint32_t Room = Chunks ? 30 : 31;
  uint32_t Used = 0;
  std::vector<bool> Out;
  for (size_t I = 0; I < Events.size(); ++I) {
    if (S) { // a leaf at the first event of each activation
      Out.push_back(S->Nest != Nesting::leaf || I == 0 ||
                    Events[I - 1].Site == S->returnSite());
      continue;
    }
    Out.push_back(Used + Events[I].places() > Room);
    Used = (Out.back() ? 0 : Used) + Events[I].places();
  }
  return Out;
}

/// While the recorder is busy is told by a pause. A leaf's chunk may be full at
/// any event; else there are no others.
void Checker::checkPauses(const std::string &Who,
                          const std::vector<Found> &Events, uint32_t Block,
                          uint32_t Warp, Source S) {
  // Lanes that part come in any order: of those with a place in shared memory
  // only it is known how many places they have.
  uint64_t Paused = 0, Kept = 0;
  bool NumberPaused = false;
  for (const Found &E : Events) {
    Paused += E.Pause != 0;
    Kept += E.Pause != 0 ? 0 : E.places();
    NumberPaused |= E.Pause != 0 && E.Number;
  }
  const bool Keeps = !S && K.Flw == Flow::divergent && K.Buffer[0] == 's';
  const uint64_t Room = Keeps ? shared_stream_events : 0;
  if (!isExact(S) &&
      (Kept > Room || (Paused != 0 && Kept < Room - NumberPaused && Keeps)))
    return wrong(Who, ": ", Paused, " pauses, ", Events.size(), " events, ",
                 Kept, " places kept");
  const std::vector<bool> Waits = waits(Events, S);
  for (size_t I = 0; I < Events.size(); ++I) {
    const bool Has = Events[I].Pause != 0;
    if (isExact(S) && Has != Waits[I] && !(Has && S))
      return wrong(Who, ": event ", I, Has ? " has" : " lacks", " a pause");
    checkPause(Who, Events[I], S, Block, Warp);
  }
}

/// A pause begins when a lane is at the site of the event behind it.
void Checker::checkPause(const std::string &Who, const Found &E, Source S,
                         uint32_t Block, uint32_t Warp) {
  bool Some = E.Pause == 0;
  for (const LaneLog *L : lanes(Block, Warp))
    forEachPass(*L, S, [&](const Pass &P) {
      Some |= P.Site == E.Site && P.Before < E.Pause && E.Pause < E.Time &&
              E.Time <= P.After;
    });
  if (!Some)
    wrong(Who, ": a pause from ", E.Pause, " to ", E.Time, ", site ", E.Site,
          ", that is not of one pass");
}

/// Lanes that pass every site together leave one event each time, at a moment
/// when all of them have come, as they have when the pause before it begins.
void Checker::checkExact(const std::string &Who,
                         const std::vector<Found> &Events, bool All,
                         uint32_t Block, uint32_t Warp, Source S) {
  std::vector<Pass> Together;
  const auto Lanes = lanes(Block, Warp);
  forEachPass(*Lanes[0], S, [&](const Pass &P) { Together.push_back(P); });
  for (const LaneLog *L : Lanes) {
    size_t I = 0;
    bool Same = true;
    forEachPass(*L, S, [&](const Pass &P) {
      Same &= I < Together.size() && P.Site == Together[I].Site;
      if (!Same)
        return;
      Together[I].Before = std::max(Together[I].Before, P.Before);
      Together[I].After = std::max(Together[I].After, P.After);
      ++I;
    });
    if (!Same || I != Together.size())
      return wrong(Who, ": the program breaks its promise");
  }
  size_t Next = 0;
  for (const Found &E : Events) {
    const size_t From = Next;
    while (Next < Together.size() &&
           !(Together[Next].Site == E.Site && Together[Next].Before < E.Time &&
             E.Time <= Together[Next].After))
      ++Next;
    if (Next == Together.size() || (All && Next != From))
      return wrong(Who, ": site ", E.Site, " at ", E.Time,
                   " is no event, or one before it is missing");
    if (E.Number != Together[Next].Number)
      return wrong(Who, ": not lane 0's number at site ", E.Site);
    if (E.Pause != 0 && E.Pause <= Together[Next].Before)
      return wrong(Who, ": a pause at ", E.Pause, " before all lanes came");
    ++Next;
  }
  if (All && Next != Together.size())
    wrong(Who, ": ", Together.size() - Next, " events are missing at the end");
}

/// Lanes that come as they like: an event for each pass of each lane, and no
/// event without.
void Checker::checkLoose(const std::string &Who,
                         const std::vector<Found> &Events, bool All,
                         uint32_t Block, uint32_t Warp, Source S) {
  std::vector<bool> Explained(Events.size());
  uint64_t LastCame = 0, LastExit = 0;
  for (const LaneLog *L : lanes(Block, Warp))
    forEachPass(*L, S, [&](const Pass &P) {
      auto It = llvm::partition_point(
          Events, [&](const Found &E) { return E.Time <= P.Before; });
      bool Has = false;
      for (; It != Events.end() && It->Time <= P.After; ++It)
        if (It->Site == P.Site) {
          Has = true;
          if (It->Number == P.Number) // else another lane's
            Explained[It - Events.begin()] = true;
        }
      const bool Exit = !P.Callee && P.Site == exit_site;
      if (Exit)
        LastCame = std::max(LastCame, P.Before);
      if (All && !Has && !Exit)
        wrong(Who, ": no event of site ", P.Site, " from ", P.Before, " to ",
              P.After);
    });
  for (size_t I = 0; I < Events.size(); ++I) {
    if (!Explained[I])
      return wrong(Who, ": site ", Events[I].Site, " at ", Events[I].Time,
                   " that no lane passed");
    if (!S && Events[I].Site == exit_site)
      LastExit = Events[I].Time;
  }
  if (!S && All && LastExit <= LastCame)
    wrong(Who, ": no exit after the last lane's");
}

void Checker::checkSlots(const std::string &Who,
                         const std::vector<uint32_t> &Slots, uint32_t Block,
                         uint32_t Warp) {
  if (Slots.size() != K.Sites + 1)
    return wrong(Who, ": ", Slots.size(), " slots");
  struct Site {
    std::vector<Pass> Passes;
    uint64_t Before = 0, After = 0; ///< of all lanes
  };
  std::vector<Site> Sites(Slots.size());
  for (const LaneLog *L : lanes(Block, Warp))
    forEachPass(*L, nullptr, [&](const Pass &P) {
      Site &S = Sites[P.Site == exit_site ? K.Sites : P.Site];
      S.Passes.push_back(P);
      S.Before = std::max(S.Before, P.Before);
      S.After = std::max(S.After, P.After);
    });
  for (uint32_t I = 0; I < Slots.size(); ++I) {
    const Site &S = Sites[I];
    const bool AllCame = isExact(nullptr) || I == K.Sites;
    if (S.Passes.empty() != (Slots[I] == 0)) {
      wrong(Who, ": slot ", I, " is ", Slots[I], ", passed by ",
            S.Passes.size());
      continue;
    }
    if (S.Passes.empty())
      continue;
    const uint64_t From = beginOf(Block);
    const auto Fits = [&](uint64_t Time) {
      return llvm::any_of(S.Passes,
                          [&](const Pass &P) {
                            return P.Before < Time && Time <= P.After;
                          }) &&
             (!AllCame || Time > S.Before);
    };
    // A clock of 0 is stored as 1.
    if (!Fits(timeOf(Block, From, Slots[I], 32)) &&
        !(Slots[I] == 1 && Fits(timeOf(Block, From, 0, 32))))
      wrong(Who, ": slot ", I, " is at ", timeOf(Block, From, Slots[I], 32));
  }
}

/// Nothing is lost without being counted.
void Checker::checkCounts(uint32_t Region) {
  const region_head &H = A.Heads[Region];
  const bool Alone = R.G.Meet == Converge::Alone;
  Bounds Events, Slots;
  uint32_t Here = 0;
  for (uint32_t B = 0; B < Blocks; ++B) {
    if (regionOf(B) != Region)
      continue;
    ++Here;
    for (uint32_t W = 0; W < Warps; ++W) {
      const Wanted Want = wanted(B, W);
      if (Want == Wanted::No)
        continue;
      Bounds Add;
      const auto Lanes = lanes(B, W);
      const auto Count = [&](Source S) {
        uint64_t Sum = 0, Most = 0;
        for (const LaneLog *L : Lanes) {
          uint64_t N = 0;
          forEachPass(*L, S, [&](const Pass &) { ++N; });
          Sum += N;
          Most = std::max(Most, N);
        }
        // A lane by itself may leave no exit, where another leaves later.
        const uint64_t Exits = S ? 0 : Lanes.size() - 1;
        Add.Least += isExact(S) || !Alone ? Most : Sum - Exits;
        Add.Most += isExact(S) ? Most : Sum;
      };
      if (hasSlots()) {
        ++Slots.Most;
        Slots.Least += Want == Wanted::Yes;
      } else {
        Count(nullptr);
      }
      for (Source S : Called)
        Count(S);
      Events.Least += Want == Wanted::Yes ? Add.Least : 0;
      Events.Most += Add.Most;
    }
  }
  const uint64_t Each = K.Sites + 1;
  const uint64_t Got =
      RegionEvents[Region] + RegionSlots[Region] * Each + H.dropped_events;
  if (Got < Events.Least + Slots.Least * Each ||
      Got > Events.Most + Slots.Most * Each)
    wrong("region ", Region, ": ", RegionEvents[Region], " events, ",
          RegionSlots[Region], " slots records, ", H.dropped_events,
          " dropped; should be ", Events.Least, " to ", Events.Most, " and ",
          Slots.Least, " to ", Slots.Most, " slots records");
  if (Events.Most == 0 &&
      (RegionSlots[Region] + H.dropped_records < Slots.Least ||
       RegionSlots[Region] + H.dropped_records > Slots.Most))
    wrong("region ", Region, ": ", H.dropped_records, " records dropped of ",
          Slots.Most);
  // A record may hold nothing but the block's anchor.
  if (H.dropped_records > H.dropped_events + Here ||
      (H.dropped_events != 0 && H.dropped_records == 0))
    wrong("region ", Region, ": ", H.dropped_records, " records dropped, ",
          H.dropped_events, " events");
  if (H.next <= A.RegionWords && H.dropped_records != 0)
    wrong("region ", Region, ": dropped what would have had room");
}

//===----------------------------------------------------------------------===//
// What kinstr-report would see
//===----------------------------------------------------------------------===//

std::vector<trace::Site> sites(uint32_t Count) {
  trace::Site S;
  S.Kind = trace::SiteKind::Phase;
  S.Name = "p";
  return std::vector<trace::Site>(Count, S);
}

void markValues(const Body &B, std::vector<trace::Site> &Sites) {
  for (const Statement &S : B) {
    if (S.What == Statement::Mark && S.HasNumber)
      Sites[S.Number].Kind = trace::SiteKind::Value;
    markValues(S.Then, Sites);
    markValues(S.Else, Sites);
  }
}

/// A module with that kernel; those in front of it are of no interest.
trace::Module module(const Program &P) {
  const KernelType &K = *P.Kernel;
  trace::Module M;
  M.Abi = abi_version;
  M.Kernels.resize(K.Id + 1);
  trace::Kernel &Kernel = M.Kernels.back();
  Kernel.Buffer = K.Buffer;
  Kernel.Layout = name(K.Lay);
  Kernel.Flow = name(K.Flw);
  Kernel.Sites = sites(K.Sites);
  Kernel.OwnSites = K.Sites;
  markValues(P.Main, Kernel.Sites);
  for (const CalleeType &T : calleeTypes()) {
    trace::Callee C;
    C.FirstSite = T.FirstSite;
    C.Flow = name(T.Flw);
    C.Sites = sites(T.lastSite() + 1 - T.FirstSite);
    C.Sites[T.Sites].Kind = trace::SiteKind::Return;
    if (T.Nest == Nesting::recursive)
      C.Sites[T.Sites + 1].Kind = trace::SiteKind::Entry;
    markValues(P.Callees[M.Callees.size()], C.Sites);
    M.Callees.push_back(C);
  }
  return M;
}

/// What the reader is handed.
trace::RawTrace Checker::asFile() const {
  std::string Bytes;
  trace::RawTrace Raw;
  Raw.Tables.Devices.resize(1);
  Raw.Tables.Devices[0].SmCount = R.G.Sms;
  Raw.Tables.Modules.assign(R.Module + 1, module(*R.What));
  for (uint32_t I = 0; I < A.Heads.size(); ++I) {
    const std::string Header(sizeof(region_header), '\0'); // not looked at
    const std::string Piece = Header + llvm::toStringRef(bytes(I)).str();
    trace::RegionBytes Region;
    Region.Sm = I;
    Region.Offset = Bytes.size() + Header.size();
    Region.Size = bytes(I).size();
    Region.Crc = llvm::crc32(llvm::arrayRefFromStringRef(Piece));
    Raw.Regions.push_back(Region);
    Bytes += Piece;
  }
  Raw.Bytes =
      trace::memorySource(llvm::MemoryBuffer::getMemBufferCopy(Bytes, "arena"));
  return Raw;
}

/// The events of a warp as the reader has them.
void Checker::checkRead(const trace::Block &B, const trace::WarpView &W) {
  const WarpRecords &Mine = records(B.Number, W.Index);
  std::vector<uint64_t> Times, Expected;
  for (const trace::Event &E : W.Events)
    Times.push_back(E.Clock - R.G.ClockOffset[R.SmOf[B.Number]]);
  for (const auto *List : {&Mine.Events, &Mine.CalleeEvents})
    for (const Found &E : *List) {
      Expected.push_back(E.Time);
      if (E.Pause != 0)
        Expected.push_back(E.Pause);
    }
  for (const auto &Slots : Mine.Slots)
    for (uint32_t S : Slots)
      if (S != 0)
        Expected.push_back(timeOf(B.Number, beginOf(B.Number), S, 32));
  llvm::sort(Expected);
  if (Times != Expected)
    wrong("reader: other clocks in block ", B.Number, ", warp ", W.Index);
  std::vector<std::pair<uint64_t, uint32_t>> Values, ExpectedValues;
  for (const trace::Value &V : W.Values)
    Values.emplace_back(V.Clock - R.G.ClockOffset[R.SmOf[B.Number]], V.N.Bits);
  for (const auto *List : {&Mine.Events, &Mine.CalleeEvents})
    for (const Found &E : *List)
      if (E.Number)
        ExpectedValues.emplace_back(E.Time, *E.Number);
  llvm::sort(Values);
  llvm::sort(ExpectedValues);
  if (Values != ExpectedValues)
    wrong("reader: other numbers in block ", B.Number, ", warp ", W.Index);
}

/// The reader places everything where nothing was lost.
void Checker::checkReader() {
  for (uint32_t I = 0; I < A.Heads.size(); ++I)
    if (dropped(I))
      return;
  for (const Switch &S : R.Switches)
    if (!S.On)
      return;
  llvm::Expected<trace::Trace> T = trace::understand(asFile());
  if (!T)
    return wrong("reader: ", llvm::toString(T.takeError()));
  for (const trace::Warning &W : T->Ls.Warnings)
    wrong("reader: ", W.Text);
  const trace::Unplaced &Lost = T->Ls.Lost;
  if (Lost.Orphans || Lost.BadRecords || Lost.BadAnchors)
    wrong("reader: ", Lost.Orphans, " orphans, ", Lost.BadRecords,
          " bad records, ", Lost.BadAnchors, " bad anchors");
  if (T->launches().size() != 1 || T->launches()[0].NumBlocks != Blocks)
    return wrong("reader: ", T->launches().size(), " launches");

  class Sink final : public trace::BlockSink {
  public:
    explicit Sink(Checker &C) : C(C) {}
    void block(const trace::BlockView &V) override {
      if (V.Warps.size() != C.Warps)
        C.wrong("reader: ", V.Warps.size(), " warps of block ", V.B.Number);
      else
        for (const trace::WarpView &W : V.Warps)
          C.checkRead(V.B, W);
    }

  private:
    Checker &C;
  };
  trace::VisitOptions One;
  One.Watching.emplace().Threads = 1; // they would all write to this
  if (llvm::Error E = trace::visitBlocks(
          *T, One, [&] { return std::make_unique<Sink>(*this); },
          [](std::unique_ptr<trace::BlockSink>) {
            return llvm::Error::success();
          }))
    wrong("reader: ", llvm::toString(std::move(E)));
}

} // namespace

std::vector<std::string> check(const Recorded &R, const Arena &A) {
  return Checker(R, A).run();
}

} // namespace simt
