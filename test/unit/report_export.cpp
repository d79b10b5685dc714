// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exports are made of: spans put together, lines, texts.
#include "TraceTest.h"
#include "report/Csv.h"
#include "report/Export.h"
#include "report/Names.h"
#include "report/Palette.h"
#include "report/Stays.h"
#include <cmath>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;

namespace {

/// A piece: site, begin, end, cycles in earlier ones, whether more follow.
trace::Span piece(uint32_t Site, uint64_t Begin, uint64_t End, uint64_t Before,
                  bool Interrupted, bool Open = false) {
  return {Site, Begin, End, Before, Interrupted, Open};
}

/// `site@depth begin-end =cycles`, then the next.
std::string joined(std::vector<trace::Span> Pieces) {
  std::vector<Stay> Stays;
  joinPieces(Pieces, Stays);
  std::string Out;
  for (const Stay &S : Stays)
    Out += (Out.empty() ? "" : " ") + std::to_string(S.Site) + "@" +
           std::to_string(S.Depth) + " " + std::to_string(S.Begin) + "-" +
           std::to_string(S.End) + "=" + std::to_string(S.Cycles) +
           (S.Open ? "?" : "");
  return Out;
}

} // namespace

TEST(ReportStays, PhasesFollowOneAnother) {
  EXPECT_EQ(joined({piece(0, 10, 20, 0, false), piece(1, 20, 50, 0, false)}),
            "0@0 10-20=10 1@0 20-50=30");
  EXPECT_EQ(joined({}), "");
}

TEST(ReportStays, CalleesLieWithinTheCallersPhase) {
  EXPECT_EQ(joined({piece(0, 10, 20, 0, true), piece(5, 22, 30, 0, true),
                    piece(6, 31, 35, 0, false), piece(5, 36, 40, 8, false),
                    piece(0, 41, 50, 10, true), piece(5, 51, 60, 0, false),
                    piece(0, 61, 70, 19, false)}),
            "0@0 10-70=28 5@1 22-40=12 6@2 31-35=4 5@1 51-60=9");
}

TEST(ReportStays, ACallOfItselfIsNoPieceOfTheCaller) {
  EXPECT_EQ(joined({piece(5, 10, 20, 0, true), piece(5, 21, 25, 0, false),
                    piece(5, 26, 30, 10, false)}),
            "5@0 10-30=14 5@1 21-25=4");
}

TEST(ReportStays, AFilterMayTakePieces) {
  // The first ones: it begins with what is left, and knows its cycles.
  EXPECT_EQ(joined({piece(6, 31, 35, 0, false), piece(0, 41, 50, 10, true),
                    piece(0, 61, 70, 19, false)}),
            "6@0 31-35=4 0@0 41-70=28");
  // The last: it lasts as long as what lies within it.
  EXPECT_EQ(joined({piece(0, 10, 20, 0, true), piece(5, 22, 30, 0, true),
                    piece(6, 31, 35, 0, false)}),
            "0@0 10-35=10 5@1 22-35=8 6@2 31-35=4");
}

TEST(ReportStays, OpenIsSaidOfAllThatDidNotEnd) {
  EXPECT_EQ(joined({piece(0, 10, 20, 0, true), piece(5, 22, 30, 0, false, true),
                    piece(0, 30, 30, 10, false, true)}),
            "0@0 10-30=10? 5@1 22-30=8?");
}

TEST(ReportStays, ScopesBeginBeforeThoseThatLieWithinThem) {
  std::vector<Stay> Out;
  auto Scope = [](uint32_t Site, uint64_t Begin, uint64_t End, uint32_t Depth,
                  uint64_t Paused = 0) {
    return trace::ScopeSpan{Site, Begin, End, Paused, Depth, false};
  };
  sortScopes({Scope(1, 10, 20, 1), Scope(2, 20, 30, 1), Scope(0, 10, 40, 0, 5),
              Scope(1, 45, 50, 1)},
             Out);
  std::string Text;
  for (const Stay &S : Out)
    Text += std::to_string(S.Site) + "@" + std::to_string(S.Depth) + " " +
            std::to_string(S.Begin) + "-" + std::to_string(S.End) + "=" +
            std::to_string(S.Cycles) + " ";
  EXPECT_EQ(Text, "0@0 10-40=25 1@1 10-20=10 2@1 20-30=10 1@1 45-50=5 ");
}

