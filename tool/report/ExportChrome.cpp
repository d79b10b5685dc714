// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trace events as JSON: an SM is a process to them, a line of it a thread.
#include "report/Export.h"
#include "report/Names.h"
#include "report/PerSite.h"
#include "report/Stays.h"
#include "llvm/Support/JSON.h"
#include <charconv>
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

static std::string jsonText(StringRef Text) {
  std::string Out;
  raw_string_ostream(Out) << json::Value(plainText(Text));
  return Out;
}

static std::string slotName(size_t Slot) {
  return "slot " + std::to_string(Slot);
}

static std::string warpName(size_t Slot, uint32_t Warp) {
  return slotName(Slot) + " warp " + std::to_string(Warp);
}

namespace {

/// Appends events, each behind a comma and a new line.
class EventWriter {
public:
  explicit EventWriter(std::string &Out) : Out(Out) {}

  /// \p Name is JSON; so is \p Args, if there are any.
  void slice(uint64_t Process, uint64_t Thread, StringRef Name, int64_t Begin,
             int64_t End, StringRef Args = "") {
    begin('X', Process, Thread, Name);
    Out += ",\"ts\":";
    micros(Begin);
    Out += ",\"dur\":";
    micros(End - Begin);
    end(Args);
  }
  void instant(uint64_t Process, uint64_t Thread, StringRef Name, int64_t At,
               StringRef Args = "") {
    begin('i', Process, Thread, Name);
    Out += ",\"s\":\"t\",\"ts\":";
    micros(At);
    end(Args);
  }
  /// Viewers tell counters of a process by their names.
  void counter(uint64_t Process, uint64_t Thread, StringRef Name, int64_t At,
               StringRef Args) {
    begin('C', Process, Thread, Name);
    Out += ",\"ts\":";
    micros(At);
    end(Args);
  }
  /// What a process or a thread is called, and where it stands among others.
  void name(StringRef Kind, uint64_t Process, uint64_t Thread,
            const Twine &Name) {
    begin('M', Process, Thread, "\"" + (Kind + "_name\"").str());
    end("{\"name\":" + jsonText(Name.str()) + "}");
    begin('M', Process, Thread, "\"" + (Kind + "_sort_index\"").str());
    end(("{\"sort_index\":" + Twine(Kind == "process" ? Process : Thread) + "}")
            .str());
  }

  /// What a viewer shows beside the name of a process.
  void label(uint64_t Process, StringRef Label) {
    begin('M', Process, 0, "\"process_labels\"");
    end("{\"labels\":" + jsonText(Label) + "}");
  }

private:
  void begin(char Phase, uint64_t Process, uint64_t Thread, const Twine &Name) {
    Out += ",\n{\"ph\":\"";
    Out += Phase;
    Out += "\",\"pid\":";
    number(Process);
    Out += ",\"tid\":";
    number(Thread);
    Out += ",\"name\":";
    Out += Name.str();
  }
  void end(const Twine &Args) {
    if (!Args.isTriviallyEmpty() && !Args.str().empty())
      Out += ",\"args\":" + Args.str();
    Out += '}';
  }
  template <typename Int> void number(Int Value) {
    char Digits[24];
    Out.append(Digits, std::to_chars(Digits, std::end(Digits), Value).ptr);
  }
  /// Thousandths are written only where there are some.
  void micros(int64_t Ns) {
    if (Ns < 0)
      Out += '-';
    uint64_t Size = Ns < 0 ? 0 - static_cast<uint64_t>(Ns) : Ns;
    number(Size / 1000);
    if (unsigned Rest = Size % 1000) {
      Out += '.';
      Out += static_cast<char>('0' + Rest / 100);
      Out += static_cast<char>('0' + Rest / 10 % 10);
      Out += static_cast<char>('0' + Rest % 10);
    }
  }

  std::string &Out;
};

class ChromeSink final : public BlockSink {
public:
  ChromeSink(const Trace &T, const TimeAxis &Axis, const Tracks &Lines,
             const PerSite<std::string> &Names)
      : T(T), Axis(Axis), Lines(Lines), Names(Names), Events(Bytes) {}

  void block(const BlockView &V) override {
    const PlacedBlock *B = Lines.find(V.Launch, V.B);
    if (!B)
      return;
    const SmTracks &Sm = Lines.Sms[B->Sm];
    const SlotTracks &Slot = Sm.Slots[B->Slot];
    const std::vector<std::string> &Sites = Names.of(T.launches()[V.Launch]);
    BlockTimes Times = Axis.of(V.Launch, V.B);
    blockSlice(V, *B, Sm.Id, Slot.Id);
    for (const WarpView &W : V.Warps) {
      uint64_t Thread = Slot.warpId(W.Index);
      joinPieces(W.Spans, Stays);
      placeValues(Stays, W.Values, Placed);
      lastOfEach(Placed, Lines.Values.of(T.launches()[V.Launch]), Arguments);
      ArrayRef<StayValue> Rest = Arguments;
      for (auto [Number, S] : enumerate(Stays))
        slice(Sm.Id, Thread, Sites, Times, S,
              argumentsOf(takeOf(Rest, Number), Sites));
      for (const Event &M : W.Marks)
        Events.instant(Sm.Id, Thread, Sites[M.Site], Times.ns(M.Clock));
      if (!W.Scopes.empty())
        Thread = Slot.extraId({W.Index, ExtraLine::Scopes});
      sortScopes(W.Scopes, Stays);
      for (const Stay &S : Stays)
        slice(Sm.Id, Thread, Sites, Times, S, "");
      values(Sm.Id, *B, W, Sites, Times);
    }
  }

