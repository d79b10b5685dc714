// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pieces graphics are made of.
#include "TraceTest.h"
#include "report/Names.h"
#include "report/StepPath.h"
#include "report/Svg.h"
#include "report/SvgReport.h"

using namespace kinstr::report;

TEST(ReportSvg, TextIsEscaped) {
  EXPECT_EQ(xmlText("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xmlText(llvm::StringRef("a\0b\x1b[1m", 7)), "a?b?[1m");
}

TEST(ReportNames, ControlCharactersDoNotReachATerminal) {
  EXPECT_EQ(printable("\x1b]0;title\x07"), "?]0;title?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m"); // CSI as one character
  EXPECT_EQ(printable("µs \xc2\xa0"), "µs \xc2\xa0");
  EXPECT_EQ(printable("\xc2"), "\xc2"); // cut short
}

TEST(ReportNames, NothingTurnsTextRoundOrEndsALine) {
  for (const char *Bad :
       {u8"\u061c", u8"\u200e", u8"\u200f", u8"\u2028", u8"\u2029", u8"\u202a",
        u8"\u202e", u8"\u2066", u8"\u2069"})
    EXPECT_EQ(printable(std::string("a") + Bad + "b"), "a?b");
  for (const char *Good :
       {u8"\u200d", u8"\u2027", u8"\u202f", u8"\u2065", u8"\u206a", u8"\u2192"})
    EXPECT_EQ(printable(Good), Good);
}

TEST(ReportSvg, TicksAreRound) {
  EXPECT_EQ(ticks(0, 100, 10),
            (std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}));
  EXPECT_EQ(ticks(0, 0.45, 10).size(), 10u);
  EXPECT_EQ(ticks(0, 0, 10), std::vector<double>{0});
  EXPECT_EQ(tickText(0.15, {0, 0.05}), "0.15");
  EXPECT_EQ(tickText(50, {0, 50}), "50");
}

TEST(ReportSvg, LongTextIsCutAtACharacter) {
  std::string Cut = fitText("ääääääääääääääääääää", 10, 60);
  EXPECT_EQ(Cut, "ääääääää…");
  EXPECT_EQ(fitText("short", 10, 60), "short");
}

TEST(ReportSvg, CoordinatesAreShort) {
  EXPECT_EQ(coord(3), "3");
  EXPECT_EQ(coord(-0.001), "0");
  EXPECT_EQ(coord(2.50), "2.5");
}

TEST(ReportSvg, OfVeryManyBlocksTheNarrowOnesAreDrawnTogether) {
  using namespace kinstr::test;
  SimulatedGpu G;
  G.Sms = 1;
  G.Kernels = {{"k", 1, false, 1, {{"phase", "a", 2, 300, 90}}}};
  SimLaunch L;
  L.Grid = 3000; // on 1832 half pixels
  G.Launches = {L};
  kinstr::trace::Trace T = understood(G.build());
  Selection Whole = llvm::cantFail(Selection::make(T, {}));
  auto Draw = [&](uint64_t MostBars) {
    PictureOptions O;
    O.MostBars = MostBars;
    return llvm::cantFail(drawBlocks(T, Whole, 0, O));
  };
  std::string All = Draw(PictureOptions().MostBars), Together = Draw(2999);
  EXPECT_EQ(All.find("Drawn together"), std::string::npos);
  EXPECT_NE(Together.find("3000 blocks shorter than"), std::string::npos);
  EXPECT_LT(Together.size(), All.size());
  EXPECT_EQ(Draw(3000), All);
}

TEST(StepPath, GoesOnAndThenUpOrDown) {
  StepPath P;
  P.add(10, 5);
  P.add(20, 8);
  P.add(30, 8);
  EXPECT_EQ(P.endAt(40), "M10 5H20V8H30V8H40");
  EXPECT_EQ(StepPath().endAt(40), "");
}

TEST(StepPath, OfWhatIsTooNarrowTheHighestAndTheLowest) {
  StepPath P;
  P.add(10, 5);
  for (int I = 0; I < 100; ++I)
    P.add(20 + I * 0.002, I % 2 ? 1 : 9);
  P.add(30, 4);
  EXPECT_EQ(P.endAt(40), "M10 5H20V1V1V9V1H30V4H40");
}
