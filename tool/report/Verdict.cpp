// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the verdict at a size, and again at a smaller one until it fits.
#include "report/Verdict.h"

#include "report/LaunchGroups.h"
#include "report/MarkCost.h"
#include "report/Names.h"
#include "report/ScopeStatistics.h"
#include "support/OutputFile.h"
#include "trace/HostClock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <numeric>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

/// Groups looked at in one pass, and kernels that are kept of them.
constexpr size_t GroupsAPass = 256, MostKernels = 8;
constexpr size_t NameBytes = 48, TextBytes = 240;

/// How much is told.
struct Limits {
  size_t Kernels = MostKernels, Phases = 32, Findings = 6, Extras = 16;

  /// False where there is nothing left to leave out.
  bool shrink() {
    return down(Phases, 8) || down(Extras, 4) || down(Findings, 3) ||
           down(Kernels, 3) || down(Phases, 4) || down(Extras, 2) ||
           down(Findings, 1) || down(Kernels, 1) || down(Phases, 1) ||
           down(Extras, 0) || down(Findings, 0);
  }

private:
  static bool down(size_t &Limit, size_t Least) {
    bool Can = Limit > Least;
    Limit -= Can;
    return Can;
  }
};

/// A kernel and what is to be told of it.
struct KernelVerdict {
  LaunchGroup Launches;
  Statistics S;
  ScopeStatistics Scopes;
};

class Writer {
public:
  Writer(const Trace &T, const Selection &Selected, const StatisticsOptions &O)
      : T(T), Selected(Selected), O(O) {}

  Error read();
  Error readScopes();
  std::string write(const Limits &L);

private:
  void header(json::OStream &J) const;
  void kernel(json::OStream &J, const KernelVerdict &K, const Limits &L) const;
  void device(json::OStream &J, const Launch &L) const;
  void shape(json::OStream &J, const KernelVerdict &K) const;
  void times(json::OStream &J, const KernelVerdict &K) const;
  void phases(json::OStream &J, const KernelVerdict &K, const PhaseRows &Rows,
              ArrayRef<size_t> Order) const;
  void scopes(json::OStream &J, const KernelVerdict &K,
              ArrayRef<ScopeStats> Shown) const;
  void findingList(json::OStream &J, ArrayRef<Finding> Found) const;
  void errorBars(json::OStream &J, const KernelVerdict &K) const;
  void confidence(json::OStream &J, const KernelVerdict &K) const;
  std::optional<double> markCycles(const KernelVerdict &K) const {
    return markCost(T, T.launches()[K.Launches.front()]);
  }

  const Trace &T;
  const Selection &Selected;
  const StatisticsOptions &O;
  std::vector<KernelVerdict> Kernels; ///< by warp time
  size_t NumKernels = 0;
  uint64_t Events = 0;
};

} // namespace

// ---- values ----

/// Valid UTF-8 without control characters, of \p Most bytes at most.
static std::string shortened(StringRef Text, size_t Most) {
  std::string Out = json::fixUTF8(printable(Text));
  if (Out.size() <= Most)
    return Out;
  size_t End = Most - strlen("…");
  while (End > 0 && (Out[End] & 0xC0) == 0x80)
    --End;
  return Out.substr(0, End) + "…";
}

static void null(json::OStream &J, StringRef Key) { J.attribute(Key, nullptr); }

/// Of damaged clocks some are no numbers.
static void number(json::OStream &J, StringRef Key, double Value,
                   unsigned Decimals) {
  if (!std::isfinite(Value))
    return null(J, Key);
  J.attributeBegin(Key);
  J.rawValue(fixed(Value, Decimals));
  J.attributeEnd();
}

/// Of whatever size: with \p Digits, integers with all of them.
static void anyNumber(json::OStream &J, StringRef Key, double Value,
                      int Digits) {
  if (!std::isfinite(Value))
    return null(J, Key);
  bool Integer = std::trunc(Value) == Value && std::abs(Value) < 1e15;
  std::string Text;
  raw_string_ostream(Text) << format("%.*g", Integer ? 15 : Digits, Value);
  J.attributeBegin(Key);
  J.rawValue(Text);
  J.attributeEnd();
}

