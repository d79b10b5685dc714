// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sinks keep each block as a few bytes; when all are there, blocks are sorted,
// and the bytes become columns.
#include "report/HtmlDetail.h"

#include "report/Pauses.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

Lot::Lot(const Survey &S, const HtmlLimits &Limits) {
  auto Share = [](uint64_t Limit, uint64_t Number) {
    return Number > Limit
               ? static_cast<double>(Limit) / static_cast<double>(Number)
               : 1.0;
  };
  BlockShare = Share(Limits.Blocks, S.blocks());
  SpanShare = std::min(BlockShare, Share(Limits.Spans, S.spans()));
}

/// splitmix64: https://prng.di.unimi.it/splitmix64.c
static uint64_t mixed(uint64_t X) {
  X += 0x9e3779b97f4a7c15;
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9;
  X = (X ^ (X >> 27)) * 0x94d049bb133111eb;
  return X ^ (X >> 31);
}

bool Lot::draws(uint32_t Launch, uint32_t Block, double Share) {
  if (Share >= 1)
    return true;
  auto Number =
      static_cast<double>(mixed(uint64_t(Launch) << 32 | Block) >> 11);
  return Number < Share * 9007199254740992.0; // 2^53
}

namespace {

/// Times on a launch's axis, as integers so that sums do not depend on their
/// order: sixteenths of a nanosecond.
constexpr double TicksPerNs = 16;
double rounded(double Ns) { return std::round(Ns * TicksPerNs) / TicksPerNs; }

/// Unsigned numbers in a string, LEB128.
class NumberWriter {
public:
  void put(uint64_t Value) {
    uint8_t Buffer[10];
    Bytes.append(reinterpret_cast<char *>(Buffer),
                 encodeULEB128(Value, Buffer));
  }
  std::string Bytes;
};

class NumberReader {
public:
  explicit NumberReader(StringRef Bytes)
      : At(Bytes.bytes_begin()), End(Bytes.bytes_end()) {}

  bool done() const { return At == End; }
  uint64_t get() {
    unsigned N = 0;
    uint64_t Value = decodeULEB128(At, &N, End);
    At += N;
    return Value;
  }

private:
  const uint8_t *At, *End;
};

/// How many warps were in which phase: time of warps by bin and phase row, see
/// LaunchFrame::rows().
struct Profile {
  uint32_t Bins = 0;
  size_t Rows = 0;
  uint64_t TicksPerBin = 1;
  double OriginNs = 0;
  std::vector<uint64_t> Ticks; ///< Bins times Rows

  void add(size_t Row, double BeginNs, double EndNs) {
    uint64_t Begin = tick(BeginNs), End = std::max(tick(EndNs), Begin);
    if (Ticks.empty())
      Ticks.resize(size_t(Bins) * Rows);
    for (uint64_t Bin = Begin / TicksPerBin; Begin < End && Bin < Bins; ++Bin) {
      uint64_t Until = std::min(End, (Bin + 1) * TicksPerBin);
      Ticks[Bin * Rows + Row] += Until - Begin;
      Begin = Until;
    }
  }
  void join(const Profile &Other) {
    Ticks.resize(std::max(Ticks.size(), Other.Ticks.size()));
    for (size_t I = 0; I < Other.Ticks.size(); ++I)
      Ticks[I] += Other.Ticks[I];
  }

private:
  uint64_t tick(double Ns) const {
    double Most = static_cast<double>(TicksPerBin) * Bins;
    return static_cast<uint64_t>(
        std::clamp(std::round((Ns - OriginNs) * TicksPerNs), 0.0, Most));
  }
};

enum BlockFlags : uint8_t { Finished = 1, Moved = 2, HasSpans = 4 };
enum WarpFlags : uint8_t { Exited = 1, MayHaveWrapped = 2 };
/// A scope has OpenEnd alone.
enum SpanFlags : uint8_t { Interrupted = 1, OpenEnd = 2, Continued = 4 };

struct KeptBlock {
  uint32_t Number = 0;
  uint16_t Sm = 0;
  uint8_t Flags = 0;
  BlockPlace Place;
  double Origin = 0;  ///< of Place.First, from the SM line's origin [cycles]
  std::string Strips; ///< row and length, over and over
  std::string Warps;  ///< see DetailSink::addWarp()
};

/// What all parts of a launch share.
struct LaunchFrame {
  explicit LaunchFrame(const Kernel &K) : Phases(K) {}

  /// Behind the phases: in none, and in a pause of the recorder.
  size_t none() const { return Phases.size(); }
  size_t paused() const { return Phases.size() + 1; }
  size_t rows() const { return Phases.size() + 2; }