TEST(ReportStays, AValueIsOfTheInnermostStay) {
  std::vector<Stay> Stays = {{0, 0, 10, 50}, {5, 1, 22, 30}, {1, 0, 50, 60}};
  std::vector<trace::Value> Values;
  for (uint64_t Clock : {5, 10, 22, 30, 31, 50, 60, 61})
    Values.push_back({Clock, Clock < 31 ? 7u : 8u, {}});
  std::vector<StayValue> Placed, Last;
  placeValues(Stays, Values, Placed);
  std::vector<int> Where;
  for (const StayValue &P : Placed)
    Where.push_back(P.Stay == StayValue::NoStay ? -1 : int(P.Stay));
  EXPECT_EQ(Where, (std::vector<int>{-1, 0, 1, 1, 0, 2, 2, -1}));

  // Names by site: of site 7 and of site 8 another.
  std::vector<uint32_t> Names(9);
  Names[7] = 1;
  Names[8] = 2;
  lastOfEach(Placed, Names, Last);
  std::string Text;
  for (const StayValue &P : Last)
    Text += std::to_string(P.Stay) + ":" + std::to_string(P.V.Site) + "@" +
            std::to_string(P.V.Clock) + " ";
  EXPECT_EQ(Text, "0:7@10 0:8@31 1:7@30 2:8@60 ");
}

TEST(ReportExport, OnlyWarpsThatNeedThemHaveMoreLines) {
  SimulatedGpu G;
  G.Sms = 1;
  G.Kernels = {{"k",
                1,
                true,
                2,
                {{"phase", "a", 2, 1000},
                 {"value", "n", 3},
                 {"scope", "s", 4},
                 {"scope-end", "s", 5},
                 {"value", "m", 6}}},
               {"plain", 9, true, 2, {{"phase", "a", 10, 1000}}}};
  SimLaunch L;
  L.Grid = 1;
  L.Threads = 64;
  G.Launches = {L, L};
  G.Launches[1].Kernel = 1;
  G.Launches[1].AtNs = 100; // beside the first: a place of its own
  trace::Trace T = understood(G.build());
  auto S = llvm::cantFail(Selection::make(T, {}));
  Tracks Lines = llvm::cantFail(layTracks(T, S, TimeAxis(T)));
  ASSERT_EQ(Lines.Sms.size(), 1u);
  ASSERT_EQ(Lines.Sms[0].Slots.size(), 2u);
  const SlotTracks &Some = Lines.Sms[0].Slots[0];
  ASSERT_EQ(Some.Extras.size(), 6u);
  EXPECT_EQ(Some.extraId({0, ExtraLine::Scopes}), Some.warpId(1) + 1);
  EXPECT_EQ(Some.extraId({1, 2}), Some.warpId(1) + 6);
  const SlotTracks &None = Lines.Sms[0].Slots[1];
  EXPECT_TRUE(None.Extras.empty());
  EXPECT_EQ(None.Id, Some.extraId({1, 2}) + 1);
}

