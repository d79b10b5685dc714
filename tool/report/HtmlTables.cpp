// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a survey to JSON.
#include "report/HtmlTables.h"

#include "report/Findings.h"
#include "report/MarkCost.h"
#include "report/Names.h"
#include "report/Palette.h"
#include "report/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

std::string pageText(StringRef Text) { return json::fixUTF8(printable(Text)); }

/// JavaScript's numbers are exact up to 2^53; no count gets there.
static json::Value number(uint64_t N) { return static_cast<double>(N); }

static json::Array numbers(ArrayRef<uint64_t> Values) {
  json::Array Out;
  for (uint64_t V : Values)
    Out.push_back(number(V));
  return Out;
}

// ---- kernels ----

namespace {

/// Kernels that launches of the page have, numbered as they are met.
class KernelTable {
public:
  KernelTable(const Trace &T, SourceFiles &Sources) : T(T), Sources(Sources) {}

  int64_t indexOf(const Launch &L) {
    auto [It, New] = Known.try_emplace({L.Module, L.Kernel},
                                       static_cast<int64_t>(List.size()));
    if (New)
      List.push_back(describe(L));
    return It->second;
  }
  json::Array take() { return std::move(List); }

private:
  json::Value describe(const Launch &L) {
    const Kernel &K = T.kernel(L);
    const Module &M = T.module(L);
    PhaseRows Phases(K);
    json::Array Rows;
    for (size_t I = 0; I < Phases.size(); ++I) {
      const PhaseRow &P = Phases.rows()[I];
      Fill F = theme(/*Dark=*/false).fillOf(I);
      Rows.push_back(json::Object{{"name", pageText(P.Name)},
                                  {"lines", P.lines()},
                                  {"instant", P.Instant},
                                  {"colour", F.Colour},
                                  {"hatch", F.Hatch}});
    }
    NamedSites Scopes(K, SiteKind::Scope), Values(K, SiteKind::Value);
    json::Array Sites;
    for (uint32_t I = 0; I < K.Sites.size(); ++I) {
      Sites.push_back(site(L, K.Sites[I], Phases.rowOf(I)));
      if (int Row = Scopes.rowOf(I); Row >= 0)
        (*Sites.back().getAsObject())["scope"] = Row;
      if (int Row = Values.rowOf(I); Row >= 0)
        (*Sites.back().getAsObject())["value"] = Row;
    }
    return json::Object{
        {"name", pageText(K.Name)},
        {"file", number(Sources.indexOf(M.fileOf(K)))},
        {"line", K.Line},
        {"recorder", pageText(K.Buffer + ", " + K.Layout + ", " + K.Flow)},
        {"rows", std::move(Rows)},
        {"scopes", named(Scopes, Phases.size())},
        {"values", named(Values, 0)},
        {"sites", std::move(Sites)}};
  }

  /// Their colours follow those of \p Before others.
  static json::Array named(const NamedSites &Sites, size_t Before) {
    json::Array Out;
    for (const PhaseRow &R : Sites.rows()) {
      Fill F = theme(/*Dark=*/false).fillOf(Before++);
      Out.push_back(json::Object{{"name", pageText(R.Name)},
                                 {"lines", R.lines()},
                                 {"colour", F.Colour},
                                 {"hatch", F.Hatch}});
    }
    return Out;
  }

  json::Value site(const Launch &L, const Site &S, int Row) {
    json::Object Out{{"row", Row}, {"line", S.Line}};
    if (S.Kind == SiteKind::Scope || S.Kind == SiteKind::ScopeEnd ||
        S.Kind == SiteKind::Value)
      Out["inPhase"] = true; // does not end the one before
    if (S.Drain != "none" && !S.Drain.empty())
      Out["drain"] = pageText(S.Drain);
    if (S.Callee == 0)
      return Out;
    const std::vector<RecordedCallee> &All =
        T.Ls.Callees.at({L.Module, L.Kernel});
    const RecordedCallee &R = All[S.Callee - 1];
    const Module &M = T.meta().Modules[R.Module];
    const Callee &C = M.Callees[R.Callee];
    Out["function"] = pageText(C.Name);
    Out["file"] = number(Sources.indexOf(C.File.empty() ? M.File : C.File));
    return Out;
  }

  const Trace &T;
  SourceFiles &Sources;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> Known;
  json::Array List;
};

} // namespace

// ---- the trace ----

