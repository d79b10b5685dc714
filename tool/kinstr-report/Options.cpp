// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options, and turns their texts into values.
#include "Options.h"

#include "Outputs.h"
#include "report/Names.h"
#include "report/Ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace llvm;

namespace kinstr {

static cl::OptionCategory Category("kinstr-report options");

/// The first option whose text is empty.
static const cl::Option *EmptyOption = nullptr;

bool TextParser::parse(cl::Option &Of, StringRef /*Name*/, StringRef Text,
                       std::string &Value) {
  if (Text.empty() && !EmptyOption)
    EmptyOption = &Of;
  Value = Text.str();
  return false;
}

cl::SubCommand &diffCommand() {
  static cl::SubCommand Sub("diff", "compare two traces");
  return Sub;
}

cl::SubCommand &mergeCommand() {
  static cl::SubCommand Sub("merge", "make one trace of several");
  return Sub;
}

/// Of options that kinstr-report diff has as well.
static const cl::sub InReport(cl::SubCommand::getTopLevel()),
    InDiff(diffCommand());

static cl::list<std::string> Inputs(cl::Positional, cl::desc("FILE.kitrace"),
                                    cl::value_desc("FILE"), cl::cat(Category));

// ---- what is reported ----

static TextOption
    KernelPattern("kernel", cl::value_desc("REGEX"),
                  cl::desc("Only launches of kernels whose name matches"),
                  cl::cat(Category), InReport, InDiff);
static TextOption LaunchRange(
    "launch", cl::value_desc("N|A-B"),
    cl::desc("Only launch N, counted from 0 in the order of the report, or "
             "launches A to B"),
    cl::cat(Category), InReport, InDiff);
static TextOption BlockRange(
    "block", cl::value_desc("N|A-B"),
    cl::desc("Only these blocks. Pictures show the warps of each, 8 at most; "
             "of the first block if none is asked for"),
    cl::cat(Category), InReport, InDiff);
static TextOption WarpRange("warp", cl::value_desc("N|A-B"),
                            cl::desc("Only these warps of each block"),
                            cl::cat(Category), InReport, InDiff);
static TextOption SmRange("sm", cl::value_desc("N|A-B"),
                          cl::desc("Only blocks that began on these SMs"),
                          cl::cat(Category), InReport, InDiff);
static TextOption
    PhasePattern("phase", cl::value_desc("REGEX"),
                 cl::desc("Only phases, marks, scopes and values whose name "
                          "matches"),
                 cl::cat(Category), InReport, InDiff);
static TextOption TimeSpan(
    "time", cl::value_desc("FROM:TO"),
    cl::desc("Only what reaches into this part of each launch, from its first "
             "anchor on: 1.5us:20us, 3ms: (ns, us, ms or s)"),
    cl::cat(Category), InReport, InDiff);

// ---- how ----

static cl::opt<bool>
    AllLaunches("all-launches",
                cl::desc("Print a table for every launch, however many"),
                cl::cat(Category));
static cl::opt<bool> SubtractMarkCost(
    "subtract-mark-cost",
    cl::desc("Take what a mark costs, as measured on the device, off the "
             "phases; none becomes less than 0"),
    cl::cat(Category));

static cl::list<std::string> ColumnNames(
    "columns", cl::CommaSeparated, cl::value_desc("NAME,..."),
    cl::desc("Columns of the phase table, in this order; 'all' for all of them "
             "(docs/cli.md). Those that fit the line, if not given"),
    cl::cat(Category));
static TextOption SortOrder(
    "sort", cl::value_desc("[-]NAME"),
    cl::desc("Sort the phase table by this column, largest first; with '-', "
             "smallest first. In source order, if not given"),
    cl::cat(Category));

// ---- outputs ----

static TextOption SvgFolder(
    "svg", cl::value_desc("DIR"),
    cl::desc("Write pictures: the block overview to DIR/blocks.svg and the "
             "warps of a block to DIR/block-N-warps.svg; launchN- stands in "
             "front where there are several launches"),
    cl::cat(Category));
static TextOption PngFolder("png", cl::value_desc("DIR"),
                            cl::desc("Write the same pictures as PNG"),
                            cl::cat(Category));

static TextOption
    PerfettoFile("perfetto", cl::value_desc("FILE"),
                 cl::desc("Write a timeline for Perfetto, usually *.pftrace"),
                 cl::cat(Category));
static TextOption ChromeFile("chrome", cl::value_desc("FILE"),
                             cl::desc("Write it as JSON for older viewers"),
                             cl::cat(Category));
static TextOption
    SqliteFile("sqlite", cl::value_desc("FILE"),
               cl::desc("Write all of it into an SQLite database"),
               cl::cat(Category));
static TextOption CsvFile(
    "csv", cl::value_desc("FILE"),
    cl::desc("Write a row for each span. A FILE that is '-' is standard "
             "output, here and for --perfetto, --chrome and --html; then "
             "there is no table"),
    cl::cat(Category));

// ---- how pictures look ----

static cl::opt<double>
    PictureWidth("picture-width", cl::value_desc("PX"), cl::init(1000),
                 cl::desc("How wide pictures are, 1000 if not given"),
                 cl::cat(Category));
static cl::opt<double>
    PngScale("png-scale", cl::value_desc("N"), cl::init(2),
             cl::desc("Pixels of PNG for one of SVG, 2 if not given"),
             cl::cat(Category));
static TextOption ThemeName("theme", cl::value_desc("light|dark"),
                            cl::init("light"),
                            cl::desc("What page pictures are for"),
                            cl::cat(Category));
static TextOption PictureTitle(
    "picture-title", cl::value_desc("TEXT"),
    cl::desc("What pictures say where the kernel's name would stand"),
    cl::cat(Category));

static TextOption
    HtmlFile("html", cl::value_desc("FILE"),
             cl::desc("Write one interactive page, which needs no other file"),
             cl::cat(Category));
static TextOption SourceFolder(
    "source", cl::value_desc("DIR"),
    cl::desc("With --html: where the source files are. Else they are looked "
             "for beside the trace and in the current folder"),
    cl::cat(Category));
static TextOption HtmlSpans(
    "html-spans", cl::value_desc("N"),
    cl::desc("With --html: keep as many phases, scopes and numbers of warps at "
             "most, 16 million if not given; where there are more, blocks are "
             "drawn by lot"),
    cl::cat(Category));
static TextOption JsonFile(
    "json", cl::value_desc("FILE"),
    cl::desc("Write the verdict, at most 4096 bytes of JSON for programs "
             "(docs/verdict.schema.json), to FILE; '-': to standard output, "
             "instead of the table"),
    cl::cat(Category));

static const char *const Overview =
    "shows where each warp of each block of a CUDA kernel spent its time\n\n"
    "  Reads a trace that a program built with kinstr wrote, and prints a "
    "table "
    "of its phases and\n"
    "  what the numbers say. min, p50, p95, p99 and max are over the warps' "
    "spans; percentiles are\n"
    "  nearest-rank, above 4096 cycles within 1/4096. share: of the time from "
    "each warp's first mark\n"
    "  to its exit; path: of what the launch's end waited for; imbal: between "
    "the warps of a block.\n"
    "  Exit code: 0 done, 1 the trace cannot be read, nothing is selected or a "
    "result not written,\n"
    "  2 wrong usage.\n";

/// What LLVM says of a command line, "kinstr-report: Unknown command line
/// argument '-x'.  Try: ...", as kinstr would.
static std::string reworded(StringRef Said) {
  std::string Out;
  SmallVector<StringRef, 4> Lines;
  Said.split(Lines, '\n', -1, false);
  for (StringRef Line : Lines) {
    Line = Line.substr(Line.find(": ") + 2).split("  Try").first.rtrim(".");
    Out += Out.empty() ? "" : "; ";
    Out += Line.take_front(1).lower() + Line.drop_front(1).str();
  }
  return Out;
}

namespace {

/// Turns texts of options into values; keeps what is wrong with the first that
/// is. Values of options that were not given stay as they are.
class Values {
public:
  void range(const TextOption &Option, report::IndexRange &Out) {
    if (!Option.getNumOccurrences())
      return;
    if (std::optional<report::IndexRange> R = report::parseIndexRange(Option))
      Out = *R;
    else
      wrong("'--" + Option.ArgStr + "' takes a number or a range A-B, not '" +
            Option + "'");
  }
  void pattern(const TextOption &Option, std::string &Out) {
    std::string Why;
    if (!Option.empty() && !Regex(Option).isValid(Why))
      wrong("'" + Option + "' is not a regular expression: " + Why);
    Out = Option;
  }
  void number(const TextOption &Option, uint64_t &Out) {
    if (Option.getNumOccurrences() && StringRef(Option).getAsInteger(10, Out))
      wrong("'--" + Option.ArgStr + "' takes a number, not '" + Option + "'");
  }
  void time(const TextOption &Option, report::Filter &Out) {
    if (!Option.getNumOccurrences())
      return;
    if (std::optional<report::TimeRange> R = report::parseTimeRange(Option)) {
      Out.FromNs = R->Begin;
      Out.ToNs = R->End;
    } else {
      wrong("'--" + Option.ArgStr +
            "' takes FROM:TO, such as 1.5us:20us or 3ms:, not '" + Option +
            "'");
    }
  }
  void between(const cl::opt<double> &Option, double Min, double Max,
               double &Out) {
    if (!(Option >= Min && Option <= Max))
      wrong("'--" + Option.ArgStr + "' takes a number from " +
            report::coord(Min) + " to " + report::coord(Max));
    Out = Option;
  }
  void wrong(const Twine &Message) {
    if (Wrong.empty())
      Wrong = Message.str();
  }

