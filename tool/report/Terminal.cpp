// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints headers, phase tables and notes.
#include "report/Terminal.h"

#include "report/Findings.h"
#include "report/LaunchGroups.h"
#include "report/MarkCost.h"
#include "report/Names.h"
#include "report/ScopeStatistics.h"
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
/// So many tables are made of one pass over the trace: each holds memory.
constexpr size_t TablesAPass = 1024;

enum class Look { Plain, Title, Warning, Finding };

class Printer {
public:
  Printer(const Trace &T, const Selection &S, const TerminalOptions &O,
          raw_ostream &OS)
      : T(T), Selected(S), O(O), OS(OS) {}

  Error print();

private:
  void fileHeader(std::optional<uint64_t> Events);
  void launch(const LaunchGroup &G, const Statistics &S,
              const ScopeStatistics &Scopes);
  void kernelGroup(const LaunchGroup &G, const Statistics &S,
                   const ScopeStatistics &Scopes);
  void launchList(ArrayRef<Statistics> Groups);
  void nothingRecorded();

  void line(const Twine &Text, Look L);
  void title(const Twine &Text) { line(Text, Look::Title); }
  void note(const Twine &Text, bool Warn = false) {
    line("  " + Text, Warn ? Look::Warning : Look::Plain);
  }
  void shapeLines(const Launch &L, const Statistics &S);
  void tables(const PhaseRows &Phases, const Statistics &S,
              const ScopeStatistics &Scopes);
  void findingLines(const LaunchGroup &G, const PhaseRows &Phases,
                    const Statistics &S);
  void notes(const Statistics &S);
  void markCostLine(const Launch &L);
  void beganLine(uint32_t Index);
  std::string tailText(const Statistics &S) const;
  std::string whereLaunched(const Launch &L) const;
  std::string counts(const Statistics &S) const;
  /// Events are those of whole warps, whatever is selected in them.
  std::string events(uint64_t N) const {
    const Filter &F = Selected.filter();
    return counted(N, "event") +
           (F.Phase.empty() && F.allTime() ? "" : " in whole warps");
  }
  /// In front of what is not all there is.
  std::string sampled() const {
    const Sampling &S = T.meta().Samples;
    if (!Selected.wholeLaunches())
      return "selected ";
    return S.Blocks.all() && S.Sms.all() ? "" : "sampled ";
  }

  const Trace &T;
  const Selection &Selected;
  const TerminalOptions &O;
  raw_ostream &OS;
};

} // namespace

void Printer::line(const Twine &Text, Look L) {
  static const char *const Begins[] = {"", "\x1b[1m", "\x1b[1;35m", "\x1b[36m"};
  std::string Line = Text.str();
  if (O.Wrap)
    Line = wrapText(Line, O.Table.Width);
  bool Coloured = O.Colour && L != Look::Plain;
  OS << (Coloured ? Begins[static_cast<size_t>(L)] : "") << Line
     << (Coloured ? "\x1b[0m" : "") << '\n';
}

