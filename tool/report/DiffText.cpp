// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison on a terminal, and the words of all its forms.
#include "report/DiffReport.h"

#include "report/Names.h"
#include "report/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace kinstr::report {

StringRef verdictWord(Verdict V, bool IsShare) {
  switch (V) {
  case Verdict::Absent:
    return "";
  case Verdict::NoInterval:
    return "no interval";
  case Verdict::Noise:
    return "noise";
  case Verdict::Unclear:
    return "unclear";
  case Verdict::Lower:
    return IsShare ? "less" : "faster";
  case Verdict::Higher:
    return IsShare ? "more" : "slower";
  }
  return "";
}

StringRef unitName(TimeUnit U) { return U == TimeUnit::Ns ? "ns" : "cycles"; }

std::string figure(double Value) {
  double Size = std::abs(Value);
  return fixed(Value, Size >= 100 ? 0 : Size >= 10 ? 1 : 2);
}

std::string percent(double Value) {
  if (std::isinf(Value))
    return "new";
  unsigned Decimals = std::abs(Value) < 1 ? 2 : std::abs(Value) < 100 ? 1 : 0;
  std::string Text = fixed(Value, Decimals);
  if (Text.find_first_not_of("-0.") == std::string::npos)
    return "0";
  return Value > 0 ? "+" + Text : Text;
}

std::string sideText(const SideDiff &S) {
  size_t Launches = S.Group.Launches.size();
  std::string Blocks = counted(S.Blocks, "block");
  return Launches == 1 ? Blocks + " of 1 launch"
                       : counted(Launches, "launch") + ", " + Blocks;
}

static std::string drawn(const SideDiff &S) {
  bool Launches = S.Group.severalLaunches();
  uint64_t Things = Launches ? S.Group.Launches.size() : S.Blocks;
  std::string Out = counted(Things, Launches ? "launch" : "block");
  return S.Units < Things ? Out + " in " + utostr(S.Units) + " parts" : Out;
}

std::string unitsText(const KernelDiff &K) {
  std::string A = drawn(K.A), B = drawn(K.B);
  return A == B ? A + " on each side" : A + " of A, " + B + " of B";
}

std::string significanceText(const Diff &D) {
  return "noise: chance may have made it (5 % for all " +
         counted(D.Compared, "comparison") + " together, Holm)";
}

static bool isScope(const RowDiff &R) { return R.IsScope; }

StringRef firstHeading(const KernelDiff &K) {
  return !K.Rows.empty() && isScope(K.Rows.front()) ? "scope" : "phase";
}

bool headsScopes(const KernelDiff &K, const RowDiff &R) {
  return isScope(R) && !isScope(K.Rows.front()) &&
         &R == &*find_if(K.Rows, isScope);
}

bool hasScopes(const Diff &D) {
  return any_of(D.Kernels,
                [](const KernelDiff &K) { return any_of(K.Rows, isScope); });
}

SmallVector<NamedComparison, 3> comparisonsOf(const RowDiff &R) {
  SmallVector<NamedComparison, 3> Out;
  for (NamedComparison N : {NamedComparison{"p50", &R.Median, false},
                            NamedComparison{"mean", &R.Mean, false},
                            NamedComparison{"share", &R.Share, true}})
    if (N.C->Says != Verdict::Absent)
      Out.push_back(N);
  return Out;
}

namespace {

class Printer {
public:
  Printer(const DiffTextOptions &O, raw_ostream &OS) : O(O), OS(OS) {}

  void print(const Diff &D);

private:
  void side(const char *Letter, const TraceFacts &F);
  void kernel(const KernelDiff &K);
  void addRow(TextTable &Table, const RowDiff &R, bool IsLaunch);
  void warnings(ArrayRef<std::string> Texts, unsigned Indent);
  std::string painted(const Comparison &C, bool IsShare);
  std::string wrapped(const Twine &Text) const {
    return O.Wrap ? wrapText(Text.str(), O.Width) : Text.str();
  }
  void line(const Twine &Text) { OS << wrapped(Text) << '\n'; }
  void title(const Twine &Text) {
    OS << (O.Colour ? "\x1b[1m" : "") << wrapped(Text)
       << (O.Colour ? "\x1b[0m\n" : "\n");
  }

  const DiffTextOptions &O;
  raw_ostream &OS;
  bool AnyStarred = false;
};

} // namespace

