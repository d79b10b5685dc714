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
  uint64_t Blocks = 0, Moved = 0, Unfinished = 0, Narrow = 0;
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
  int Count = 0;

  double bin(double Ns) const { return (Ns - StartNs) / NsPerBin; }
  bool has(const TimeRange &R) const {
    return bin(R.Begin) < Count && bin(R.End) >= 0;
  }
  /// The bins of what has() is true for.
  int first(double BeginNs) const {
    return static_cast<int>(
        std::clamp<double>(std::floor(bin(BeginNs)), 0, Count - 1));
  }
  int last(double EndNs) const {
    return static_cast<int>(
        std::clamp<double>(std::ceil(bin(EndNs)), 0, Count));
  }
};

class BlocksDrawing {
public:
  BlocksDrawing(const Trace &T, const Selection &Chosen, uint32_t Index,
                const PictureOptions &O)
      : T(T), Chosen(Chosen), L(T.launches()[Index]), Clock(T.clock(Index)),
        Index(Index), MostBars(O.MostBars), Phases(T.kernel(L)),
        Colours(Phases.size() + 1), S(O) {
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
  void setAxis(TimeRange R);
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
  const Selection &Chosen;
  const Launch &L;
  const LaunchClock &Clock;
  uint32_t Index;
  uint64_t MostBars; ///< PictureOptions
  PhaseRows Phases;
  VisitOptions Mine;

  std::vector<SmRow> Rows;
  std::vector<Strokes> Colours; ///< per phase row, then untracked
  TimeBins Bins;
  Axis Time;
  std::string TimeTitle;
  double SlotHeight = 1, GroupGap = 1, Bottom = 0;
  uint64_t Blocks = 0, Moved = 0, Unfinished = 0, Narrow = 0;
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
  explicit FindExtent(const BlocksDrawing &D) : D(&D) {}
  void block(const BlockView &V) override { add(D->rangeOf(V)); }
  void join(FindExtent &&Part) { add(Part.All); }
  TimeRange range() const { return All.Begin <= All.End ? All : TimeRange(); }

private:
  void add(const TimeRange &R) {
    All = {std::min(All.Begin, R.Begin), std::max(All.End, R.End)};
  }

  const BlocksDrawing *D;
  TimeRange All = {INFINITY, -INFINITY};
};

Error BlocksDrawing::findExtent() {
  auto All = collectSelected(T, Chosen, Mine, FindExtent(*this));
  if (!All)
    return All.takeError();
  setAxis(All->range());
  return Error::success();
}

/// \p R is what there is. Times of a filter are counted from the launch's
/// origin, so then those of the axis are.
void BlocksDrawing::setAxis(TimeRange R) {
  const Filter &F = Chosen.filter();
  bool FromFirst = Chosen.wholeLaunches();
  double Zero = FromFirst ? R.Begin : 0;
  R.Begin = std::max(R.Begin, F.FromNs);
  R.End = std::max(R.Begin, std::min(R.End, F.ToNs));
  // Without a clock rate everything is at one time; draw that.
  double Length = R.length() > 0 ? R.length() : 1;
  bool Micro = Length < 2e6;
  double Unit = Micro ? 1000 : 1e6;
  Time.X = PlotLeft;
  Time.Width = S.plotRight() - PlotLeft;
  Time.From = (R.Begin - Zero) / Unit;
  Time.To = Time.From + Length / Unit;
  TimeTitle = std::string(FromFirst ? "time since the first block started ["
                                    : "time since the launch started [") +
              (Micro ? "µs]" : "ms]");
  Bins.StartNs = R.Begin;
  Bins.Count = static_cast<int>(Time.Width * BinsPerPixel);
  Bins.NsPerBin = Length / Bins.Count;
}

/// Puts every block on the row of its SM.
class BlocksDrawing::PlaceBlocks final : public BlockSink {
public:
  explicit PlaceBlocks(const BlocksDrawing &D) : D(D) {}

