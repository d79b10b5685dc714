// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an HTML page is made of: columns, text for bytes, source files, lots.
#include "TraceTest.h"
#include "report/Html.h"
#include "report/HtmlSource.h"
#include "report/HtmlTables.h"
#include "report/LaunchGroups.h"
#include "report/Pauses.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <zlib.h>

using namespace kinstr;
using namespace kinstr::test;
using namespace kinstr::report;
using llvm::StringRef;

static std::string bytesOf(const Column &C) {
  std::string Out;
  C.appendTo(Out);
  return Out;
}

namespace {

/// The pauses of a warp, of which Time.Paused has so many cycles.
std::string pauses(llvm::ArrayRef<trace::Event> Events, uint64_t Cycles) {
  trace::Kernel K;
  uint64_t Unknown = 0, Sum = 0;
  auto Nothing = [](const auto &) {};
  trace::WarpView W{};
  W.Events = Events;
  W.Time = forEachSpan(Events, K, Nothing, Nothing, Nothing, Unknown);
  EXPECT_EQ(W.Time.Paused, Cycles);
  std::string Out;
  forEachPause(W, [&](uint64_t Begin, uint64_t End) {
    Out += llvm::utostr(Begin) + "-" + llvm::utostr(End) + " ";
    Sum += End - Begin;
  });
  EXPECT_EQ(Sum, Cycles);
  return Out;
}

} // namespace

TEST(ReportPauses, AreThoseOfTheWarpsTime) {
  EXPECT_EQ(pauses({{10, 0}, {20, pause_site}, {25, 1}, {40, exit_site}}, 5),
            "20-25 ");
  // One goes on; one before the warp's first event, and one that never ended.
  EXPECT_EQ(pauses({{10, 0}, {20, pause_site}, {22, pause_site}, {25, 1}}, 5),
            "20-25 ");
  EXPECT_EQ(pauses({{5, pause_site},
                    {10, 0},
                    {20, pause_site},
                    {25, 1},
                    {30, pause_site},
                    {31, exit_site},
                    {35, pause_site}},
                   6),
            "20-25 30-31 ");
  EXPECT_EQ(pauses({{10, 0}, {25, 1}}, 0), "");
}

TEST(HtmlColumns, APlaneForEachByteThatIsNeeded) {
  Column C;
  C.push(1);
  EXPECT_EQ(C.planes(), 1u);
  C.push(0x0203);
  C.push(0);
  EXPECT_EQ(C.size(), 3u);
  // The low bytes, then the next higher ones.
  EXPECT_EQ(bytesOf(C), std::string("\1\3\0\0\2\0", 6));
  Column Zeros;
  Zeros.push(0);
  EXPECT_EQ(Zeros.planes(), 0u);
  EXPECT_EQ(Zeros.size(), 1u);
}

TEST(HtmlColumns, ADoubleIsItsBits) {
  Column C;
  C.pushDouble(-0.5); // bf e0 00...
  EXPECT_EQ(bytesOf(C), std::string("\0\0\0\0\0\0\xE0\xBF", 8));
}

/// As viewer/columns.js does it.
static std::string fromBase85(StringRef Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size(); I += 5) {
    uint32_t Word = 0;
    for (char C : Text.substr(I, 5))
      Word = Word * 85 + ((C == 'x' ? '<' : C) - '#');
    for (int Shift = 24; Shift >= 0; Shift -= 8)
      Out += static_cast<char>(Word >> Shift);
  }
  return Out;
}

TEST(HtmlColumns, Base85HoldsAllBytesAndNoMarkup) {
  std::string Bytes;
  for (int I = 0; I < 256; ++I)
    for (int J = 0; J < 256; J += 5) {
      Bytes += static_cast<char>(I);
      Bytes += static_cast<char>(J);
    }
  std::string Text = base85(llvm::arrayRefFromStringRef(Bytes));
  EXPECT_EQ(Text.find_first_of("< \n"), std::string::npos);
  EXPECT_EQ(Text.size(), (Bytes.size() + 3) / 4 * 5);
  EXPECT_EQ(fromBase85(Text).substr(0, Bytes.size()), Bytes);
  EXPECT_EQ(base85({}), "");
  // The largest group there is, and a remainder.
  EXPECT_EQ(fromBase85(base85({255, 255, 255, 255, 7})),
            std::string("\xff\xff\xff\xff\7\0\0\0", 8));
}

