// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs kernels, phases and scopes, compares them, and says what is to be
// thought of the result.
#include "report/Diff.h"

#include "report/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// Clocks that differ by more are another speed, not another measurement.
static constexpr double SameClock = 0.005;

/// What is called significant is found by chance in so many of the lists.
static constexpr double Level = 0.05;

/// Any numbers, but different ones: A and B are drawn independently.
static constexpr uint64_t SeedA = 1, SeedB = 2;

StringRef verdictName(Verdict V) {
  switch (V) {
  case Verdict::Absent:
    return "absent";
  case Verdict::NoInterval:
    return "no-interval";
  case Verdict::Noise:
    return "noise";
  case Verdict::Unclear:
    return "unclear";
  case Verdict::Lower:
    return "lower";
  case Verdict::Higher:
    return "higher";
  }
  return "";
}

double Comparison::percentOf(double Value) const {
  if (Value == 0)
    return 0;
  return A == 0 ? std::copysign(INFINITY, Value) : 100 * Value / A;
}

// ---- what belongs together ----

namespace {

using Pairs = std::vector<std::pair<KernelGroup *, KernelGroup *>>;

} // namespace

/// The only one not taken whose name in the source is that of \p G.
static KernelGroup *onlyOneOf(std::vector<KernelGroup> &Groups,
                              const std::set<const KernelGroup *> &Taken,
                              const KernelGroup &G) {
  KernelGroup *Found = nullptr;
  for (KernelGroup &Other : Groups) {
    if (Taken.count(&Other) || Other.Source != G.Source)
      continue;
    if (Found)
      return nullptr;
    Found = &Other;
  }
  return Found;
}

/// By the instance's name; what is left of a template, if it is one instance on
/// each side, by the template's.
static Pairs pairKernels(std::vector<KernelGroup> &A,
                         std::vector<KernelGroup> &B) {
  DenseMap<KernelGroup *, KernelGroup *> Partner;
  std::set<const KernelGroup *> Taken;
  auto Join = [&](KernelGroup &GA, KernelGroup &GB) {
    Partner[&GA] = &GB;
    Taken.insert(&GA);
    Taken.insert(&GB);
  };
  for (KernelGroup &G : A)
    if (auto It = find_if(
            B, [&](const KernelGroup &Other) { return Other.Name == G.Name; });
        It != B.end())
      Join(G, *It);
  for (KernelGroup &G : A)
    if (!Taken.count(&G) && onlyOneOf(A, Taken, G))
      if (KernelGroup *Other = onlyOneOf(B, Taken, G))
        Join(G, *Other);
  Pairs Out;
  for (KernelGroup &G : A)
    if (KernelGroup *Other = Partner.lookup(&G))
      Out.emplace_back(&G, Other);
  return Out;
}

// ---- the unit ----

static TimeUnit chooseUnit(const ClockSummary &A, const ClockSummary &B,
                           std::optional<TimeUnit> Asked, std::string &Why) {
  auto Rates = [&] {
    return gigahertz(A.NsPerCycle) + " and " + gigahertz(B.NsPerCycle) + " GHz";
  };
  if (A.NsPerCycle <= 0 || B.NsPerCycle <= 0) {
    Why = "the clock rate is not known";
    return TimeUnit::Cycles;
  }
  if (Asked) {
    Why = "as asked for; the clocks: " + Rates();
    return *Asked;
  }
  if (!A.Measured || !B.Measured) {
    Why = "the clock was not measured on every launch";
    return TimeUnit::Cycles;
  }
  bool Same = std::abs(A.NsPerCycle / B.NsPerCycle - 1) <= SameClock;
  Why = (Same ? "the clocks agree: " : "the clocks differ: ") + Rates();
  return Same ? TimeUnit::Ns : TimeUnit::Cycles;
}

// ---- what may explain a change ----

namespace {

/// What is not the program's doing.
struct Disturbance {
  double Mark = 0;    ///< by which marks' costs differ [units]; may be infinite
  double OneMark = 0; ///< [units]; 0 not known
  double Clock = 0;   ///< share of a duration
  double Alignment = 0; ///< [ns]

  /// By which so many marks differ.
  double ofMarks(double Number) const {
    return Mark == 0 || Number == 0 ? 0 : Mark * Number;
  }
};

} // namespace