void Printer::side(const char *Letter, const TraceFacts &F) {
  title(Twine(Letter) + ": " + printable(F.File) + ": " +
        (F.Program.empty() ? "" : F.Program + ", ") +
        counted(F.Launches, "launch") +
        (F.Devices.empty() ? "" : ", " + F.Devices));
}

void Printer::warnings(ArrayRef<std::string> Texts, unsigned Indent) {
  for (const std::string &Text : Texts)
    line(std::string(Indent, ' ') +
         (O.Colour ? "\x1b[1;35mwarning:\x1b[0m " : "warning: ") + Text);
}

std::string Printer::painted(const Comparison &C, bool IsShare) {
  std::string Word = verdictWord(C.Says, IsShare).str();
  bool Starred = C.significant() && C.BelowMark;
  AnyStarred |= Starred;
  if (Starred)
    Word += " *";
  if (!O.Colour || !C.significant())
    return Word;
  return (C.Says == Verdict::Higher ? "\x1b[33m" : "\x1b[36m") + Word +
         "\x1b[0m";
}

void Printer::addRow(TextTable &Table, const RowDiff &R, bool IsLaunch) {
  std::string Name = IsLaunch ? R.Name : printable(R.Name);
  auto Comparisons = comparisonsOf(R);
  if (Comparisons.empty()) {
    if (!IsLaunch)
      Table.row({Name, "", R.InA ? utostr(R.CountA) : "-",
                 R.InB ? utostr(R.CountB) : "-", "", "",
                 !R.InB   ? "only in A"
                 : !R.InA ? "only in B"
                          : "no stays"});
    return;
  }
  for (const auto &[Of, C, IsShare] : Comparisons) {
    auto Value = [&, IsShare = IsShare](double V) {
      return IsShare    ? fixed(100 * V, 1) + " %"
             : IsLaunch ? duration(V)
                        : figure(V);
    };
    // Of shares the difference, not by which part they grew.
    auto Change = [&, C = C, IsShare = IsShare](double V) {
      return percent(IsShare ? 100 * V : C->percentOf(V));
    };
    Table.row({Of == Comparisons.front().Of ? Name : "", Of, Value(C->A),
               Value(C->B), Change(C->change()) + (IsShare ? " pp" : " %"),
               C->HasInterval ? Change(C->Low) + " … " + Change(C->High) : "",
               painted(*C, IsShare)});
  }
}

void Printer::kernel(const KernelDiff &K) {
  OS << '\n';
  title("kernel " + K.A.Group.Name);
  line("  A: " + sideText(K.A) + "; B: " + sideText(K.B));
  line("  in " + unitName(K.Unit) + ": " + K.UnitReason);
  line("  drawn again: " + unitsText(K));
  warnings(K.Warnings, 2);
  OS << '\n';
  TextTable Table;
  Table.column(firstHeading(K), TextTable::Left);
  Table.column("", TextTable::Left);
  for (const char *Title : {"A", "B", "change", "95 % interval"})
    Table.column(Title, TextTable::Right);
  Table.column("", TextTable::Left);
  addRow(Table, K.Launch, /*IsLaunch=*/true);
  for (const RowDiff &R : K.Rows) {
    if (headsScopes(K, R)) {
      Table.row({"", "", "", "", "", "", ""});
      Table.row({"scope", "", "A", "B", "change", "95 % interval", ""});
    }
    addRow(Table, R, /*IsLaunch=*/false);
  }
  Table.fit(O.Width, 2);
  Table.print(OS, 2);
}

void Printer::print(const Diff &D) {
  side("A", D.A);
  side("B", D.B);
  warnings(D.Warnings, 0);
  for (const KernelDiff &K : D.Kernels)
    kernel(K);
  OS << '\n';
  for (const std::string &Name : D.OnlyA)
    line("only in A: kernel " + Name);
  for (const std::string &Name : D.OnlyB)
    line("only in B: kernel " + Name);
  if (D.Kernels.empty()) {
    line("no kernel is in both");
  } else {
    line(significanceText(D));
    line(UnclearText);
    if (AnyStarred)
      line("*: by less than one mark takes");
    if (hasScopes(D))
      line(ScopesText);
  }
}

void printDiff(const Diff &D, const DiffTextOptions &O, raw_ostream &OS) {
  Printer(O, OS).print(D);
}

} // namespace kinstr::report
