// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints headers, phase tables and notes.
#include "report/Terminal.h"

#include "report/Extent.h"
#include "report/MarkCost.h"
#include "report/Names.h"
#include "report/Statistics.h"
#include "report/TextTable.h"
#include "trace/HostClock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

/// More launches than this are summed up per kernel.
constexpr size_t FullTables = 8;

class Printer {
public:
  Printer(const Trace &T, const TerminalOptions &O, raw_ostream &OS)
      : T(T), O(O), OS(OS) {}

  void print(ArrayRef<uint32_t> Selected);

private:
  void fileHeader(ArrayRef<uint32_t> Selected);
  void launch(uint32_t Index);
  void kernelGroup(ArrayRef<uint32_t> Indices);
  void launchList(ArrayRef<uint32_t> Selected);
  void nothingRecorded();

  void title(const Twine &Text);
  void note(const Twine &Text, bool Warn = false);
  void shapeLines(const Launch &L);
  void phaseTable(const PhaseRows &Phases, const Statistics &S);
  void notes(const Statistics &S);
  void markCostLine(const Launch &L);
  void beganLine(uint32_t Index);
  std::string whereLaunched(const Launch &L) const;
  std::string counts(const Statistics &S) const;
  /// In front of what is not all there is.
  std::string sampled() const {
    const Sampling &S = T.meta().Samples;
    return S.Blocks.all() && S.Sms.all() ? "" : "sampled ";
  }

  const Trace &T;
  const TerminalOptions &O;
  raw_ostream &OS;
};

} // namespace

void Printer::title(const Twine &Text) {
  if (O.Colour)
    OS << "\x1b[1m" << Text << "\x1b[0m\n";
  else
    OS << Text << '\n';
}

void Printer::note(const Twine &Text, bool Warn) {
  if (O.Colour && Warn)
    OS << "  \x1b[1;35m" << Text << "\x1b[0m\n";
  else
    OS << "  " << Text << '\n';
}

void Printer::fileHeader(ArrayRef<uint32_t> Selected) {
  const Meta &M = T.meta();
  std::string Launches = counted(T.Ls.List.size(), "launch");
  if (Selected.size() < T.launches().size())
    Launches = utostr(Selected.size()) + " of " + Launches;
  title(printable(M.Program.empty() ? "trace" : M.Program) + ": " + Launches +
        ", " + counted(T.Ls.countEvents(), "event") + ", " +
        utostr(M.Total.DroppedEvents) + " dropped" +
        (T.Raw.CutShort ? ", cut short" : "") +
        (T.Ls.Warnings.empty() ? "" : ", damaged"));
  for (size_t I = 0; I < M.Devices.size(); ++I) {
    const Device &D = M.Devices[I];
    std::string Capability = printable(D.ComputeCapability);
    llvm::erase(Capability, '.');
    OS << "device " << I << ": " << printable(D.Name) << ", sm_" << Capability
       << ", " << counted(D.SmCount, "SM");
    if (D.Context != 0)
      OS << ", another context of GPU " << D.Index;
    if (D.ClockKhz)
      OS << ", nominal clock " << fixed(double(D.ClockKhz) / 1e6, 3) << " GHz";
    if (T.Time.Steps[I].wellKnown())
      OS << ", globaltimer step " << T.Time.Steps[I].Ns << " ns";
    if (M.Merged)
      OS << ", " << processText(M, D.Process);
    OS << '\n';
  }
  if (M.Merged)
    OS << "merged: " << mergedText(M) << '\n';
  if (!M.Options.empty())
    OS << "options: " << printable(M.Options) << '\n';
  if (!M.Samples.all())
    OS << "sampled: " << sampleText(M.Samples)
       << "; the others are in none of the figures\n";
  if (M.Total.DroppedEvents || M.Total.DroppedRecords)
    note("dropped: " + counted(M.Total.DroppedEvents, "event") + " in " +
             counted(M.Total.DroppedRecords, "record") + " on " +
             counted(M.Dropped.size(), "SM") +
             (M.Overflow == "ring" ? " were the oldest, or found no room,"
                                   : " found no room") +
             " and are in none of the figures",
         true);
  const Unplaced &U = T.Ls.Lost;
  auto Lost = [&](uint64_t N, const char *What, const char *Why) {
    if (N)
      note("not placed: " + counted(N, What) + " " + Why, true);
  };
  Lost(U.Orphans, "record", "of blocks that left no anchor");
  Lost(U.BadRecords, "record", "that do not fit their kernel");
  Lost(U.BadAnchors, "anchor", "of an impossible kernel, grid or block");
}