/// Cycles by which a mark of A and one of B may differ.
static double markDifference(const KernelGroup &A, const KernelGroup &B) {
  if (A.MarkCost && B.MarkCost)
    return std::abs(*A.MarkCost - *B.MarkCost);
  return A.Recorders == B.Recorders ? 0 : INFINITY;
}

static Disturbance disturbance(const KernelDiff &K) {
  const KernelGroup &A = K.A.Group, &B = K.B.Group;
  double Scale = K.Unit == TimeUnit::Ns
                     ? std::max(A.Clock.NsPerCycle, B.Clock.NsPerCycle)
                     : 1;
  Disturbance D;
  D.Mark = Scale * markDifference(A, B);
  D.OneMark = Scale * std::max(A.MarkCost.value_or(0), B.MarkCost.value_or(0));
  if (K.Unit == TimeUnit::Ns)
    D.Clock = A.Clock.Uncertainty + B.Clock.Uncertainty;
  D.Alignment = A.Clock.AlignmentErrorNs + B.Clock.AlignmentErrorNs;
  return D;
}

// ---- comparing ----

static Comparison compare(const Estimate &A, const Estimate &B,
                          double Explained) {
  Comparison C;
  static_cast<Difference &>(C) = difference(A, B);
  C.Explained = Explained;
  C.Says = C.HasInterval ? Verdict::Noise : Verdict::NoInterval;
  return C;
}

static double ratio(uint64_t Of, uint64_t To) {
  return To == 0 ? 0 : static_cast<double>(Of) / static_cast<double>(To);
}

/// \p WarpTime: of all warps, the smaller of both sides [units].
static RowDiff compareRows(const RowEstimates &A, const RowEstimates &B,
                           const Disturbance &D, double WarpTime) {
  // At least one a stay.
  auto MarksOf = [](const RowEstimates &E) {
    return std::max(E.Marks, E.Count);
  };
  RowDiff R;
  R.CountA = A.Count;
  R.CountB = B.Count;
  if (A.Count > 0 && B.Count > 0) {
    double Marks =
        std::max(ratio(MarksOf(A), A.Count), ratio(MarksOf(B), B.Count));
    auto Stay = [&](const Estimate &EA, const Estimate &EB) {
      Comparison C = compare(
          EA, EB, D.ofMarks(Marks) + D.Clock * std::max(EA.Value, EB.Value));
      C.BelowMark = std::abs(C.change()) < D.OneMark;
      return C;
    };
    R.Median = Stay(A.Median, B.Median);
    R.Mean = Stay(A.Mean, B.Mean);
  }
  if (WarpTime > 0)
    R.Share = compare(
        A.Share, B.Share,
        D.ofMarks(static_cast<double>(std::max(MarksOf(A), MarksOf(B)))) /
            WarpTime);
  return R;
}

static double warpTime(const KernelSamples &S) {
  double Sum = 0;
  for (const UnitSamples &U : S.Units)
    Sum += U.WarpTime;
  return Sum;
}

static void addRows(KernelDiff &K, const KernelSamples &A,
                    const KernelSamples &B, const Disturbance &D) {
  const std::vector<RowName> &InA = K.A.Group.Rows;
  const std::vector<RowName> &InB = K.B.Group.Rows;
  auto EA = estimateRows(A.Units, InA.size(), SeedA);
  auto EB = estimateRows(B.Units, InB.size(), SeedB);
  double WarpTime = std::min(warpTime(A), warpTime(B));
  for (auto [I, Row] : enumerate(InA)) {
    auto It = find(InB, Row);
    RowDiff R;
    if (It != InB.end())
      R = compareRows(EA[I], EB[It - InB.begin()], D, WarpTime);
    else
      R.CountA = EA[I].Count;
    R.InB = It != InB.end();
    R.Name = Row.Name;
    R.IsScope = Row.IsScope;
    K.Rows.push_back(std::move(R));
  }
  for (auto [I, Row] : enumerate(InB)) {
    if (is_contained(InA, Row))
      continue;
    RowDiff R;
    R.Name = Row.Name;
    R.IsScope = Row.IsScope;
    R.InA = false;
    R.CountB = EB[I].Count;
    K.Rows.push_back(std::move(R));
  }
  llvm::stable_sort(K.Rows, [](const RowDiff &R, const RowDiff &S) {
    return R.IsScope < S.IsScope;
  });
}