static void share(json::OStream &J, StringRef Key, double Value) {
  number(J, Key, std::clamp(Value, 0.0, 1.0), 3);
}

static void count(json::OStream &J, StringRef Key, uint64_t N) {
  J.attributeBegin(Key);
  J.rawValue(utostr(N));
  J.attributeEnd();
}

static void countOrNull(json::OStream &J, StringRef Key,
                        std::optional<uint64_t> N) {
  if (N)
    count(J, Key, *N);
  else
    null(J, Key);
}

static void dims(json::OStream &J, StringRef Key, const Dim3 &D) {
  J.attributeArray(Key, [&] {
    for (uint32_t N : D)
      J.value(N);
  });
}

static void text(json::OStream &J, StringRef Key, StringRef Value,
                 size_t Most) {
  J.attribute(Key, shortened(Value, Most));
}

static void textOrNull(json::OStream &J, StringRef Key, StringRef Value) {
  if (Value.empty())
    null(J, Key);
  else
    text(J, Key, Value, 2 * NameBytes);
}

// ---- kernels ----

Error Writer::read() {
  std::vector<LaunchGroup> Groups = groupByKernel(T, Selected.launches());
  NumKernels = Groups.size();
  for (size_t Begin = 0; Begin < Groups.size(); Begin += GroupsAPass) {
    ArrayRef<LaunchGroup> Some =
        ArrayRef(Groups).slice(Begin).take_front(GroupsAPass);
    Expected<std::vector<Statistics>> All =
        computeStatistics(T, Selected, Some, O);
    if (!All)
      return All.takeError();
    for (auto [G, S] : zip_equal(Some, *All)) {
      Events += S.Events;
      Kernels.push_back({G, std::move(S), {}});
    }
    llvm::stable_sort(Kernels,
                      [](const KernelVerdict &A, const KernelVerdict &B) {
                        return A.S.WarpCycles > B.S.WarpCycles;
                      });
    if (Kernels.size() > MostKernels)
      Kernels.erase(Kernels.begin() + MostKernels, Kernels.end());
  }
  return readScopes();
}

Error Writer::readScopes() {
  std::vector<LaunchGroup> Groups(Kernels.size());
  for (auto [G, K] : zip_equal(Groups, Kernels))
    G = K.Launches;
  Expected<std::vector<ScopeStatistics>> All =
      computeScopeStatistics(T, Selected, Groups);
  if (!All)
    return All.takeError();
  for (auto [K, S] : zip_equal(Kernels, *All))
    K.Scopes = std::move(S);
  // As with phases, those of a filter are told of, and the largest come first.
  for (KernelVerdict &K : Kernels) {
    erase_if(K.Scopes.Scopes,
             [](const ScopeStats &S) { return S.R.count() + S.R.Open == 0; });
    erase_if(K.Scopes.Values, [](const ValueStats &V) { return !V.N.count(); });
    llvm::stable_sort(K.Scopes.Scopes,
                      [](const ScopeStats &A, const ScopeStats &B) {
                        return A.R.InWarps > B.R.InWarps;
                      });
  }
  return Error::success();
}

void Writer::header(json::OStream &J) const {
  const Meta &M = T.meta();
  J.attribute("schema", "kinstr-verdict/1");
  text(J, "program", M.Program, NameBytes);
  count(J, "launches", Selected.launches().size());
  count(J, "launches_in_trace", T.launches().size());
  count(J, "events", Events);
  count(J, "dropped_events", M.Total.DroppedEvents);
  J.attribute("damaged", T.Raw.CutShort || !T.Ls.Warnings.empty());
  textOrNull(J, "sampled", sampleText(M.Samples));
  textOrNull(J, "selected", filterText(Selected.filter()));
  if (!M.Merged)
    return;
  count(J, "processes", M.Processes.size());
  countOrNull(J, "between_processes_ns", betweenProcessesNs(M));
}