TEST(HtmlColumns, AnElementHoldsWhatWasPutIn) {
  std::string Long(100000, 'k');
  std::string Element = dataElement("launch-3", Long);
  EXPECT_LT(Element.size(), 1000u);
  StringRef Rest = Element;
  ASSERT_TRUE(Rest.consume_front("<script type=\"application/octet-stream\" "
                                 "id=\"launch-3\" data-bytes=\""));
  size_t Size = 0;
  ASSERT_FALSE(Rest.consumeInteger(10, Size));
  ASSERT_TRUE(Rest.consume_front("\">"));
  ASSERT_TRUE(Rest.consume_back("</script>\n"));
  std::string Packed = fromBase85(Rest), Out(Long.size() + 1, '\0');
  uLongf OutSize = Out.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef *>(&Out[0]), &OutSize,
                       reinterpret_cast<const Bytef *>(Packed.data()), Size),
            Z_OK);
  EXPECT_EQ(Out.substr(0, OutSize), Long);
}

static bool endsWith(const std::string &Text, StringRef End) {
  return StringRef(Text).ends_with(End);
}

TEST(HtmlSource, LooksInEachFolderWithFewerAndFewerFoldersInFront) {
  EXPECT_EQ(
      sourceCandidates("a/b.cu", {"x", "y"}),
      (std::vector<std::string>{"x/a/b.cu", "y/a/b.cu", "x/b.cu", "y/b.cu"}));
  // As such last: the trace may come from another machine.
  EXPECT_EQ(sourceCandidates("/w/b.cu", {"x"}),
            (std::vector<std::string>{"x/w/b.cu", "x/b.cu", "/w/b.cu"}));
}

class HtmlSourceFiles : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kinstr-html", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }
  void write(StringRef Name, StringRef Text) {
    std::error_code EC;
    llvm::raw_fd_ostream(path(Name), EC) << Text;
    ASSERT_FALSE(EC);
  }
  std::string path(StringRef Name) {
    llvm::SmallString<128> P(Folder);
    llvm::sys::path::append(P, Name);
    return P.str().str();
  }

  llvm::SmallString<128> Folder;
};

TEST_F(HtmlSourceFiles, LinesOfAnyText) {
  write("k.cu", "\xEF\xBB\xBFone\r\ntwo \xff\n\nfour");
  SourceFiles Files({Folder.str().str()});
  EXPECT_EQ(Files.indexOf("src/k.cu"), 0u);
  EXPECT_EQ(Files.indexOf("src/none.cu"), 1u);
  EXPECT_EQ(Files.indexOf("src/k.cu"), 0u); // once
  ASSERT_EQ(Files.files().size(), 2u);
  EXPECT_TRUE(Files.files()[0].Found);
  EXPECT_EQ(Files.files()[0].Lines,
            (std::vector<std::string>{"one", "two \xEF\xBF\xBD", "", "four"}));
  EXPECT_FALSE(Files.files()[1].Found);
}

// A trace can name any file, and a page is passed on.
TEST_F(HtmlSourceFiles, OnlyFilesThatAreSource) {
  write("id_rsa", "secret");
  write("notes.txt", "secret");
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("folder.cu")));
  SourceFiles Files({Folder.str().str()});
  for (StringRef Name : {"id_rsa", "notes.txt", "folder.cu", "", "/dev/zero"}) {
    size_t I = Files.indexOf(Name);
    EXPECT_FALSE(Files.files()[I].Found) << Name.str();
  }
}

// ---- whole pages ----

static trace::Trace twoLaunches(uint32_t Grid) {
  SimulatedGpu G;
  G.Kernels = {{"k",
                1,
                false,
                1,
                {{"phase", "a", 2, 300, 90}, {"phase", "b", 5, 100, 50}}}};
  SimLaunch L;
  L.Grid = Grid;
  L.Threads = 64;
  G.Launches = {L, L};
  G.Launches[1].AtNs = 1000000;
  return understood(G.build());
}

static std::string page(const trace::Trace &T, HtmlLimits Limits = {}) {
  Selection S = llvm::cantFail(Selection::make(T, {}));
  return llvm::cantFail(drawHtml(T, S, {"", {}, Limits}));
}

/// Of one block; whichever launch.
static size_t countOf(StringRef Page, StringRef What) {
  return Page.count(What);
}

TEST(Html, TheSameTraceGivesTheSamePage) {
  std::string Page = page(twoLaunches(50));
  EXPECT_EQ(Page, page(twoLaunches(50)));
  EXPECT_EQ(countOf(Page, "<script type=\"application/octet-stream\""), 3u);
  EXPECT_TRUE(endsWith(Page, "</html>\n"));
}

TEST(Html, NothingIsFetched) {
  std::string Page = page(twoLaunches(2));
  for (StringRef What : {"src=", "@import", "url(", "import(", "fetch(",
                         "XMLHttpRequest", "http-equiv=\"refresh"})
    EXPECT_EQ(countOf(Page, What), 0u) << What.str();
  EXPECT_EQ(countOf(Page, "default-src 'none'"), 1u);
}

