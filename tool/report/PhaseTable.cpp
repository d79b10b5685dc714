// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns are functions of a row; a few of them make a table.
#include "report/PhaseTable.h"

#include "report/Names.h"
#include "report/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>

using namespace llvm;

namespace kinstr::report {

namespace {

constexpr unsigned Indent = 2, Gap = 2;
constexpr unsigned NarrowBar = 8, WideBar = 24;

/// One row and what it is a row of.
struct RowView {
  const PhaseRow &Phase;
  const RowStats &Row;
  const Statistics &All;
  Quantiles Ns, Cycles;

  bool hasDurations() const { return Row.Cycles.count() > 0; }
};

/// What a column shows of a row, in a unit of its own; NaN for nothing.
using ValueFn = double (*)(const RowView &);

struct ColumnKind {
  StringLiteral Name, Title, Group;
  /// How early it gets room; 0: only when it is asked for.
  unsigned Priority;
  unsigned Decimals;
  ValueFn Value; ///< null: text, and of the bar
};

template <double Quantiles::*Q> double ns(const RowView &R) {
  return R.hasDurations() && R.All.HasNs ? R.Ns.*Q : NAN;
}
template <double Quantiles::*Q> double cycles(const RowView &R) {
  return R.hasDurations() ? R.Cycles.*Q : NAN;
}
double count(const RowView &R) { return static_cast<double>(R.Row.count()); }
double share(const RowView &R) {
  return R.Phase.Instant || R.All.WarpCycles <= 0
             ? NAN
             : 100 * R.All.shareOf(R.Row.InWarps);
}
double path(const RowView &R) {
  return R.Phase.Instant || R.Phase.Inclusive || !R.All.HasPath ||
                 R.All.PathCycles <= 0
             ? NAN
             : 100 * R.All.pathShareOf(R.Row);
}
double imbalance(const RowView &R) {
  return R.Row.LongestWarps > 0 ? 100 * R.Row.imbalance() : NAN;
}

const ColumnKind Kinds[] = {
    {"phase", "phase", "", 1, 0, nullptr},
    {"line", "line", "", 12, 0, nullptr},
    {"count", "count", "", 4, 0, count},
    {"min", "min", "ns", 11, 0, ns<&Quantiles::Min>},
    {"p50", "p50", "ns", 2, 0, ns<&Quantiles::P50>},
    {"p95", "p95", "ns", 10, 0, ns<&Quantiles::P95>},
    {"p99", "p99", "ns", 5, 0, ns<&Quantiles::P99>},
    {"max", "max", "ns", 6, 0, ns<&Quantiles::Max>},
    {"mean", "mean", "ns", 0, 1, ns<&Quantiles::Mean>},
    {"min-cycles", "min", "cycles", 13, 0, cycles<&Quantiles::Min>},
    {"p50-cycles", "p50", "cycles", 13, 0, cycles<&Quantiles::P50>},
    {"p95-cycles", "p95", "cycles", 13, 0, cycles<&Quantiles::P95>},
    {"p99-cycles", "p99", "cycles", 13, 0, cycles<&Quantiles::P99>},
    {"max-cycles", "max", "cycles", 13, 0, cycles<&Quantiles::Max>},
    {"mean-cycles", "mean", "cycles", 0, 1, cycles<&Quantiles::Mean>},
    {"share", "share", "%", 3, 1, share},
    {"path", "path", "%", 7, 1, path},
    {"imbalance", "imbal", "%", 8, 1, imbalance},
    {"bar", "", "", 9, 0, nullptr},
};

const ColumnKind *find(StringRef Name) {
  auto It =
      llvm::find_if(Kinds, [&](const ColumnKind &K) { return K.Name == Name; });
  return It == std::end(Kinds) ? nullptr : It;
}

/// A column and its cells.
struct Column {
  const ColumnKind *Kind;
  unsigned Priority;
  std::vector<std::string> Cells;
  unsigned Width;
};

class Builder {
public:
  /// \p Untracked: with a row for what is in none of them.
  Builder(const Statistics &S, const PhaseTableOptions &O, bool Untracked)
      : S(S), O(O), Untracked(Untracked) {}

