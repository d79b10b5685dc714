// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each block the first place on its SM that is free when it starts.
#include "report/Tracks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

using ExtraLines = std::vector<ExtraLine>;

/// Most blocks need the same extra lines: of equal sets one is kept.
class ExtraSets {
public:
  uint32_t numberOf(const ExtraLines &Lines) {
    return Numbers.try_emplace(Lines, static_cast<uint32_t>(Numbers.size()))
        .first->second;
  }
  /// By number.
  std::vector<const ExtraLines *> list() const {
    std::vector<const ExtraLines *> Out(Numbers.size());
    for (const auto &[Lines, Number] : Numbers)
      Out[Number] = &Lines;
    return Out;
  }

private:
  std::map<ExtraLines, uint32_t> Numbers = {{{}, 0}};
};

class BlockPlaces final : public BlockSink {
public:
  BlockPlaces(const Trace &T, const TimeAxis &Axis, const SiteNames &Values,
              const FlowSurvey *Flows)
      : T(&T), Axis(&Axis), Values(&Values) {
    if (Flows)
      Survey = *Flows;
  }

  void block(const BlockView &V) override {
    if (!Axis->known(V.Launch)) {
      ++Left.WithoutClock;
      return;
    }
    if (V.B.moved()) {
      ++Left.Moved;
      return;
    }
    TimeRange R = blockRange(T->clock(V.Launch), V);
    BlockTimes Times = Axis->of(V.Launch, V.B);
    uint32_t Warps = 0;
    for (const WarpView &W : V.Warps)
      Warps = std::max(Warps, W.Index + 1);
    Blocks.push_back({V.Launch, V.B.Number, V.B.ClockStart,
                      Times.whole(R.Begin), Times.whole(R.End), V.B.SmStart, 0,
                      Warps, Sets.numberOf(extraLines(V))});
    if (Survey)
      Survey->block(V);
  }
  void join(BlockPlaces &&Part) {
    std::vector<uint32_t> Numbers;
    for (const ExtraLines *Lines : Part.Sets.list())
      Numbers.push_back(Sets.numberOf(*Lines));
    for (PlacedBlock &B : Part.Blocks)
      B.Extras = Numbers[B.Extras];
    append_range(Blocks, Part.Blocks);
    if (Survey && Part.Survey)
      Survey->join(*Part.Survey);
    Left.WithoutClock += Part.Left.WithoutClock;
    Left.Moved += Part.Left.Moved;
  }

  std::vector<PlacedBlock> Blocks; ///< Sm is the SM's number
  LeftOut Left;
  std::optional<FlowSurvey> Survey;
  ExtraSets Sets;

private:
  ExtraLines extraLines(const BlockView &V) const {
    ExtraLines Out;
    const std::vector<uint32_t> &Names = Values->of(T->launches()[V.Launch]);
    for (const WarpView &W : V.Warps) {
      if (!W.Scopes.empty())
        Out.push_back({W.Index, ExtraLine::Scopes});
      SmallVector<uint32_t, 8> Seen;
      for (const Value &N : W.Values)
        if (!is_contained(Seen, Names[N.Site]))
          Seen.push_back(Names[N.Site]);
      llvm::sort(Seen);
      for (uint32_t Name : Seen)
        Out.push_back({W.Index, Name});
    }
    return Out;
  }

  const Trace *T;
  const TimeAxis *Axis;
  const SiteNames *Values;
};

/// Lines on which things follow one another.
class Lines {
public:
  /// The first line that is free at \p Begin. Things do not touch: where one
  /// ended and another began at the same time, viewers could not tell which
  /// came first.
  uint32_t take(int64_t Begin, int64_t End) {
    auto Free = find_if(FreeAt, [&](int64_t At) { return At < Begin; });
    if (Free == FreeAt.end())
      Free = FreeAt.insert(Free, End);
    *Free = End;
    return static_cast<uint32_t>(Free - FreeAt.begin());
  }
  size_t size() const { return FreeAt.size(); }

private:
  std::vector<int64_t> FreeAt;
};

} // namespace

static auto byIdentity(const PlacedBlock &B) {
  return std::tuple(B.Launch, B.Number, B.ClockStart);
}

const PlacedBlock *Tracks::find(uint32_t Launch, const Block &B) const {
  std::tuple Wanted(Launch, B.Number, B.ClockStart);
  auto It = partition_point(
      Blocks, [&](const PlacedBlock &P) { return byIdentity(P) < Wanted; });
  return It != Blocks.end() && byIdentity(*It) == Wanted ? &*It : nullptr;
}