static std::string deviceText(const Device &D, uint64_t StepNs) {
  std::string Out = pageText(D.Name) + ", sm_";
  for (char C : D.ComputeCapability)
    if (isDigit(C))
      Out += C;
  return Out + ", " + counted(D.SmCount, "SM") + ", globaltimer step " +
         utostr(StepNs) + " ns";
}

/// What is missing from all figures, and why.
static json::Array traceNotes(const Trace &T, const Selection &S,
                              ArrayRef<std::string> More) {
  json::Array Out;
  const Meta &M = T.meta();
  if (T.Raw.CutShort)
    Out.push_back("cut short: the file of the trace ends too early; what came "
                  "after is in none of the figures");
  for (uint32_t I = 0; M.Merged && I < M.Processes.size(); ++I)
    if (M.Processes[I].CutShort)
      Out.push_back(pageText(processText(M, I)) +
                    ": what came after is in none of the figures");
  if (std::string Text = filterText(S.filter()); !Text.empty())
    Out.push_back("selected: " + pageText(Text) +
                  "; the rest is in none of the figures");
  if (S.launches().size() < T.launches().size())
    Out.push_back("selected: " + utostr(S.launches().size()) + " of " +
                  counted(T.launches().size(), "launch"));
  if (!M.Samples.all())
    Out.push_back("sampled: " + sampleText(M.Samples) +
                  "; the others are in none of the figures");
  if (M.Total.DroppedEvents || M.Total.DroppedRecords)
    Out.push_back("dropped: " + counted(M.Total.DroppedEvents, "event") +
                  " in " + counted(M.Total.DroppedRecords, "record") +
                  " found no room and are in none of the figures");
  const Unplaced &U = T.Ls.Lost;
  if (uint64_t N = U.Orphans + U.BadRecords + U.BadAnchors)
    Out.push_back("not placed: " + counted(N, "record") +
                  " that fit no block of the trace");
  for (const std::string &Note : More)
    Out.push_back(Note);
  return Out;
}

static json::Value sourceTable(const SourceFile &F) {
  json::Object Out{{"name", pageText(F.Name)}};
  if (F.Found)
    Out["lines"] = json::Array(F.Lines);
  return Out;
}

/// In thousandths of the time of warps.
static double shareOfWarps(uint64_t Cycles, const LaunchSurvey &Found) {
  return Found.WarpCycles
             ? std::round(1000.0 * double(Cycles) / double(Found.WarpCycles))
             : 0.0;
}

static json::Array rowShares(const PhaseRows &Phases,
                             const LaunchSurvey &Found) {
  std::vector<uint64_t> Cycles(Phases.size());
  for (uint32_t I = 0; I < Found.Sites.size(); ++I)
    if (int Row = Phases.rowOf(I); Row >= 0)
      Cycles[Row] += Found.Sites[I].Cycles;
  json::Array Out;
  for (uint64_t C : Cycles)
    Out.push_back(shareOfWarps(C, Found));
  return Out;
}

/// Whose launch it is, where there are several; else empty.
static std::string whoseLaunch(const Meta &M, const Launch &L) {
  std::string Out;
  if (M.Devices.size() > 1)
    Out = "device " + utostr(L.Device);
  if (!M.Merged || M.Processes.size() < 2)
    return Out;
  uint32_t Process = M.Devices[L.Device].Process;
  int32_t Rank = M.Processes[Process].Rank;
  return Out + (Out.empty() ? "" : ", ") +
         (Rank >= 0 ? "rank " + itostr(Rank) : "process " + utostr(Process));
}