  void add(const PhaseRow &Phase, const RowStats &R) {
    if (R.Selected)
      Rows.push_back(
          {Phase, R, S, S.HasNs ? S.nsOf(R) : Quantiles(), S.cyclesOf(R)});
  }
  void print(raw_ostream &OS);

private:
  void sort();
  std::string cell(const ColumnKind &K, const RowView &R) const;
  std::string untrackedCell(const ColumnKind &K) const;
  Column column(const ColumnKind &K, unsigned Priority) const;
  std::vector<Column> chosen() const;
  std::vector<Column> fitting() const;
  /// Below a twentieth of a percent the shares of the phases print as 100.
  bool hasUntracked() const {
    return Untracked && S.shareOf(S.UntrackedCycles) >= 0.0005;
  }

  const Statistics &S;
  const PhaseTableOptions &O;
  bool Untracked;
  std::vector<RowView> Rows;
  std::vector<size_t> Order;
  unsigned BarWidth = NarrowBar;
};

} // namespace

void Builder::sort() {
  Order.resize(Rows.size());
  std::iota(Order.begin(), Order.end(), 0);
  StringRef By = O.Sort;
  bool Turned = By.consume_front("-");
  const ColumnKind *K = find(By);
  if (!K)
    return;
  if (K->Name == "bar")
    K = find("share");
  auto Less = [&](size_t A, size_t B) {
    if (K->Name == "phase")
      return Rows[A].Phase.Name < Rows[B].Phase.Name;
    if (K->Name == "line")
      return Rows[A].Phase.Lines.front() < Rows[B].Phase.Lines.front();
    double Of[] = {K->Value(Rows[A]), K->Value(Rows[B])};
    return Of[0] > Of[1];
  };
  // Rows that have no value stay behind those that do, either way.
  auto Valued =
      std::stable_partition(Order.begin(), Order.end(), [&](size_t I) {
        return !K->Value || !std::isnan(K->Value(Rows[I]));
      });
  std::stable_sort(Order.begin(), Valued, [&](size_t A, size_t B) {
    return Turned ? Less(B, A) : Less(A, B);
  });
}

std::string Builder::cell(const ColumnKind &K, const RowView &R) const {
  if (K.Name == "phase")
    return cutToWidth(printable(R.Phase.Name), std::max(20u, O.Width / 3));
  if (K.Name == "line")
    return R.Phase.lines();
  if (K.Name == "bar")
    return R.Phase.Instant ? "" : bar(S.shareOf(R.Row.InWarps), BarWidth);
  if (K.Name == "share" && R.Phase.Instant)
    return "mark";
  double V = K.Value(R);
  return std::isnan(V) ? "-" : fixed(V, K.Decimals);
}

std::string Builder::untrackedCell(const ColumnKind &K) const {
  if (K.Name == "phase")
    return "(untracked)";
  double Share = S.shareOf(S.UntrackedCycles);
  if (K.Name == "bar")
    return bar(Share, BarWidth);
  return K.Name == "share" ? fixed(100 * Share, 1) : "";
}

Column Builder::column(const ColumnKind &K, unsigned Priority) const {
  Column C{&K, Priority, {}, displayWidth(K.Title)};
  for (size_t I : Order)
    C.Cells.push_back(cell(K, Rows[I]));
  if (hasUntracked())
    C.Cells.push_back(untrackedCell(K));
  for (const std::string &Text : C.Cells)
    C.Width = std::max(C.Width, displayWidth(Text));
  if (K.Name == "bar")
    C.Width = BarWidth;
  return C;
}

/// The columns that were asked for.
std::vector<Column> Builder::chosen() const {
  std::vector<Column> Out;
  Out.reserve(O.Columns.size());
  for (const std::string &Name : O.Columns)
    Out.push_back(column(*find(Name), 0));
  return Out;
}

/// As many as fit a line, the important ones first; in the order of Kinds.
std::vector<Column> Builder::fitting() const {
  std::vector<Column> All;
  for (const ColumnKind &K : Kinds) {
    unsigned Priority = K.Priority;
    if (!S.HasNs && K.Group == "ns")
      Priority = 0; // cycles take their place
    else if (!S.HasNs && K.Group == "cycles")
      Priority = find(K.Name.drop_back(strlen("-cycles")))->Priority;
    // Of scopes nobody knows these.
    bool OfPhases = is_contained({"path", "imbalance"}, K.Name);
    if (Priority && (Untracked || !OfPhases))
      All.push_back(column(K, Priority));
  }
  llvm::stable_sort(All, [](const Column &A, const Column &B) {
    return A.Priority < B.Priority;
  });
  unsigned Used = Indent;
  size_t N = 0;
  while (N < All.size()) { // columns of one priority: all of them or none
    size_t End = N;
    for (; End < All.size() && All[End].Priority == All[N].Priority; ++End)
      Used += All[End].Width + (End ? Gap : 0);
    if (N && Used > O.Width)
      break;
    N = End;
  }
  All.erase(All.begin() + N, All.end());
  llvm::sort(All,
             [](const Column &A, const Column &B) { return A.Kind < B.Kind; });
  return All;
}

/// Of a table.
static unsigned widthOf(ArrayRef<Column> Columns) {
  unsigned Width = Indent;
  for (const Column &C : Columns)
    Width += C.Width + Gap;
  return Width - Gap;
}

void Builder::print(raw_ostream &OS) {
  sort();
  std::vector<Column> Columns = O.Columns.empty() ? fitting() : chosen();
  unsigned Width = widthOf(Columns);
  if (Width < O.Width) { // the bar takes what is left
    BarWidth = std::min(WideBar, NarrowBar + O.Width - Width);
    for (Column &C : Columns)
      if (C.Kind->Name == "bar")
        C = column(*C.Kind, 0);
  }
  TextTable Table;
  for (const Column &C : Columns) {
    bool Text = is_contained({"phase", "line", "bar"}, C.Kind->Name);
    bool OfScopes = !Untracked && C.Kind->Name == "phase";
    Table.column(OfScopes ? "scope" : StringRef(C.Kind->Title),
                 Text ? TextTable::Left : TextTable::Right, C.Kind->Group);
  }
  for (size_t I = 0; I < Order.size() + hasUntracked(); ++I) {
    std::vector<std::string> Cells;
    Cells.reserve(Columns.size());
    for (const Column &C : Columns)
      Cells.push_back(C.Cells[I]);
    Table.row(std::move(Cells));
  }
  Table.print(OS, Indent);
}

std::string bar(double Share, unsigned Width) {
  static const char *const Parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto Eighths = static_cast<unsigned>(
      std::lround(std::clamp(Share, 0.0, 1.0) * Width * 8));
  std::string Out;
  for (unsigned I = 0; I < Eighths / 8; ++I)
    Out += "█";
  return Out + Parts[Eighths % 8];
}

ArrayRef<StringRef> phaseColumns() {
  static const std::vector<StringRef> Names = [] {
    std::vector<StringRef> Out;
    for (const ColumnKind &K : Kinds)
      Out.push_back(K.Name);
    return Out;
  }();
  return Names;
}

void printPhaseTable(const PhaseRows &Phases, const Statistics &S,
                     const PhaseTableOptions &O, raw_ostream &OS) {
  Builder Table(S, O, /*Untracked=*/true);
  for (size_t I = 0; I < Phases.size(); ++I)
    Table.add(Phases.rows()[I], S.Rows[I]);
  Table.print(OS);
}

void printScopeTable(ArrayRef<ScopeStats> Scopes, const Statistics &S,
                     const PhaseTableOptions &O, raw_ostream &OS) {
  Builder Table(S, O, /*Untracked=*/false);
  for (const ScopeStats &Row : Scopes)
    Table.add(Row.Site, Row.R);
  Table.print(OS);
}

void printValueTable(ArrayRef<ValueStats> Values, const PhaseTableOptions &O,
                     raw_ostream &OS) {
  TextTable Table;
  Table.column("value", TextTable::Left);
  for (const char *Title : {"line", "count", "min", "mean", "max", "last"})
    Table.column(Title, TextTable::Right);
  for (const ValueStats &V : Values) {
    if (!V.Selected)
      continue;
    bool Any = V.N.hasRange();
    Table.row({printable(V.Site.Name), V.Site.lines(), utostr(V.N.count()),
               Any ? V.N.min().str() : "-", Any ? V.N.meanText() : "-",
               Any ? V.N.max().str() : "-",
               V.N.count() ? V.N.last().str() : "-"});
  }
  Table.fit(O.Width, Indent);
  Table.print(OS, Indent);
}

} // namespace kinstr::report
