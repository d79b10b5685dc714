// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the page together: the viewer, then its data.
#include "report/Html.h"

#include "report/HtmlTables.h"
#include "report/HtmlViewer.h"
#include "report/LaunchGroups.h"
#include "report/Names.h"
#include "report/Svg.h"
#include "support/OutputFile.h"
#include "trace/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// The text of a launch's table, with its length in front, then its columns.
static std::string launchBytes(json::Object Table, LaunchDetail D) {
  Table["profileBins"] = D.ProfileBins;
  std::string Columns = D.Pack.bytes();
  Table["columns"] = std::move(D.Pack).list();
  std::string Text;
  raw_string_ostream(Text) << json::Value(std::move(Table));
  char Length[4];
  support::endian::write32le(Length, static_cast<uint32_t>(Text.size()));
  return std::string(Length, 4) + Text + Columns;
}

/// What the page leaves out, in words.
static std::vector<std::string> omissions(const Survey &Found,
                                          const Selection &S,
                                          ArrayRef<LaunchDetail> Details) {
  std::vector<std::string> Out;
  if (S.launches().size() > Details.size())
    Out.push_back("of " + counted(S.launches().size(), "launch") +
                  ", only the first " + utostr(Details.size()) +
                  " are in this page; --launch A-B chooses others");
  uint64_t Blocks = 0, WithSpans = 0;
  for (const LaunchDetail &D : Details) {
    Blocks += D.Blocks;
    WithSpans += D.BlocksWithSpans;
  }
  uint64_t All = 0;
  for (const LaunchSurvey &L : Found.Launches)
    All += L.Blocks;
  if (Blocks < All)
    Out.push_back("of " + counted(All, "block") + ", " + utostr(Blocks) +
                  " drawn by lot are in the picture; figures, distributions "
                  "and the curve of phases over time are of all");
  if (WithSpans < Blocks)
    Out.push_back("of " + counted(All, "block") + ", " + utostr(WithSpans) +
                  " drawn by lot have their warps’ timelines here "
                  "(--html-spans N keeps more); figures, distributions and "
                  "the curve of phases over time are of all");
  return Out;
}

/// Statistics of so many launches are made at once: each holds memory.
static constexpr size_t LaunchesAPass = 256;

static Error appendLaunches(const Trace &T, const Selection &S,
                            const PageLaunches &Launches, const Survey &Found,
                            std::vector<LaunchDetail> Details,
                            std::string &Page) {
  for (size_t I = 0; I < Launches.size();) {
    ArrayRef<uint32_t> Some = Launches.all().slice(I).take_front(LaunchesAPass);
    Expected<std::vector<Statistics>> Stats =
        computeStatistics(T, S, oneByOne(Some));
    if (!Stats)
      return Stats.takeError();
    for (const Statistics &St : *Stats) {
      uint32_t Launch = Launches.all()[I];
      Page +=
          dataElement("launch-" + std::to_string(Launch),
                      launchBytes(launchTable(T, Launch, Found.Launches[I], St),
                                  std::move(Details[I])));
      ++I;
    }
  }
  return Error::success();
}

Expected<std::string> drawHtml(const Trace &T, const Selection &S,
                               const HtmlOptions &O) {
  PageLaunches Launches(S.launches().take_front(O.Limits.Launches));
  Expected<Survey> Found = survey(T, S, Launches);
  if (!Found)
    return Found.takeError();
  Expected<std::vector<LaunchDetail>> Details =
      collectDetail(T, S, Launches, *Found, Lot(*Found, O.Limits));
  if (!Details)
    return Details.takeError();

  SourceFiles Sources(O.SourceFolders);
  std::string Index;
  raw_string_ostream(Index) << traceTable(
      T, S, Launches, *Found, omissions(*Found, S, *Details), Sources);

  std::string Page = viewerHead().str();
  Page +=
      "<title>" + xmlText(pageText(T.meta().Program)) + " - kinstr</title>\n";
  Page += viewerBody();
  Page += dataElement("trace", Index);
  if (Error E =
          appendLaunches(T, S, Launches, *Found, std::move(*Details), Page))
    return E;
  Page += viewerEnd();
  return Page;
}

Error writeHtml(const Trace &T, const Selection &S, const HtmlOptions &O,
                raw_ostream &Log) {
  Expected<std::string> Page = drawHtml(T, S, O);
  if (Error E = Page.takeError()) {
    if (E.isA<Interrupted>())
      return E;
    return createStringError(
        O.Path + ": error: cannot make the page: " + toString(std::move(E)));
  }
  if (Error E = writeFile(O.Path, *Page))
    return createStringError(
        O.Path + ": error: cannot write: " + toString(std::move(E)));
  if (O.Path != "-")
    Log << "wrote " << O.Path << '\n';
  return Error::success();
}

} // namespace kinstr::report