  std::string Bytes;

private:
  void slice(uint64_t Process, uint64_t Thread, ArrayRef<std::string> Sites,
             const BlockTimes &Times, const Stay &S, StringRef Args) {
    int64_t Begin = Times.ns(S.Begin);
    Events.slice(Process, Thread, Sites[S.Site], Begin,
                 std::max(Begin, Times.ns(S.End)), Args);
  }
  /// JSON has no words for what is not finite.
  static std::string jsonNumber(const Number &N) {
    return std::isfinite(N.toDouble()) ? N.str() : "\"" + N.str() + "\"";
  }
  static std::string argumentsOf(ArrayRef<StayValue> Values,
                                 ArrayRef<std::string> Sites) {
    std::string Out;
    for (const StayValue &P : Values)
      Out +=
          (Out.empty() ? "{" : ",") + Sites[P.V.Site] + ":" + jsonNumber(P.V.N);
    return Out.empty() ? Out : Out + "}";
  }
  /// Counters, and of values in no phase instants as well.
  void values(uint64_t Process, const PlacedBlock &B, const WarpView &W,
              ArrayRef<std::string> Sites, const BlockTimes &Times) {
    uint64_t Thread = Lines.Sms[B.Sm].Slots[B.Slot].warpId(W.Index);
    std::string Front = "\"" + warpName(B.Slot, W.Index) + " ";
    for (const StayValue &P : Placed) {
      const std::string &Name = Sites[P.V.Site];
      std::string Args = argumentsOf(P, Sites);
      int64_t At = Times.ns(P.V.Clock);
      if (P.Stay == StayValue::NoStay)
        Events.instant(Process, Thread, Name, At, Args);
      if (std::isfinite(P.V.N.toDouble()))
        Events.counter(Process, Thread, Front + Name.substr(1), At, Args);
    }
  }
  void blockSlice(const BlockView &V, const PlacedBlock &B, uint64_t Process,
                  uint64_t Thread) {
    std::string Args = "{\"launch\":" + std::to_string(V.Launch) +
                       ",\"block\":" + std::to_string(V.B.Number);
    if (V.B.Finished)
      Args += ",\"cycles\":" + std::to_string(V.B.ClockEnd - V.B.ClockStart);
    else
      Args += ",\"finished\":false";
    Events.slice(Process, Thread,
                 "\"block " + std::to_string(V.B.Number) + "\"", B.Begin, B.End,
                 Args + "}");
  }

  const Trace &T;
  const TimeAxis &Axis;
  const Tracks &Lines;
  const PerSite<std::string> &Names;
  EventWriter Events;
  std::vector<Stay> Stays;
  std::vector<StayValue> Placed, Arguments;
};

} // namespace

/// Names of all lines, and the launches.
static std::string frontOf(const Trace &T, const Tracks &Lines) {
  std::string Out;
  EventWriter Events(Out);
  auto Label = [&](uint64_t Id, uint32_t Device) {
    if (T.meta().Merged)
      Events.label(Id, processText(T.meta(), T.meta().Devices[Device].Process));
  };
  for (auto [I, D] : enumerate(Lines.Devices)) {
    std::string Gpu = "GPU " + std::to_string(I);
    Events.name("process", D.Id, 0, Gpu + " " + T.meta().Devices[I].Name);
    Label(D.Id, I);
    for (uint64_t Row : D.LaunchRows)
      Events.name("thread", D.Id, Row, "launches");
  }
  for (const SmTracks &Sm : Lines.Sms) {
    Events.name("process", Sm.Id, 0,
                "GPU " + Twine(Sm.Device) + " SM " + Twine(Sm.Sm));
    Label(Sm.Id, Sm.Device);
    for (auto [I, Slot] : enumerate(Sm.Slots)) {
      Events.name("thread", Sm.Id, Slot.Id, slotName(I));
      for (uint32_t W = 0; W < Slot.Warps; ++W)
        Events.name("thread", Sm.Id, Slot.warpId(W), warpName(I, W));
      for (const ExtraLine &L : Slot.Extras)
        if (L.What == ExtraLine::Scopes)
          Events.name("thread", Sm.Id, Slot.extraId(L),
                      warpName(I, L.Warp) + " scopes");
    }
  }
  for (const LaunchTrack &L : Lines.Launches) {
    const Launch &Of = T.launches()[L.Launch];
    const DeviceTracks &D = Lines.Devices[Of.Device];
    Events.slice(D.Id, D.LaunchRows[L.Row], jsonText(kernelName(T, Of)),
                 L.Begin, L.End,
                 "{\"launch\":" + std::to_string(L.Launch) + "}");
  }
  return Out;
}

Expected<LeftOut> writeChrome(const Trace &T, const Selection &S, Put Out) {
  TimeAxis Axis(T);
  Expected<Tracks> Lines = layTracks(T, S, Axis);
  if (!Lines)
    return Lines.takeError();
  PerSite<std::string> Names(T, [](const Site &S) { return jsonText(S.Name); });
  // The comma before the first event goes. Without a device there is none.
  std::string Front = frontOf(T, *Lines);
  if (Error E = Out("[" + Front.substr(Front.empty() ? 0 : 1)))
    return E;
  if (Error E = visitSelected(
          T, S, {},
          [&] { return std::make_unique<ChromeSink>(T, Axis, *Lines, Names); },
          [&](std::unique_ptr<BlockSink> Part) {
            return Out(static_cast<ChromeSink &>(*Part).Bytes);
          }))
    return E;
  if (Error E = Out("\n]\n"))
    return E;
  return Lines->Left;
}

} // namespace kinstr::report
