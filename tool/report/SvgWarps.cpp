// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline of one block: a row a warp, time to the right; below its phases
// its scopes, a line for each depth, and its values, a line for each name.
#include "report/Names.h"
#include "report/StepPath.h"
#include "report/SvgFrame.h"
#include "report/SvgReport.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

constexpr double RowHeight = 18, RowGap = 4;
constexpr double ScopeHeight = 5, ScopeGap = 1.5;
constexpr double StepsHeight = 22, StepsGap = 5;
constexpr uint32_t Deepest = 7; ///< scopes that lie deeper share a line

/// Spans narrower than this are merged with their neighbours [px].
constexpr double Narrow = 0.25;

/// A warp of the block, kept.
struct WarpRow {
  uint32_t Index = 0;
  bool Empty = true; ///< no events
  WarpTime Time;
  std::vector<Span> Spans;
  std::vector<uint64_t> Marks;                ///< [cycles]
  std::vector<std::vector<ScopeSpan>> Scopes; ///< by depth, as they begin
  std::vector<Value> Values;
};

std::vector<std::vector<ScopeSpan>> byDepth(ArrayRef<ScopeSpan> All) {
  std::vector<std::vector<ScopeSpan>> Out;
  for (const ScopeSpan &P : All) {
    size_t Depth = std::min(P.Depth, Deepest);
    Out.resize(std::max(Out.size(), Depth + 1));
    Out[Depth].push_back(P);
  }
  for (std::vector<ScopeSpan> &Line : Out)
    llvm::sort(Line, [](const ScopeSpan &A, const ScopeSpan &B) {
      return std::tie(A.Begin, A.End) < std::tie(B.Begin, B.End);
    });
  return Out;
}

/// The block of that number; of several records of it, the one that began
/// first.
class OneBlockSink final : public BlockSink {
public:
  void block(const BlockView &V) override {
    if (Found && B.GlobalStart <= V.B.GlobalStart)
      return;
    Found = true;
    B = V.B;
    Warps.clear();
    for (const WarpView &W : V.Warps) {
      WarpRow Row{W.Index, W.Events.empty(),  W.Time,        W.Spans.vec(),
                  {},      byDepth(W.Scopes), W.Values.vec()};
      for (const Event &E : W.Marks)
        Row.Marks.push_back(E.Clock);
      Warps.push_back(std::move(Row));
    }
  }
  void join(OneBlockSink &&Part) {
    if (Part.Found && (!Found || Part.B.GlobalStart < B.GlobalStart))
      *this = std::move(Part);
  }

  bool Found = false;
  Block B;
  std::vector<WarpRow> Warps;
};

/// A stretch of a warp's row in one colour.
struct Piece {
  size_t Kind = 0; ///< row of a phase or a scope
  uint64_t Begin = 0, End = 0;
  uint64_t Cycles = 0; ///< without pauses
  bool Open = false;
  unsigned Spans = 1;
};

/// The numbers of a value in the block.
struct ValueRange {
  double Low = INFINITY, High = -INFINITY;
  std::string LowText, HighText;

  bool empty() const { return Low > High; }
  void add(const Number &N) {
    double V = N.toDouble();
    if (!std::isfinite(V))
      return;
    if (V < Low)
      LowText = N.str();
    if (V > High)
      HighText = N.str();
    Low = std::min(Low, V);
    High = std::max(High, V);
  }
  /// From the bottom (0) to the top (1).
  double at(const Number &N) const {
    double V = N.toDouble();
    if (std::isinf(V))
      return V < 0 ? 0 : 1;
    return High > Low ? (V - Low) / (High - Low) : 0.5;
  }
};

class WarpsDrawing {
public:
  WarpsDrawing(const Trace &T, const Selection &Chosen, uint32_t Index,
               OneBlockSink Data, const PictureOptions &O)
      : T(T), Chosen(Chosen), L(T.launches()[Index]), Clock(T.clock(Index)),
        Index(Index), Phases(T.kernel(L)), Scopes(T.kernel(L), SiteKind::Scope),
        Values(T.kernel(L), SiteKind::Value), B(Data.B),
        Warps(std::move(Data.Warps)), Ranges(Values.size()),
        SeenScopes(Scopes.size()), S(O) {}