void Printer::fileHeader(std::optional<uint64_t> Events) {
  const Meta &M = T.meta();
  std::string Launches = counted(T.launches().size(), "launch");
  if (Selected.launches().size() < T.launches().size())
    Launches = utostr(Selected.launches().size()) + " of " + Launches;
  title(printable(M.Program.empty() ? "trace" : M.Program) + ": " + Launches +
        ", " + (Events ? events(*Events) + ", " : "") +
        utostr(M.Total.DroppedEvents) + " dropped" +
        (T.Raw.CutShort ? ", cut short" : "") +
        (T.Ls.Warnings.empty() ? "" : ", damaged"));
  for (size_t I = 0; I < M.Devices.size(); ++I) {
    const Device &D = M.Devices[I];
    std::string Capability = printable(D.ComputeCapability);
    llvm::erase(Capability, '.');
    std::string Line = "device " + utostr(I) + ": " + printable(D.Name) +
                       ", sm_" + Capability + ", " + counted(D.SmCount, "SM");
    if (D.Context != 0)
      Line += ", another context of GPU " + itostr(D.Index);
    if (D.ClockKhz)
      Line += ", nominal clock " + fixed(double(D.ClockKhz) / 1e6, 3) + " GHz";
    if (T.Time.Steps[I].wellKnown())
      Line += ", globaltimer step " + utostr(T.Time.Steps[I].Ns) + " ns";
    if (M.Merged)
      Line += ", " + processText(M, D.Process);
    line(Line, Look::Plain);
  }
  if (M.Merged)
    line("merged: " + mergedText(M), Look::Plain);
  if (!M.Options.empty())
    line("options: " + printable(M.Options), Look::Plain);
  if (!M.Samples.all())
    line("sampled: " + sampleText(M.Samples) +
             "; the others are in none of the figures",
         Look::Plain);
  if (std::string Text = filterText(Selected.filter()); !Text.empty())
    line("selected: " + Text + "; the rest is in none of the figures",
         Look::Plain);
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

/// `; tail 39.1 % of the launch, 20.7 % of its slots' time`
std::string Printer::tailText(const Statistics &S) const {
  if (!S.hasTail())
    return "";
  std::string Out = "; tail " + fixed(100 * S.tailShare(), 1) +
                    " % of the launch, " + fixed(100 * S.idleShare(), 1) +
                    " % of its slots' time";
  if (S.NumTails < S.Launches)
    Out += " (of the first " + counted(S.Followed.size(), "launch") + ")";
  return Out;
}

void Printer::shapeLines(const Launch &L, const Statistics &S) {
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
         " waves" + tailText(S));
  } else {
    note("blocks per SM unknown, waves unknown" + tailText(S));
  }
}

void Printer::tables(const PhaseRows &Phases, const Statistics &S,
                     const ScopeStatistics &Scopes) {
  // A kernel that has scopes or values may have no phases.
  bool AnyPhase =
      llvm::any_of(S.Rows, [](const RowStats &R) { return R.Selected; });
  bool AnyOther = Scopes.anyScope() || Scopes.anyValue();
  if (AnyPhase || !AnyOther) {
    OS << '\n';
    printPhaseTable(Phases, S, O.Table, OS);
  }
  if (Scopes.anyScope()) {
    OS << '\n';
    printScopeTable(Scopes.Scopes, S, O.Table, OS);
  }
  if (Scopes.anyValue()) {
    OS << '\n';
    printValueTable(Scopes.Values, O.Table, OS);
  }
}

void Printer::findingLines(const LaunchGroup &G, const PhaseRows &Phases,
                           const Statistics &S) {
  std::vector<Finding> Found =
      findings({T, G, Phases, S, markCost(T, T.launches()[G.front()]),
                O.SubtractMarkCost});
  if (Found.empty())
    return;
  OS << '\n';
  for (const Finding &F : Found)
    line("  - " + F.Text + (F.Certain ? "" : " (medium confidence)") +
             (F.See.empty() ? "" : "; see " + F.See),
         Look::Finding);
}

void Printer::notes(const Statistics &S) {
  if (S.PausedCycles > 0)
    note("recorder: " + fixed(100 * S.shareOf(S.PausedCycles), 1) +
         " % of warp time, in no phase (copying full buffers, finding room)");
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
  if (S.UnknownSites)
    Warn("unknown: " + counted(S.UnknownSites, "event") +
         " of sites the kernel does not have");
}

std::string Printer::counts(const Statistics &S) const {
  std::string Blocks = counted(S.Blocks, "block");
  if (!sampled().empty())
    Blocks = utostr(S.Blocks) + " of " + counted(S.GridBlocks, "block");
  return Blocks + ", " + counted(S.Warps, "warp") + ", " + events(S.Events);
}

void Printer::launch(const LaunchGroup &G, const Statistics &S,
                     const ScopeStatistics &Scopes) {
  uint32_t Index = G.front();
  const Launch &L = T.launches()[Index];
  const LaunchClock &C = T.clock(Index);
  PhaseRows Phases(T.kernel(L));
  OS << '\n';
  title("launch " + Twine(Index) + ": " + kernelName(T, L) + whereLaunched(L));
  shapeLines(L, S);
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
  tables(Phases, S, Scopes);
  findingLines(G, Phases, S);
}