/// Which GPU, and of a merged trace whose: the same kernel may have run on
/// several.
void Writer::device(json::OStream &J, const Launch &L) const {
  const Meta &M = T.meta();
  text(J, "device", T.device(L).Name, NameBytes);
  count(J, "device_index", L.Device);
  if (!M.Merged)
    return;
  const Process &P = M.Processes[T.device(L).Process];
  J.attributeObject("process", [&] {
    countOrNull(J, "rank",
                P.Rank < 0 ? std::nullopt : std::optional<uint64_t>(P.Rank));
    textOrNull(J, "host", P.Host);
    count(J, "pid", P.Pid);
  });
}

void Writer::shape(json::OStream &J, const KernelVerdict &K) const {
  const Launch &L = T.launches()[K.Launches.front()];
  const Kernel &Source = T.kernel(L);
  text(J, "name", kernelName(T, L), 2 * NameBytes);
  // The end of a path says more than its beginning.
  StringRef File = T.module(L).fileOf(Source);
  text(J, "at",
       (File.size() > NameBytes ? "…" + File.take_back(NameBytes).str()
                                : File.str()) +
           ":" + utostr(Source.Line),
       2 * NameBytes);
  device(J, L);
  count(J, "launches", K.Launches.size());
  dims(J, "grid", L.Grid);
  dims(J, "block", L.BlockDim);
  count(J, "blocks", K.S.Blocks);
  count(J, "blocks_expected", K.S.ExpectedBlocks);
  count(J, "warps", K.S.Warps);
}

void Writer::times(json::OStream &J, const KernelVerdict &K) const {
  const Launch &L = T.launches()[K.Launches.front()];
  if (K.S.HasNs)
    number(J, "longest_launch_ns", K.S.LongestNs, 0);
  else
    null(J, "longest_launch_ns");
  uint64_t Slots = uint64_t(L.BlocksPerSm) * T.device(L).SmCount;
  if (Slots)
    number(J, "waves", double(L.gridBlocks()) / double(Slots), 2);
  else
    null(J, "waves");
  if (!K.S.hasTail())
    return null(J, "tail");
  J.attributeObject("tail", [&] {
    share(J, "share", K.S.tailShare());
    share(J, "idle", K.S.idleShare());
  });
}

static void durations(json::OStream &J, const Statistics &S,
                      const RowStats &R) {
  if (!R.Cycles.count())
    return;
  Quantiles Q = S.HasNs ? S.nsOf(R) : S.cyclesOf(R);
  number(J, "p50", Q.P50, Q.P50 < 100);
  number(J, "p99", Q.P99, Q.P99 < 100);
}

void Writer::phases(json::OStream &J, const KernelVerdict &K,
                    const PhaseRows &Rows, ArrayRef<size_t> Order) const {
  J.attribute("unit", K.S.HasNs ? "ns" : "cycles");
  J.attributeArray("phases", [&] {
    for (size_t I : Order)
      J.object([&] {
        const RowStats &R = K.S.Rows[I];
        text(J, "name", Rows.rows()[I].Name, NameBytes);
        count(J, "line", Rows.rows()[I].Lines.front());
        count(J, "count", R.count());
        if (Rows.rows()[I].Instant) {
          J.attribute("mark", true);
          return;
        }
        durations(J, K.S, R);
        share(J, "share", K.S.shareOf(R.InWarps));
        if (K.S.HasPath)
          share(J, "path", K.S.pathShareOf(R));
        if (R.LongestWarps > 0)
          share(J, "imbalance", R.imbalance());
      });
  });
}

/// Inclusive ones: their shares do not add up.
void Writer::scopes(json::OStream &J, const KernelVerdict &K,
                    ArrayRef<ScopeStats> Shown) const {
  J.attributeArray("scopes", [&] {
    for (const ScopeStats &S : Shown)
      J.object([&] {
        text(J, "name", S.Site.Name, NameBytes);
        count(J, "line", S.Site.Lines.front());
        count(J, "count", S.R.count());
        durations(J, K.S, S.R);
        share(J, "share", K.S.shareOf(S.R.InWarps));
      });
  });
}

