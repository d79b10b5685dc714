// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native protobuf of Perfetto: lines, names, and on the lines what happened.
#include "report/Export.h"
#include "report/PerfettoPackets.h"
#include "report/Stays.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

using namespace perfetto;

namespace {

/// What is left of the ends of flows of a warp.
struct FlowCursor {
  ArrayRef<FlowEnd> Out, Into;

  /// Those of a stay that begins at \p Clock.
  static ArrayRef<FlowEnd> take(ArrayRef<FlowEnd> &Ends, uint64_t Clock) {
    ArrayRef<FlowEnd> Taken =
        Ends.take_while([&](const FlowEnd &E) { return E.Begin <= Clock; });
    Ends = Ends.drop_front(Taken.size());
    return Taken;
  }
};

/// A mark, or a value that was recorded in no phase.
struct Instant {
  uint64_t Clock = 0;
  uint32_t Site = 0;
  const Number *N = nullptr;
};

/// Writes slices that are nested, and instants, in order of time, each end
/// before what begins next.
template <typename InstantFn> class SliceLine {
public:
  /// \p OnInstant(TrackEvent, Instant).
  SliceLine(PacketWriter &Packets, const BlockTimes &Times,
            ArrayRef<Instant> Instants, InstantFn OnInstant)
      : Packets(Packets), Times(Times), Instants(Instants),
        OnInstant(OnInstant) {}

  /// \p Fill gets the TrackEvent.
  template <typename Fn> void begin(const Stay &S, Fn Fill) {
    endFrom(S.Depth);
    instantsUntil(S.Begin);
    Packets.event(at(S.Begin), event::SliceBegin, Fill);
    Open.push_back({S.Depth, S.End});
  }
  void finish() {
    endFrom(0);
    instantsUntil(UINT64_MAX);
  }

private:
  int64_t at(uint64_t Clock) {
    int64_t Ns = Times.ns(Clock);
    Last = Last ? std::max(*Last, Ns) : Ns;
    return *Last;
  }
  void instantsUntil(uint64_t Clock) {
    for (; !Instants.empty() && Instants.front().Clock <= Clock;
         Instants = Instants.drop_front())
      Packets.event(at(Instants.front().Clock), event::Instant,
                    [&](pbf_writer &E) { OnInstant(E, Instants.front()); });
  }
  void endFrom(uint32_t Depth) {
    for (; !Open.empty() && Open.back().Depth >= Depth; Open.pop_back()) {
      instantsUntil(Open.back().End);
      Packets.event(at(Open.back().End), event::SliceEnd);
    }
  }

  struct Begun {
    uint32_t Depth;
    uint64_t End;
  };

  PacketWriter &Packets;
  const BlockTimes &Times;
  ArrayRef<Instant> Instants;
  InstantFn OnInstant;
  SmallVector<Begun, 8> Open;
  std::optional<int64_t> Last;
};

class PerfettoSink final : public BlockSink {
public:
  PerfettoSink(const Trace &T, const TimeAxis &Axis, const Tracks &Lines,
               const FlowSurvey &Survey, const SiteNames &Names)
      : T(T), Axis(Axis), Lines(Lines), Survey(Survey), Names(Names),
        Packets(Bytes) {}

  void block(const BlockView &V) override {
    const PlacedBlock *B = Lines.find(V.Launch, V.B);
    if (!B)
      return;
    const SlotTracks &Slot = Lines.Sms[B->Sm].Slots[B->Slot];
    beginBlock(V, *B, Slot.Id);
    BlockTimes Times = Axis.of(V.Launch, V.B);
    Flows.find(V, T, Times, Survey);
    FirstFlow = 1 + Lines.indexOf(*B) * Survey.mostInBlock();
    for (size_t W = 0; W < V.Warps.size(); ++W) {
      uint32_t Index = V.Warps[W].Index;
      Packets.useLine(Slot.warpId(Index));
      phases(V, W, Times);
      if (!V.Warps[W].Scopes.empty())
        Packets.useLine(Slot.extraId({Index, ExtraLine::Scopes}));
      scopes(V, V.Warps[W], Times);
      Packets.useLine(0); // each counter names its own
      counters(V, Slot, V.Warps[W], Times);
    }
    // Not before its warps: that would be one time more that the clock goes
    // back.
    Packets.event(B->End, event::SliceEnd, [&](pbf_writer &E) {
      E.add_uint64(event::TrackUuid, Slot.Id);
    });
  }

