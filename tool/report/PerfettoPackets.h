// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Perfetto's TracePackets. What keeps them small: names are sent once and have
// numbers, times are differences to the packet before, the line is named once a
// warp. Internal to tool/report.
#ifndef KINSTR_REPORT_PERFETTOPACKETS_H
#define KINSTR_REPORT_PERFETTOPACKETS_H

#include "trace/Number.h"
#include "llvm/ADT/StringRef.h"
#include <protozero/pbf_writer.hpp>
#include <string>

namespace kinstr::report::perfetto {

using protozero::pbf_writer;

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
  CounterValue = 30,
  /// As numbers of variable length; in the fields that replace these, an id has
  /// eight bytes. Readers take either.
  FlowIdsOld = 36,
  TerminatingFlowIdsOld = 42,
  DoubleCounterValue = 44
};
enum { SliceBegin = 1, SliceEnd = 2, Instant = 3, Counter = 4 };
} // namespace event
namespace annotation {
enum {
  NameIid = 1,
  BoolValue = 2,
  UintValue = 3,
  IntValue = 4,
  DoubleValue = 5,
  StringValue = 6
};
} // namespace annotation
namespace descriptor {
enum {
  Uuid = 1,
  Name = 2,
  ParentUuid = 5,
  Counter = 8,
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

inline constexpr uint32_t Sequence = 1;

/// Categories and names of arguments; numbers from 1 on, as interned.
enum class Category { Launch = 1, Block };
inline constexpr llvm::StringLiteral CategoryNames[] = {"launch", "block"};
enum class Argument { Launch = 1, Block, Cycles, Unfinished, Grid, Threads };
inline constexpr llvm::StringLiteral ArgumentNames[] = {
    "launch", "block", "cycles", "unfinished", "grid", "threads"};

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

inline void addArgument(pbf_writer &E, Argument Name, uint64_t Value) {
  pbf_writer A(E, event::DebugAnnotations);
  A.add_uint64(annotation::NameIid, static_cast<uint64_t>(Name));
  if (Name == Argument::Unfinished)
    A.add_bool(annotation::BoolValue, Value);
  else
    A.add_uint64(annotation::UintValue, Value);
}

inline void addArgument(pbf_writer &E, Argument Name,
                        const std::string &Value) {
  pbf_writer A(E, event::DebugAnnotations);
  A.add_uint64(annotation::NameIid, static_cast<uint64_t>(Name));
  A.add_string(annotation::StringValue, Value);
}

/// \p Name: which of the names of values.
inline void addArgument(pbf_writer &E, uint32_t Name, const trace::Number &N) {
  pbf_writer A(E, event::DebugAnnotations);
  A.add_uint64(annotation::NameIid, std::size(ArgumentNames) + Name);
  if (N.Type == number_type::floating_point)
    A.add_double(annotation::DoubleValue, N.toDouble());
  else if (N.Type == number_type::signed_integer)
    A.add_int64(annotation::IntValue, static_cast<int32_t>(N.Bits));
  else
    A.add_uint64(annotation::UintValue, N.Bits);
}

inline void addCounter(pbf_writer &E, const trace::Number &N) {
  if (N.Type == number_type::floating_point)
    E.add_double(event::DoubleCounterValue, N.toDouble());
  else
    E.add_int64(event::CounterValue, N.Type == number_type::signed_integer
                                         ? static_cast<int32_t>(N.Bits)
                                         : int64_t(N.Bits));
}

inline void addCategory(pbf_writer &E, Category C) {
  E.add_uint64(event::CategoryIids, static_cast<uint64_t>(C));
}

} // namespace kinstr::report::perfetto

#endif // KINSTR_REPORT_PERFETTOPACKETS_H
