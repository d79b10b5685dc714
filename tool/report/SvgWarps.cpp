// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline of one block: a row a warp, time to the right.
#include "report/Names.h"
#include "report/SvgFrame.h"
#include "report/SvgReport.h"
#include "trace/Visit.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

constexpr double RowHeight = 18, RowGap = 4;

/// Spans narrower than this are merged with their neighbours [px].
constexpr double Narrow = 0.25;

/// A stretch of a warp's row in one colour.
struct Piece {
  size_t Kind = 0; ///< phase row
  uint64_t Begin = 0, End = 0;
  bool Open = false;
  unsigned Spans = 1;
};

class WarpsDrawing {
public:
  WarpsDrawing(const Trace &T, const BlockView &V)
      : T(T), L(T.launches()[V.Launch]), Clock(T.clock(V.Launch)),
        Index(V.Launch), B(V.B), Warps(V.Warps), Phases(T.kernel(L)) {}

  std::string draw();

private:
  void findRange();
  void grid(double Top, double Bottom);
  void warpRow(const WarpView &W, double Y);
  void drawPiece(const WarpView &W, const Piece &P, double Y);
  std::string markNames() const;
  std::string caption() const;
  double x(uint64_t C) const {
    return PlotLeft + static_cast<double>(C - Start) / CyclesPerPixel;
  }
  /// [ns]; only where there is a clock rate.
  double ns(double Cycles) const { return Cycles * Clock.NsPerCycle; }
  bool hasNs() const { return Clock.Source != SlopeSource::None; }

  const Trace &T;
  const Launch &L;
  const LaunchClock &Clock;
  uint32_t Index;
  const Block &B;
  ArrayRef<WarpView> Warps;
  PhaseRows Phases;

  uint64_t Start = 0, End = 0; ///< [cycles]
  double CyclesPerPixel = 1;
  uint64_t Unfinished = 0, Merged = 0, Instants = 0, Untracked = 0;
  Svg S;
};

} // namespace

void WarpsDrawing::findRange() {
  Start = B.ClockStart;
  End = B.Finished && !B.moved() ? B.ClockEnd : B.ClockStart;
  for (const WarpView &W : Warps) {
    if (W.Events.empty())
      continue;
    Start = std::min(Start, W.Time.Begin);
    End = std::max(End, W.Time.End);
    uint64_t Phased = 0;
    for (const Span &Sp : W.Spans)
      Phased += Sp.cycles();
    Instants += W.Marks.size();
    Unfinished += !W.Time.Finished;
    Untracked += Phased < W.Time.cycles();
  }
  double Width = PlotRight - PlotLeft;
  CyclesPerPixel =
      std::max<double>(1, static_cast<double>(End - Start)) / Width;
}

void WarpsDrawing::drawPiece(const WarpView &W, const Piece &P, double Y) {
  auto Cycles = static_cast<double>(P.End - P.Begin);
  std::string Tip = "warp " + utostr(W.Index) + ": " +
                    Phases.rows()[P.Kind].Name + ", " + fixed(Cycles, 0) +
                    " cycles";
  if (hasNs())
    Tip += " (" + fixed(ns(Cycles), 0) + " ns)";
  if (P.Spans > 1)
    Tip += ", " + utostr(P.Spans) + " short phases, this one the longest";
  if (P.Open)
    Tip += " or more: no exit recorded";
  S.rect(x(P.Begin), Y, x(P.End) - x(P.Begin), RowHeight,
         S.paint(fillOf(P.Kind)), Tip);
}

void WarpsDrawing::warpRow(const WarpView &W, double Y) {
  S.text(PlotLeft - 8, Y + RowHeight - 5, utostr(W.Index), 11, Anchoring::End,
         "#444444");
  if (W.Events.empty())
    return;
  S.rect(x(W.Time.Begin), Y, x(W.Time.End) - x(W.Time.Begin), RowHeight,
         UntrackedColour);

  // Pieces too narrow to see are joined to the one before, in the colour of
  // the longer.
  std::vector<Piece> Pieces;
  uint64_t Longest = 0;
  for (const Span &Sp : W.Spans) {
    Piece P{static_cast<size_t>(Phases.rowOf(Sp.Site)), Sp.Begin, Sp.End,
            Sp.Open};
    bool Joins =
        !Pieces.empty() && Pieces.back().End == P.Begin &&
        double(P.Begin - Pieces.back().Begin) < Narrow * CyclesPerPixel;
    if (!Joins) {
      Longest = Sp.cycles();
      Pieces.push_back(P);
      continue;
    }
    Piece &Last = Pieces.back();
    Last.End = P.End;
    Last.Open = P.Open;
    ++Last.Spans;
    ++Merged;
    if (Sp.cycles() > Longest) {
      Longest = Sp.cycles();
      Last.Kind = P.Kind;
    }
  }
  for (const Piece &P : Pieces)
    drawPiece(W, P, Y);
  for (const Event &M : W.Marks)
    S.line(x(M.Clock), Y - RowGap / 2, x(M.Clock), Y + RowHeight + RowGap / 2,
           "#000000", 1.5);
  if (!W.Time.Finished) // open to the right
    S.line(x(W.Time.End) + 1.5, Y, x(W.Time.End) + 1.5, Y + RowHeight,
           "#000000", 1, "2 2");
}