static void values(json::OStream &J, ArrayRef<ValueStats> Shown) {
  J.attributeArray("values", [&] {
    for (const ValueStats &V : Shown)
      J.object([&] {
        bool Any = V.N.hasRange();
        text(J, "name", V.Site.Name, NameBytes);
        count(J, "line", V.Site.Lines.front());
        count(J, "count", V.N.count());
        anyNumber(J, "min", Any ? V.N.min().toDouble() : NAN, 6);
        anyNumber(J, "mean", Any ? V.N.mean() : NAN, 9);
        anyNumber(J, "max", Any ? V.N.max().toDouble() : NAN, 6);
      });
  });
}

void Writer::findingList(json::OStream &J, ArrayRef<Finding> Found) const {
  J.attributeArray("findings", [&] {
    for (const Finding &F : Found)
      J.object([&] {
        J.attribute("kind", kindName(F.Kind));
        J.attribute("confidence", F.Certain ? "high" : "medium");
        share(J, "share", F.Share);
        if (!F.Phase.empty())
          text(J, "phase", F.Phase, NameBytes);
        text(J, "text", F.Text, TextBytes);
        if (!F.See.empty())
          text(J, "see", F.See, 2 * NameBytes);
      });
  });
}

void Writer::errorBars(json::OStream &J, const KernelVerdict &K) const {
  J.attributeObject("error_bars", [&] {
    if (K.S.HasNs && K.S.AlignmentNs)
      number(J, "alignment_ns", std::ceil(*K.S.AlignmentNs), 0);
    else
      null(J, "alignment_ns");
    if (std::optional<double> Cost = markCycles(K))
      number(J, "mark_cycles", *Cost, 1);
    else
      null(J, "mark_cycles");
    J.attribute("mark_cost_subtracted",
                O.SubtractMarkCost && markCycles(K).has_value());
    // Half a bucket, and only above what has a bucket of its own.
    number(J, "quantiles_relative", Histogram::Resolution / 2, 6);
  });
}

/// What keeps figures from being trusted, and then what keeps them from being
/// trusted altogether.
void Writer::confidence(json::OStream &J, const KernelVerdict &K) const {
  const Statistics &S = K.S;
  SmallVector<StringRef> Low, Medium;
  auto Add = [](SmallVector<StringRef> &To, bool Is, StringRef Why) {
    if (Is)
      To.push_back(Why);
  };
  Add(Low, T.meta().Total.DroppedEvents > 0, "events were dropped");
  Add(Low, S.incomplete(), "blocks or warps are missing");
  Add(Low, S.UnfinishedBlocks || S.UnfinishedWarps, "warps were cut off");
  Add(Low, S.WrappedWarps > 0, "clocks may have wrapped");
  Add(Low, T.Raw.CutShort || !T.Ls.Warnings.empty(), "the trace is damaged");
  const Unplaced &U = T.Ls.Lost;
  Add(Low, U.Orphans || U.BadRecords || U.BadAnchors,
      "records could not be placed");
  Add(Medium, S.Blocks < 20, "fewer than 20 blocks");
  Add(Medium,
      any_of(K.Launches,
             [&](uint32_t I) {
               SlopeSource Source = T.clock(I).Source;
               return Source == SlopeSource::Nominal ||
                      Source == SlopeSource::None;
             }),
      "the clock rate was not measured");
  Add(Medium, !S.AlignmentNs, "the alignment error is not known");
  Add(Medium, !markCycles(K), "the cost of a mark is not known");
  Add(Medium,
      S.WarpCycles > 0 &&
          markCycles(K).value_or(0) * double(S.Events) > 0.1 * S.WarpCycles,
      "marks take over 10 % of the time");
  J.attribute("confidence", !Low.empty()      ? "low"
                            : !Medium.empty() ? "medium"
                                              : "high");
  J.attributeArray("doubts", [&] {
    for (StringRef Why : concat<StringRef>(Low, Medium))
      J.value(Why);
  });
}

/// Of phases that are told of, the largest shares first; marks last.
static std::vector<size_t> phaseOrder(const Statistics &S,
                                      const PhaseRows &Rows) {
  std::vector<size_t> Order;
  for (size_t I = 0; I < Rows.size(); ++I)
    if (S.Rows[I].Selected)
      Order.push_back(I);
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    bool MarkA = Rows.rows()[A].Instant, MarkB = Rows.rows()[B].Instant;
    return std::pair(MarkA, -S.Rows[A].InWarps) <
           std::pair(MarkB, -S.Rows[B].InWarps);
  });
  return Order;
}

