// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Perfetto's TracePackets. What keeps a span small: names are sent once and
// have numbers, times are differences to the packet before, the line is named
// once a warp.
#include "report/Export.h"
#include "report/Flows.h"
#include "report/Names.h"
#include "report/PerSite.h"
#include "report/Stays.h"
#include "llvm/ADT/StringMap.h"
#include <protozero/pbf_writer.hpp>

using namespace llvm;
using namespace kinstr::trace;
using protozero::pbf_writer;

namespace kinstr::report {

// Numbers of fields and values, from protos/perfetto/trace/*.proto of Perfetto.
namespace trace_message {
enum { Packet = 1 };
} // namespace trace_message
namespace packet {
enum {
  ClockSnapshot = 6,
  Timestamp = 8,
  TrustedPacketSequenceId = 10,
  TrackEvent = 11,
  InternedData = 12,
  SequenceFlags = 13,
  TracePacketDefaults = 59,
  TrackDescriptor = 60
};
enum { IncrementalStateCleared = 1 };
} // namespace packet
namespace defaults {
enum { TrackEventDefaults = 11, TimestampClockId = 58 };
} // namespace defaults
namespace event_defaults {
enum { TrackUuid = 11 };
} // namespace event_defaults
namespace event {
enum {
  CategoryIids = 3,
  DebugAnnotations = 4,
  Type = 9,
  NameIid = 10,
  TrackUuid = 11,
  Name = 23,
  /// As numbers of variable length; in the fields that replace these, an id has
  /// eight bytes. Readers take either.
  FlowIdsOld = 36,
  TerminatingFlowIdsOld = 42
};
enum { SliceBegin = 1, SliceEnd = 2, Instant = 3 };
} // namespace event
namespace annotation {
enum { NameIid = 1, BoolValue = 2, UintValue = 3, StringValue = 6 };
} // namespace annotation
namespace descriptor {
enum {
  Uuid = 1,
  Name = 2,
  ParentUuid = 5,
  ChildOrdering = 11,
  SiblingOrderRank = 12
};
enum { Explicit = 3 };
} // namespace descriptor
namespace interned {
enum { EventCategories = 1, EventNames = 2, DebugAnnotationNames = 3 };
enum { Iid = 1, Name = 2 };
} // namespace interned
namespace clocks {
enum { Clocks = 1 };
enum { ClockId = 1, Timestamp = 2, IsIncremental = 3 };
/// What a time is without a clock, and ours: its times are differences.
enum { Boottime = 6, Incremental = 64 };
} // namespace clocks

namespace {

constexpr uint32_t Sequence = 1;

/// Categories and names of arguments; numbers from 1 on, as interned.
enum class Category { Launch = 1, Block };
constexpr StringLiteral CategoryNames[] = {"launch", "block"};
enum class Argument { Launch = 1, Block, Cycles, Unfinished, Grid, Threads };
constexpr StringLiteral ArgumentNames[] = {"launch",     "block", "cycles",
                                           "unfinished", "grid",  "threads"};

/// Appends packets. A line's number and a time go into those that need them.
class PacketWriter {
public:
  /// \p Now: what the clock shows before the first packet.
  explicit PacketWriter(std::string &Out, int64_t Now = 0)
      : Now(Now), Trace(Out) {}

  int64_t now() const { return Now; }

  template <typename Fn> void packet(Fn Fill) {
    pbf_writer P(Trace, trace_message::Packet);
    Fill(P);
  }

  /// Events without a line of their own are on \p Line, from the next one on.
  void useLine(uint64_t Line) { NextLine = Line; }

  /// \p Fill gets the TrackEvent.
  template <typename Fn> void event(int64_t At, int Type, Fn Fill) {
    packet([&](pbf_writer &P) {
      P.add_uint64(packet::Timestamp, advance(At));
      P.add_uint32(packet::TrustedPacketSequenceId, Sequence);
      if (NextLine) {
        addDefaults(P, NextLine);
        NextLine = 0;
      }
      pbf_writer E(P, packet::TrackEvent);
      E.add_enum(event::Type, Type);
      Fill(E);
    });
  }
  void event(int64_t At, int Type) {
    event(At, Type, [](pbf_writer &) {});
  }
  /// Moves the clock and nothing else.
  void setClock(int64_t At) {
    packet([&](pbf_writer &P) {
      P.add_uint64(packet::Timestamp, advance(At));
      P.add_uint32(packet::TrustedPacketSequenceId, Sequence);
    });
  }