/// \p Lines as well.
static void addExtras(SlotTracks &Slot, const ExtraLines &Lines) {
  if (std::includes(Slot.Extras.begin(), Slot.Extras.end(), Lines.begin(),
                    Lines.end()))
    return;
  ExtraLines All;
  std::set_union(Slot.Extras.begin(), Slot.Extras.end(), Lines.begin(),
                 Lines.end(), std::back_inserter(All));
  Slot.Extras = std::move(All);
}

static void placeBlocks(const Trace &T, const ExtraSets &Sets, Tracks &Out) {
  std::vector<const ExtraLines *> Extras = Sets.list();
  auto DeviceOf = [&](const PlacedBlock &B) {
    return T.launches()[B.Launch].Device;
  };
  llvm::sort(Out.Blocks, [&](const PlacedBlock &A, const PlacedBlock &B) {
    return std::tuple(DeviceOf(A), A.Sm, A.Begin, byIdentity(A)) <
           std::tuple(DeviceOf(B), B.Sm, B.Begin, byIdentity(B));
  });
  Lines Free;
  for (PlacedBlock &B : Out.Blocks) {
    if (Out.Sms.empty() || Out.Sms.back().Device != DeviceOf(B) ||
        Out.Sms.back().Sm != B.Sm) {
      Out.Sms.push_back({0, DeviceOf(B), B.Sm, {}});
      Free = Lines();
    }
    B.Slot = Free.take(B.Begin, B.End);
    B.Sm = static_cast<uint32_t>(Out.Sms.size() - 1);
    std::vector<SlotTracks> &Slots = Out.Sms.back().Slots;
    Slots.resize(Free.size());
    SlotTracks &Slot = Slots[B.Slot];
    Slot.Warps = std::max(Slot.Warps, B.Warps);
    addExtras(Slot, *Extras[B.Extras]);
  }
  llvm::sort(Out.Blocks, [](const PlacedBlock &A, const PlacedBlock &B) {
    return byIdentity(A) < byIdentity(B);
  });
}

static void placeLaunches(const Trace &T, Tracks &Out) {
  for (const PlacedBlock &B : Out.Blocks) {
    if (Out.Launches.empty() || Out.Launches.back().Launch != B.Launch)
      Out.Launches.push_back({B.Launch, B.Begin, B.End});
    LaunchTrack &L = Out.Launches.back();
    L.Begin = std::min(L.Begin, B.Begin);
    L.End = std::max(L.End, B.End);
  }
  std::vector<LaunchTrack *> ByTime;
  ByTime.reserve(Out.Launches.size());
  for (LaunchTrack &L : Out.Launches)
    ByTime.push_back(&L);
  llvm::stable_sort(ByTime, [](const LaunchTrack *A, const LaunchTrack *B) {
    return A->Begin < B->Begin;
  });
  std::vector<Lines> Free(Out.Devices.size());
  for (LaunchTrack *L : ByTime) {
    uint32_t Device = T.launches()[L->Launch].Device;
    L->Row = Free[Device].take(L->Begin, L->End);
    Out.Devices[Device].LaunchRows.resize(Free[Device].size());
  }
}

static void number(const Meta &M, Tracks &Out) {
  uint64_t Next = 1;
  if (M.Merged)
    for (size_t I = 0; I < M.Processes.size(); ++I)
      Out.Processes.push_back(Next++);
  for (DeviceTracks &D : Out.Devices) {
    D.Id = Next++;
    for (uint64_t &Row : D.LaunchRows)
      Row = Next++;
  }
  for (SmTracks &Sm : Out.Sms) {
    Sm.Id = Next++;
    for (SlotTracks &Slot : Sm.Slots) {
      Slot.Id = Next;
      Next += 1 + Slot.Warps + Slot.Extras.size();
    }
  }
}

Expected<Tracks> layTracks(const Trace &T, const Selection &S,
                           const TimeAxis &Axis, FlowSurvey *Flows) {
  Tracks Out(T);
  Expected<BlockPlaces> All =
      collectSelected(T, S, {}, BlockPlaces(T, Axis, Out.Values, Flows));
  if (!All)
    return All.takeError();
  if (std::optional<FlowSurvey> &Survey = All->Survey; Flows && Survey)
    *Flows = std::move(*Survey);
  Out.Devices.resize(T.meta().Devices.size());
  Out.Blocks = std::move(All->Blocks);
  Out.Left = All->Left;
  placeBlocks(T, All->Sets, Out);
  placeLaunches(T, Out);
  number(T.meta(), Out);
  return Out;
}

} // namespace kinstr::report