  void block(const BlockView &V) override {
    ++Out.Blocks;
    if (V.B.moved()) { // its warps' clocks are of two SMs: no honest place
      ++Out.Moved;
      return;
    }
    Out.Unfinished += !V.B.Finished;
    TimeRange R = D.rangeOf(V);
    if (!D.Bins.has(R))
      return;
    SmRow &Row = Out.BySm[V.B.SmStart];
    Row.Sm = V.B.SmStart;
    if (D.L.NumBlocks > D.MostBars && R.length() < D.Bins.NsPerBin)
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
    Out.Blocks += Part.Out.Blocks;
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
    size_t At = First * Kinds;
    if (Row.Narrow.size() < At + Time.size())
      Row.Narrow.resize(At + Time.size());
    for (size_t I = 0; I < Time.size(); ++I)
      Row.Narrow[At + I] += Time[I];
    ++Out.Narrow;
  }

  const BlocksDrawing &D;
};

Error BlocksDrawing::placeBlocks() {
  auto All = collectSelected(T, Chosen, Mine, PlaceBlocks(*this));
  if (!All)
    return All.takeError();
  Layout &Out = All->Out;
  // SMs that ran nothing are part of the picture, unless the tables are odd.
  uint32_t SmCount = T.device(L).SmCount;
  for (uint32_t Sm = 0; Sm < SmCount && SmCount <= 512; ++Sm)
    if (Chosen.filter().Sms.has(Sm))
      Out.BySm[Sm].Sm = Sm;
  Blocks = Out.Blocks;
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
    if (!D.Bins.has(R))
      return;
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
  auto All = collectSelected(T, Chosen, Mine, ColourBars(*this));
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
  const Theme &C = S.colours();
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
           C.Axis);
    S.line(PlotLeft - 5, Middle, PlotLeft - 1, Middle, C.Tick);
  }
  if (!Rows.empty())
    S.verticalText(18, (Rows.front().Y + Bottom) / 2,
                   Bottom - Rows.front().Y > 220
                       ? "SM, one line per resident block"
                       : "SM",
                   12);
}

void BlocksDrawing::emitStrokes() {
  // Crisp: smoothed edges of neighbouring stretches would let the page
  // through between them.
  S.raw("<g transform=\"translate(" + coord(PlotLeft) + " 0) scale(" +
        coord(1 / BinsPerPixel) + " 1)\" fill=\"none\" stroke-width=\"" +
        coord(SlotHeight) + "\" shape-rendering=\"crispEdges\">\n");
  for (size_t I = 0; I < Colours.size(); ++I) {
    if (Colours[I].path().empty())
      continue;
    std::string Paint = I == untracked() ? S.colours().Untracked.str()
                                         : S.paint(S.colours().fillOf(I));
    S.raw("<path stroke=\"" + Paint + "\" d=\"" + Colours[I].path().str() +
          "\"/>\n");
  }
  S.raw("</g>\n");
}

std::string BlocksDrawing::caption() const {
  std::string Out = "Colour: the phase most warps of the block are in, per "
                    "half pixel (" +
                    duration(Bins.NsPerBin) + ")." + filterText(Chosen);
  const Sampling &Samples = T.meta().Samples;
  if (!Samples.all())
    Out += " Sampled: " + sampleText(Samples) + ".";
  uint64_t Expected = Samples.Blocks.countOf(L.gridBlocks());
  if (Blocks < Expected && Samples.Sms.all() && Chosen.wholeLaunches())
    Out += " Incomplete: " + std::to_string(Blocks) + " of " +
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
  std::string Title = title(S, T, Index, "blocks over time");
  double Top =
      drawHead(S, T, Chosen, Index, Title, caption(), /*Untracked=*/true) + 8;
  Bottom = layRows(std::ceil(Top));
  S.grid(Time, Top, Bottom); // behind the bars
  if (Error E = colourBars())
    return E;
  emitStrokes();
  smLabels();
  S.axis(Time, Bottom + 3, TimeTitle, /*Above=*/false);
  return S.finish(Bottom + 50, Title);
}

Expected<std::string> drawBlocks(const Trace &T, const Selection &S,
                                 uint32_t Launch, const PictureOptions &O) {
  return BlocksDrawing(T, S, Launch, O).draw();
}

} // namespace kinstr::report
