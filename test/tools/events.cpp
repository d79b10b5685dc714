// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kitrace-events: every event of a trace as kinstr's reader understands it, for
// checks that go beyond the report's tables.
//
//   kitrace-events FILE.kitrace
//
// Lines of fields, separated by tabs:
//   launch KERNEL BUFFER LAYOUT FLOW GRIDID ERROR   ERROR: of alignment [ns]
//   warp BLOCK SM WARP WRAPPED          WRAPPED: 1 where clocks may be short
//   event NAME CLOCK NS                 NAME: @end, @exit for those; NS: from
//                                       the launch's first anchor
// Each belongs to the last line of the kind above it.
#include "trace/Trace.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kinstr;
using namespace kinstr::trace;

static StringRef nameOf(const Kernel &K, uint32_t Site) {
  if (Site == exit_site)
    return "@exit";
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

int main(int argc, char **argv) {
  if (argc != 2) {
    errs() << "usage: kitrace-events FILE.kitrace\n";
    return 2;
  }
  Expected<RawTrace> Raw = readTraceFile(argv[1]);
  if (!Raw) {
    errs() << argv[1] << ": " << toString(Raw.takeError()) << '\n';
    return 1;
  }
  Trace T = understand(std::move(*Raw));
  for (uint32_t I = 0; I < T.Ls.List.size(); ++I) {
    const Launch &L = T.Ls.List[I];
    const Kernel &K = T.kernel(L);
    outs() << "launch\t" << K.Name << '\t' << K.Buffer << '\t' << K.Layout
           << '\t' << K.Flow << '\t' << L.GridId << '\t'
           << format("%.1f", T.Time.Launches[I].AlignmentErrorNs) << '\n';
    for (const Block &B : T.Ls.blocks(L))
      for (const Warp &W : T.Ls.warps(B))
        printWarp(T, I, B, W, outs());
  }
  return 0;
}