/// Of a merged trace: launches of its processes are on one axis, if it is known
/// how far that is right.
void Printer::beganLine(uint32_t Index) {
  if (!T.meta().Merged || !betweenProcessesNs(T.meta()))
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

void Printer::kernelGroup(const LaunchGroup &Indices, const Statistics &S,
                          const ScopeStatistics &Scopes) {
  const Launch &L = T.launches()[Indices.front()];
  PhaseRows Phases(T.kernel(L));
  double Fastest = 0, Slowest = 0;
  // Of the launch with the largest error, those on one SM having none.
  const LaunchClock *Worst = &T.clock(Indices.front());
  for (uint32_t I : Indices) {
    const LaunchClock &C = T.clock(I);
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
  shapeLines(L, S);
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
              (sampled().empty()
                   ? ""
                   : " as far as " + StringRef(sampled()).rtrim().str());
  markCostLine(L);
  note(Counts);
  notes(S);
  tables(Phases, S, Scopes);
  findingLines(Indices, Phases, S);
}

/// The first launches in one line each, and how to see the rest.
void Printer::launchList(ArrayRef<Statistics> Groups) {
  std::map<uint32_t, FollowedLaunch> First;
  for (const Statistics &S : Groups)
    for (const FollowedLaunch &F : S.Followed)
      First[F.Launch] = F;
  TextTable Table;
  Table.column("launch", TextTable::Right);
  Table.column("kernel", TextTable::Left);
  Table.column("grid", TextTable::Left);
  Table.column("stream", TextTable::Right);
  Table.column("blocks recorded", TextTable::Right);
  Table.column("duration", TextTable::Right);
  Table.column("clock GHz", TextTable::Right);
  ArrayRef<uint32_t> Launches = Selected.launches();
  for (uint32_t I : Launches.take_front(FullTables)) {
    const Launch &L = T.launches()[I];
    const LaunchClock &C = T.clock(I);
    const HostLaunch *H = T.hostLaunch(L);
    bool Timed = C.Source != SlopeSource::None;
    Table.row({utostr(I), cutToWidth(kernelName(T, L), 30), dims(L.Grid),
               H ? utostr(H->Stream) : "-",
               utostr(First[I].Blocks) + "/" + utostr(L.gridBlocks()),
               Timed ? duration(First[I].Ns) : "-",
               Timed ? gigahertz(C.NsPerCycle) : "-"});
  }
  OS << '\n';
  Table.print(OS, 2);
  note("... " + Twine(Launches.size() - FullTables) +
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
      tables(Phases, noStatistics(K), {});
    }
}

Error Printer::print() {
  if (T.launches().empty()) {
    fileHeader(0);
    nothingRecorded();
    return Error::success();
  }
  ArrayRef<uint32_t> Launches = Selected.launches();
  bool Each = O.AllLaunches || Launches.size() <= FullTables;
  std::vector<LaunchGroup> Groups =
      Each ? oneByOne(Launches) : groupByKernel(T, Launches);
  for (size_t Begin = 0; Begin < Groups.size(); Begin += TablesAPass) {
    ArrayRef<LaunchGroup> Some =
        ArrayRef(Groups).slice(Begin).take_front(TablesAPass);
    Expected<std::vector<Statistics>> All =
        computeStatistics(T, Selected, Some, {O.SubtractMarkCost});
    if (!All)
      return All.takeError();
    Expected<std::vector<ScopeStatistics>> Scopes =
        computeScopeStatistics(T, Selected, Some);
    if (!Scopes)
      return Scopes.takeError();
    uint64_t Events = 0;
    for (const Statistics &S : *All)
      Events += S.Events;
    if (Begin == 0)
      fileHeader(Some.size() == Groups.size() ? std::optional(Events)
                                              : std::nullopt);
    for (auto [G, S, Of] : zip_equal(Some, *All, *Scopes))
      Each ? launch(G, S, Of) : kernelGroup(G, S, Of);
    if (Begin == 0 && !Each)
      launchList(*All);
  }
  return Error::success();
}

Error printReport(const Trace &T, const Selection &S, const TerminalOptions &O,
                  raw_ostream &OS) {
  return Printer(T, S, O, OS).print();
}

} // namespace kinstr::report