void Writer::kernel(json::OStream &J, const KernelVerdict &K,
                    const Limits &L) const {
  PhaseRows Rows(T.kernel(T.launches()[K.Launches.front()]));
  std::vector<Finding> Found =
      findings({T, K.Launches, Rows, K.S, markCycles(K), O.SubtractMarkCost});
  std::vector<size_t> Order = phaseOrder(K.S, Rows);
  auto Shown = ArrayRef(Order).take_front(L.Phases);
  shape(J, K);
  times(J, K);
  phases(J, K, Rows, Shown);
  share(J, "untracked", K.S.shareOf(K.S.UntrackedCycles));
  // Absent where the kernel has none.
  auto Scopes = ArrayRef(K.Scopes.Scopes).take_front(L.Extras);
  auto Values = ArrayRef(K.Scopes.Values).take_front(L.Extras);
  if (!K.Scopes.Scopes.empty())
    scopes(J, K, Scopes);
  if (!K.Scopes.Values.empty())
    values(J, Values);

  auto Longest = max_element(Order, [&](size_t A, size_t B) {
    return K.S.Rows[A].Path < K.S.Rows[B].Path;
  });
  if (Longest == Order.end() || K.S.Rows[*Longest].Path <= 0)
    null(J, "critical_path");
  else
    J.attributeObject("critical_path", [&] {
      text(J, "phase", Rows.rows()[*Longest].Name, NameBytes);
      share(J, "share", K.S.pathShareOf(K.S.Rows[*Longest]));
    });
  auto Wait = find_if(Found, [](const Finding &F) {
    return F.Kind == FindingKind::Barrier || F.Kind == FindingKind::WarpWait;
  });
  if (Wait == Found.end())
    null(J, "dominant_wait");
  else
    J.attributeObject("dominant_wait", [&] {
      J.attribute("kind", kindName(Wait->Kind));
      text(J, "phase", Wait->Phase, NameBytes);
      share(J, "share", Wait->Share);
      if (Wait->Warp)
        count(J, "last_warp", *Wait->Warp);
    });
  auto Told = ArrayRef(Found).take_front(L.Findings);
  findingList(J, Told);
  errorBars(J, K);
  confidence(J, K);
  J.attributeObject("omitted", [&] {
    count(J, "phases", Order.size() - Shown.size());
    count(J, "findings", Found.size() - Told.size());
    if (!K.Scopes.Scopes.empty())
      count(J, "scopes", K.Scopes.Scopes.size() - Scopes.size());
    if (!K.Scopes.Values.empty())
      count(J, "values", K.Scopes.Values.size() - Values.size());
  });
}

std::string Writer::write(const Limits &L) {
  std::string Out;
  raw_string_ostream OS(Out);
  json::OStream J(OS);
  auto Shown = ArrayRef(Kernels).take_front(L.Kernels);
  J.object([&] {
    header(J);
    J.attributeArray("kernels", [&] {
      for (const KernelVerdict &K : Shown)
        J.object([&] { kernel(J, K, L); });
    });
    J.attributeObject("omitted",
                      [&] { count(J, "kernels", NumKernels - Shown.size()); });
  });
  return Out + "\n";
}

Expected<std::string> verdict(const Trace &T, const Selection &S,
                              const StatisticsOptions &O) {
  Writer W(T, S, O);
  if (Error E = W.read())
    return E;
  Limits L;
  std::string Out = W.write(L);
  while (Out.size() > MostVerdictBytes && L.shrink())
    Out = W.write(L);
  return Out;
}

Error writeVerdict(const Trace &T, const Selection &S,
                   const StatisticsOptions &O, StringRef Path,
                   raw_ostream &Out) {
  Expected<std::string> Text = verdict(T, S, O);
  if (!Text)
    return Text.takeError();
  if (Path == "-") {
    Out << *Text;
    return Error::success();
  }
  if (Error E = writeFile(Path, *Text))
    return createStringError(
        Path + ": error: cannot write: " + toString(std::move(E)));
  Out << "wrote " << Path << '\n';
  return Error::success();
}

} // namespace kinstr::report
