// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block overview: time to the right, SMs downwards, one line a slot.
#include "report/Extent.h"
#include "report/Names.h"
#include "report/SvgFrame.h"
#include "report/SvgReport.h"
#include "trace/Visit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

/// Time is drawn in bins of half a pixel: finer than a screen shows, and the
/// file stays small however many blocks there are.
constexpr double BinsPerPixel = 2;

/// A block and the time it is drawn over.
struct Bar {
  double BeginNs = 0, EndNs = 0; ///< from the launch's origin
  uint32_t Number = 0;
  unsigned Slot = 0; ///< among the blocks of its SM
};

struct SmRow {
  uint32_t Sm = 0;
  std::vector<Bar> Bars;
  /// Time of warps by bin and phase, of the blocks that are drawn together.
  std::vector<float> Narrow;
  unsigned Slots = 1;
  double Y = 0; ///< top of its first slot
};

/// Where the blocks of a launch are drawn.
struct Layout {
  std::map<uint32_t, SmRow> BySm;
  uint64_t Moved = 0, Unfinished = 0, Narrow = 0;
};

/// A stretch of a slot in one colour.
struct Run {
  uint32_t Row = 0, Bar = 0; ///< in BlocksDrawing::Rows, SmRow::Bars
  int X = 0, Width = 0;      ///< [bins]
  uint32_t Kind = 0;
};

/// One path element: all stretches of one colour, as lines as thick as a slot.
/// Relative moves between integers keep it short.
class Strokes {
public:
  void add(int X, double Y, int W) {
    Path += "m" + coord(X - PenX) + " " + coord(Y - PenY) + "h" + coord(W);
    PenX = X + W;
    PenY = Y;
  }
  StringRef path() const { return Path; }

private:
  std::string Path;
  double PenX = 0, PenY = 0;
};

/// The part of time that is drawn, in bins.
struct TimeBins {
  double StartNs = 0, NsPerBin = 1;

  double bin(double Ns) const { return (Ns - StartNs) / NsPerBin; }
  int first(double BeginNs) const {
    return static_cast<int>(std::floor(bin(BeginNs)));
  }
  int last(double EndNs) const {
    return static_cast<int>(std::ceil(bin(EndNs)));
  }
};

class BlocksDrawing {
public:
  BlocksDrawing(const Trace &T, uint32_t Index, uint64_t Limit)
      : T(T), L(T.launches()[Index]), Clock(T.clock(Index)), Index(Index),
        Limit(Limit), Phases(T.kernel(L)), Colours(Phases.size() + 1) {
    Mine.Wanted = [Index](uint32_t Launch, const Block &) {
      return Launch == Index;
    };
  }

  Expected<std::string> draw();

private:
  class FindExtent;
  class PlaceBlocks;
  class ColourBars;

  Error findExtent();
  Error placeBlocks();
  void packSlots(SmRow &Row);
  double layRows(double Top);
  Error colourBars();
  TimeRange rangeOf(const BlockView &V) const;
  void binWarps(const BlockView &V, int First, std::vector<float> &Time) const;
  template <typename Fn>
  void forEachRun(ArrayRef<float> Time, int First, Fn OnRun) const;
  void smLabels();
  void emitStrokes();
  std::string caption() const;

  size_t untracked() const { return Phases.size(); }

  const Trace &T;
  const Launch &L;
  const LaunchClock &Clock;
  uint32_t Index;
  uint64_t Limit; ///< drawBlocks()
  PhaseRows Phases;
  VisitOptions Mine;

  std::vector<SmRow> Rows;
  std::vector<Strokes> Colours; ///< per phase row, then untracked
  TimeBins Bins;
  double Length = 0; ///< [ns]
  double SlotHeight = 1, GroupGap = 1, Bottom = 0;
  uint64_t Moved = 0, Unfinished = 0, Narrow = 0;
  Svg S;
};

} // namespace

TimeRange BlocksDrawing::rangeOf(const BlockView &V) const {
  Extent E(Clock);
  E.beginBlock(V.B);
  for (const WarpView &W : V.Warps)
    E.addWarp(W.Events);
  return E.endBlock();
}

class BlocksDrawing::FindExtent final : public BlockSink {
public:
  explicit FindExtent(const LaunchClock &Clock) : E(Clock) {}
  void block(const BlockView &V) override {
    E.beginBlock(V.B);
    for (const WarpView &W : V.Warps)
      E.addWarp(W.Events);
    E.endBlock();
  }
  void join(FindExtent &&Part) { E.join(Part.E); }

  Extent E;
};