  PhaseRows Phases;
  Profile Empty;
  uint32_t StripBins = 0; ///< of a block
};

struct LaunchPart {
  std::vector<KeptBlock> Blocks;
  Profile Warps;
};

class DetailSink final : public BlockSink {
public:
  /// \p Frames as PageLaunches::all().
  DetailSink(const Trace &T, const Selection &S, const Lot &Chosen,
             const PageLaunches &Launches,
             const std::vector<LaunchFrame> &Frames)
      : T(&T), Selected(&S), Chosen(&Chosen), Launches(&Launches),
        Frames(&Frames), Parts(Frames.size()) {
    for (auto [Part, F] : zip_equal(Parts, Frames))
      Part.Warps = F.Empty;
  }

  void block(const BlockView &V) override {
    size_t I = Launches->positionOf(V.Launch);
    Frame = &(*Frames)[I];
    LaunchPart &Part = Parts[I];
    BlockPlace Place = placeOf(*T, V);
    if (Frame->Empty.Bins && !V.B.moved())
      profile(V, Part.Warps);
    if (Chosen->hasBlock(V.Launch, V.B.Number))
      Part.Blocks.push_back(keep(V, Place));
  }

  void join(DetailSink &&Other) {
    for (size_t I = 0; I < Parts.size(); ++I) {
      std::move(Other.Parts[I].Blocks.begin(), Other.Parts[I].Blocks.end(),
                std::back_inserter(Parts[I].Blocks));
      Parts[I].Warps.join(Other.Parts[I].Warps);
    }
  }

  std::vector<LaunchPart> take() { return std::move(Parts); }

private:
  using Pause = std::pair<uint64_t, uint64_t>; ///< begin, end

  /// Those in the time that was asked for.
  ArrayRef<Pause> pausesOf(const BlockView &V, const WarpView &W) {
    Pauses.clear();
    forEachPause(W, [&](uint64_t Begin, uint64_t End) {
      if (Selected->hasTime(V.Launch, V.B, Begin, End))
        Pauses.emplace_back(Begin, End);
    });
    return Pauses;
  }

  /// Calls \p On for each stretch of a warp in one row. No pause overlaps a
  /// phase.
  template <typename Fn>
  void forEachStretch(const BlockView &V, const WarpView &W, Fn On) {
    uint64_t Covered = W.Time.Begin;
    auto Stretch = [&](size_t Row, uint64_t Begin, uint64_t End) {
      if (Begin > Covered)
        On(Frame->none(), Covered, Begin);
      On(Row, Begin, End);
      Covered = End;
    };
    const Span *P = W.Spans.begin();
    auto PhasesBefore = [&](uint64_t Until) {
      for (; P != W.Spans.end() && P->Begin < Until; ++P)
        Stretch(size_t(Frame->Phases.rowOf(P->Site)), P->Begin, P->End);
    };
    for (auto [Begin, End] : pausesOf(V, W)) {
      PhasesBefore(End);
      Stretch(Frame->paused(), Begin, End);
    }
    PhasesBefore(UINT64_MAX);
    if (W.Time.End > Covered)
      On(Frame->none(), Covered, W.Time.End);
  }

  void profile(const BlockView &V, Profile &Out) {
    const LaunchClock &Clock = T->clock(V.Launch);
    const SmLine *Line = Clock.find(V.B.SmStart);
    if (!Line)
      return;
    for (const WarpView &W : V.Warps)
      forEachStretch(V, W, [&](size_t Row, uint64_t Begin, uint64_t End) {
        Out.add(Row, Clock.toNs(*Line, Begin), Clock.toNs(*Line, End));
      });
  }

  KeptBlock keep(const BlockView &V, const BlockPlace &Place) {
    KeptBlock B;
    B.Number = V.B.Number;
    B.Sm = V.B.SmStart;
    B.Flags = (V.B.Finished ? Finished : 0) | (V.B.moved() ? Moved : 0);
    B.Place = Place;
    if (const SmLine *Line = T->clock(V.Launch).find(V.B.SmStart))
      B.Origin = static_cast<double>(
          static_cast<int64_t>(Place.First - Line->ClockOrigin));
    B.Strips = strips(V, Place);
    if (Chosen->hasSpans(V.Launch, V.B.Number)) {
      B.Flags |= HasSpans;
      NumberWriter Out;
      for (const WarpView &W : V.Warps)
        addWarp(V, W, Place.First, Out);
      B.Warps = std::move(Out.Bytes);
    }
    return B;
  }

