// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a trace, whole and filtered, through all that people look at:
// the table, the page, pictures; and the verdict.
#include "Formats.h"
#include "Require.h"
#include "TraceInput.h"
#include "report/Html.h"
#include "report/HtmlViewer.h"
#include "report/Png.h"
#include "report/SvgReport.h"
#include "report/Terminal.h"
#include "report/Verdict.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <zlib.h>

using namespace kinstr;
using namespace llvm;

/// What was made of a trace that can be read.
template <typename T> static T made(Expected<T> What, StringRef Name) {
  if (!What)
    require(false, Name + " is made: " + toString(What.takeError()));
  return std::move(*What);
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

/// As viewer/columns.js does it.
static std::string fromBase85(StringRef Text) {
  require(Text.size() % 5 == 0, "characters come in groups");
  std::string Out;
  for (; !Text.empty(); Text = Text.drop_front(5)) {
    uint64_t Group = 0;
    for (char C : Text.take_front(5)) {
      require(C >= '#' && C <= 'x' && C != '<', "a character is one of 85");
      Group = Group * 85 + ((C == 'x' ? '<' : C) - '#');
    }
    require(Group <= UINT32_MAX, "a group is four bytes");
    char Bytes[4];
    support::endian::write32be(Bytes, static_cast<uint32_t>(Group));
    Out.append(Bytes, 4);
  }
  return Out;
}

static std::string inflated(StringRef Packed) {
  std::string Out(4096, '\0');
  for (;;) {
    uLongf Size = Out.size();
    int Status = uncompress(reinterpret_cast<Bytef *>(Out.data()), &Size,
                            reinterpret_cast<const Bytef *>(Packed.data()),
                            Packed.size());
    if (Status == Z_BUF_ERROR && Out.size() < (1u << 30)) {
      Out.resize(Out.size() * 4);
      continue;
    }
    require(Status == Z_OK, "data can be decompressed");
    Out.resize(Size);
    return Out;
  }
}

/// Takes an element with data off the front of \p Page.
static std::string takeElement(StringRef &Page, StringRef Id) {
  require(Page.consume_front("<script type=\"application/octet-stream\" id=\""),
          "there are data");
  require(Page.consume_front((Id + "\" data-bytes=\"").str()),
          "elements are in order");
  size_t Size = 0;
  require(!Page.consumeInteger(10, Size) && Page.consume_front("\">"),
          "data have a size");
  size_t End = Page.find("</script>\n");
  require(End != StringRef::npos, "data end");
  std::string Packed = fromBase85(Page.take_front(End));
  Page = Page.drop_front(End + StringRef("</script>\n").size());
  require(Packed.size() - Size < 4, "of the last group some is filling");
  return inflated(StringRef(Packed).take_front(Size));
}

/// A table, and that its columns are all that stands behind it.
static void checkLaunch(StringRef Data) {
  require(Data.size() >= 4, "there is a length");
  uint32_t Length = support::endian::read32le(Data.data());
  Data = Data.drop_front(4);
  require(Length <= Data.size(), "a table ends");
  json::Value Table = requireJson(Data.take_front(Length), "a launch");
  const json::Object *O = Table.getAsObject();
  const json::Array *Columns = O ? O->getArray("columns") : nullptr;
  require(Columns, "a launch has columns");
  uint64_t Bytes = 0;
  for (const json::Value &C : *Columns) {
    const json::Array &Column = *C.getAsArray();
    Bytes += *Column[1].getAsInteger() * *Column[2].getAsInteger();
  }
  require(Length + Bytes == Data.size(), "columns are all that is left");
}

static void checkPage(const trace::Trace &T, const report::Selection &S) {
  report::HtmlOptions O;
  O.Limits.Spans = 100;
  O.Limits.Launches = 3;
  std::string Text = made(drawHtml(T, S, O), "a page");
  StringRef Page = Text;
  require(Page.consume_front(report::viewerHead()) &&
              Page.consume_front("<title>"),
          "a page has a title");
  size_t End = Page.find('<');
  requirePlain(Page.take_front(End), "a title");
  Page = Page.substr(End);
  require(Page.consume_front("</title>\n") &&
              Page.consume_front(report::viewerBody()),
          "a name is no markup");
  requireJson(takeElement(Page, "trace"), "what is said of a trace");
  for (uint32_t I : S.launches().take_front(O.Limits.Launches))
    checkLaunch(takeElement(Page, "launch-" + utostr(I)));
  require(Page == report::viewerEnd(), "nothing else is in a page");
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

static void checkTable(const trace::Trace &T, const report::Selection &S) {
  report::TerminalOptions O;
  O.Wrap = true;
  O.Table.Width = 40;
  O.SubtractMarkCost = true;
  for (bool All : {false, true}) {
    O.AllLaunches = All;
    std::string Text;
    raw_string_ostream OS(Text);
    require(!errorToBool(printReport(T, S, O, OS)), "the table is printed");
    requirePlain(Text, "the table");
  }
}

static void checkVerdict(const trace::Trace &T, const report::Selection &S) {
  std::string Text = made(verdict(T, S), "a verdict");
  require(Text.size() <= report::MostVerdictBytes, "a verdict is short");
  requireJsonOf(Text, "verdict.schema.json");
}

static void checkPicture(StringRef Svg, bool Draw) {
  requireMarkup(Svg, Markup::Xml, "a picture");
  if (!Draw)
    return;
  std::string Png = made(report::renderPng(Svg, 0.1), "a PNG");
  require(StringRef(Png).starts_with("\x89PNG\r\n\x1a\n"), "a PNG is one");
}

/// \p Draw: as PNG as well, which takes longer than all else.
static void checkPictures(const trace::Trace &T, const report::Selection &S,
                          bool Draw) {
  for (uint32_t I : S.launches().take_front(2)) {
    checkPicture(made(drawBlocks(T, S, I, {}), "an overview"), Draw);
    if (auto Warps = made(drawWarps(T, S, I, 0, {}), "a picture of warps"))
      checkPicture(*Warps, Draw);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  std::optional<trace::Trace> T = openTrace(repaired(Bytes));
  if (!T)
    return 0;
  forSelections(*T, [&](const report::Selection &S) {
    if (errorToBool(checkNotEmpty(*T, S))) // nothing is written then
      return;
    checkTable(*T, S);
    checkVerdict(*T, S);
    checkPictures(*T, S, /*Draw=*/Size % 16 == 0);
    checkPage(*T, S);
  });
  return 0;
}
