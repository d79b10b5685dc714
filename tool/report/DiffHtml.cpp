// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison as one page: the table of DiffText.cpp, and each change with
// its interval as a bar. No script, nothing from elsewhere.
#include "report/DiffReport.h"

#include "report/Names.h"
#include "report/Svg.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace kinstr::report {

// Blue and vermilion differ for every common colour deficiency, and in
// lightness; words and shapes say the same.
static constexpr StringLiteral Style = R"(
:root { color-scheme: light dark; --back: #ffffff; --text: #1a1a1a;
  --dim: #5c5c5c; --line: #d0d0d0; --lower: #0072b2; --higher: #b34700;
  --noise: #767676; --stripe: #f5f5f5; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --text: #e8e8e8;
  --dim: #a6a6a6; --line: #3d4147; --lower: #56b4e9; --higher: #ff9a4d;
  --noise: #9a9a9a; --stripe: #1e2125; } }
body { background: var(--back); color: var(--text); margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; } h2 { font-size: 1.25rem;
  margin: 2.5rem 0 .25rem; overflow-wrap: break-word; }
p { margin: .25rem 0; overflow-wrap: break-word; } .dim { color: var(--dim); }
.warning { border-left: 4px solid var(--higher); padding-left: .6rem; }
.failed { border-left: 4px solid var(--higher); padding-left: .6rem;
  font-weight: 600; }
table { border-collapse: collapse; margin-top: .75rem; }
th, td { text-align: left; padding: .2rem .7rem; vertical-align: middle; }
thead th { border-bottom: 2px solid var(--line); }
tbody tr:first-child th, tbody tr:first-child td {
  border-top: 1px solid var(--line); }
tbody:nth-of-type(even) { background: var(--stripe); }
tbody th { font-weight: 600; max-width: 14rem; overflow-wrap: break-word;
  vertical-align: top; }
tbody tr.kind th { padding-top: 1rem; color: var(--dim); }
.n { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.lower { color: var(--lower); font-weight: 600; }
.higher { color: var(--higher); font-weight: 600; }
.noise { color: var(--dim); }
svg { display: block; }
svg .bar { stroke-width: 2; } svg .end { stroke-width: 2; }
svg.lower :not(.zero) { stroke: var(--lower); } svg.lower .dot { fill: var(--lower); }
svg.higher :not(.zero) { stroke: var(--higher); } svg.higher .dot { fill: var(--higher); }
svg.noise :not(.zero) { stroke: var(--noise); } svg.noise .dot { fill: var(--back); }
svg line.zero { stroke: var(--line); }
svg .axis text { fill: var(--dim); stroke: none; font-size: 13px; }
svg .axis line { stroke: var(--line); }
.says { min-width: 6rem; }
/* Two lines a comparison where the table has no room, three on a telephone. */
@media (max-width: 76rem) {
  table, thead, tbody { display: block; }
  thead, tbody { border-bottom: 1px solid var(--line); }
  tr { display: grid; padding: .2rem 0; align-items: center;
    grid-template: "name name name name name" "of a b by says"
      "bar bar bar bar in" / 4rem 6rem 6rem 6rem 1fr; }
  thead th, tbody tr:first-child th, tbody tr:first-child td, th, td {
    border: 0; padding: .1rem .35rem; }
  .name { grid-area: name; } thead .name { display: none; }
  tbody .name { max-width: none; }
  .of { grid-area: of; } .a { grid-area: a; } .b { grid-area: b; }
  .by { grid-area: by; } .says { grid-area: says; }
  td.bar, th.bar { grid-area: bar; }
  .in { grid-area: in; text-align: left; }
  td.dim { grid-column: 1 / -1; }
}
@media (max-width: 34rem) {
  tr { grid-template: "name name name name" "of a b by" "bar bar bar bar"
      "in in says says" / 3.4rem 1fr 1fr 1fr; }
}
)";

namespace {

constexpr double BarWidth = 260, BarHeight = 18, Margin = 10;

/// Changes in percent to both sides of the middle; what lies beyond is cut off,
/// and has an arrow there.
struct Scale {
  double Most = 1;

  bool cuts(double Percent) const { return std::abs(Percent) > Most; }
  double x(double Percent) const {
    double Part = std::clamp(Percent / Most, -1.0, 1.0);
    return BarWidth / 2 + Part * (BarWidth / 2 - Margin);
  }
};

class Page {
public:
  explicit Page(raw_ostream &OS) : OS(OS) {}
  void write(const Diff &D, ArrayRef<ConditionOutcome> Outcomes);

private:
  void side(const char *Letter, const TraceFacts &F);
  void paragraphs(ArrayRef<std::string> Texts, StringRef Class);
  void kernel(const KernelDiff &K);
  void head(const KernelDiff &K, const Scale &S);
  void row(const RowDiff &R, bool IsLaunch, const Scale &S);
  void cells(const NamedComparison &N, bool IsLaunch, const Scale &S);
  void bar(const NamedComparison &N, const Scale &S);

  raw_ostream &OS;
};

} // namespace

/// Shares in percentage points, others in percent of A.
static double plotted(const NamedComparison &N, double Value) {
  return N.IsShare ? 100 * Value : N.C->percentOf(Value);
}

/// All intervals of a kernel fit, up to a change by the whole.
static Scale scaleOf(const KernelDiff &K) {
  double Most = 0;
  auto See = [&](const RowDiff &R) {
    for (const NamedComparison &N : comparisonsOf(R))
      for (double V : {N.C->Low, N.C->High, N.C->change()})
        if (N.C->HasInterval || V == N.C->change())
          Most = std::max(Most, std::abs(plotted(N, V)));
  };
  See(K.Launch);
  for (const RowDiff &R : K.Rows)
    See(R);
  for (double Round : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0})
    if (Most <= Round)
      return {Round};
  return {100};
}

