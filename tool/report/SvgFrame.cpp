// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws title and legend.
#include "report/SvgFrame.h"

#include "report/Names.h"
#include <cmath>

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

std::string title(const Svg &S, const Trace &T, uint32_t Launch,
                  StringRef What) {
  std::string Out = S.options().Title.empty()
                        ? kernelName(T, T.launches()[Launch])
                        : printable(S.options().Title);
  Out += (": " + What).str();
  if (T.launches().size() > 1)
    Out += ", launch " + std::to_string(Launch);
  return Out;
}

static std::string timeText(double Ns) {
  return std::isfinite(Ns) ? duration(Ns) : "…";
}

std::string filterText(const Selection &S) {
  const Filter &F = S.filter();
  std::string Out;
  auto Add = [&](const std::string &Part) {
    Out += (Out.empty() ? " Only " : ", ") + Part;
  };
  if (!F.Warps.all())
    Add(rangeText(F.Warps, "warp"));
  if (!F.Sms.all())
    Add(rangeText(F.Sms, "SM"));
  if (!F.Phase.empty())
    Add("phases that match '" + printable(F.Phase) + "'");
  if (!F.allTime())
    Add("from " + timeText(F.FromNs) + " to " + timeText(F.ToNs) +
        " of the launch");
  return Out.empty() ? Out : Out + ".";
}

/// Colour and name of each phase row that has a selected site.
static std::vector<std::pair<std::string, std::string>>
legendEntries(Svg &S, const Trace &T, const Selection &Chosen,
              uint32_t Launch) {
  const Kernel &K = T.kernel(T.launches()[Launch]);
  PhaseRows Phases(K);
  BitVector Shown(Phases.size());
  for (uint32_t Site = 0; Site < K.Sites.size(); ++Site)
    if (int Row = Phases.rowOf(Site); Row >= 0 && Chosen.hasSite(Launch, Site))
      Shown.set(Row);
  std::vector<std::pair<std::string, std::string>> Out;
  for (unsigned I : Shown.set_bits())
    if (!Phases.rows()[I].Instant)
      Out.emplace_back(S.paint(S.colours().fillOf(I)), Phases.rows()[I].Name);
  return Out;
}

double drawHead(Svg &S, const Trace &T, const Selection &Chosen,
                uint32_t Launch, StringRef Title, StringRef Subtitle,
                bool Untracked, const BitVector &Scopes) {
  const double Width = S.plotRight() - 16;
  const Theme &C = S.colours();
  S.text(16, 28, fitText(Title, 17, Width), 17, Anchoring::Start, C.Title,
         /*Bold=*/true);
  double Y = 48;
  for (const std::string &Text : {deviceLine(T, Launch), Subtitle.str()})
    Y = S.paragraph(16, Y, Width * 1.12, Text, 11.5, C.Muted);
  auto Entries = legendEntries(S, T, Chosen, Launch);
  if (Untracked)
    Entries.emplace_back(C.Untracked.str(), Chosen.filter().Phase.empty()
                                                ? "in no phase"
                                                : "in another phase or none");
  const Kernel &K = T.kernel(T.launches()[Launch]);
  NamedSites Named(K, SiteKind::Scope);
  for (unsigned I : Scopes.set_bits())
    Entries.emplace_back(S.paint(scopeFill(C, PhaseRows(K), I)),
                         "scope " + Named.rows()[I].Name);
  return Y + S.legend(16, Y, Width, Entries);
}

} // namespace kinstr::report