TEST(ReportExport, BlocksThatFollowOneAnotherShareALine) {
  SimulatedGpu G;
  G.Sms = 2;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2, 1000, 500}}}};
  SimLaunch L;
  L.Grid = 24;
  L.Threads = 64;
  L.PerSm = 3;
  L.Gap = 0; // at once
  G.Launches = {L, L};
  G.Launches[1].AtNs = 100; // beside the first
  trace::Trace T = understood(G.build());
  auto S = llvm::cantFail(Selection::make(T, {}));
  Tracks Lines = llvm::cantFail(layTracks(T, S, TimeAxis(T)));

  ASSERT_EQ(Lines.Blocks.size(), 48u);
  ASSERT_EQ(Lines.Sms.size(), 2u);
  EXPECT_EQ(Lines.Devices[0].LaunchRows.size(), 2u);
  std::vector<uint64_t> Ids = {Lines.Devices[0].Id};
  for (uint64_t Row : Lines.Devices[0].LaunchRows)
    Ids.push_back(Row);
  for (const SmTracks &Sm : Lines.Sms) {
    EXPECT_LT(Sm.Slots.size(), 10u);
    Ids.push_back(Sm.Id);
    for (const SlotTracks &Slot : Sm.Slots) {
      EXPECT_EQ(Slot.Warps, 2u);
      for (uint64_t Id : {Slot.Id, Slot.warpId(0), Slot.warpId(1)})
        Ids.push_back(Id);
    }
  }
  for (size_t I = 0; I < Ids.size(); ++I)
    EXPECT_EQ(Ids[I], I + 1); // each its own
  for (const PlacedBlock &A : Lines.Blocks)
    for (const PlacedBlock &B : Lines.Blocks)
      if (&A != &B && A.Sm == B.Sm && A.Slot == B.Slot) {
        EXPECT_TRUE(A.End < B.Begin || B.End < A.Begin);
      }
}

TEST(ReportExport, AFieldIsQuotedWhereItMustBe) {
  EXPECT_EQ(csvText("load"), "load");
  EXPECT_EQ(csvText(""), "");
  EXPECT_EQ(csvText("a,b"), "\"a,b\"");
  EXPECT_EQ(csvText("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csvText(" a"), "\" a\"");
  EXPECT_EQ(csvText("=1+1"), "'=1+1");
  EXPECT_EQ(csvText("@x,y"), "\"'@x,y\"");
  EXPECT_EQ(csvText("a\r\nb"), "a??b");
}

TEST(ReportExport, NamesAreUtf8) {
  EXPECT_EQ(plainText("gr\xc3\xb6\xc3\x9f"
                      "e"),
            "gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(plainText("a\xff"
                      "b\x1b"),
            "a\xef\xbf\xbd"
            "b?");
}

TEST(ReportExport, AnErrorOfTheFileEndsTheWriting) {
  SimulatedGpu G;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2}}}};
  G.Launches = {SimLaunch()};
  trace::Trace T = understood(G.build());
  auto S = llvm::cantFail(Selection::make(T, {}));
  int Calls = 0;
  auto Full = [&](llvm::StringRef) {
    ++Calls;
    return llvm::createStringError("full");
  };
  EXPECT_EQ(llvm::toString(writePerfetto(T, S, Full).takeError()), "full");
  EXPECT_EQ(llvm::toString(writeChrome(T, S, Full).takeError()), "full");
  EXPECT_EQ(llvm::toString(writeCsv(T, S, Full)), "full");
  EXPECT_EQ(Calls, 3);
  EXPECT_NE(llvm::toString(writeSqlite(T, S, "/nowhere/at/all")), "");
}

/// Relative luminance, and contrast as WCAG 2 defines them.
static double luminance(llvm::StringRef Colour) {
  double Sum = 0;
  const double Weights[] = {0.2126, 0.7152, 0.0722};
  for (int I = 0; I < 3; ++I) {
    unsigned Value = 0;
    EXPECT_FALSE(Colour.substr(1 + 2 * I, 2).getAsInteger(16, Value));
    double C = Value / 255.0;
    Sum += Weights[I] *
           (C <= 0.04045 ? C / 12.92 : std::pow((C + 0.055) / 1.055, 2.4));
  }
  return Sum;
}

static double contrast(llvm::StringRef A, llvm::StringRef B) {
  double LA = luminance(A), LB = luminance(B);
  return (std::max(LA, LB) + 0.05) / (std::min(LA, LB) + 0.05);
}

TEST(ReportPalette, ColoursStandOutFromThePage) {
  for (bool Dark : {false, true}) {
    const Theme &T = theme(Dark);
    for (llvm::StringRef Text : {T.Title, T.Text, T.Muted, T.Axis})
      EXPECT_GE(contrast(Text, T.Page), 4.5) << Text.str();
    EXPECT_GE(contrast(T.Mark, T.Page), 7);
  }
  for (llvm::StringRef Phase : theme(/*Dark=*/true).Phases)
    EXPECT_GE(contrast(Phase, theme(/*Dark=*/true).Page), 3) << Phase.str();
}
