// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison for programs.
#include "report/DiffReport.h"

#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace kinstr::report {

namespace {

class Writer {
public:
  explicit Writer(raw_ostream &OS) : J(OS, /*IndentSize=*/2) {}

  void write(const Diff &D, ArrayRef<ConditionOutcome> Outcomes);

private:
  void text(StringRef Key, StringRef Text) {
    J.attribute(Key, json::fixUTF8(Text));
  }
  void number(StringRef Key, double Value) {
    if (std::isfinite(Value))
      J.attribute(Key, Value);
    else
      J.attribute(Key, nullptr);
  }
  void texts(StringRef Key, ArrayRef<std::string> Texts) {
    J.attributeArray(Key, [&] {
      for (const std::string &T : Texts)
        J.value(json::fixUTF8(T));
    });
  }
  void facts(StringRef Key, const TraceFacts &F);
  void side(StringRef Key, const SideDiff &S);
  void kernel(const KernelDiff &K);
  void rows(StringRef Key, const KernelDiff &K, bool Scopes);
  void row(const RowDiff &R, bool HasShare);
  void comparison(StringRef Key, const Comparison &C);

  json::OStream J;
};

} // namespace

void Writer::facts(StringRef Key, const TraceFacts &F) {
  J.attributeObject(Key, [&] {
    text("file", F.File);
    text("program", F.Program);
    text("devices", F.Devices);
    J.attribute("launches", F.Launches);
    J.attribute("dropped_events", F.DroppedEvents);
  });
}

void Writer::side(StringRef Key, const SideDiff &S) {
  J.attributeObject(Key, [&] {
    const ClockSummary &C = S.Group.Clock;
    text("name", S.Group.Name);
    J.attribute("launches", S.Group.Launches.size());
    J.attribute("blocks", S.Blocks);
    J.attribute("warps", S.Warps);
    text("drawn", S.Group.severalLaunches() ? "launches" : "blocks");
    J.attribute("units", S.Units);
    number("clock_ghz", C.NsPerCycle > 0 ? 1 / C.NsPerCycle : NAN);
    number("alignment_error_ns", C.AlignmentErrorNs);
    number("mark_cost_cycles", S.Group.MarkCost.value_or(NAN));
  });
}

void Writer::comparison(StringRef Key, const Comparison &C) {
  if (C.Says == Verdict::Absent) {
    J.attribute(Key, nullptr);
    return;
  }
  J.attributeObject(Key, [&] {
    number("a", C.A);
    number("b", C.B);
    number("change", C.change());
    number("change_percent", C.changePercent());
    if (C.HasInterval) {
      J.attributeArray("interval", [&] {
        J.value(C.Low);
        J.value(C.High);
      });
      number("p", C.P);
      number("adjusted_p", C.AdjustedP);
    } else {
      for (const char *None : {"interval", "p", "adjusted_p"})
        J.attribute(None, nullptr);
    }
    number("explained_by_error", C.Explained);
    J.attribute("below_mark_cost", C.BelowMark);
    J.attribute("verdict", verdictName(C.Says));
  });
}

void Writer::row(const RowDiff &R, bool HasShare) {
  J.object([&] {
    text("name", R.Name);
    J.attribute("in", R.InA && R.InB ? "both" : R.InA ? "a" : "b");
    J.attribute("count_a", R.CountA);
    J.attribute("count_b", R.CountB);
    comparison("median", R.Median);
    comparison("mean", R.Mean);
    if (HasShare)
      comparison("share", R.Share);
  });
}

void Writer::rows(StringRef Key, const KernelDiff &K, bool Scopes) {
  J.attributeArray(Key, [&] {
    for (const RowDiff &R : K.Rows)
      if (R.IsScope == Scopes)
        row(R, /*HasShare=*/true);
  });
}

void Writer::kernel(const KernelDiff &K) {
  J.object([&] {
    text("name", K.A.Group.Name);
    text("unit", unitName(K.Unit));
    text("unit_reason", K.UnitReason);
    texts("warnings", K.Warnings);
    side("a", K.A);
    side("b", K.B);
    J.attributeBegin("launch");
    row(K.Launch, /*HasShare=*/false);
    J.attributeEnd();
    rows("phases", K, /*Scopes=*/false);
    rows("scopes", K, /*Scopes=*/true);
  });
}

void Writer::write(const Diff &D, ArrayRef<ConditionOutcome> Outcomes) {
  J.object([&] {
    J.attribute("format", "kinstr-diff 1");
    facts("a", D.A);
    facts("b", D.B);
    texts("warnings", D.Warnings);
    J.attribute("comparisons", D.Compared);
    J.attributeArray("kernels", [&] {
      for (const KernelDiff &K : D.Kernels)
        kernel(K);
    });
    texts("only_in_a", D.OnlyA);
    texts("only_in_b", D.OnlyB);
    J.attributeArray("conditions", [&] {
      for (const ConditionOutcome &O : Outcomes)
        J.object([&] {
          text("condition", O.Condition);
          J.attribute("holds", O.Holds);
          text("why", O.Why);
        });
    });
  });
}

std::string diffJson(const Diff &D, ArrayRef<ConditionOutcome> Outcomes) {
  std::string Out;
  raw_string_ostream OS(Out);
  Writer(OS).write(D, Outcomes);
  OS << '\n';
  return Out;
}

} // namespace kinstr::report