  /// The row that most warps are in, from the block's first cycle to its last.
  std::string strips(const BlockView &V, const BlockPlace &Place) {
    uint64_t Length = Place.Last - Place.First;
    uint64_t Bins = std::min<uint64_t>(Frame->StripBins, Length);
    size_t Rows = Frame->rows();
    // Rounded up: of what the last bins have too much there is nothing.
    uint64_t Width = Bins ? divideCeil(Length, Bins) : 1;
    Time.assign(Bins * Rows, 0);
    for (const WarpView &W : V.Warps)
      forEachStretch(V, W, [&](size_t Row, uint64_t Begin, uint64_t End) {
        Begin -= Place.First;
        End -= Place.First;
        for (uint64_t I = Begin / Width; Begin < End && I < Bins; ++I) {
          uint64_t Until = std::min(End, (I + 1) * Width);
          Time[I * Rows + Row] += Until - Begin;
          Begin = Until;
        }
      });
    NumberWriter Out;
    size_t Current = Frame->none();
    uint64_t RunStart = 0;
    for (uint64_t I = 0; I <= Bins; ++I) {
      size_t Most = I < Bins ? mostOf(I * Rows, Rows, Current) : Rows;
      if (Most == Current)
        continue;
      uint64_t End = std::min(I * Width, Length);
      if (End > RunStart) {
        Out.put(Current);
        Out.put(End - RunStart);
      }
      RunStart = End;
      Current = Most;
    }
    return std::move(Out.Bytes);
  }

  /// Of equals the row stays. Where no warp is at work, none is.
  size_t mostOf(size_t First, size_t Rows, size_t Current) const {
    auto At = Time.begin() + static_cast<std::ptrdiff_t>(First);
    size_t Largest = std::max_element(At, At + Rows) - At;
    if (At[Largest] > At[Current])
      return Largest;
    return At[Current] > 0 ? Current : Frame->none();
  }

  void addWarp(const BlockView &V, const WarpView &W, uint64_t First,
               NumberWriter &Out) {
    Out.put(W.Index);
    Out.put((W.Time.Finished ? Exited : 0) |
            (W.MayHaveWrapped ? MayHaveWrapped : 0));
    uint64_t Begin = W.Events.empty() ? First : W.Time.Begin;
    Out.put(Begin - First);
    Out.put(W.Time.cycles());
    Out.put(W.Spans.size());
    uint64_t Covered = Begin;
    for (const Span &P : W.Spans) {
      Out.put(P.Begin - Covered);
      Out.put(P.cycles());
      Out.put(P.Site);
      Out.put((P.Interrupted ? Interrupted : 0) | (P.Open ? OpenEnd : 0) |
              (P.Before ? Continued : 0));
      Covered = P.End;
    }
    addPauses(pausesOf(V, W), Begin, Out);
    Out.put(W.Marks.size());
    Covered = Begin;
    for (const Event &E : W.Marks) {
      Out.put(E.Clock - Covered);
      Out.put(E.Site);
      Covered = E.Clock;
    }
    addScopes(W, Begin, Out);
    addNumbers(W, Begin, Out);
  }

  static void addPauses(ArrayRef<Pause> Of, uint64_t Covered,
                        NumberWriter &Out) {
    Out.put(Of.size());
    for (auto [Begin, End] : Of) {
      Out.put(Begin - Covered);
      Out.put(End - Begin);
      Covered = End;
    }
  }

  /// As they begin. They lie in each other, so gaps are between beginnings.
  void addScopes(const WarpView &W, uint64_t Begin, NumberWriter &Out) {
    Scopes.assign(W.Scopes.begin(), W.Scopes.end());
    llvm::sort(Scopes, [](const ScopeSpan &A, const ScopeSpan &B) {
      return std::tie(A.Begin, A.Depth, A.End) <
             std::tie(B.Begin, B.Depth, B.End);
    });
    Out.put(Scopes.size());
    for (const ScopeSpan &P : Scopes) {
      Out.put(P.Begin - Begin);
      Out.put(P.End - P.Begin);
      Out.put(P.Paused);
      Out.put(P.Site);
      Out.put(P.Depth);
      Out.put(P.Open ? OpenEnd : 0);
      Begin = P.Begin;
    }
  }

  static void addNumbers(const WarpView &W, uint64_t Begin, NumberWriter &Out) {
    Out.put(W.Values.size());
    for (const Value &N : W.Values) {
      Out.put(N.Clock - Begin);
      Out.put(N.Site);
      Out.put(static_cast<uint64_t>(N.N.Type));
      Out.put(N.N.Bits);
      Begin = N.Clock;
    }
  }