  std::string Bytes;
  int64_t end() const { return Packets.now(); }

private:
  void beginBlock(const BlockView &V, const PlacedBlock &B, uint64_t Line);
  void findInstants(const WarpView &W);
  void phases(const BlockView &V, size_t Which, const BlockTimes &Times);
  void scopes(const BlockView &V, const WarpView &W, const BlockTimes &Times);
  void counters(const BlockView &V, const SlotTracks &Slot, const WarpView &W,
                const BlockTimes &Times);

  const Trace &T;
  const TimeAxis &Axis;
  const Tracks &Lines;
  const FlowSurvey &Survey;
  const SiteNames &Names;
  PacketWriter Packets; ///< its clock shows 0 first
  BlockFlows Flows;
  uint64_t FirstFlow = 0; ///< of the block
  // Of the current warp:
  std::vector<Stay> Stays;
  std::vector<StayValue> Placed, Arguments;
  std::vector<Instant> Instants;
};

} // namespace

void PerfettoSink::beginBlock(const BlockView &V, const PlacedBlock &B,
                              uint64_t Line) {
  Packets.event(B.Begin, event::SliceBegin, [&](pbf_writer &E) {
    E.add_uint64(event::TrackUuid, Line);
    addCategory(E, Category::Block);
    E.add_string(event::Name, "block " + std::to_string(V.B.Number));
    addArgument(E, Argument::Launch, V.Launch);
    addArgument(E, Argument::Block, V.B.Number);
    if (V.B.Finished)
      addArgument(E, Argument::Cycles, V.B.ClockEnd - V.B.ClockStart);
    else
      addArgument(E, Argument::Unfinished, true);
  });
}

/// Marks, and values in no phase.
void PerfettoSink::findInstants(const WarpView &W) {
  Instants.clear();
  for (const Event &M : W.Marks)
    Instants.push_back({M.Clock, M.Site, nullptr});
  for (const StayValue &P : Placed)
    if (P.Stay == StayValue::NoStay)
      Instants.push_back({P.V.Clock, P.V.Site, &P.V.N});
  llvm::stable_sort(Instants, [](const Instant &A, const Instant &B) {
    return A.Clock < B.Clock;
  });
}

void PerfettoSink::phases(const BlockView &V, size_t Which,
                          const BlockTimes &Times) {
  const Launch &L = T.launches()[V.Launch];
  const WarpView &W = V.Warps[Which];
  const std::vector<uint32_t> &Sites = Names.of(L);
  const std::vector<uint32_t> &ValueNames = Lines.Values.of(L);
  FlowCursor Ends{Flows.out(Which), Flows.into(Which)};
  joinPieces(W.Spans, Stays);
  placeValues(Stays, W.Values, Placed);
  lastOfEach(Placed, ValueNames, Arguments);
  findInstants(W);
  SliceLine Line(Packets, Times, Instants,
                 [&](pbf_writer &E, const Instant &I) {
                   E.add_uint64(event::NameIid, Sites[I.Site]);
                   if (I.N)
                     addArgument(E, ValueNames[I.Site], *I.N);
                 });
  ArrayRef<StayValue> Rest = Arguments;
  for (size_t I = 0; I < Stays.size(); ++I) {
    const Stay &S = Stays[I];
    Line.begin(S, [&](pbf_writer &E) {
      E.add_uint64(event::NameIid, Sites[S.Site]);
      for (const FlowEnd &F : FlowCursor::take(Ends.Out, S.Begin))
        E.add_uint64(event::FlowIdsOld, FirstFlow + F.Flow);
      for (const FlowEnd &F : FlowCursor::take(Ends.Into, S.Begin))
        E.add_uint64(event::TerminatingFlowIdsOld, FirstFlow + F.Flow);
      if (S.Open)
        addArgument(E, Argument::Unfinished, true);
      for (const StayValue &P : takeOf(Rest, I))
        addArgument(E, ValueNames[P.V.Site], P.V.N);
    });
  }
  Line.finish();
}