TEST(Html, LotsDependOnTheBlockAlone) {
  trace::Trace T = twoLaunches(4000);
  Selection Sel = llvm::cantFail(Selection::make(T, {}));
  PageLaunches Both(Sel.launches());
  Survey S = llvm::cantFail(survey(T, Sel, Both));
  EXPECT_EQ(S.blocks(), 8000u);
  EXPECT_EQ(S.spans(), 32000u);
  HtmlLimits Limits;
  EXPECT_TRUE(Lot(S, Limits).allSpans());
  Limits.Spans = 3200;
  Lot Tenth(S, Limits);
  EXPECT_FALSE(Tenth.allSpans());
  EXPECT_TRUE(Tenth.allBlocks());
  size_t Drawn = 0;
  for (uint32_t B = 0; B < 4000; ++B) {
    EXPECT_TRUE(Tenth.hasBlock(0, B));
    Drawn += Tenth.hasSpans(0, B);
  }
  EXPECT_NEAR(static_cast<double>(Drawn), 400, 80);

  std::vector<LaunchDetail> D =
      llvm::cantFail(collectDetail(T, Sel, Both, S, Tenth));
  EXPECT_EQ(D[0].Blocks, 4000u);
  EXPECT_EQ(D[0].BlocksWithSpans, Drawn);
}

TEST(Html, TheSurveyCountsWhatIsThere) {
  trace::Trace T = twoLaunches(10);
  Selection Sel = llvm::cantFail(Selection::make(T, {}));
  // The second launch alone.
  std::vector<uint32_t> Second = {1};
  Survey S = llvm::cantFail(survey(T, Sel, PageLaunches(Second)));
  ASSERT_EQ(S.Launches.size(), 1u);
  const LaunchSurvey &L = S.Launches[0];
  EXPECT_EQ(L.Blocks, 10u);
  EXPECT_EQ(L.Warps, 20u);
  EXPECT_EQ(L.WarpsByIndex, (std::vector<uint64_t>{10, 10}));
  EXPECT_EQ(L.Spans, 40u);
  EXPECT_EQ(L.Events, 60u);
  EXPECT_EQ(L.PhaseCycles, L.WarpCycles); // phases from first mark to exit
  EXPECT_EQ(L.Sites[0].Cycles,
            L.Sites[0].WarpCycles[0] + L.Sites[0].WarpCycles[1]);
}

// The part of each phase that a time cuts, as the table has it.
TEST(Html, TheSurveyClipsToTheTime) {
  trace::Trace T = twoLaunches(10);
  Filter F;
  F.FromNs = 20;
  F.ToNs = 100;
  Selection Sel = llvm::cantFail(Selection::make(T, F));
  std::vector<uint32_t> First = {0};
  Survey S = llvm::cantFail(survey(T, Sel, PageLaunches(First)));
  std::vector<Statistics> Table =
      llvm::cantFail(computeStatistics(T, Sel, oneByOne(First)));
  const LaunchSurvey &L = S.Launches[0];
  ASSERT_GT(L.Spans, 0u);
  auto Near = [&](uint64_t Ours, double Theirs) {
    EXPECT_GT(Ours, 0u);
    EXPECT_NEAR(static_cast<double>(Ours), Theirs,
                static_cast<double>(L.Spans)); // whole cycles
  };
  Near(L.WarpCycles, Table[0].WarpCycles);
  Near(L.Sites[0].Cycles, Table[0].Rows[0].InWarps);
}

TEST(Html, SaysThatTheTraceWasCutShort) {
  trace::Trace T = twoLaunches(2);
  Selection Sel = llvm::cantFail(Selection::make(T, {}));
  auto Notes = [&] {
    PageLaunches Launches(Sel.launches());
    Survey S = llvm::cantFail(survey(T, Sel, Launches));
    SourceFiles Sources({});
    std::string Text;
    llvm::raw_string_ostream(Text)
        << traceTable(T, Sel, Launches, S, {}, Sources);
    return Text;
  };
  EXPECT_EQ(countOf(Notes(), "cut short: "), 0u);
  T.Raw.CutShort = true;
  EXPECT_EQ(countOf(Notes(), "cut short: "), 1u);
}

TEST(Html, WhoInterruptsIsNotToldOfAFile) {
  trace::Trace T = twoLaunches(2);
  Selection Sel = llvm::cantFail(Selection::make(T, {}));
  std::atomic<bool> Cancel = true;
  T.Watching.Cancel = &Cancel;
  llvm::Error E = writeHtml(T, Sel, {"none.html", {}, {}}, llvm::nulls());
  EXPECT_TRUE(E.isA<trace::Interrupted>());
  llvm::consumeError(std::move(E));
}