static StringRef classOf(Verdict V) {
  return V == Verdict::Lower    ? "lower"
         : V == Verdict::Higher ? "higher"
                                : "noise";
}

void Page::bar(const NamedComparison &N, const Scale &S) {
  const Comparison &C = *N.C;
  const double Y = BarHeight / 2;
  std::string Unit = N.IsShare ? " percentage points" : " percent";
  std::string Label = percent(plotted(N, C.change())) + Unit;
  if (C.HasInterval)
    Label += ", 95 % interval " + percent(plotted(N, C.Low)) + " to " +
             percent(plotted(N, C.High));
  OS << "<svg class=\"" << classOf(C.Says) << "\" role=\"img\" width=\""
     << coord(BarWidth) << "\" height=\"" << coord(BarHeight)
     << "\" aria-label=\"" << xmlText(Label) << "\">";
  auto Line = [&](const char *Class, double X1, double Y1, double X2,
                  double Y2) {
    OS << "<line class=\"" << Class << "\" x1=\"" << coord(X1) << "\" y1=\""
       << coord(Y1) << "\" x2=\"" << coord(X2) << "\" y2=\"" << coord(Y2)
       << "\"/>";
  };
  auto End = [&](double Percent) {
    double X = S.x(Percent);
    // Back from the tip, where it goes on.
    double Back = !S.cuts(Percent) ? 0 : Percent > 0 ? -6 : 6;
    Line(Back == 0 ? "end" : "end beyond", X + Back, Y - 4, X,
         Back ? Y : Y + 4);
    if (Back != 0)
      Line("end beyond", X + Back, Y + 4, X, Y);
  };
  Line("zero", S.x(0), 0, S.x(0), BarHeight);
  if (C.HasInterval) {
    double Low = S.x(plotted(N, C.Low)), High = S.x(plotted(N, C.High));
    Line("bar", Low, Y, High, Y);
    End(plotted(N, C.Low));
    End(plotted(N, C.High));
  }
  double Change = plotted(N, C.change());
  if (S.cuts(Change))
    End(Change);
  else
    OS << "<circle class=\"dot\" cx=\"" << coord(S.x(Change)) << "\" cy=\""
       << coord(Y) << "\" r=\"4\"/>";
  OS << "</svg>";
}

void Page::cells(const NamedComparison &N, bool IsLaunch, const Scale &S) {
  const Comparison &C = *N.C;
  auto Value = [&](double V) {
    return N.IsShare  ? fixed(100 * V, 1) + " %"
           : IsLaunch ? duration(V)
                      : figure(V);
  };
  OS << "<td class=\"of\">" << N.Of << "</td><td class=\"n a\">" << Value(C.A)
     << "</td><td class=\"n b\">" << Value(C.B) << "</td><td class=\"n by\">"
     << percent(plotted(N, C.change())) << (N.IsShare ? " pp" : " %")
     << "</td><td class=\"bar\">";
  bar(N, S);
  OS << "</td><td class=\"n in\">";
  if (C.HasInterval)
    OS << percent(plotted(N, C.Low)) << " … " << percent(plotted(N, C.High));
  OS << "</td><td class=\"says " << classOf(C.Says) << "\">"
     << verdictWord(C.Says, N.IsShare);
  if (C.significant() && C.BelowMark)
    OS << ", less than a mark takes";
  OS << "</td>";
}

void Page::row(const RowDiff &R, bool IsLaunch, const Scale &S) {
  auto Comparisons = comparisonsOf(R);
  if (IsLaunch && Comparisons.empty())
    return;
  OS << "<tbody>\n<tr><th class=\"name\" scope=\"rowgroup\" rowspan=\""
     << std::max<size_t>(Comparisons.size(), 1) << "\">"
     << xmlText(printable(R.Name)) << "</th>";
  if (Comparisons.empty())
    OS << "<td class=\"dim\" colspan=\"7\">"
       << (!R.InB   ? "only in A"
           : !R.InA ? "only in B"
                    : "no stays")
       << "</td></tr>\n";
  for (const NamedComparison &N : Comparisons) {
    if (N.Of != Comparisons.front().Of)
      OS << "<tr>";
    cells(N, IsLaunch, S);
    OS << "</tr>\n";
  }
  OS << "</tbody>\n";
}

