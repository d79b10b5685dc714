// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kitrace-events: every event of a trace as kinstr's reader understands it, for
// checks that go beyond the report's tables.
//
//   kitrace-events FILE.kitrace
//   kitrace-events --handoffs FILE.kitrace   of the launches of truth_order.cu
//   kitrace-events --sums FILE.kitrace       in constant memory, see below
//
// --parts=BYTES in front cuts parts of the trace that are larger.
//
// Lines of fields, separated by tabs:
//   launch KERNEL BUFFER LAYOUT FLOW GRIDID ERROR MARKCOST
//                                       ERROR: of alignment [ns]; MARKCOST:
//                                       [cycles], empty: not known
//   warp BLOCK SM WARP WRAPPED          WRAPPED: 1 where clocks may be short
//   event NAME CLOCK NS [NUMBER]        NAME: @end, @exit, @pause, of a scope
//                                       `{ NAME` and `} NAME`; NS: from the
//                                       launch's first anchor
//   scope NAME DEPTH BEGIN END PAUSED   [cycles]
// Each belongs to the last line of the kind above it.
//
// With --handoffs no events, but how one block's `pass` lies to the `have` of
// the other that must come after it [ns]:
//   handoffs APART COUNT EARLY BEYOND LEAST MEDIAN   APART: 1 on two SMs;
//   EARLY:
//                                       pass after have; BEYOND: by more than
//                                       ERROR; LEAST, MEDIAN: of have - pass
//   symmetry NS NS ...                  of 1000 handoffs each: by how much the
//                                       clocks differ, if the flag takes as
//                                       long one way as the other
//
// With --sums a line for each phase, by kernel and name, of all launches:
//   sum KERNEL NAME SPANS CYCLES
#include "trace/Visit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <map>
#include <vector>

using namespace llvm;
using namespace kinstr;
using namespace kinstr::trace;

static std::string nameOf(const Kernel &K, uint32_t Site) {
  if (Site == exit_site)
    return "@exit";
  if (Site == pause_site)
    return "@pause";
  if (Site >= K.Sites.size())
    return "@unknown";
  switch (K.Sites[Site].Kind) {
  case SiteKind::End:
    return "@end";
  case SiteKind::Scope:
    return "{ " + K.Sites[Site].Name;
  case SiteKind::ScopeEnd:
    return "} " + K.Sites[Site].Name;
  default:
    return K.Sites[Site].Name;
  }
}

static void printWarp(const Trace &T, const BlockView &V, const WarpView &W,
                      raw_ostream &OS) {
  const LaunchClock &Clock = T.clock(V.Launch);
  const SmLine *Line = Clock.find(V.B.SmStart);
  OS << "warp\t" << V.B.Number << '\t' << V.B.SmStart << '\t' << W.Index << '\t'
     << W.MayHaveWrapped << '\n';
  const Kernel &K = T.kernel(T.launches()[V.Launch]);
  const Value *NextValue = W.Values.begin();
  for (const Event &E : W.Events) {
    OS << "event\t" << nameOf(K, E.Site) << '\t' << E.Clock << '\t';
    if (Line && Clock.Source != SlopeSource::None)
      OS << format("%.1f", Clock.toNs(*Line, E.Clock));
    if (NextValue != W.Values.end() && NextValue->Clock == E.Clock &&
        NextValue->Site == E.Site)
      OS << '\t' << (NextValue++)->N.str();
    OS << '\n';
  }
  for (const ScopeSpan &S : W.Scopes)
    OS << "scope\t" << K.Sites[S.Site].Name << '\t' << S.Depth << '\t'
       << S.Begin << '\t' << S.End << '\t' << S.Paused << '\n';
}

namespace {

/// What is printed of each block, by launch and number.
class PrintedBlocks final : public BlockSink {
public:
  explicit PrintedBlocks(const Trace &T) : T(T) {}
  void block(const BlockView &V) override {
    raw_string_ostream OS(
        Texts[{V.Launch, V.B.Number, V.B.GlobalStart, V.B.ClockStart}]);
    for (const WarpView &W : V.Warps)
      printWarp(T, V, W, OS);
  }
  void join(PrintedBlocks &&Part) {
    for (auto &[Key, Text] : Part.Texts)
      Texts[Key] += Text;
  }