Error BlocksDrawing::findExtent() {
  auto All = collectBlocks(T, Mine, FindExtent(Clock));
  if (!All)
    return All.takeError();
  TimeRange R = All->E.launch();
  Length = R.length();
  Bins.StartNs = R.Begin;
  // Without a clock rate everything is at one time; draw that.
  Bins.NsPerBin =
      (Length > 0 ? Length : 1) / ((PlotRight - PlotLeft) * BinsPerPixel);
  return Error::success();
}

/// Puts every block on the row of its SM.
class BlocksDrawing::PlaceBlocks final : public BlockSink {
public:
  explicit PlaceBlocks(const BlocksDrawing &D) : D(D) {}

  void block(const BlockView &V) override {
    if (V.B.moved()) { // its warps' clocks are of two SMs: no honest place
      ++Out.Moved;
      return;
    }
    Out.Unfinished += !V.B.Finished;
    SmRow &Row = Out.BySm[V.B.SmStart];
    Row.Sm = V.B.SmStart;
    TimeRange R = D.rangeOf(V);
    if (D.L.NumBlocks > D.Limit && R.length() < D.Bins.NsPerBin)
      addNarrow(V, R, Row);
    else
      Row.Bars.push_back({R.Begin, R.End, V.B.Number, 0});
  }
  void join(PlaceBlocks &&Part) {
    for (auto &[Sm, From] : Part.Out.BySm) {
      SmRow &To = Out.BySm[Sm];
      To.Sm = Sm;
      append_range(To.Bars, From.Bars);
      To.Narrow.resize(std::max(To.Narrow.size(), From.Narrow.size()));
      for (size_t I = 0; I < From.Narrow.size(); ++I)
        To.Narrow[I] += From.Narrow[I];
    }
    Out.Moved += Part.Out.Moved;
    Out.Unfinished += Part.Out.Unfinished;
    Out.Narrow += Part.Out.Narrow;
  }

  Layout Out;

private:
  void addNarrow(const BlockView &V, const TimeRange &R, SmRow &Row) {
    const size_t Kinds = D.Colours.size();
    int First = D.Bins.first(R.Begin);
    std::vector<float> Time(std::max(1, D.Bins.last(R.End) - First) * Kinds);
    D.binWarps(V, First, Time);
    size_t At = std::max(First, 0) * Kinds;
    if (Row.Narrow.size() < At + Time.size())
      Row.Narrow.resize(At + Time.size());
    for (size_t I = 0; I < Time.size(); ++I)
      Row.Narrow[At + I] += Time[I];
    ++Out.Narrow;
  }

  const BlocksDrawing &D;
};

Error BlocksDrawing::placeBlocks() {
  auto All = collectBlocks(T, Mine, PlaceBlocks(*this));
  if (!All)
    return All.takeError();
  Layout &Out = All->Out;
  // SMs that ran nothing are part of the picture, unless the tables are odd.
  uint32_t SmCount = T.device(L).SmCount;
  for (uint32_t Sm = 0; Sm < SmCount && SmCount <= 512; ++Sm)
    Out.BySm[Sm].Sm = Sm;
  Moved = Out.Moved;
  Unfinished = Out.Unfinished;
  Narrow = Out.Narrow;
  for (auto &[Sm, Row] : Out.BySm) {
    packSlots(Row);
    Rows.push_back(std::move(Row));
  }
  return Error::success();
}

/// Blocks that are resident together get lines of their own: each block takes
/// the first line that is free when it starts. Those that are drawn together
/// have the last.
void BlocksDrawing::packSlots(SmRow &Row) {
  llvm::sort(Row.Bars, [](const Bar &A, const Bar &B) {
    return std::tie(A.BeginNs, A.Number) < std::tie(B.BeginNs, B.Number);
  });
  std::vector<double> FreeAt;
  for (Bar &B : Row.Bars) {
    size_t Slot = 0;
    while (Slot < FreeAt.size() && FreeAt[Slot] > B.BeginNs)
      ++Slot;
    if (Slot == FreeAt.size())
      FreeAt.push_back(0);
    FreeAt[Slot] = B.EndNs;
    B.Slot = Slot;
  }
  Row.Slots = std::max<size_t>(1, FreeAt.size() + !Row.Narrow.empty());
}

/// Whole pixels a slot, so that all are equally thick; the y below the rows.
double BlocksDrawing::layRows(double Top) {
  unsigned Slots = 0;
  for (const SmRow &R : Rows)
    Slots += R.Slots;
  constexpr double Wanted = 800;
  SlotHeight = std::clamp(std::floor(Wanted / std::max(Slots, 1u)), 1.0, 14.0);
  GroupGap = SlotHeight >= 8 ? 3 : 1;
  double Y = Top;
  for (SmRow &R : Rows) {
    R.Y = Y;
    Y += R.Slots * SlotHeight + GroupGap;
  }
  return Y;
}