std::string Printer::whereLaunched(const Launch &L) const {
  const HostLaunch *H = T.hostLaunch(L);
  std::string File = T.module(L).fileOf(T.kernel(L));
  std::string Out = " (" + printable(File) + ":" + utostr(T.kernel(L).Line);
  if (H && H->Site >= 0) { // else its place is not known
    const Module &From = T.meta().Modules[H->Module];
    const LaunchSite &Site = From.Launches[H->Site];
    const std::string &SiteFile = Site.File.empty() ? From.File : Site.File;
    Out += ", launched at " +
           (SiteFile == File ? "line " : printable(SiteFile) + ":") +
           utostr(Site.Line);
  }
  if (H)
    Out += ", stream " + utostr(H->Stream);
  if (T.meta().Devices.size() > 1)
    Out += ", device " + utostr(L.Device);
  return Out + ")";
}

void Printer::shapeLines(const Launch &L) {
  std::string Line = "grid " + dims(L.Grid) + ", block " + blockDims(L);
  if (L.Cluster[0] * L.Cluster[1] * L.Cluster[2] > 1)
    Line += ", cluster " + dims(L.Cluster);
  const Function *F = T.function(L);
  Line += F ? ", " + counted(F->Registers, "register")
            : std::string(", registers unknown");
  if (F && F->LocalBytes)
    Line += ", " + utostr(F->LocalBytes) + " B local";
  Line += ", shared ";
  if (F)
    Line += utostr(F->StaticShared) + " B static + ";
  note(Line + utostr(L.DynamicShared) + " B dynamic");

  uint32_t SmCount = T.device(L).SmCount;
  if (L.BlocksPerSm && SmCount) {
    double Waves = double(L.gridBlocks()) / (double(L.BlocksPerSm) * SmCount);
    note(counted(L.BlocksPerSm, "block") + " per SM, " + fixed(Waves, 2) +
         " waves");
  } else {
    note("blocks per SM unknown, waves unknown");
  }
}

void Printer::phaseTable(const PhaseRows &Phases, const Statistics &S) {
  TextTable Table;
  Table.column("phase", TextTable::Left);
  Table.column("line", TextTable::Left);
  Table.column("count", TextTable::Right);
  for (const char *Unit : {"ns", "cycles"})
    for (const char *Q : {"min", "p50", "p95", "max"})
      Table.column(Q, TextTable::Right, Unit);
  Table.column("share %", TextTable::Right);

  auto Cells = [](std::vector<std::string> &Row, const Quantiles &Q, bool Has) {
    for (double V : {Q.Min, Q.P50, Q.P95, Q.Max})
      Row.push_back(Has ? fixed(V, 0) : "-");
  };
  for (size_t I = 0; I < Phases.size(); ++I) {
    const PhaseRow &P = Phases.rows()[I];
    const RowStats &R = S.Rows[I];
    std::vector<std::string> Row = {printable(P.Name), P.lines(),
                                    utostr(R.Count)};
    bool Durations = !P.Instant && R.Count > 0;
    Cells(Row, R.Ns, Durations && S.HasNs);
    Cells(Row, R.Cycles, Durations);
    bool HasShare = !P.Instant && S.WarpCycles > 0;
    Row.push_back(P.Instant  ? "mark"
                  : HasShare ? fixed(100 * R.Share, 1)
                             : "-");
    Table.row(std::move(Row));
  }
  // Below a twentieth of a percent the shares of the phases print as 100.
  if (S.UntrackedShare >= 0.0005) {
    std::vector<std::string> Row(12);
    Row[0] = "(untracked)";
    Row[11] = fixed(100 * S.UntrackedShare, 1);
    Table.row(std::move(Row));
  }
  OS << '\n';
  Table.print(OS, 2);
}