json::Value traceTable(const Trace &T, const Selection &S,
                       const PageLaunches &Launches, const Survey &Found,
                       ArrayRef<std::string> Notes, SourceFiles &Sources) {
  const Meta &M = T.meta();
  KernelTable Kernels(T, Sources);
  json::Array Lines;
  for (auto [I, F] : zip_equal(Launches.all(), Found.Launches)) {
    const Launch &L = T.launches()[I];
    json::Object Line{{"number", I},
                      {"kernel", Kernels.indexOf(L)},
                      {"name", pageText(kernelName(T, L))},
                      {"device", L.Device},
                      {"grid", dims(L.Grid)},
                      {"blocks", number(F.Blocks)},
                      {"spans", number(F.Spans)},
                      {"shares", rowShares(PhaseRows(T.kernel(L)), F)},
                      {"paused", shareOfWarps(F.PausedCycles, F)}};
    if (T.clock(I).Source != SlopeSource::None && F.Range) {
      Line["ns"] = F.Range->length();
      Line["axisNs"] = F.Axis.length();
    }
    if (std::string Whose = whoseLaunch(M, L); !Whose.empty())
      Line["whose"] = Whose;
    Lines.push_back(std::move(Line));
  }
  json::Array Devices, Files;
  for (size_t I = 0; I < M.Devices.size(); ++I)
    Devices.push_back(deviceText(M.Devices[I], T.Time.Steps[I].Ns));
  json::Array KernelList = Kernels.take();
  for (const SourceFile &F : Sources.files())
    Files.push_back(sourceTable(F));
  json::Object Selected{{"somePhases", !S.filter().Phase.empty()}};
  if (double Ns = S.filter().FromNs; std::isfinite(Ns))
    Selected["fromNs"] = Ns;
  if (double Ns = S.filter().ToNs; std::isfinite(Ns))
    Selected["toNs"] = Ns;
  return json::Object{{"program", pageText(M.Program)},
                      {"options", pageText(M.Options)},
                      {"events", number(M.Total.Events)},
                      {"dropped", number(M.Total.DroppedEvents)},
                      {"untracked", theme(/*Dark=*/false).Untracked},
                      {"filtered", !S.wholeLaunches()},
                      {"selected", std::move(Selected)},
                      {"devices", std::move(Devices)},
                      {"notes", traceNotes(T, S, Notes)},
                      {"kernels", std::move(KernelList)},
                      {"files", std::move(Files)},
                      {"launches", std::move(Lines)}};
}

// ---- a launch ----

static json::Array pair(StringRef Label, const std::string &Value) {
  return json::Array{Label, Value};
}

static std::string whereLaunched(const Trace &T, const Launch &L) {
  const HostLaunch *H = T.hostLaunch(L);
  std::string Out;
  if (H && H->Site >= 0) {
    const Module &From = T.meta().Modules[H->Module];
    const LaunchSite &Site = From.Launches[H->Site];
    Out = pageText(Site.File.empty() ? From.File : Site.File) + ":" +
          utostr(Site.Line);
  }
  if (H)
    Out += (Out.empty() ? "stream " : ", stream ") + utostr(H->Stream);
  return Out;
}

static json::Array shape(const Trace &T, const Launch &L,
                         const Statistics &Stats) {
  json::Array Out{pair("grid", dims(L.Grid)), pair("block", blockDims(L))};
  if (uint64_t(L.Cluster[0]) * L.Cluster[1] * L.Cluster[2] > 1)
    Out.push_back(pair("cluster", dims(L.Cluster)));
  const Function *F = T.function(L);
  Out.push_back(pair("registers", F ? utostr(F->Registers) : "unknown"));
  if (F && F->LocalBytes)
    Out.push_back(pair("local", utostr(F->LocalBytes) + " B"));
  Out.push_back(
      pair("shared", (F ? utostr(F->StaticShared) + " B static + " : "") +
                         utostr(L.DynamicShared) + " B dynamic"));
  uint32_t SmCount = T.device(L).SmCount;
  bool Known = L.BlocksPerSm && SmCount;
  Out.push_back(
      pair("blocks per SM", Known ? utostr(L.BlocksPerSm) : "unknown"));
  Out.push_back(pair(
      "waves",
      Known
          ? fixed(double(L.gridBlocks()) / (double(L.BlocksPerSm) * SmCount), 2)
          : "unknown"));
  if (Stats.hasTail())
    Out.push_back(pair("tail", fixed(100 * Stats.tailShare(), 1) +
                                   " % of the launch, " +
                                   fixed(100 * Stats.idleShare(), 1) +
                                   " % of its slots' time"));
  if (std::string Where = whereLaunched(T, L); !Where.empty())
    Out.push_back(pair("launched", Where));
  return Out;
}

/// How far the figures can be trusted.
static json::Array quality(const Trace &T, uint32_t Index) {
  const Launch &L = T.launches()[Index];
  const LaunchClock &C = T.clock(Index);
  std::string Clock = clockText(C);
  if (C.drifts())
    Clock += ", drifts or differs between SMs; the time axis follows it";
  json::Array Out{pair("", Clock), pair("alignment of SMs", alignmentText(C))};
  std::optional<double> Cost = markCost(T, L);
  Out.push_back(
      pair("a mark takes", Cost ? fixed(*Cost, 1) + " cycles, not subtracted"
                                : "an unknown number of cycles"));
  return Out;
}