  std::string draw();

private:
  void findRange();
  void zoom();
  void setAxes();
  bool untracked(const WarpRow &W) const;
  void bar(uint64_t Begin, uint64_t End, double Y, double Height,
           StringRef Paint, StringRef Tip = "");
  void tick(uint64_t At, double Y, double Overhang, double Width,
            StringRef Dashes = "");
  double height(const WarpRow &W) const;
  /// The y below it.
  double warpRow(const WarpRow &W, double Y);
  double scopeLines(const WarpRow &W, double Y);
  double valueLines(const WarpRow &W, double Y);
  template <typename SpanT>
  std::vector<Piece> pieces(ArrayRef<SpanT> Spans, double MostGap) const;
  std::string tip(const WarpRow &W, const Piece &P, StringRef Name,
                  StringRef Short) const;
  std::string markNames() const;
  std::string rangeTexts() const;
  size_t rowOf(const Span &P) const { return Phases.rowOf(P.Site); }
  size_t rowOf(const ScopeSpan &P) const { return Scopes.rowOf(P.Site); }
  std::string caption() const;
  /// From the left end of the axis.
  double cycles(uint64_t C) const {
    return static_cast<double>(static_cast<int64_t>(C - Zero));
  }
  /// [ns]; only where there is a clock rate.
  double ns(double Cycles) const { return Cycles * Clock.NsPerCycle; }
  bool hasNs() const { return Clock.Source != SlopeSource::None; }

  const Trace &T;
  const Selection &Chosen;
  const Launch &L;
  const LaunchClock &Clock;
  uint32_t Index;
  PhaseRows Phases;
  NamedSites Scopes, Values;
  Block B;
  std::vector<WarpRow> Warps;
  std::vector<ValueRange> Ranges; ///< by value
  BitVector SeenScopes;

  uint64_t Zero = 0;           ///< the block's start [cycles]
  uint64_t Start = 0, End = 0; ///< drawn [cycles]
  Axis Cycles, Ns;
  uint64_t Unfinished = 0, Instants = 0;
  bool Untracked = false;
  Svg S;
};

} // namespace

void WarpsDrawing::findRange() {
  Start = B.ClockStart;
  End = B.Finished && !B.moved() ? B.ClockEnd : B.ClockStart;
  for (const WarpRow &W : Warps) {
    if (W.Empty)
      continue;
    Start = std::min(Start, W.Time.Begin);
    End = std::max(End, W.Time.End);
    Instants += W.Marks.size();
    Unfinished += !W.Time.Finished;
    for (const Value &N : W.Values)
      Ranges[Values.rowOf(N.Site)].add(N.N);
    for (const std::vector<ScopeSpan> &Line : W.Scopes)
      for (const ScopeSpan &P : Line)
        SeenScopes.set(rowOf(P));
  }
  Zero = Start;
}

/// Whether a warp is in none of the phases for some of the time drawn.
bool WarpsDrawing::untracked(const WarpRow &W) const {
  uint64_t Covered = std::max(W.Time.Begin, Start);
  for (const Span &Sp : W.Spans) {
    if (Sp.Begin > Covered && Covered < End)
      return true;
    Covered = std::max(Covered, Sp.End);
  }
  return Covered < std::min(W.Time.End, End);
}

/// The first clock of the block that is not before \p Ns from the launch's
/// origin.
static uint64_t clockAt(const LaunchClock &Clock, const SmLine &Line, double Ns,
                        uint64_t Begin, uint64_t End) {
  while (Begin < End) {
    uint64_t Middle = Begin + (End - Begin) / 2;
    if (Clock.toNs(Line, Middle) < Ns)
      Begin = Middle + 1;
    else
      End = Middle;
  }
  return Begin;
}

void WarpsDrawing::zoom() {
  const Filter &F = Chosen.filter();
  const SmLine *Line = Clock.find(B.SmStart);
  if (F.allTime() || !Line || !hasNs() || B.moved())
    return;
  uint64_t First = Start, Last = End;
  if (std::isfinite(F.FromNs))
    Start = clockAt(Clock, *Line, F.FromNs, First, Last);
  if (std::isfinite(F.ToNs))
    End = std::max(Start, clockAt(Clock, *Line, F.ToNs, First, Last));
}

void WarpsDrawing::setAxes() {
  Cycles.X = PlotLeft;
  Cycles.Width = S.plotRight() - PlotLeft;
  Cycles.From = cycles(Start);
  Cycles.To = Cycles.From + std::max<double>(1, cycles(End) - cycles(Start));
  Ns = Cycles;
  if (hasNs()) {
    Ns.From = ns(Cycles.From);
    Ns.To = ns(Cycles.To);
  }
}

/// What of it is on the page.
void WarpsDrawing::bar(uint64_t Begin, uint64_t End, double Y, double Height,
                       StringRef Paint, StringRef Tip) {
  Begin = std::max(Begin, Start);
  End = std::min(End, this->End);
  if (Begin > End)
    return;
  double X = Cycles.at(cycles(Begin));
  S.rect(X, Y, Cycles.at(cycles(End)) - X, Height, Paint, Tip);
}

