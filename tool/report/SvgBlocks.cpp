// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block overview: time to the right, SMs downwards, one line a slot.
#include "report/Extent.h"
#include "report/Names.h"
#include "report/SvgFrame.h"
#include "report/SvgReport.h"
#include "trace/Spans.h"
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
  const Block *B = nullptr;
  double BeginNs = 0, EndNs = 0; ///< from the launch's origin
  unsigned Slot = 0;             ///< among the blocks of its SM
};

struct SmRow {
  uint32_t Sm = 0;
  std::vector<Bar> Bars;
  unsigned Slots = 1;
  double Y = 0; ///< top of its first slot
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

class BlocksDrawing {
public:
  BlocksDrawing(const Trace &T, uint32_t Index)
      : T(T), L(T.Ls.List[Index]), Clock(T.Time.Launches[Index]), Index(Index),
        Phases(T.kernel(L)), Colours(Phases.size() + 1) {}

  std::string draw();

private:
  void placeBlocks();
  void packSlots(SmRow &Row);
  double layRows(double Top);
  void colourBar(const SmRow &Row, const Bar &B);
  void binWarps(const SmRow &Row, const Bar &B, int First,
                std::vector<float> &Time);
  void smLabels();
  void emitStrokes();
  std::string caption() const;

  double bin(double Ns) const { return Ns / NsPerBin; }
  size_t untracked() const { return Phases.size(); }

  const Trace &T;
  const Launch &L;
  const LaunchClock &Clock;
  uint32_t Index;
  PhaseRows Phases;

  std::vector<SmRow> Rows;
  std::vector<Strokes> Colours; ///< per phase row, then untracked
  SmallVector<Event> Events;
  double StartNs = 0, EndNs = 0, NsPerBin = 1;
  double SlotHeight = 1, GroupGap = 1, Bottom = 0;
  uint64_t Moved = 0, Unfinished = 0;
  Svg S;
};

} // namespace

/// Puts every block on the row of its SM; sets the time range.
void BlocksDrawing::placeBlocks() {
  std::map<uint32_t, SmRow> BySm;
  // SMs that ran nothing are part of the picture, unless the tables are odd.
  uint32_t SmCount = T.device(L).SmCount;
  for (uint32_t Sm = 0; Sm < SmCount && SmCount <= 512; ++Sm)
    BySm[Sm].Sm = Sm;
  Extent Times(Clock);
  for (const Block &B : T.Ls.blocks(L)) {
    Times.beginBlock(B);
    for (const Warp &W : T.Ls.warps(B)) {
      T.Ls.events(B, W, Events);
      Times.addWarp(Events);
    }
    TimeRange R = Times.endBlock();
    if (B.moved()) { // its warps' clocks are of two SMs: no honest place
      ++Moved;
      continue;
    }
    Unfinished += !B.Finished;
    SmRow &Row = BySm[B.SmStart];
    Row.Sm = B.SmStart;
    Row.Bars.push_back({&B, R.Begin, R.End, 0});
  }
  StartNs = Times.launch().Begin;
  EndNs = Times.launch().End;
  for (auto &[Sm, Row] : BySm) {
    packSlots(Row);
    Rows.push_back(std::move(Row));
  }
}