void Printer::notes(const Statistics &S) {
  auto Warn = [&](const Twine &Text) { note(Text, /*Warn=*/true); };
  if (S.Blocks < S.ExpectedBlocks)
    Warn("incomplete: " + Twine(S.Blocks) + " of " + Twine(S.ExpectedBlocks) +
         (S.ExpectedBlocks < S.GridBlocks ? " sampled" : "") +
         " blocks recorded");
  if (S.Warps < S.ExpectedWarps)
    Warn("incomplete: " + Twine(S.Warps) + " of " + Twine(S.ExpectedWarps) +
         (T.meta().Samples.Warps.all() ? "" : " sampled") +
         " warps of these blocks recorded");
  if (S.UnfinishedBlocks)
    Warn("unfinished: " + counted(S.UnfinishedBlocks, "block") +
         " never reached the end of the kernel");
  if (S.UnfinishedWarps)
    Warn("unfinished: " + counted(S.UnfinishedWarps, "warp") +
         " left no exit; their last phase is in the shares, not in the counts");
  if (S.MovedBlocks)
    Warn("moved: " + counted(S.MovedBlocks, "block") +
         " ended on another SM than they started on; their times mix two "
         "clocks");
  if (S.WrappedWarps)
    Warn("wrapped: " + counted(S.WrappedWarps, "warp") +
         " may have been longer in a phase than shown, by a multiple of 2^32 "
         "cycles: this kernel's records hold 32 bits of the clock, and the "
         "block lasted longer");
  if (S.RepeatedBlocks)
    Warn("repeated: " + counted(S.RepeatedBlocks, "block") +
         " recorded under a number that was already there");
  if (S.UnknownSites)
    Warn("unknown: " + counted(S.UnknownSites, "event") +
         " of sites the kernel does not have");
}

std::string Printer::counts(const Statistics &S) const {
  std::string Blocks = counted(S.Blocks, "block");
  if (!sampled().empty())
    Blocks = utostr(S.Blocks) + " of " + counted(S.GridBlocks, "block");
  return Blocks + ", " + counted(S.Warps, "warp") + ", " +
         counted(S.Events, "event");
}

void Printer::launch(uint32_t Index) {
  const Launch &L = T.Ls.List[Index];
  const LaunchClock &C = T.Time.Launches[Index];
  PhaseRows Phases(T.kernel(L));
  Statistics S = computeStatistics(T, Phases, Index, O.SubtractMarkCost);
  OS << '\n';
  title("launch " + Twine(Index) + ": " + kernelName(T, L) + whereLaunched(L));
  shapeLines(L);
  note(clockText(C) + ", alignment error " + alignmentText(C));
  // A launch whose anchors no line fits: most likely the clock was changed.
  if (C.AlignmentErrorNs > 500 &&
      C.AlignmentErrorNs > 10 * double(T.Time.Steps[L.Device].Ns))
    note("clock: one rate does not fit all anchors; it may have changed during "
         "the launch",
         /*Warn=*/true);
  else if (C.drifts())
    note("the clock rate drifted during the launch or differs between SMs; the "
         "time axis follows it on each SM");
  std::string Counts = counts(S);
  if (S.LongestNs > 0)
    Counts += "; first " + sampled() + "block start to last " + sampled() +
              (S.UnfinishedBlocks ? "event " : "block end ") +
              duration(S.LongestNs);
  beganLine(Index);
  markCostLine(L);
  note(Counts);
  notes(S);
  phaseTable(Phases, S);
}

/// Of a merged trace: launches of its processes are on one axis.
void Printer::beganLine(uint32_t Index) {
  if (!T.meta().Merged)
    return;
  const CommonAxis Axis(T);
  int64_t First = Axis.originNs(0);
  for (uint32_t I = 1; I < T.launches().size(); ++I)
    First = std::min(First, Axis.originNs(I));
  note("began " + duration(static_cast<double>(Axis.originNs(Index) - First)) +
       " after the first launch of the trace");
}

void Printer::markCostLine(const Launch &L) {
  std::optional<double> Cost = markCost(T, L);
  if (Cost)
    note("a mark takes " + fixed(*Cost, 1) + " cycles" +
         (O.SubtractMarkCost ? ", subtracted below" : ""));
  else if (O.SubtractMarkCost)
    note("the cost of a mark is not known here: nothing is subtracted",
         /*Warn=*/true);
}

