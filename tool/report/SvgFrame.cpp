// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws title and legend.
#include "report/SvgFrame.h"

#include "report/Names.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

static std::string deviceLine(const Trace &T, uint32_t Launch) {
  const struct Launch &L = T.launches()[Launch];
  const LaunchClock &C = T.clock(Launch);
  std::string Out = printable(T.device(L).Name) + " · grid " + dims(L.Grid) +
                    " · block " + blockDims(L);
  if (L.BlocksPerSm)
    Out += " · " + counted(L.BlocksPerSm, "block") + " per SM";
  Out += " · " + clockText(C);
  Out += " · alignment " + alignmentText(C);
  return Out;
}

double drawHead(Svg &S, const Trace &T, uint32_t Launch,
                const PhaseRows &Phases, StringRef Title, StringRef Subtitle,
                bool Untracked) {
  const double Width = PlotRight - 16;
  S.text(16, 28, fitText(Title, 17, Width), 17, Anchoring::Start, "#111111",
         /*Bold=*/true);
  double Y = 48;
  for (const std::string &Text : {deviceLine(T, Launch), Subtitle.str()})
    Y = S.paragraph(16, Y, Width * 1.12, Text, 11.5, "#555555");
  std::vector<std::pair<std::string, std::string>> Entries;
  for (size_t I = 0; I < Phases.size(); ++I)
    if (!Phases.rows()[I].Instant)
      Entries.emplace_back(S.paint(fillOf(I)), Phases.rows()[I].Name);
  if (Untracked)
    Entries.emplace_back(UntrackedColour.str(), "in no phase");
  return Y + S.legend(16, Y, Width, Entries);
}

} // namespace kinstr::report