void WarpsDrawing::grid(double Top, double Bottom) {
  double Width = PlotRight - PlotLeft;
  double PerPixel = hasNs() ? ns(CyclesPerPixel) : CyclesPerPixel;
  for (double Tick : ticks(Width * PerPixel, 10))
    S.line(PlotLeft + Tick / PerPixel, Top, PlotLeft + Tick / PerPixel, Bottom,
           "#e4e4e4");
}

/// The names of the kernel's marks.
std::string WarpsDrawing::markNames() const {
  std::string Out;
  for (const PhaseRow &P : Phases.rows())
    if (P.Instant)
      Out += (Out.empty() ? "" : ", ") + P.Name;
  return Out;
}

std::string WarpsDrawing::caption() const {
  std::string Out = "SM " + utostr(B.SmStart);
  const SmLine *Line = Clock.find(B.SmStart);
  if (Line && hasNs())
    Out += ", " + duration(Clock.toNs(*Line, B.ClockStart)) +
           " after the launch's first block";
  Out += ".";
  if (B.moved())
    Out += " The block moved to SM " + utostr(B.SmEnd) +
           ": times after that are on another clock.";
  if (!B.Finished)
    Out += " The block never reached the end of the kernel.";
  uint32_t Expected = T.meta().Samples.warpsOf(L.warpsPerBlock());
  if (Expected < L.warpsPerBlock())
    Out += " Sampled: " + utostr(Expected) + " of " +
           counted(L.warpsPerBlock(), "warp") + ".";
  if (B.NumWarps < Expected)
    Out += " Incomplete: " + utostr(B.NumWarps) + " of " +
           counted(Expected, "warp") + " recorded.";
  if (Unfinished)
    Out += " Dashed end: no exit recorded.";
  if (Instants)
    Out += " Black ticks: " + markNames() + ".";
  if (Untracked)
    Out += " Grey: in no phase.";
  return Out;
}

std::string WarpsDrawing::draw() {
  findRange();
  std::string Title = kernelName(T, L) + ": warps of block " + utostr(B.Number);
  if (T.launches().size() > 1)
    Title += ", launch " + utostr(Index);
  double Top = drawHead(S, T, Index, Phases, Title, caption(), Untracked > 0);
  Top += 44; // the upper axis
  double Bottom = Top + B.NumWarps * (RowHeight + RowGap);
  grid(Top, Bottom);
  double Y = Top + RowGap / 2;
  for (const WarpView &W : Warps) {
    warpRow(W, Y);
    Y += RowHeight + RowGap;
  }
  double Width = PlotRight - PlotLeft;
  S.verticalText(18, (Top + Bottom) / 2, "warp", 12);
  S.axis(PlotLeft, Top - 1, Width, CyclesPerPixel,
         "cycles since the block started",
         /*Above=*/true);
  if (hasNs())
    S.axis(PlotLeft, Bottom + 1, Width, ns(CyclesPerPixel),
           "time since the block started [ns]", /*Above=*/false);
  return S.finish(PageWidth, Bottom + 50, Title);
}

namespace {

/// Draws the block. Where a launch has it more than once, the first.
class DrawBlock final : public BlockSink {
public:
  explicit DrawBlock(const Trace &T) : T(T) {}
  void block(const BlockView &V) override {
    if (!Drawing)
      Drawing = WarpsDrawing(T, V).draw();
  }
  void join(DrawBlock &&Part) {
    if (!Drawing)
      Drawing = std::move(Part.Drawing);
  }

  std::optional<std::string> Drawing;

private:
  const Trace &T;
};

} // namespace

Expected<std::optional<std::string>> drawWarps(const Trace &T, uint32_t Launch,
                                               uint32_t Number) {
  VisitOptions O;
  O.Wanted = [=](uint32_t L, const Block &B) {
    return L == Launch && B.Number == Number;
  };
  auto All = collectBlocks(T, O, DrawBlock(T));
  if (!All)
    return All.takeError();
  return std::move(All->Drawing);
}

} // namespace kinstr::report