void WarpsDrawing::tick(uint64_t At, double Y, double Overhang, double Width,
                        StringRef Dashes) {
  if (At < Start || At > End)
    return;
  double X = Cycles.at(cycles(At)) + (Dashes.empty() ? 0 : 1.5);
  S.line(X, Y - Overhang, X, Y + RowHeight + Overhang, S.colours().Mark, Width,
         Dashes);
}

std::string WarpsDrawing::tip(const WarpRow &W, const Piece &P, StringRef Name,
                              StringRef Short) const {
  auto Cycles = static_cast<double>(P.Spans > 1 ? P.End - P.Begin : P.Cycles);
  std::string Tip = ("warp " + utostr(W.Index) + ": " + Name).str() + ", " +
                    fixed(Cycles, 0) + " cycles";
  if (hasNs())
    Tip += " (" + fixed(ns(Cycles), 0) + " ns)";
  if (P.Spans > 1)
    Tip += (", " + utostr(P.Spans) + " short " + Short).str() +
           ", this one the longest";
  if (P.Open)
    Tip += " or more: no exit recorded";
  return Tip;
}

/// Pieces too narrow to see are joined to the one before that is not farther
/// away than \p MostGap [px], in the colour of the longer.
template <typename SpanT>
std::vector<Piece> WarpsDrawing::pieces(ArrayRef<SpanT> Spans,
                                        double MostGap) const {
  std::vector<Piece> Out;
  uint64_t Longest = 0;
  const double PerPixel = Cycles.unitsPerPixel();
  for (const SpanT &Sp : Spans) {
    Piece P{rowOf(Sp), Sp.Begin, Sp.End, Sp.cycles(), Sp.Open};
    bool Joins = !Out.empty() &&
                 double(P.Begin - Out.back().Begin) < Narrow * PerPixel &&
                 cycles(P.Begin) - cycles(Out.back().End) <= MostGap * PerPixel;
    if (!Joins) {
      Longest = Sp.cycles();
      Out.push_back(P);
      continue;
    }
    Piece &Last = Out.back();
    Last.End = std::max(Last.End, P.End);
    Last.Open = P.Open;
    ++Last.Spans;
    if (Sp.cycles() > Longest) {
      Longest = Sp.cycles();
      Last.Kind = P.Kind;
    }
  }
  return Out;
}

double WarpsDrawing::height(const WarpRow &W) const {
  BitVector Named(Values.size());
  for (const Value &N : W.Values)
    Named.set(Values.rowOf(N.Site));
  return W.Empty ? RowHeight
                 : RowHeight + W.Scopes.size() * (ScopeHeight + ScopeGap) +
                       Named.count() * StepsHeight;
}

/// The scopes of a warp, thin, those that lie in others below these.
double WarpsDrawing::scopeLines(const WarpRow &W, double Y) {
  for (const std::vector<ScopeSpan> &Line : W.Scopes) {
    Y += ScopeGap;
    for (const Piece &P : pieces(ArrayRef(Line), Narrow))
      bar(P.Begin, P.End, Y, ScopeHeight,
          S.paint(scopeFill(S.colours(), Phases, P.Kind)),
          tip(W, P, "scope " + Scopes.rows()[P.Kind].Name, "scopes"));
    Y += ScopeHeight;
  }
  return Y;
}

/// A line of steps for each value of a warp, on the block's scale.
double WarpsDrawing::valueLines(const WarpRow &W, double Y) {
  for (size_t Row = 0; Row < Values.size(); ++Row) {
    StepPath Path;
    bool Any = false;
    for (const Value &N : W.Values) {
      if (Values.rowOf(N.Site) != static_cast<int>(Row))
        continue;
      Any = true;
      if (N.Clock <= End && !std::isnan(N.N.toDouble()))
        Path.add(Cycles.at(cycles(std::max(N.Clock, Start))),
                 Y + StepsGap +
                     (StepsHeight - StepsGap) * (1 - Ranges[Row].at(N.N)));
    }
    if (!Any)
      continue;
    S.text(PlotLeft - 8, Y + StepsHeight - 5,
           fitText(Values.rows()[Row].Name, 10, PlotLeft - 24), 10,
           Anchoring::End, S.colours().Muted);
    std::string D = Path.endAt(Cycles.at(cycles(std::min(W.Time.End, End))));
    if (!D.empty())
      S.raw("<path fill=\"none\" stroke=\"" + S.colours().Mark.str() +
            "\" stroke-width=\"1.2\" d=\"" + D + "\"/>\n");
    Y += StepsHeight;
  }
  return Y;
}