/// Which of the blocks that should have been recorded were; empty: all.
static std::string missingBlocks(const Trace &T, const Launch &L,
                                 const LaunchSurvey &F, bool Whole) {
  const Sampling &Samples = T.meta().Samples;
  uint64_t Expected = Samples.Blocks.countOf(L.gridBlocks());
  if (!Whole || !Samples.Sms.all() || F.Blocks >= Expected)
    return "";
  return utostr(F.Blocks) + " of " + utostr(Expected) + " blocks recorded";
}

static json::Array launchNotes(const Trace &T, const Launch &L,
                               const LaunchSurvey &F, bool Whole) {
  json::Array Out;
  const Sampling &Samples = T.meta().Samples;
  if (std::string Some = missingBlocks(T, L, F, Whole); !Some.empty())
    Out.push_back("incomplete: " + Some);
  uint64_t Warps = F.Blocks * Samples.warpsOf(L.warpsPerBlock());
  if (Whole && F.Warps < Warps)
    Out.push_back("incomplete: " + utostr(F.Warps) + " of " + utostr(Warps) +
                  " warps of these blocks recorded");
  if (F.UnfinishedBlocks)
    Out.push_back("unfinished: " + counted(F.UnfinishedBlocks, "block") +
                  " never reached the end of the kernel");
  if (F.UnfinishedWarps)
    Out.push_back("unfinished: " + counted(F.UnfinishedWarps, "warp") +
                  " left no exit; their last phase is in the shares, not in "
                  "the counts");
  if (F.MovedBlocks)
    Out.push_back("moved: " + counted(F.MovedBlocks, "block") +
                  " ended on another SM than they started on: their times mix "
                  "two clocks, and they are not in the picture of the blocks");
  if (F.WrappedWarps)
    Out.push_back("wrapped: " + counted(F.WrappedWarps, "warp") +
                  " may have been longer in a phase than shown, by a multiple "
                  "of 2^32 cycles");
  if (F.UnknownSites)
    Out.push_back("unknown: " + counted(F.UnknownSites, "event") +
                  " of sites the kernel does not have");
  return Out;
}

/// Without the empty ends. viewer/phases.js knows how wide the bins are.
static json::Object eighths(const std::vector<uint64_t> &Counts) {
  auto First = find_if(Counts, [](uint64_t N) { return N != 0; });
  return json::Object{
      {"first", static_cast<int64_t>(First - Counts.begin())},
      {"counts", numbers(ArrayRef(Counts).drop_front(First - Counts.begin()))}};
}

static json::Object durations(const Histogram &D) {
  json::Object Out{{"count", number(D.count())}};
  if (!D.count())
    return Out;
  Out["min"] = number(D.min());
  Out["p50"] = number(D.quantile(0.50));
  Out["p95"] = number(D.quantile(0.95));
  Out["p99"] = number(D.quantile(0.99));
  Out["max"] = number(D.max());
  return Out;
}

/// The sites of a row put together. \p Rows: PhaseRows or NamedSites.
template <typename RowsT>
static std::vector<SiteSurvey> byRow(const RowsT &Rows,
                                     const LaunchSurvey &Found) {
  std::vector<SiteSurvey> Out(Rows.size());
  for (uint32_t I = 0; I < Found.Sites.size(); ++I)
    if (int Row = Rows.rowOf(I); Row >= 0)
      Out[Row].join(Found.Sites[I]);
  return Out;
}

static json::Object scopeTable(const SiteSurvey &Found) {
  json::Object Row = durations(Found.Closed);
  if (Found.Closed.count())
    Row["histogram"] = eighths(Found.Eighths);
  Row["open"] = number(Found.Open);
  Row["cycles"] = number(Found.Cycles);
  return Row;
}

/// Numbers as text: not all are JSON's.
static json::Object numberTable(const NumberStats &Found) {
  json::Object Out{{"count", number(Found.count())}};
  if (!Found.count())
    return Out;
  if (Found.hasRange()) {
    Out["min"] = Found.min().str();
    Out["mean"] = Found.meanText();
    Out["max"] = Found.max().str();
  }
  Out["last"] = Found.last().str();
  return Out;
}