  static void addDefaults(pbf_writer &P, uint64_t Line) {
    pbf_writer D(P, packet::TracePacketDefaults);
    if (Line) {
      pbf_writer E(D, defaults::TrackEventDefaults);
      E.add_uint64(event_defaults::TrackUuid, Line);
    }
    D.add_uint32(defaults::TimestampClockId, clocks::Incremental);
  }

private:
  /// Back as well: the difference wraps around, as the clock's sum does.
  uint64_t advance(int64_t At) {
    uint64_t Difference =
        static_cast<uint64_t>(At) - static_cast<uint64_t>(Now);
    Now = At;
    return Difference;
  }

  int64_t Now;
  uint64_t NextLine = 0;
  pbf_writer Trace;
};

void addArgument(pbf_writer &E, Argument Name, uint64_t Value) {
  pbf_writer A(E, event::DebugAnnotations);
  A.add_uint64(annotation::NameIid, static_cast<uint64_t>(Name));
  if (Name == Argument::Unfinished)
    A.add_bool(annotation::BoolValue, Value);
  else
    A.add_uint64(annotation::UintValue, Value);
}

void addArgument(pbf_writer &E, Argument Name, const std::string &Value) {
  pbf_writer A(E, event::DebugAnnotations);
  A.add_uint64(annotation::NameIid, static_cast<uint64_t>(Name));
  A.add_string(annotation::StringValue, Value);
}

void addCategory(pbf_writer &E, Category C) {
  E.add_uint64(event::CategoryIids, static_cast<uint64_t>(C));
}

/// Numbers for the names of phases and marks.
struct EventNames {
  explicit EventNames(const Trace &T)
      : OfSites(T, [&](const Site &S) {
          auto [It, New] =
              Numbers.try_emplace(plainText(S.Name), List.size() + 1);
          if (New)
            List.push_back(It->getKey().str());
          return It->second;
        }) {}

  StringMap<uint64_t> Numbers;
  std::vector<std::string> List; ///< from number 1 on
  PerSite<uint64_t> OfSites;
};

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

class PerfettoSink final : public BlockSink {
public:
  PerfettoSink(const Trace &T, const TimeAxis &Axis, const Tracks &Lines,
               const FlowSurvey &Survey, const EventNames &Names)
      : T(T), Axis(Axis), Lines(Lines), Survey(Survey), Names(Names),
        Packets(Bytes) {}