void PerfettoSink::scopes(const BlockView &V, const WarpView &W,
                          const BlockTimes &Times) {
  const std::vector<uint32_t> &Sites = Names.of(T.launches()[V.Launch]);
  sortScopes(W.Scopes, Stays);
  SliceLine Line(Packets, Times, {}, [](pbf_writer &, const Instant &) {});
  for (const Stay &S : Stays)
    Line.begin(S, [&](pbf_writer &E) {
      E.add_uint64(event::NameIid, Sites[S.Site]);
      if (S.Open)
        addArgument(E, Argument::Unfinished, true);
    });
  Line.finish();
}

/// What is no number has no place on an axis.
void PerfettoSink::counters(const BlockView &V, const SlotTracks &Slot,
                            const WarpView &W, const BlockTimes &Times) {
  const std::vector<uint32_t> &ValueNames =
      Lines.Values.of(T.launches()[V.Launch]);
  for (const Value &N : W.Values) {
    if (!std::isfinite(N.N.toDouble()))
      continue;
    Packets.event(Times.ns(N.Clock), event::Counter, [&](pbf_writer &E) {
      E.add_uint64(event::TrackUuid,
                   Slot.extraId({W.Index, ValueNames[N.Site]}));
      addCounter(E, N.N);
    });
  }
}

/// The clock and the interned names, once for the whole file.
static void addState(PacketWriter &Packets, const TimeAxis &Axis,
                     const SiteNames &Names, const SiteNames &Values) {
  auto AddClock = [&](pbf_writer &Snapshot, uint32_t Id, bool Incremental) {
    pbf_writer C(Snapshot, clocks::Clocks);
    C.add_uint32(clocks::ClockId, Id);
    C.add_uint64(clocks::Timestamp, Axis.originNs());
    if (Incremental)
      C.add_bool(clocks::IsIncremental, true);
  };
  Packets.packet([&](pbf_writer &P) {
    P.add_uint32(packet::TrustedPacketSequenceId, Sequence);
    P.add_uint32(packet::SequenceFlags, packet::IncrementalStateCleared);
    PacketWriter::addDefaults(P, 0);
    {
      pbf_writer All(P, packet::InternedData);
      auto Add = [&](int List, const auto &Texts, size_t Before = 0) {
        for (auto [I, Text] : enumerate(Texts)) {
          pbf_writer Entry(All, List);
          Entry.add_uint64(interned::Iid, Before + I + 1);
          Entry.add_string(interned::Name, Text.data(), Text.size());
        }
      };
      Add(interned::EventCategories, CategoryNames);
      Add(interned::EventNames, Names.list());
      Add(interned::DebugAnnotationNames, ArgumentNames);
      Add(interned::DebugAnnotationNames, Values.list(),
          std::size(ArgumentNames));
    }
    pbf_writer Snapshot(P, packet::ClockSnapshot);
    AddClock(Snapshot, clocks::Boottime, false);
    AddClock(Snapshot, clocks::Incremental, true);
  });
}

enum class LineKind { Leaf, HasChildren, Counter };

static void addLine(PacketWriter &Packets, uint64_t Id, uint64_t Parent,
                    const std::string &Name, uint64_t Rank, LineKind Kind) {
  Packets.packet([&](pbf_writer &P) {
    pbf_writer D(P, packet::TrackDescriptor);
    D.add_uint64(descriptor::Uuid, Id);
    D.add_string(descriptor::Name, Name);
    if (Parent)
      D.add_uint64(descriptor::ParentUuid, Parent);
    if (Kind == LineKind::HasChildren)
      D.add_enum(descriptor::ChildOrdering, descriptor::Explicit);
    if (Kind == LineKind::Counter) // of no unit
      D.add_message(descriptor::Counter, "", 0);
    if (Rank)
      D.add_int32(descriptor::SiblingOrderRank, static_cast<int32_t>(Rank));
  });
}