/// Whole launches. On each warp's way lie all of its marks.
static void addLaunchTimes(KernelDiff &K, const KernelSamples &A,
                           const KernelSamples &B, const Disturbance &D) {
  K.Launch.Name = "launch";
  RowEstimates EA = estimateRow(A.LaunchTimes, SeedA);
  RowEstimates EB = estimateRow(B.LaunchTimes, SeedB);
  K.Launch.CountA = EA.Count;
  K.Launch.CountB = EB.Count;
  if (EA.Count == 0 || EB.Count == 0)
    return;
  double Marks =
      std::max(ratio(K.A.Marks, K.A.Warps), ratio(K.B.Marks, K.B.Warps));
  double Scale = K.Unit == TimeUnit::Ns ? 1
                                        : std::max(K.A.Group.Clock.NsPerCycle,
                                                   K.B.Group.Clock.NsPerCycle);
  double Explained = D.Alignment + D.ofMarks(Marks) * Scale;
  K.Launch.Median = compare(EA.Median, EB.Median, Explained);
  K.Launch.Mean = compare(EA.Mean, EB.Mean, Explained);
}

// ---- warnings ----

static std::string listed(const std::set<std::string> &Texts) {
  return join(Texts, "; ");
}

static void warnOfKernel(KernelDiff &K) {
  const KernelGroup &A = K.A.Group, &B = K.B.Group;
  auto Warn = [&](const Twine &Text) { K.Warnings.push_back(Text.str()); };
  if (A.Name != B.Name)
    Warn("other instance: A is " + A.Name + ", B is " + B.Name);
  if (A.Shapes != B.Shapes)
    Warn("other shape: A has " + listed(A.Shapes) + "; B has " +
         listed(B.Shapes));
  else if (A.Shapes.size() > 1)
    Warn("several shapes, mixed here: " + listed(A.Shapes));
  for (auto [Side, G] : {std::pair("A", &A), std::pair("B", &B)})
    if (G->Places.size() > 1)
      Warn(Twine(Side) + " has several kernels of this name, mixed here: " +
           listed(G->Places));
  if (A.Recorders != B.Recorders)
    Warn("other recorder: A has " + listed(A.Recorders) + "; B has " +
         listed(B.Recorders) +
         (std::isinf(markDifference(A, B))
              ? "; by how much their marks differ is not known"
              : ""));
  if (A.MarkCost && B.MarkCost && std::abs(*A.MarkCost - *B.MarkCost) >= 1)
    Warn("a mark takes " + fixed(*A.MarkCost, 1) + " cycles in A, " +
         fixed(*B.MarkCost, 1) + " in B");
  if (A.MarkCost.has_value() != B.MarkCost.has_value())
    Warn("what a mark takes is known in " + Twine(A.MarkCost ? "A" : "B") +
         " only (" + fixed(A.MarkCost ? *A.MarkCost : *B.MarkCost, 1) +
         " cycles): changes may be of that, too");
  if (A.severalLaunches() != B.severalLaunches())
    Warn(Twine("launches of ") + (A.severalLaunches() ? "B" : "A") +
         " may differ more than the blocks of its one launch show");
}

static TraceFacts factsOf(const DiffInput &In) {
  TraceFacts F;
  const Meta &M = In.T.meta();
  F.File = In.File;
  F.Program = printable(M.Program);
  std::set<std::string> Names;
  for (const Device &D : M.Devices)
    Names.insert(printable(D.Name));
  F.Devices = join(Names, ", ");
  F.Launches = In.S.launches().size();
  F.DroppedEvents = M.Total.DroppedEvents;
  return F;
}

static void warnOfTrace(const char *Side, const DiffInput &In, Diff &Out) {
  const Meta &M = In.T.meta();
  auto Warn = [&](const Twine &Text) { Out.Warnings.push_back(Text.str()); };
  if (M.Total.DroppedEvents || M.Total.DroppedRecords)
    Warn(Twine(Side) + " dropped " + counted(M.Total.DroppedEvents, "event") +
         ": what was recorded may not be like what was not");
  if (In.T.Raw.CutShort)
    Warn(Twine(Side) + " was cut short");
}