  std::map<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>, std::string>
      Texts;

private:
  const Trace &T;
};

/// Of blocks with one warp, when it passed its sites `have` and `pass` [ns].
class FlagTimes final : public BlockSink {
public:
  struct Times {
    std::vector<double> Have, Pass;
    uint16_t Sm = 0;
  };

  explicit FlagTimes(const Trace &T) : T(T) {}
  void block(const BlockView &V) override {
    const LaunchClock &Clock = T.clock(V.Launch);
    const SmLine *Line = Clock.find(V.B.SmStart);
    Times &To = Of[{V.Launch, V.B.Number}];
    To.Sm = V.B.SmStart;
    if (!Line || V.Warps.size() != 1)
      return;
    for (const Event &E : V.Warps.front().Events) {
      std::string Name = nameOf(T.kernel(T.launches()[V.Launch]), E.Site);
      if (Name == "have")
        To.Have.push_back(Clock.toNs(*Line, E.Clock));
      else if (Name == "pass")
        To.Pass.push_back(Clock.toNs(*Line, E.Clock));
    }
  }
  void join(FlagTimes &&Part) { Of.merge(Part.Of); }

  std::map<std::pair<uint32_t, uint32_t>, Times> Of; ///< launch and block

private:
  const Trace &T;
};

} // namespace

namespace {

/// Spans and their cycles, by the kernel and its sites.
class Sums final : public BlockSink {
public:
  struct Sum {
    uint64_t Spans = 0, Cycles = 0;
  };

  explicit Sums(const Trace &T) : T(T) {}
  void block(const BlockView &V) override {
    const Launch &L = T.launches()[V.Launch];
    std::vector<Sum> &Sites = Of[{L.Module, L.Kernel}];
    Sites.resize(T.kernel(L).Sites.size());
    for (const WarpView &W : V.Warps)
      for (const Span &S : W.Spans) {
        Sites[S.Site].Spans += !S.Interrupted;
        Sites[S.Site].Cycles += S.cycles();
      }
  }
  void join(Sums &&Part) {
    for (auto &[Key, From] : Part.Of) {
      std::vector<Sum> &To = Of[Key];
      To.resize(From.size());
      for (size_t I = 0; I < From.size(); ++I) {
        To[I].Spans += From[I].Spans;
        To[I].Cycles += From[I].Cycles;
      }
    }
  }

  std::map<std::pair<uint32_t, uint32_t>, std::vector<Sum>> Of;

private:
  const Trace &T;
};

} // namespace

static Error printSums(const Trace &T, raw_ostream &OS) {
  auto All = collectBlocks(T, {}, Sums(T));
  if (!All)
    return All.takeError();
  for (const auto &[Key, Sites] : All->Of) {
    const Kernel &K = T.meta().Modules[Key.first].Kernels[Key.second];
    std::map<StringRef, Sums::Sum> ByName;
    for (size_t I = 0; I < Sites.size(); ++I) {
      ByName[K.Sites[I].Name].Spans += Sites[I].Spans;
      ByName[K.Sites[I].Name].Cycles += Sites[I].Cycles;
    }
    for (const auto &[Name, S] : ByName)
      if (S.Spans != 0)
        OS << "sum\t" << K.Name << '\t' << Name << '\t' << S.Spans << '\t'
           << S.Cycles << '\n';
  }
  return Error::success();
}

/// The time from each pass to the have after it, in the order of the flag: from
/// block 0 to 1, back, and so on.
static std::vector<double> handoffs(const FlagTimes::Times &Block0,
                                    const FlagTimes::Times &Block1) {
  const FlagTimes::Times *Of[2] = {&Block0, &Block1};
  std::vector<double> Out;
  for (size_t I = 0;; ++I) {
    size_t From = I % 2, To = 1 - From;
    if (I / 2 >= Of[From]->Pass.size() || (I + 1) / 2 >= Of[To]->Have.size())
      return Out;
    Out.push_back(Of[To]->Have[(I + 1) / 2] - Of[From]->Pass[I / 2]);
  }
}