  std::string Wrong;
};

} // namespace

static report::Filter filter(Values &V) {
  report::Filter F;
  V.pattern(KernelPattern, F.Kernel);
  V.range(LaunchRange, F.Launches);
  V.range(BlockRange, F.Blocks);
  V.range(WarpRange, F.Warps);
  V.range(SmRange, F.Sms);
  V.pattern(PhasePattern, F.Phase);
  V.time(TimeSpan, F);
  return F;
}

report::Filter filterOptions(std::string &Wrong) {
  Values V;
  report::Filter F = filter(V);
  Wrong = V.Wrong;
  return F;
}

bool colourWanted() {
  return outs().is_displayed() && outs().has_colors() &&
         !std::getenv("NO_COLOR");
}

unsigned lineWidth() {
  // What a shell sets for its terminal holds, then what the terminal says.
  unsigned Columns = 0;
  if (const char *Set = std::getenv("COLUMNS");
      !Set || StringRef(Set).getAsInteger(10, Columns))
    Columns = outs().is_displayed() ? sys::Process::StandardOutColumns() : 0;
  return Columns >= 20 ? std::min(Columns, 1000u) : 80;
}

bool wrapWanted() {
  return outs().is_displayed() || std::getenv("COLUMNS") != nullptr;
}

static report::PhaseTableOptions phaseTable(Values &V) {
  report::PhaseTableOptions O;
  for (const std::string &Name : ColumnNames) {
    if (Name == "all")
      llvm::append_range(O.Columns, report::phaseColumns());
    else if (is_contained(report::phaseColumns(), Name))
      O.Columns.push_back(Name);
    else
      V.wrong("there is no column '" + Name + "', but " +
              join(report::phaseColumns(), ", ") + " and all");
  }
  O.Sort = SortOrder;
  StringRef By = SortOrder;
  By.consume_front("-");
  if (!O.Sort.empty() && !is_contained(report::phaseColumns(), By))
    V.wrong("cannot sort by '" + SortOrder + "', but by " +
            join(report::phaseColumns(), ", "));
  O.Width = lineWidth();
  return O;
}

static report::TerminalOptions terminal(Values &V) {
  report::TerminalOptions O;
  O.Table = phaseTable(V);
  O.Wrap = wrapWanted();
  O.AllLaunches = AllLaunches;
  O.SubtractMarkCost = SubtractMarkCost;
  O.Colour = colourWanted();
  return O;
}

static report::PictureFiles pictures(Values &V) {
  using report::PictureFiles;
  using report::PictureOptions;
  PictureFiles F;
  F.SvgFolder = SvgFolder;
  F.PngFolder = PngFolder;
  V.between(PngScale, PictureFiles::MinScale, PictureFiles::MaxScale,
            F.PngScale);
  V.between(PictureWidth, PictureOptions::MinWidth, PictureOptions::MaxWidth,
            F.Look.Width);
  if (ThemeName != "light" && ThemeName != "dark")
    V.wrong("'--theme' takes light or dark, not '" + ThemeName + "'");
  F.Look.Dark = ThemeName == "dark";
  F.Look.Title = PictureTitle;
  return F;
}

static report::ExportFiles exports(Values &V) {
  report::ExportFiles F{PerfettoFile, ChromeFile, SqliteFile, CsvFile};
  if (F.Sqlite == "-")
    V.wrong("'--sqlite' takes a file, not standard output");
  return F;
}

static size_t countOfStandardOutput(const Options &O) {
  const report::ExportFiles &E = O.Exports;
  return count(
      ArrayRef<StringRef>{E.Perfetto, E.Chrome, E.Csv, O.Html.Path, O.Json},
      "-");
}

static void checkFiles(const Options &O, Values &V) {
  const report::ExportFiles &E = O.Exports;
  std::string Wrong = checkOutputs(O.Input, {{"html", O.Html.Path},
                                             {"perfetto", E.Perfetto},
                                             {"chrome", E.Chrome},
                                             {"csv", E.Csv},
                                             {"sqlite", E.Sqlite},
                                             {"json", O.Json}});
  if (!Wrong.empty())
    V.wrong(Wrong);
}

static report::HtmlOptions html(StringRef Input, Values &V) {
  report::HtmlOptions O;
  O.Path = HtmlFile;
  V.number(HtmlSpans, O.Limits.Spans);
  StringRef Folder = sys::path::parent_path(Input);
  if (!SourceFolder.empty())
    O.SourceFolders.push_back(SourceFolder);
  O.SourceFolders.push_back(Folder.empty() ? "." : Folder.str());
  O.SourceFolders.push_back(".");
  return O;
}

static std::string inputFile(Values &V) {
  if (Inputs.empty())
    V.wrong("no trace file");
  else if (Inputs.size() > 1)
    V.wrong("more than one trace file: '" + Inputs[0] + "' and '" + Inputs[1] +
            "'");
  return Inputs.empty() ? "" : Inputs.front();
}

void printUsage(const Command &C, const Twine &Message) {
  errs() << C.Name << ": error: " << report::printable(Message.str())
         << "\nusage: " << C.Name << ' ' << C.Arguments << "; see " << C.Name
         << " --help\n";
}

/// The option of the report that was given to a command that has none of that
/// name: LLVM takes them for the command's.
static const cl::Option *foreignOption(cl::SubCommand &Sub) {
  const auto &Own = cl::getRegisteredOptions(Sub);
  for (const auto &Entry :
       cl::getRegisteredOptions(cl::SubCommand::getTopLevel()))
    if (is_contained(Entry.second->Categories, &Category) &&
        Entry.second->getNumOccurrences() && !Own.count(Entry.second->ArgStr))
      return Entry.second;
  return nullptr;
}

bool parseCommandLine(int argc, char **argv, cl::SubCommand &Sub,
                      cl::OptionCategory &OfCommand, const Command &C,
                      const char *Overview) {
  cl::HideUnrelatedOptions({&Category, &OfCommand}, Sub);
  cl::SetVersionPrinter(
      [](raw_ostream &OS) { OS << "kinstr-report " KINSTR_VERSION "\n"; });
  std::string Said;
  raw_string_ostream Errors(Said);
  if (cl::ParseCommandLineOptions(argc, argv, Overview, &Errors)) {
    const cl::Option *Foreign = foreignOption(Sub);
    if (Foreign)
      printUsage(C,
                 "unknown command line argument '--" + Foreign->ArgStr + "'");
    else if (EmptyOption)
      printUsage(C, "'--" + EmptyOption->ArgStr + "' needs a value");
    return !Foreign && !EmptyOption;
  }
  if (!Said.empty()) // else LLVM has printed it
    printUsage(C, reworded(Said));
  return false;
}

std::optional<Options> parseOptions(int argc, char **argv) {
  const Command C = {"kinstr-report", "[options] FILE.kitrace"};
  if (!parseCommandLine(argc, argv, cl::SubCommand::getTopLevel(), Category, C,
                        Overview))
    return std::nullopt;
  Options O;
  Values V;
  O.Input = inputFile(V);
  O.Filter = filter(V);
  O.Terminal = terminal(V);
  O.Pictures = pictures(V);
  O.Exports = exports(V);
  O.Html = html(O.Input, V);
  O.Json = JsonFile;
  O.TableShown = countOfStandardOutput(O) == 0;
  if (countOfStandardOutput(O) > 1)
    V.wrong("more than one output is to go to standard output");
  checkFiles(O, V);
  if (!V.Wrong.empty()) {
    printUsage(C, V.Wrong);
    return std::nullopt;
  }
  return O;
}

} // namespace kinstr