static void warnOfTraces(const DiffInput &A, const DiffInput &B, Diff &Out) {
  auto Warn = [&](const Twine &Text) { Out.Warnings.push_back(Text.str()); };
  if (Out.A.Devices != Out.B.Devices)
    Warn("other device: A is of " + Out.A.Devices + ", B of " + Out.B.Devices);
  std::string SampledA = sampleText(A.T.meta().Samples);
  std::string SampledB = sampleText(B.T.meta().Samples);
  if (SampledA != SampledB) {
    auto OrAll = [](const std::string &S) { return S.empty() ? "all" : S; };
    Warn("sampled otherwise: A " + OrAll(SampledA) + "; B " + OrAll(SampledB));
  }
  warnOfTrace("A", A, Out);
  warnOfTrace("B", B, Out);
}

// ---- verdicts ----

static void forEachComparison(Diff &D, function_ref<void(Comparison &)> Do) {
  auto Each = [&](RowDiff &R) {
    for (Comparison *C : {&R.Median, &R.Mean, &R.Share})
      if (C->HasInterval)
        Do(*C);
  };
  for (KernelDiff &K : D.Kernels) {
    Each(K.Launch);
    for (RowDiff &R : K.Rows)
      Each(R);
  }
}

static void judge(Diff &D) {
  std::vector<double> P;
  forEachComparison(D, [&](Comparison &C) { P.push_back(C.P); });
  D.Compared = P.size();
  const std::vector<double> Adjusted = holm(P);
  size_t Next = 0;
  forEachComparison(D, [&](Comparison &C) {
    C.AdjustedP = Adjusted[Next++];
    if (C.AdjustedP >= Level || C.change() == 0)
      C.Says = Verdict::Noise;
    else if (std::abs(C.change()) <= C.Explained)
      C.Says = Verdict::Unclear;
    else
      C.Says = C.change() < 0 ? Verdict::Lower : Verdict::Higher;
  });
}

// ---- all of it ----

static void countUnits(KernelDiff &K, SideDiff &Side, const char *Letter,
                       const KernelSamples &S) {
  Side.Units = S.Units.size();
  if (S.Incomplete)
    K.Warnings.push_back("incomplete: " + counted(S.Incomplete, "launch") +
                         " of " + Letter +
                         " of which blocks are missing; how "
                         "long they took as a whole is not compared");
  for (const UnitSamples &U : S.Units) {
    Side.Blocks += U.Blocks;
    Side.Warps += U.Warps;
    Side.Marks += U.Marks;
  }
}

static std::vector<std::string>
notPaired(const std::vector<KernelGroup> &Groups, const Pairs &Paired) {
  std::vector<std::string> Out;
  for (const KernelGroup &G : Groups)
    if (none_of(Paired,
                [&](const auto &P) { return P.first == &G || P.second == &G; }))
      Out.push_back(G.Name);
  return Out;
}

Expected<Diff> compareTraces(const DiffInput &A, const DiffInput &B,
                             std::optional<TimeUnit> Unit) {
  Diff Out;
  Out.A = factsOf(A);
  Out.B = factsOf(B);
  warnOfTraces(A, B, Out);

  std::vector<KernelGroup> InA = groupByName(A.T, A.S);
  std::vector<KernelGroup> InB = groupByName(B.T, B.S);
  const Pairs Paired = pairKernels(InA, InB);
  Out.OnlyA = notPaired(InA, Paired);
  Out.OnlyB = notPaired(InB, Paired);

  std::vector<KernelGroup> GroupsA, GroupsB;
  std::vector<TimeUnit> Units;
  for (auto [GA, GB] : Paired) {
    KernelDiff K;
    K.A.Group = *GA;
    K.B.Group = *GB;
    K.Unit = chooseUnit(GA->Clock, GB->Clock, Unit, K.UnitReason);
    warnOfKernel(K);
    Units.push_back(K.Unit);
    GroupsA.push_back(*GA);
    GroupsB.push_back(*GB);
    Out.Kernels.push_back(std::move(K));
  }
  auto SamplesA = collectSamples(A.T, A.S, GroupsA, Units);
  if (!SamplesA)
    return SamplesA.takeError();
  auto SamplesB = collectSamples(B.T, B.S, GroupsB, Units);
  if (!SamplesB)
    return SamplesB.takeError();
  for (auto [K, SA, SB] : zip_equal(Out.Kernels, *SamplesA, *SamplesB)) {
    countUnits(K, K.A, "A", SA);
    countUnits(K, K.B, "B", SB);
    const Disturbance D = disturbance(K);
    addRows(K, SA, SB, D);
    addLaunchTimes(K, SA, SB, D);
  }
  judge(Out);
  return Out;
}

} // namespace kinstr::report