  void block(const BlockView &V) override {
    const PlacedBlock *B = Lines.find(V.Launch, V.B);
    if (!B)
      return;
    const SlotTracks &Slot = Lines.Sms[B->Sm].Slots[B->Slot];
    beginBlock(V, *B, Slot.Id);
    Flows.find(V, T, Axis.of(V.Launch, V.B), Survey);
    FirstFlow = 1 + Lines.indexOf(*B) * Survey.mostInBlock();
    for (size_t W = 0; W < V.Warps.size(); ++W) {
      Packets.useLine(Slot.warpId(V.Warps[W].Index));
      warp(V, W);
    }
    Packets.useLine(0);
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
  void warp(const BlockView &V, size_t Which);
  void begin(const Stay &S, int64_t At, uint64_t Name, FlowCursor &Ends);

  const Trace &T;
  const TimeAxis &Axis;
  const Tracks &Lines;
  const FlowSurvey &Survey;
  const EventNames &Names;
  PacketWriter Packets; ///< its clock shows 0 first
  std::vector<Stay> Stays;
  BlockFlows Flows;
  uint64_t FirstFlow = 0; ///< of the block
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

void PerfettoSink::begin(const Stay &S, int64_t At, uint64_t Name,
                         FlowCursor &Ends) {
  Packets.event(At, event::SliceBegin, [&](pbf_writer &E) {
    E.add_uint64(event::NameIid, Name);
    for (const FlowEnd &F : FlowCursor::take(Ends.Out, S.Begin))
      E.add_uint64(event::FlowIdsOld, FirstFlow + F.Flow);
    for (const FlowEnd &F : FlowCursor::take(Ends.Into, S.Begin))
      E.add_uint64(event::TerminatingFlowIdsOld, FirstFlow + F.Flow);
    if (S.Open)
      addArgument(E, Argument::Unfinished, true);
  });
}

/// Begins and ends in order of time, each end before what begins next.
void PerfettoSink::warp(const BlockView &V, size_t Which) {
  const std::vector<uint64_t> &Sites = Names.OfSites.of(T.launches()[V.Launch]);
  const WarpView &W = V.Warps[Which];
  BlockTimes Times = Axis.of(V.Launch, V.B);
  FlowCursor Ends{Flows.out(Which), Flows.into(Which)};
  joinPieces(W.Spans, Stays);
  SmallVector<uint64_t, 8> Open; // ends of slices
  ArrayRef<Event> Marks = W.Marks;
  std::optional<int64_t> Last;
  auto At = [&](uint64_t Clock) {
    int64_t Ns = Times.ns(Clock);
    Last = Last ? std::max(*Last, Ns) : Ns;
    return *Last;
  };
  auto MarksUntil = [&](uint64_t Clock) {
    for (; !Marks.empty() && Marks.front().Clock <= Clock;
         Marks = Marks.drop_front())
      Packets.event(At(Marks.front().Clock), event::Instant,
                    [&](pbf_writer &E) {
                      E.add_uint64(event::NameIid, Sites[Marks.front().Site]);
                    });
  };
  auto EndDownTo = [&](size_t Depth) {
    for (; Open.size() > Depth; Open.pop_back()) {
      MarksUntil(Open.back());
      Packets.event(At(Open.back()), event::SliceEnd);
    }
  };
  for (const Stay &S : Stays) {
    EndDownTo(S.Depth);
    MarksUntil(S.Begin);
    begin(S, At(S.Begin), Sites[S.Site], Ends);
    Open.push_back(S.End);
  }
  EndDownTo(0);
  MarksUntil(UINT64_MAX);
}

/// The clock and the interned names, once for the whole file.
static void addState(PacketWriter &Packets, const TimeAxis &Axis,
                     const EventNames &Names) {
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
      auto Add = [&](int List, const auto &Texts) {
        for (auto [I, Text] : enumerate(Texts)) {
          pbf_writer Entry(All, List);
          Entry.add_uint64(interned::Iid, I + 1);
          Entry.add_string(interned::Name, Text.data(), Text.size());
        }
      };
      Add(interned::EventCategories, CategoryNames);
      Add(interned::EventNames, Names.List);
      Add(interned::DebugAnnotationNames, ArgumentNames);
    }
    pbf_writer Snapshot(P, packet::ClockSnapshot);
    AddClock(Snapshot, clocks::Boottime, false);
    AddClock(Snapshot, clocks::Incremental, true);
  });
}

static void addLine(PacketWriter &Packets, uint64_t Id, uint64_t Parent,
                    const std::string &Name, uint64_t Rank, bool HasChildren) {
  Packets.packet([&](pbf_writer &P) {
    pbf_writer D(P, packet::TrackDescriptor);
    D.add_uint64(descriptor::Uuid, Id);
    D.add_string(descriptor::Name, Name);
    if (Parent)
      D.add_uint64(descriptor::ParentUuid, Parent);
    if (HasChildren)
      D.add_enum(descriptor::ChildOrdering, descriptor::Explicit);
    if (Rank)
      D.add_int32(descriptor::SiblingOrderRank, static_cast<int32_t>(Rank));
  });
}

static void addLines(PacketWriter &Packets, const Trace &T,
                     const Tracks &Lines) {
  for (auto [I, Id] : enumerate(Lines.Processes))
    addLine(Packets, Id, 0, plainText(processText(T.meta(), I)), I,
            /*HasChildren=*/true);
  for (auto [I, D] : enumerate(Lines.Devices)) {
    uint64_t Process =
        T.meta().Merged ? Lines.Processes[T.meta().Devices[I].Process] : 0;
    addLine(Packets, D.Id, Process,
            "GPU " + std::to_string(I) + ": " +
                plainText(T.meta().Devices[I].Name),
            I, /*HasChildren=*/true);
    for (auto [Row, Id] : enumerate(D.LaunchRows))
      addLine(Packets, Id, D.Id,
              Row ? "launches " + std::to_string(Row + 1) : "launches", Row,
              /*HasChildren=*/false);
  }
  for (const SmTracks &Sm : Lines.Sms) {
    const DeviceTracks &D = Lines.Devices[Sm.Device];
    addLine(Packets, Sm.Id, D.Id, "SM " + std::to_string(Sm.Sm),
            D.LaunchRows.size() + Sm.Sm, /*HasChildren=*/true);
    for (auto [I, Slot] : enumerate(Sm.Slots)) {
      addLine(Packets, Slot.Id, Sm.Id, "slot " + std::to_string(I), I,
              /*HasChildren=*/true);
      for (uint32_t W = 0; W < Slot.Warps; ++W)
        addLine(Packets, Slot.warpId(W), Slot.Id, "warp " + std::to_string(W),
                W, /*HasChildren=*/false);
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
  EventNames Names(T);
  int64_t Now = 0;
  {
    std::string Front;
    PacketWriter Packets(Front);
    addState(Packets, Axis, Names);
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