double WarpsDrawing::warpRow(const WarpRow &W, double Y) {
  S.text(PlotLeft - 8, Y + RowHeight - 5, utostr(W.Index), 11, Anchoring::End,
         S.colours().Axis);
  if (W.Empty)
    return Y + RowHeight;
  bar(W.Time.Begin, W.Time.End, Y, RowHeight, S.colours().Untracked);
  for (const Piece &P : pieces(ArrayRef(W.Spans), 0))
    bar(P.Begin, P.End, Y, RowHeight, S.paint(S.colours().fillOf(P.Kind)),
        tip(W, P, Phases.rows()[P.Kind].Name, "phases"));
  for (uint64_t M : W.Marks)
    tick(M, Y, RowGap / 2, 1.5);
  if (!W.Time.Finished) // open to the right
    tick(W.Time.End, Y, 0, 1, "2 2");
  return valueLines(W, scopeLines(W, Y + RowHeight));
}

/// The names of the kernel's marks.
std::string WarpsDrawing::markNames() const {
  std::string Out;
  for (const PhaseRow &P : Phases.rows())
    if (P.Instant)
      Out += (Out.empty() ? "" : ", ") + P.Name;
  return Out;
}

/// What the steps lie between.
std::string WarpsDrawing::rangeTexts() const {
  std::string Out;
  for (auto [R, V] : zip_equal(Ranges, Values.rows()))
    if (!R.empty())
      Out += (Out.empty() ? "" : ", ") + V.Name + " " + R.LowText +
             (R.Low < R.High ? " to " + R.HighText : "");
  return Out;
}

std::string WarpsDrawing::caption() const {
  std::string Out = "SM " + utostr(B.SmStart);
  const SmLine *Line = Clock.find(B.SmStart);
  if (Line && hasNs())
    Out += ", " + duration(Clock.toNs(*Line, B.ClockStart)) +
           " after the launch's first block";
  Out += "." + filterText(Chosen);
  if (B.moved())
    Out += " The block moved to SM " + utostr(B.SmEnd) +
           ": times after that are on another clock.";
  if (!B.Finished)
    Out += " The block never reached the end of the kernel.";
  uint32_t Expected = T.meta().Samples.warpsOf(L.warpsPerBlock());
  if (Expected < L.warpsPerBlock())
    Out += " Sampled: " + utostr(Expected) + " of " +
           counted(L.warpsPerBlock(), "warp") + ".";
  if (Warps.size() < Expected && Chosen.filter().Warps.all())
    Out += " Incomplete: " + utostr(Warps.size()) + " of " +
           counted(Expected, "warp") + " recorded.";
  if (Unfinished)
    Out += " Dashed end: no exit recorded.";
  if (Instants)
    Out += std::string(S.options().Dark ? " White" : " Black") +
           " ticks: " + markNames() + ".";
  if (SeenScopes.any())
    Out += " Thin: scopes, with all that lies in them.";
  if (std::string Texts = rangeTexts(); !Texts.empty())
    Out += " Steps: " + Texts + ".";
  if (Untracked && Chosen.filter().Phase.empty())
    Out += " Grey: in no phase.";
  return Out;
}

std::string WarpsDrawing::draw() {
  findRange();
  zoom();
  setAxes();
  Untracked = any_of(Warps, [&](const WarpRow &W) { return untracked(W); });
  std::string Title = title(S, T, Index, "warps of block " + utostr(B.Number));
  double Top =
      drawHead(S, T, Chosen, Index, Title, caption(), Untracked, SeenScopes);
  Top += 44; // the upper axis
  double Bottom = Top;
  for (const WarpRow &W : Warps)
    Bottom += height(W) + RowGap;
  S.grid(hasNs() ? Ns : Cycles, Top, Bottom);
  double Y = Top + RowGap / 2;
  for (const WarpRow &W : Warps)
    Y = warpRow(W, Y) + RowGap;
  bool HasNames =
      any_of(Ranges, [](const ValueRange &R) { return !R.empty(); });
  S.verticalText(HasNames ? 13 : 18, (Top + Bottom) / 2, "warp", 12);
  S.axis(Cycles, Top - 1, "cycles since the block started", /*Above=*/true);
  if (hasNs())
    S.axis(Ns, Bottom + 1, "time since the block started [ns]",
           /*Above=*/false);
  return S.finish(Bottom + 50, Title);
}

Expected<std::optional<std::string>> drawWarps(const Trace &T,
                                               const Selection &S,
                                               uint32_t Launch, uint32_t Number,
                                               const PictureOptions &O) {
  VisitOptions Visit;
  Visit.Wanted = [&](uint32_t I, const Block &B) {
    return I == Launch && B.Number == Number;
  };
  Expected<OneBlockSink> Data = collectSelected(T, S, Visit, OneBlockSink());
  if (!Data)
    return Data.takeError();
  if (!Data->Found)
    return std::nullopt;
  return WarpsDrawing(T, S, Launch, std::move(*Data), O).draw();
}

} // namespace kinstr::report