  const Trace *T;
  const Selection *Selected;
  const Lot *Chosen;
  const PageLaunches *Launches;
  const std::vector<LaunchFrame> *Frames;
  const LaunchFrame *Frame = nullptr; ///< of the block at hand
  std::vector<LaunchPart> Parts;
  std::vector<uint64_t> Time;    ///< [cycles of warps], bins times rows
  std::vector<ScopeSpan> Scopes; ///< of the warp at hand
  std::vector<Pause> Pauses;     ///< of the same
};

/// The columns of a launch, in the page's order.
class LaunchColumns {
public:
  void add(const KeptBlock &B) {
    Number.push(B.Number);
    Sm.push(B.Sm);
    Flags.push(B.Flags);
    Cycles.push(B.Place.Last - B.Place.First);
    Origin.pushDouble(B.Origin);
    BeginNs.pushDouble(rounded(B.Place.Ns.Begin));
    LengthNs.pushDouble(rounded(B.Place.Ns.length()));
    addStrips(B.Strips);
    addWarps(B.Warps);
  }

  void pack(ColumnPack &Out) const {
    Out.add("block", Number);
    Out.add("sm", Sm);
    Out.add("blockFlags", Flags);
    Out.add("blockCycles", Cycles);
    Out.add("blockOrigin", Origin, true);
    Out.add("blockBegin", BeginNs, true);
    Out.add("blockLength", LengthNs, true);
    Out.add("strips", Strips);
    Out.add("stripRow", StripRow);
    Out.add("stripCycles", StripCycles);
    Out.add("warps", Warps);
    Out.add("warp", Warp);
    Out.add("warpFlags", WarpFlag);
    Out.add("warpBegin", WarpBegin);
    Out.add("warpCycles", WarpCycles);
    Out.add("spans", Spans);
    Out.add("spanGap", SpanGap);
    Out.add("spanCycles", SpanCycles);
    Out.add("spanSite", SpanSite);
    Out.add("spanFlags", SpanFlag);
    Out.add("pauses", Pauses);
    Out.add("pauseGap", PauseGap);
    Out.add("pauseCycles", PauseCycles);
    Out.add("marks", Marks);
    Out.add("markGap", MarkGap);
    Out.add("markSite", MarkSite);
    Out.add("scopes", Scopes);
    Out.add("scopeGap", ScopeGap);
    Out.add("scopeLength", ScopeLength);
    Out.add("scopePaused", ScopePaused);
    Out.add("scopeSite", ScopeSite);
    Out.add("scopeDepth", ScopeDepth);
    Out.add("scopeFlags", ScopeFlag);
    Out.add("numbers", Numbers);
    Out.add("numberGap", NumberGap);
    Out.add("numberSite", NumberSite);
    Out.add("numberType", NumberType);
    Out.add("numberBits", NumberBits);
  }

private:
  void addStrips(StringRef Bytes) {
    uint64_t N = 0;
    for (NumberReader In(Bytes); !In.done(); ++N) {
      StripRow.push(In.get());
      StripCycles.push(In.get());
    }
    Strips.push(N);
  }

  void addWarps(StringRef Bytes) {
    uint64_t N = 0;
    for (NumberReader In(Bytes); !In.done(); ++N) {
      for (Column *C : {&Warp, &WarpFlag, &WarpBegin, &WarpCycles})
        C->push(In.get());
      addMany(In, Spans, {&SpanGap, &SpanCycles, &SpanSite, &SpanFlag});
      addMany(In, Pauses, {&PauseGap, &PauseCycles});
      addMany(In, Marks, {&MarkGap, &MarkSite});
      addMany(In, Scopes,
              {&ScopeGap, &ScopeLength, &ScopePaused, &ScopeSite, &ScopeDepth,
               &ScopeFlag});
      addMany(In, Numbers, {&NumberGap, &NumberSite, &NumberType, &NumberBits});
    }
    Warps.push(N);
  }

  /// How many, then so many times one for each column.
  static void addMany(NumberReader &In, Column &Count,
                      std::initializer_list<Column *> Of) {
    uint64_t N = In.get();
    Count.push(N);
    for (uint64_t I = 0; I < N; ++I)
      for (Column *C : Of)
        C->push(In.get());
  }

  Column Number, Sm, Flags, Cycles, Origin, BeginNs, LengthNs;
  Column Strips, StripRow, StripCycles;
  Column Warps, Warp, WarpFlag, WarpBegin, WarpCycles;
  Column Spans, SpanGap, SpanCycles, SpanSite, SpanFlag;
  Column Pauses, PauseGap, PauseCycles;
  Column Marks, MarkGap, MarkSite;
  Column Scopes, ScopeGap, ScopeLength, ScopePaused, ScopeSite, ScopeDepth,
      ScopeFlag;
  Column Numbers, NumberGap, NumberSite, NumberType, NumberBits;
};

} // namespace