void Printer::kernelGroup(ArrayRef<uint32_t> Indices) {
  const Launch &L = T.Ls.List[Indices.front()];
  PhaseRows Phases(T.kernel(L));
  Statistics S = computeStatistics(T, Phases, Indices, O.SubtractMarkCost);
  double Fastest = 0, Slowest = 0;
  // Of the launch with the largest error, those on one SM having none.
  const LaunchClock *Worst = &T.Time.Launches[Indices.front()];
  for (uint32_t I : Indices) {
    const LaunchClock &C = T.Time.Launches[I];
    if (std::pair(!C.oneSm(), C.AlignmentErrorNs) >
        std::pair(!Worst->oneSm(), Worst->AlignmentErrorNs))
      Worst = &C;
    if (C.Source == SlopeSource::None)
      continue;
    Fastest = Fastest > 0 ? std::min(Fastest, C.NsPerCycle) : C.NsPerCycle;
    Slowest = std::max(Slowest, C.NsPerCycle);
  }
  OS << '\n';
  title("kernel " + kernelName(T, L) + ": " +
        counted(Indices.size(), "launch") + " (" +
        printable(T.module(L).fileOf(T.kernel(L))) + ":" +
        utostr(T.kernel(L).Line) + ")");
  shapeLines(L);
  std::string Clock = Fastest > 0 ? gigahertz(Slowest) : "";
  if (Fastest > 0 && gigahertz(Fastest) != Clock)
    Clock += "–" + gigahertz(Fastest);
  if (Fastest > 0)
    note("clock " + Clock + " GHz, alignment error " +
         (Worst->oneSm() || !Worst->StepKnown ? "" : "up to ") +
         alignmentText(*Worst));
  std::string Counts = counts(S);
  if (S.LongestNs > 0)
    Counts += "; longest launch " + duration(S.LongestNs) +
              (sampled().empty() ? "" : " as far as sampled");
  markCostLine(L);
  note(Counts);
  notes(S);
  phaseTable(Phases, S);
}

/// Launches of one kernel instance and shape, which one table can sum up.
static std::vector<std::vector<uint32_t>>
groupByKernel(const Trace &T, ArrayRef<uint32_t> Selected) {
  using Key =
      std::tuple<uint32_t, uint32_t, uint32_t, int32_t, Dim3, Dim3, uint32_t>;
  std::map<Key, size_t> Known;
  std::vector<std::vector<uint32_t>> Groups;
  for (uint32_t I : Selected) {
    const Launch &L = T.Ls.List[I];
    Key K(L.Device, L.Module, L.Kernel, L.Function, L.Grid, L.BlockDim,
          L.DynamicShared);
    auto [It, New] = Known.try_emplace(K, Groups.size());
    if (New)
      Groups.emplace_back();
    Groups[It->second].push_back(I);
  }
  return Groups;
}

/// The first launches in one line each, and how to see the rest.
void Printer::launchList(ArrayRef<uint32_t> Selected) {
  TextTable Table;
  Table.column("launch", TextTable::Right);
  Table.column("kernel", TextTable::Left);
  Table.column("grid", TextTable::Left);
  Table.column("stream", TextTable::Right);
  Table.column("blocks recorded", TextTable::Right);
  Table.column("duration", TextTable::Right);
  Table.column("clock GHz", TextTable::Right);
  for (uint32_t I : Selected.take_front(FullTables)) {
    const Launch &L = T.Ls.List[I];
    const LaunchClock &C = T.Time.Launches[I];
    const HostLaunch *H = T.hostLaunch(L);
    Table.row(
        {utostr(I), kernelName(T, L), dims(L.Grid), H ? utostr(H->Stream) : "-",
         utostr(L.NumBlocks) + "/" + utostr(L.gridBlocks()),
         C.Source == SlopeSource::None ? "-" : duration(launchDurationNs(T, I)),
         C.Source == SlopeSource::None ? "-" : gigahertz(C.NsPerCycle)});
  }
  OS << '\n';
  Table.print(OS, 2);
  note("... " + Twine(Selected.size() - FullTables) +
       " more; --launch N shows one in full, --all-launches all of them");
}

void Printer::nothingRecorded() {
  OS << '\n';
  title("no launch left a record");
  for (const Module &M : T.meta().Modules)
    for (const Kernel &K : M.Kernels) {
      PhaseRows Phases(K);
      OS << '\n';
      title("kernel " + printable(K.Name) + " (" + printable(M.fileOf(K)) +
            ":" + Twine(K.Line) + ")");
      phaseTable(Phases, computeStatistics(T, Phases, {}));
    }
}

void Printer::print(ArrayRef<uint32_t> Selected) {
  fileHeader(Selected);
  if (T.Ls.List.empty())
    return nothingRecorded();
  if (O.AllLaunches || Selected.size() <= FullTables) {
    for (uint32_t I : Selected)
      launch(I);
    return;
  }
  for (const auto &Group : groupByKernel(T, Selected))
    kernelGroup(Group);
  launchList(Selected);
}

Error printReport(const Trace &T, const Selection &S, const TerminalOptions &O,
                  raw_ostream &OS) {
  Printer(T, O, OS).print(S.launches());
  return Error::success();
}

} // namespace kinstr::report