/// Blocks that are resident together get lines of their own: each block takes
/// the first line that is free when it starts.
void BlocksDrawing::packSlots(SmRow &Row) {
  llvm::sort(Row.Bars, [](const Bar &A, const Bar &B) {
    return std::tie(A.BeginNs, A.B->Number) < std::tie(B.BeginNs, B.B->Number);
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
  Row.Slots = std::max<size_t>(1, FreeAt.size());
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
void BlocksDrawing::binWarps(const SmRow &Row, const Bar &B, int First,
                             std::vector<float> &Time) {
  const SmLine &Line = *Clock.find(static_cast<uint16_t>(Row.Sm));
  const size_t Kinds = Colours.size(), Bins = Time.size() / Kinds;
  auto Add = [&](size_t Kind, uint64_t Begin, uint64_t End) {
    double From = bin(Clock.toNs(Line, Begin) - StartNs) - First;
    double To = bin(Clock.toNs(Line, End) - StartNs) - First;
    From = std::clamp(From, 0.0, static_cast<double>(Bins));
    To = std::clamp(To, From, static_cast<double>(Bins));
    for (auto I = static_cast<size_t>(From); I < Bins && I < To; ++I) {
      double Part = std::min<double>(To, I + 1) - std::max<double>(From, I);
      Time[I * Kinds + Kind] += static_cast<float>(Part);
    }
  };
  for (const Warp &W : T.Ls.warps(*B.B)) {
    T.Ls.events(*B.B, W, Events);
    uint64_t Unknown = 0, Covered = Events.empty() ? 0 : Events[0].Clock;
    WarpTime Total = forEachSpan(
        Events, T.kernel(L),
        [&](const Span &Sp) {
          Add(untracked(), Covered, Sp.Begin);
          Add(Phases.rowOf(Sp.Site), Sp.Begin, Sp.End);
          Covered = Sp.End;
        },
        [](const Event &) {}, Unknown);
    Add(untracked(), Covered, Total.End);
  }
}

void BlocksDrawing::colourBar(const SmRow &Row, const Bar &B) {
  int First = static_cast<int>(std::floor(bin(B.BeginNs - StartNs)));
  int Last = static_cast<int>(std::ceil(bin(B.EndNs - StartNs)));
  const size_t Kinds = Colours.size();
  const size_t Bins = std::max(1, Last - First);
  std::vector<float> Time(Bins * Kinds);
  binWarps(Row, B, First, Time);

  double Y = Row.Y + B.Slot * SlotHeight + SlotHeight / 2;
  size_t Current = untracked(), RunStart = 0;
  for (size_t I = 0; I <= Bins; ++I) {
    size_t Most = Current;
    if (I < Bins) {
      // Of equals the phase stays. Where no warp is at work, no phase is.
      const float *At = &Time[I * Kinds];
      size_t Largest = std::max_element(At, At + Kinds) - At;
      Most = At[Largest] > At[Current] ? Largest
             : At[Current] > 0         ? Current
                                       : untracked();
    }
    if (I == Bins || Most != Current) {
      if (I > RunStart)
        Colours[Current].add(First + static_cast<int>(RunStart), Y,
                             static_cast<int>(I - RunStart));
      Current = Most;
      RunStart = I;
    }
  }
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
                    duration(NsPerBin) + ").";
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
  if (Moved)
    Out +=
        " Not drawn: " + counted(Moved, "block") + " that moved between SMs.";
  return Out;
}

std::string BlocksDrawing::draw() {
  placeBlocks();
  double Length = EndNs - StartNs;
  const double Width = PlotRight - PlotLeft;
  // Without a clock rate everything is at one time; draw that.
  NsPerBin = (Length > 0 ? Length : 1) / (Width * BinsPerPixel);

  std::string Title = kernelName(T, L) + ": blocks over time";
  if (T.Ls.List.size() > 1)
    Title += ", launch " + std::to_string(Index);
  double Top = drawHead(S, T, Index, Phases, Title, caption(),
                        /*Untracked=*/true) +
               8;
  Bottom = layRows(std::ceil(Top));
  // Grid lines lie behind the bars.
  bool Micro = Length < 2e6;
  double Unit = Micro ? 1000 : 1e6;
  double UnitsPerPixel = NsPerBin * BinsPerPixel / Unit;
  for (double Tick : ticks(Width * UnitsPerPixel, 10))
    S.line(PlotLeft + Tick / UnitsPerPixel, Top,
           PlotLeft + Tick / UnitsPerPixel, Bottom, "#e4e4e4");
  for (const SmRow &Row : Rows)
    for (const Bar &B : Row.Bars)
      colourBar(Row, B);
  emitStrokes();
  smLabels();
  S.axis(PlotLeft, Bottom + 3, Width, UnitsPerPixel,
         Micro ? "time since the first block started [µs]"
               : "time since the first block started [ms]",
         /*Above=*/false);
  return S.finish(PageWidth, Bottom + 50, Title);
}

std::string drawBlocks(const Trace &T, uint32_t Launch) {
  return BlocksDrawing(T, Launch).draw();
}

} // namespace kinstr::report