static void printHandoffs(const Trace &T, uint32_t Launch, FlagTimes &Flags,
                          raw_ostream &OS) {
  const auto &Block0 = Flags.Of[{Launch, 0}], &Block1 = Flags.Of[{Launch, 1}];
  std::vector<double> All = handoffs(Block0, Block1);
  double Error = T.clock(Launch).AlignmentErrorNs;
  std::vector<double> Sorted = All;
  llvm::sort(Sorted);
  OS << "handoffs\t" << (Block0.Sm != Block1.Sm) << '\t' << All.size() << '\t'
     << count_if(All, [](double V) { return V < 0; }) << '\t'
     << count_if(All, [&](double V) { return V < -Error; });
  if (!All.empty())
    OS << format("\t%.1f\t%.1f", Sorted.front(), Sorted[Sorted.size() / 2]);
  OS << "\nsymmetry";
  constexpr size_t Piece = 1000;
  for (size_t At = 0; At + Piece <= All.size(); At += Piece) {
    double Least[2] = {All[At], All[At + 1]};
    for (size_t I = At; I < At + Piece; ++I)
      Least[I % 2] = std::min(Least[I % 2], All[I]);
    OS << format("\t%.1f", (Least[0] - Least[1]) / 2);
  }
  OS << '\n';
}

static void printLaunch(const Trace &T, uint32_t Launch, raw_ostream &OS) {
  const Kernel &K = T.kernel(T.launches()[Launch]);
  OS << "launch\t" << K.Name << '\t' << K.Buffer << '\t' << K.Layout << '\t'
     << K.Flow << '\t' << T.launches()[Launch].GridId << '\t'
     << format("%.1f", T.clock(Launch).AlignmentErrorNs) << '\t';
  for (const MarkCost &C : T.device(T.launches()[Launch]).MarkCosts)
    if (C.Buffer == K.Buffer && C.Layout == K.Layout)
      OS << format("%.3f", C.Cycles);
  OS << '\n';
}

static Error printEvents(const Trace &T, raw_ostream &OS) {
  auto Blocks = collectBlocks(T, {}, PrintedBlocks(T));
  if (!Blocks)
    return Blocks.takeError();
  auto Next = Blocks->Texts.begin();
  for (uint32_t I = 0; I < T.launches().size(); ++I) {
    printLaunch(T, I, OS);
    for (; Next != Blocks->Texts.end() && std::get<0>(Next->first) == I; ++Next)
      OS << Next->second;
  }
  return Error::success();
}

static Error printAllHandoffs(const Trace &T, raw_ostream &OS) {
  auto Flags = collectBlocks(T, {}, FlagTimes(T));
  if (!Flags)
    return Flags.takeError();
  for (uint32_t I = 0; I < T.launches().size(); ++I) {
    printLaunch(T, I, OS);
    printHandoffs(T, I, *Flags, OS);
  }
  return Error::success();
}

int main(int argc, char **argv) {
  uint64_t Most = LargestPart;
  if (StringRef Option = argc > 1 ? argv[1] : "";
      Option.consume_front("--parts=") && !Option.getAsInteger(0, Most)) {
    ++argv;
    --argc;
  }
  StringRef Mode = argc == 3 ? argv[1] : "";
  if (argc < 2 || argc > 3 ||
      (argc == 3 && Mode != "--handoffs" && Mode != "--sums")) {
    errs() << "usage: kitrace-events [--parts=BYTES] [--handoffs|--sums] "
              "FILE.kitrace\n";
    return 2;
  }
  const char *Path = argv[argc - 1];
  Expected<RawTrace> Raw = readTraceFile(Path);
  if (!Raw) {
    errs() << Path << ": " << toString(Raw.takeError()) << '\n';
    return 1;
  }
  Expected<Trace> T = understand(std::move(*Raw), {}, Most);
  Error E = !T                     ? T.takeError()
            : Mode == "--handoffs" ? printAllHandoffs(*T, outs())
            : Mode == "--sums"     ? printSums(*T, outs())
                                   : printEvents(*T, outs());
  if (E) {
    errs() << Path << ": " << toString(std::move(E)) << '\n';
    return 1;
  }
  return 0;
}