/// Adds up, for each bin of the bar and each phase, the time of warps in it.
void BlocksDrawing::binWarps(const BlockView &V, int First,
                             std::vector<float> &Time) const {
  const SmLine &Line = *Clock.find(V.B.SmStart);
  const size_t Kinds = Colours.size(), NumBins = Time.size() / Kinds;
  auto Add = [&](size_t Kind, uint64_t Begin, uint64_t End) {
    double From = Bins.bin(Clock.toNs(Line, Begin)) - First;
    double To = Bins.bin(Clock.toNs(Line, End)) - First;
    From = std::clamp(From, 0.0, static_cast<double>(NumBins));
    To = std::clamp(To, From, static_cast<double>(NumBins));
    for (auto I = static_cast<size_t>(From); I < NumBins && I < To; ++I) {
      double Part = std::min<double>(To, I + 1) - std::max<double>(From, I);
      Time[I * Kinds + Kind] += static_cast<float>(Part);
    }
  };
  for (const WarpView &W : V.Warps) {
    uint64_t Covered = W.Time.Begin;
    for (const Span &Sp : W.Spans) {
      Add(untracked(), Covered, Sp.Begin);
      Add(Phases.rowOf(Sp.Site), Sp.Begin, Sp.End);
      Covered = Sp.End;
    }
    Add(untracked(), Covered, W.Time.End);
  }
}

/// Calls \p OnRun with kind, first bin and number of bins of each stretch in
/// which the same phase has the most time.
template <typename Fn>
void BlocksDrawing::forEachRun(ArrayRef<float> Time, int First,
                               Fn OnRun) const {
  const size_t Kinds = Colours.size(), NumBins = Time.size() / Kinds;
  size_t Current = untracked(), RunStart = 0;
  for (size_t I = 0; I <= NumBins; ++I) {
    size_t Most = Current;
    if (I < NumBins) {
      // Of equals the phase stays. Where no warp is at work, no phase is.
      const float *At = &Time[I * Kinds];
      size_t Largest = std::max_element(At, At + Kinds) - At;
      Most = At[Largest] > At[Current] ? Largest
             : At[Current] > 0         ? Current
                                       : untracked();
    }
    if (I == NumBins || Most != Current) {
      if (I > RunStart)
        OnRun(Current, First + static_cast<int>(RunStart),
              static_cast<int>(I - RunStart));
      Current = Most;
      RunStart = I;
    }
  }
}

/// The stretches of the bars. Each block is looked up among them by its time.
class BlocksDrawing::ColourBars final : public BlockSink {
public:
  explicit ColourBars(const BlocksDrawing &D) : D(D) {}

  void block(const BlockView &V) override {
    if (V.B.moved())
      return;
    TimeRange R = D.rangeOf(V);
    auto Row =
        lower_bound(D.Rows, V.B.SmStart, [](const SmRow &Have, uint32_t Want) {
          return Have.Sm < Want;
        });
    auto Found =
        lower_bound(Row->Bars, std::pair(R.Begin, V.B.Number),
                    [](const Bar &Have, const auto &Want) {
                      return std::pair(Have.BeginNs, Have.Number) < Want;
                    });
    if (Found == Row->Bars.end() || Found->Number != V.B.Number)
      return; // one of those that are drawn together
    int First = D.Bins.first(R.Begin);
    Time.assign(std::max(1, D.Bins.last(R.End) - First) * D.Colours.size(), 0);
    D.binWarps(V, First, Time);
    D.forEachRun(Time, First, [&](size_t Kind, int X, int Width) {
      Runs.push_back({static_cast<uint32_t>(Row - D.Rows.begin()),
                      static_cast<uint32_t>(Found - Row->Bars.begin()), X,
                      Width, static_cast<uint32_t>(Kind)});
    });
  }
  void join(ColourBars &&Part) { append_range(Runs, Part.Runs); }

  std::vector<Run> Runs;

private:
  const BlocksDrawing &D;
  std::vector<float> Time;
};

Error BlocksDrawing::colourBars() {
  auto All = collectBlocks(T, Mine, ColourBars(*this));
  if (!All)
    return All.takeError();
  llvm::sort(All->Runs, [](const Run &A, const Run &B) {
    return std::tie(A.Row, A.Bar, A.X) < std::tie(B.Row, B.Bar, B.X);
  });
  auto Y = [&](const SmRow &Row, unsigned Slot) {
    return Row.Y + Slot * SlotHeight + SlotHeight / 2;
  };
  for (const Run &R : All->Runs) {
    const SmRow &Row = Rows[R.Row];
    Colours[R.Kind].add(R.X, Y(Row, Row.Bars[R.Bar].Slot), R.Width);
  }
  for (const SmRow &Row : Rows)
    forEachRun(Row.Narrow, 0, [&](size_t Kind, int X, int Width) {
      // Where there was none it is not drawn; in a block it would be.
      if (Kind != untracked())
        Colours[Kind].add(X, Y(Row, Row.Slots - 1), Width);
    });
  return Error::success();
}

