// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kitrace-events: every event of a trace as kinstr's reader understands it, for
// checks that go beyond the report's tables.
//
//   kitrace-events FILE.kitrace
//   kitrace-events --handoffs FILE.kitrace   of the launches of truth_order.cu
//
// Lines of fields, separated by tabs:
//   launch KERNEL BUFFER LAYOUT FLOW GRIDID ERROR MARKCOST
//                                       ERROR: of alignment [ns]; MARKCOST:
//                                       [cycles], empty: not known
//   warp BLOCK SM WARP WRAPPED          WRAPPED: 1 where clocks may be short
//   event NAME CLOCK NS                 NAME: @end, @exit, @pause; NS: from
//                                       the launch's first anchor
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
#include "trace/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <vector>

using namespace llvm;
using namespace kinstr;
using namespace kinstr::trace;

static StringRef nameOf(const Kernel &K, uint32_t Site) {
  if (Site == exit_site)
    return "@exit";
  if (Site == pause_site)
    return "@pause";
  if (Site >= K.Sites.size())
    return "@unknown";
  return K.Sites[Site].Kind == SiteKind::End ? StringRef("@end")
                                             : StringRef(K.Sites[Site].Name);
}

static void printWarp(const Trace &T, uint32_t Launch, const Block &B,
                      const Warp &W, raw_ostream &OS) {
  const LaunchClock &Clock = T.Time.Launches[Launch];
  const SmLine *Line = Clock.find(B.SmStart);
  SmallVector<Event> Events;
  T.Ls.events(B, W, Events);
  OS << "warp\t" << B.Number << '\t' << B.SmStart << '\t' << W.Index << '\t'
     << T.Ls.mayHaveWrapped(B, W, Events) << '\n';
  for (const Event &E : Events) {
    OS << "event\t" << nameOf(T.kernel(T.Ls.List[Launch]), E.Site) << '\t'
       << E.Clock << '\t';
    if (Line && Clock.Source != SlopeSource::None)
      OS << format("%.1f", Clock.toNs(*Line, E.Clock));
    OS << '\n';
  }
}

/// When a block's only warp passed its sites of that name [ns].
static std::vector<double> timesOf(const Trace &T, uint32_t Launch,
                                   const Block &B, StringRef Name) {
  std::vector<double> Times;
  const LaunchClock &Clock = T.Time.Launches[Launch];
  const SmLine *Line = Clock.find(B.SmStart);
  SmallVector<Event> Events;
  if (Line && B.NumWarps == 1)
    T.Ls.events(B, T.Ls.warps(B).front(), Events);
  for (const Event &E : Events)
    if (nameOf(T.kernel(T.Ls.List[Launch]), E.Site) == Name)
      Times.push_back(Clock.toNs(*Line, E.Clock));
  return Times;
}

/// The time from each pass to the have after it, in the order of the flag: from
/// block 0 to 1, back, and so on.
static std::vector<double> handoffs(const Trace &T, uint32_t Launch,
                                    ArrayRef<Block> Blocks) {
  std::vector<double> Have[2], Pass[2], Out;
  for (const Block &B : Blocks)
    if (B.Number < 2) {
      Have[B.Number] = timesOf(T, Launch, B, "have");
      Pass[B.Number] = timesOf(T, Launch, B, "pass");
    }
  for (size_t I = 0;; ++I) {
    size_t From = I % 2, To = 1 - From;
    if (I / 2 >= Pass[From].size() || (I + 1) / 2 >= Have[To].size())
      return Out;
    Out.push_back(Have[To][(I + 1) / 2] - Pass[From][I / 2]);
  }
}

static void printHandoffs(const Trace &T, uint32_t Launch, raw_ostream &OS) {
  ArrayRef<Block> Blocks = T.Ls.blocks(T.Ls.List[Launch]);
  std::vector<double> All = handoffs(T, Launch, Blocks);
  double Error = T.Time.Launches[Launch].AlignmentErrorNs;
  std::vector<double> Sorted = All;
  llvm::sort(Sorted);
  OS << "handoffs\t" << (Blocks.front().SmStart != Blocks.back().SmStart)
     << '\t' << All.size() << '\t'
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
  const Kernel &K = T.kernel(T.Ls.List[Launch]);
  OS << "launch\t" << K.Name << '\t' << K.Buffer << '\t' << K.Layout << '\t'
     << K.Flow << '\t' << T.Ls.List[Launch].GridId << '\t'
     << format("%.1f", T.Time.Launches[Launch].AlignmentErrorNs) << '\t';
  for (const MarkCost &C : T.device(T.Ls.List[Launch]).MarkCosts)
    if (C.Buffer == K.Buffer && C.Layout == K.Layout)
      OS << format("%.3f", C.Cycles);
  OS << '\n';
}

int main(int argc, char **argv) {
  bool Handoffs = argc == 3 && StringRef(argv[1]) == "--handoffs";
  if (argc != 2 && !Handoffs) {
    errs() << "usage: kitrace-events [--handoffs] FILE.kitrace\n";
    return 2;
  }
  const char *Path = argv[argc - 1];
  Expected<RawTrace> Raw = readTraceFile(Path);
  if (!Raw) {
    errs() << Path << ": " << toString(Raw.takeError()) << '\n';
    return 1;
  }
  Trace T = understand(std::move(*Raw));
  for (uint32_t I = 0; I < T.Ls.List.size(); ++I) {
    printLaunch(T, I, outs());
    if (Handoffs) {
      printHandoffs(T, I, outs());
      continue;
    }
    for (const Block &B : T.Ls.blocks(T.Ls.List[I]))
      for (const Warp &W : T.Ls.warps(B))
        printWarp(T, I, B, W, outs());
  }
  return 0;
}