void Page::head(const KernelDiff &K, const Scale &S) {
  OS << "<thead><tr><th scope=\"col\" class=\"name\">" << firstHeading(K)
     << "</th>"
     << "<th class=\"of\"></th><th scope=\"col\" class=\"n a\">A ["
     << unitName(K.Unit) << "]</th><th scope=\"col\" class=\"n b\">B ["
     << unitName(K.Unit) << "]</th><th scope=\"col\" class=\"n by\">change</th>"
     << "<th scope=\"col\" class=\"bar\"><svg role=\"img\" "
        "aria-label=\"change, from -"
     << figure(S.Most) << " to +" << figure(S.Most)
     << " percent or percentage points\" width=\"" << coord(BarWidth)
     << "\" height=\"20\"><g class=\"axis\">";
  for (double At : {-S.Most, 0.0, S.Most})
    OS << "<text x=\"" << coord(S.x(At)) << "\" y=\"14\" text-anchor=\""
       << (At < 0   ? "start"
           : At > 0 ? "end"
                    : "middle")
       << "\">" << percent(At) << " %</text>";
  OS << "</g></svg></th><th scope=\"col\" class=\"n in\">95 % interval</th>"
     << "<th class=\"says\"></th></tr></thead>\n";
}

void Page::kernel(const KernelDiff &K) {
  const Scale S = scaleOf(K);
  OS << "<section>\n<h2>" << xmlText(K.A.Group.Name)
     << "</h2>\n<p>A: " << sideText(K.A) << "; B: " << sideText(K.B)
     << "</p>\n<p class=\"dim\">In " << unitName(K.Unit) << ": "
     << xmlText(K.UnitReason) << ". Drawn again: " << unitsText(K) << ".</p>\n";
  paragraphs(K.Warnings, "warning");
  OS << "<table>\n";
  head(K, S);
  row(K.Launch, /*IsLaunch=*/true, S);
  for (const RowDiff &R : K.Rows) {
    if (headsScopes(K, R))
      OS << "<tbody><tr class=\"kind\"><th class=\"name\" scope=\"col\" "
            "colspan=\"8\">scope</th></tr></tbody>\n";
    row(R, /*IsLaunch=*/false, S);
  }
  OS << "</table>\n</section>\n";
}

void Page::paragraphs(ArrayRef<std::string> Texts, StringRef Class) {
  for (const std::string &T : Texts)
    OS << "<p class=\"" << Class << "\">" << xmlText(T) << "</p>\n";
}

void Page::side(const char *Letter, const TraceFacts &F) {
  OS << "<p><strong>" << Letter << "</strong> "
     << xmlText(printable(F.File) + ": " +
                (F.Program.empty() ? "" : F.Program + ", ") +
                counted(F.Launches, "launch") +
                (F.Devices.empty() ? "" : ", " + F.Devices))
     << "</p>\n";
}

void Page::write(const Diff &D, ArrayRef<ConditionOutcome> Outcomes) {
  OS << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<title>kinstr diff</title>\n<style>"
     << Style
     << "</style>\n</head>\n<body>\n<main>\n<h1>What changed from A to "
        "B</h1>\n";
  side("A", D.A);
  side("B", D.B);
  for (const ConditionOutcome &O : Outcomes)
    if (O.Holds)
      OS << "<p class=\"failed\">" << xmlText(O.Condition) << ": "
         << xmlText(O.Why) << "</p>\n";
  paragraphs(D.Warnings, "warning");
  for (const KernelDiff &K : D.Kernels)
    kernel(K);
  for (const std::string &Name : D.OnlyA)
    OS << "<p>Only in A: kernel " << xmlText(Name) << "</p>\n";
  for (const std::string &Name : D.OnlyB)
    OS << "<p>Only in B: kernel " << xmlText(Name) << "</p>\n";
  if (D.Kernels.empty())
    OS << "<p>No kernel is in both.</p>\n";
  else
    OS << "<p class=\"dim\">" << xmlText(significanceText(D)) << "; "
       << UnclearText << (hasScopes(D) ? "; " + ScopesText : "") << ".</p>\n";
  OS << "</main>\n</body>\n</html>\n";
}

std::string diffHtml(const Diff &D, ArrayRef<ConditionOutcome> Outcomes) {
  std::string Out;
  raw_string_ostream OS(Out);
  Page(OS).write(D, Outcomes);
  return Out;
}

} // namespace kinstr::report