static json::Object rowTable(const SiteSurvey &Found, const Statistics &Stats,
                             const RowStats &R) {
  json::Object Row = durations(Found.Closed);
  if (Found.Closed.count())
    Row["histogram"] = eighths(Found.Eighths);
  Row["passes"] = number(Found.Passes);
  Row["open"] = number(R.Open);
  Row["cycles"] = number(Found.Cycles);
  Row["warps"] = numbers(Found.WarpCycles);
  if (Found.Cycles && Stats.HasPath)
    Row["path"] = Stats.pathShareOf(R);
  if (Found.Cycles)
    Row["imbalance"] = R.imbalance();
  if (!R.Selected)
    Row["selected"] = false;
  return Row;
}

static json::Array findingTable(const Trace &T, uint32_t Index,
                                const PhaseRows &Phases,
                                const Statistics &Stats) {
  json::Array Out;
  LaunchGroup Group = {Index};
  for (const Finding &F :
       findings({T, Group, Phases, Stats, markCost(T, T.launches()[Index])})) {
    json::Object O{{"text", pageText(F.Text)}, {"certain", F.Certain}};
    if (!F.Phase.empty())
      O["phase"] = pageText(F.Phase);
    if (F.Warp)
      O["warp"] = *F.Warp;
    StringRef See = F.See; // options of kinstr-report
    if (uint32_t Block = 0;
        See.consume_front("--block ") && !See.consumeInteger(10, Block))
      O["block"] = Block;
    Out.push_back(std::move(O));
  }
  return Out;
}

json::Object launchTable(const Trace &T, uint32_t Index,
                         const LaunchSurvey &Found, const Statistics &Stats) {
  const Launch &L = T.launches()[Index];
  const LaunchClock &Clock = T.clock(Index);
  const Kernel &K = T.kernel(L);
  PhaseRows Phases(K);
  json::Array Rows, Sites;
  for (auto [R, S] : zip_equal(byRow(Phases, Found), Stats.Rows))
    Rows.push_back(rowTable(R, Stats, S));
  for (const SiteSurvey &S : Found.Sites) {
    json::Object Site = durations(S.Closed);
    Site["cycles"] = number(S.Cycles);
    Site["passes"] = number(S.Passes);
    if (S.Numbers.count())
      Site["numbers"] = numberTable(S.Numbers);
    Sites.push_back(std::move(Site));
  }
  json::Array Scopes, Values;
  for (const SiteSurvey &S : byRow(NamedSites(K, SiteKind::Scope), Found))
    Scopes.push_back(scopeTable(S));
  for (const SiteSurvey &S : byRow(NamedSites(K, SiteKind::Value), Found))
    Values.push_back(numberTable(S.Numbers));
  json::Object Out{{"shape", shape(T, L, Stats)},
                   {"quality", quality(T, Index)},
                   {"notes", launchNotes(T, L, Found, Stats.WholeLaunches)},
                   {"warps", number(Found.Warps)},
                   {"events", number(Found.Events)},
                   {"spans", number(Found.Spans)},
                   {"warpCycles", number(Found.WarpCycles)},
                   {"phaseCycles", number(Found.PhaseCycles)},
                   {"pausedCycles", number(Found.PausedCycles)},
                   {"warpsByIndex", numbers(Found.WarpsByIndex)},
                   {"scopes", number(Found.Scopes)},
                   {"numbers", number(Found.Numbers)},
                   {"rows", std::move(Rows)},
                   {"scopeRows", std::move(Scopes)},
                   {"valueRows", std::move(Values)},
                   {"findings", findingTable(T, Index, Phases, Stats)},
                   {"sites", std::move(Sites)},
                   {"sms", T.device(L).SmCount}};
  if (Clock.Source != SlopeSource::None && Found.Range) {
    Out["nsPerCycle"] = Clock.NsPerCycle;
    Out["originNs"] = Found.Axis.Begin;
    if (!Clock.oneSm() && Clock.StepKnown)
      Out["alignmentNs"] = Clock.AlignmentErrorNs;
  }
  if (std::optional<double> Cost = markCost(T, L))
    Out["markCycles"] = *Cost;
  if (std::string Some = missingBlocks(T, L, Found, Stats.WholeLaunches);
      !Some.empty())
    Out["incomplete"] = Some;
  return Out;
}

} // namespace kinstr::report