static void addWarpLines(PacketWriter &Packets, const SlotTracks &Slot,
                         const SiteNames &Values) {
  for (uint32_t W = 0; W < Slot.Warps; ++W) {
    bool HasChildren =
        any_of(Slot.Extras, [&](const ExtraLine &L) { return L.Warp == W; });
    addLine(Packets, Slot.warpId(W), Slot.Id, "warp " + std::to_string(W), W,
            HasChildren ? LineKind::HasChildren : LineKind::Leaf);
  }
  for (const ExtraLine &L : Slot.Extras)
    if (L.What == ExtraLine::Scopes)
      addLine(Packets, Slot.extraId(L), Slot.warpId(L.Warp), "scopes", 0,
              LineKind::Leaf);
    else
      addLine(Packets, Slot.extraId(L), Slot.warpId(L.Warp),
              Values.list()[L.What - 1], L.What, LineKind::Counter);
}

static void addLines(PacketWriter &Packets, const Trace &T,
                     const Tracks &Lines) {
  for (auto [I, Id] : enumerate(Lines.Processes))
    addLine(Packets, Id, 0, plainText(processText(T.meta(), I)), I,
            LineKind::HasChildren);
  for (auto [I, D] : enumerate(Lines.Devices)) {
    uint64_t Process =
        T.meta().Merged ? Lines.Processes[T.meta().Devices[I].Process] : 0;
    addLine(Packets, D.Id, Process,
            "GPU " + std::to_string(I) + ": " +
                plainText(T.meta().Devices[I].Name),
            I, LineKind::HasChildren);
    for (auto [Row, Id] : enumerate(D.LaunchRows))
      addLine(Packets, Id, D.Id,
              Row ? "launches " + std::to_string(Row + 1) : "launches", Row,
              LineKind::Leaf);
  }
  for (const SmTracks &Sm : Lines.Sms) {
    const DeviceTracks &D = Lines.Devices[Sm.Device];
    addLine(Packets, Sm.Id, D.Id, "SM " + std::to_string(Sm.Sm),
            D.LaunchRows.size() + Sm.Sm, LineKind::HasChildren);
    for (auto [I, Slot] : enumerate(Sm.Slots)) {
      addLine(Packets, Slot.Id, Sm.Id, "slot " + std::to_string(I), I,
              LineKind::HasChildren);
      addWarpLines(Packets, Slot, Lines.Values);
    }
  }
}

static void addLaunches(PacketWriter &Packets, const Trace &T,
                        const Tracks &Lines) {
  for (const LaunchTrack &L : Lines.Launches) {
    const Launch &Of = T.launches()[L.Launch];
    uint64_t Line = Lines.Devices[Of.Device].LaunchRows[L.Row];
    Packets.event(L.Begin, event::SliceBegin, [&](pbf_writer &E) {
      E.add_uint64(event::TrackUuid, Line);
      addCategory(E, Category::Launch);
      E.add_string(event::Name, plainText(kernelName(T, Of)));
      addArgument(E, Argument::Launch, L.Launch);
      addArgument(E, Argument::Grid, dims(Of.Grid));
      addArgument(E, Argument::Threads, dims(Of.BlockDim));
    });
    Packets.event(L.End, event::SliceEnd,
                  [&](pbf_writer &E) { E.add_uint64(event::TrackUuid, Line); });
  }
}

Expected<LeftOut> writePerfetto(const Trace &T, const Selection &S, Put Out) {
  TimeAxis Axis(T);
  FlowSurvey Survey(T, S);
  Expected<Tracks> Lines = layTracks(T, S, Axis, &Survey);
  if (!Lines)
    return Lines.takeError();
  SiteNames Names(T, [](const Site &) { return true; });
  int64_t Now = 0;
  {
    std::string Front;
    PacketWriter Packets(Front);
    addState(Packets, Axis, Names, Lines->Values);
    addLines(Packets, T, *Lines);
    addLaunches(Packets, T, *Lines);
    Now = Packets.now();
    if (Error E = Out(Front))
      return E;
  }
  // Each part begins where the clock shows 0, wherever the one before it ended.
  if (Error E = visitSelected(
          T, S, {},
          [&] {
            return std::make_unique<PerfettoSink>(T, Axis, *Lines, Survey,
                                                  Names);
          },
          [&](std::unique_ptr<BlockSink> Done) {
            auto &Part = static_cast<PerfettoSink &>(*Done);
            std::string Back;
            if (Now != 0)
              PacketWriter(Back, Now).setClock(0);
            Now = Part.end();
            if (Error E = Out(Back))
              return E;
            return Out(Part.Bytes);
          }))
    return E;
  return Lines->Left;
}

} // namespace kinstr::report