void BlocksDrawing::smLabels() {
  unsigned Every = 1;
  double RowHeight = Rows.empty() ? 1 : (Bottom - Rows.front().Y) / Rows.size();
  for (unsigned E : {1, 2, 4, 8, 12, 16, 24, 32, 64}) {
    Every = E;
    if (E * RowHeight >= 12)
      break;
  }
  for (const SmRow &R : Rows) {
    if (R.Sm % Every)
      continue;
    double Middle = R.Y + R.Slots * SlotHeight / 2;
    S.text(PlotLeft - 8, Middle + 3.5, std::to_string(R.Sm), 10, Anchoring::End,
           "#444444");
    S.line(PlotLeft - 5, Middle, PlotLeft - 1, Middle, "#888888");
  }
  if (!Rows.empty())
    S.verticalText(18, (Rows.front().Y + Bottom) / 2,
                   Bottom - Rows.front().Y > 220
                       ? "SM, one line per resident block"
                       : "SM",
                   12);
}

void BlocksDrawing::emitStrokes() {
  // Crisp: smoothed edges of neighbouring stretches would let the white of the
  // page through between them.
  S.raw("<g transform=\"translate(" + coord(PlotLeft) + " 0) scale(" +
        coord(1 / BinsPerPixel) + " 1)\" fill=\"none\" stroke-width=\"" +
        coord(SlotHeight) + "\" shape-rendering=\"crispEdges\">\n");
  for (size_t I = 0; I < Colours.size(); ++I) {
    if (Colours[I].path().empty())
      continue;
    std::string Paint =
        I == untracked() ? UntrackedColour.str() : S.paint(fillOf(I));
    S.raw("<path stroke=\"" + Paint + "\" d=\"" + Colours[I].path().str() +
          "\"/>\n");
  }
  S.raw("</g>\n");
}

std::string BlocksDrawing::caption() const {
  std::string Out = "Colour: the phase most warps of the block are in, per "
                    "half pixel (" +
                    duration(Bins.NsPerBin) + ").";
  const Sampling &Samples = T.meta().Samples;
  if (!Samples.all())
    Out += " Sampled: " + sampleText(Samples) + ".";
  uint64_t Expected = Samples.Blocks.countOf(L.gridBlocks());
  if (L.NumBlocks < Expected && Samples.Sms.all())
    Out += " Incomplete: " + std::to_string(L.NumBlocks) + " of " +
           std::to_string(Expected) + " blocks recorded.";
  if (Unfinished)
    Out += " Unfinished: " + counted(Unfinished, "block") +
           ", drawn to the last event.";
  if (Narrow)
    Out += " Drawn together, as the last line of their SM: " +
           counted(Narrow, "block") + " shorter than that.";
  if (Moved)
    Out +=
        " Not drawn: " + counted(Moved, "block") + " that moved between SMs.";
  return Out;
}

Expected<std::string> BlocksDrawing::draw() {
  if (Error E = findExtent())
    return E;
  if (Error E = placeBlocks())
    return E;
  const double Width = PlotRight - PlotLeft;

  std::string Title = kernelName(T, L) + ": blocks over time";
  if (T.launches().size() > 1)
    Title += ", launch " + std::to_string(Index);
  double Top = drawHead(S, T, Index, Phases, Title, caption(),
                        /*Untracked=*/true) +
               8;
  Bottom = layRows(std::ceil(Top));
  // Grid lines lie behind the bars.
  bool Micro = Length < 2e6;
  double Unit = Micro ? 1000 : 1e6;
  double UnitsPerPixel = Bins.NsPerBin * BinsPerPixel / Unit;
  for (double Tick : ticks(Width * UnitsPerPixel, 10))
    S.line(PlotLeft + Tick / UnitsPerPixel, Top,
           PlotLeft + Tick / UnitsPerPixel, Bottom, "#e4e4e4");
  if (Error E = colourBars())
    return E;
  emitStrokes();
  smLabels();
  S.axis(PlotLeft, Bottom + 3, Width, UnitsPerPixel,
         Micro ? "time since the first block started [µs]"
               : "time since the first block started [ms]",
         /*Above=*/false);
  return S.finish(PageWidth, Bottom + 50, Title);
}

Expected<std::string> drawBlocks(const Trace &T, uint32_t Launch,
                                 uint64_t Limit) {
  return BlocksDrawing(T, Launch, Limit).draw();
}

} // namespace kinstr::report