/// The lines of the SMs' clocks: what toNs() needs.
static void packClock(const LaunchClock &Clock, ColumnPack &Out) {
  Column Sm, Offset, Bends, BendCycles, BendNs;
  for (const SmLine &L : Clock.Sms) {
    Sm.push(L.Sm);
    Offset.pushDouble(L.OffsetNs);
    ArrayRef<Bend> OfLine = Clock.bendsOf(L);
    Bends.push(OfLine.size());
    for (const Bend &B : OfLine) {
      BendCycles.pushDouble(B.Cycles);
      BendNs.pushDouble(B.Ns);
    }
  }
  Out.add("clockSm", Sm);
  Out.add("clockOffset", Offset, true);
  Out.add("clockBends", Bends);
  Out.add("bendCycles", BendCycles, true);
  Out.add("bendNs", BendNs, true);
}

/// Warps in a phase, on the average of a bin, in sixteenths of a warp: row
/// after row.
static void packProfile(const Profile &P, ColumnPack &Out) {
  Column C;
  for (size_t Row = 0; Row < P.Rows && !P.Ticks.empty(); ++Row)
    for (uint32_t Bin = 0; Bin < P.Bins; ++Bin)
      C.push((P.Ticks[Bin * P.Rows + Row] * 16 + P.TicksPerBin / 2) /
             P.TicksPerBin);
  Out.add("profile", C);
}

static LaunchDetail packLaunch(const Trace &T, uint32_t Launch,
                               LaunchPart Part) {
  llvm::sort(Part.Blocks, [](const KeptBlock &A, const KeptBlock &B) {
    return std::tie(A.Number, A.Place.Ns.Begin, A.Sm, A.Place.First) <
           std::tie(B.Number, B.Place.Ns.Begin, B.Sm, B.Place.First);
  });
  LaunchDetail D;
  LaunchColumns Columns;
  for (KeptBlock &B : Part.Blocks) {
    ++D.Blocks;
    D.BlocksWithSpans += (B.Flags & HasSpans) != 0;
    Columns.add(B);
    B.Warps = std::string(); // one copy at a time
  }
  Columns.pack(D.Pack);
  packClock(T.clock(Launch), D.Pack);
  packProfile(Part.Warps, D.Pack);
  D.ProfileBins = Part.Warps.Ticks.empty() ? 0 : Part.Warps.Bins;
  return D;
}

/// Fine where there is little, so that the page stays small where there is
/// much.
static LaunchFrame frameOf(const Trace &T, uint32_t Launch,
                           const LaunchSurvey &Found, uint64_t Blocks,
                           size_t Launches) {
  LaunchFrame F(T.kernel(T.launches()[Launch]));
  F.StripBins = static_cast<uint32_t>(std::clamp<uint64_t>(
      (1 << 22) / std::max<uint64_t>(Blocks, 1), 32, 2048));
  Profile &P = F.Empty;
  P.Rows = F.rows();
  if (T.clock(Launch).Source == SlopeSource::None || !Found.Range)
    return F;
  P.Bins = static_cast<uint32_t>(
      std::clamp<size_t>((1 << 22) / (Launches * P.Rows), 64, 1024));
  P.OriginNs = Found.Axis.Begin;
  P.TicksPerBin = static_cast<uint64_t>(std::clamp(
      std::ceil(Found.Axis.length() * TicksPerNs / P.Bins), 1.0, 1e15));
  return F;
}

Expected<std::vector<LaunchDetail>>
collectDetail(const Trace &T, const Selection &S, const PageLaunches &Launches,
              const Survey &Found, const Lot &Chosen) {
  std::vector<LaunchFrame> Frames;
  for (auto [I, L] : zip_equal(Launches.all(), Found.Launches))
    Frames.push_back(frameOf(T, I, L, Found.blocks(), Launches.size()));

  VisitOptions O;
  O.Wanted = [&](uint32_t Launch, const Block &) {
    return Launches.has(Launch);
  };
  Expected<DetailSink> All = collectSelected(
      T, S, std::move(O), DetailSink(T, S, Chosen, Launches, Frames));
  if (!All)
    return All.takeError();
  std::vector<LaunchDetail> Out;
  for (auto [I, Part] : zip_equal(Launches.all(), All->take()))
    Out.push_back(packLaunch(T, I, std::move(Part)));
  return Out;
}

} // namespace kinstr::report
