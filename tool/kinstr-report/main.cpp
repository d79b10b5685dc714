// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report: reads a trace and shows where the time went.
#include "Waiting.h"
#include "report/Selection.h"
#include "report/SvgReport.h"
#include "report/Terminal.h"
#include "support/OutputFile.h"
#include "trace/Visit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <atomic>
#include <cstdlib>

using namespace llvm;
using namespace kinstr;

static cl::OptionCategory Category("kinstr-report options");

static cl::list<std::string> Inputs(cl::Positional, cl::desc("FILE.kitrace"),
                                    cl::value_desc("FILE"), cl::cat(Category));
static cl::opt<unsigned> LaunchNumber(
    "launch", cl::value_desc("N"),
    cl::desc("Report only launch N, counted from 0 in the order of the report"),
    cl::cat(Category));
static cl::opt<std::string> KernelPattern(
    "kernel", cl::value_desc("REGEX"),
    cl::desc("Report only launches of kernels whose name matches"),
    cl::cat(Category));
static cl::opt<bool>
    AllLaunches("all-launches",
                cl::desc("Print a table for every launch, however many"),
                cl::cat(Category));
static cl::opt<bool> SubtractMarkCost(
    "subtract-mark-cost",
    cl::desc("Take what a mark costs, as measured on the device, off the "
             "phases; none becomes less than 0"),
    cl::cat(Category));
static cl::opt<std::string> SvgFolder(
    "svg", cl::value_desc("DIR"),
    cl::desc("Write the block overview to DIR/blocks.svg and the warps of one "
             "block to DIR/block-N-warps.svg; launchN- stands in front where "
             "there are several launches"),
    cl::cat(Category));
static cl::opt<unsigned> BlockNumber(
    "block", cl::value_desc("N"),
    cl::desc("With --svg: the block whose warps are drawn, 0 if not "
             "given"),
    cl::cat(Category));

static constexpr int InputError = 1, UsageError = 2;

/// More overviews than this are not written unasked.
static constexpr size_t MostDrawn = 8;

static raw_ostream &inputMessage(const char *Kind) {
  return errs() << Inputs.front() << ": " << Kind << ": ";
}

/// Says what went wrong; the exit status for it. Of an interruption there is
/// nothing to say.
static int failed(Error E, bool OfInput = true) {
  clearProgress();
  outs().flush();
  if (E.isA<trace::Interrupted>()) {
    consumeError(std::move(E));
    return interruptedStatus();
  }
  (OfInput ? inputMessage("error") : errs()) << toString(std::move(E)) << '\n';
  return InputError;
}

static int usage(const Twine &Message) {
  errs() << "kinstr-report: error: " << Message << '\n'
         << "usage: kinstr-report [options] FILE.kitrace; see kinstr-report "
            "--help\n";
  return UsageError;
}

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

static void printWarnings(ArrayRef<trace::Warning> Warnings) {
  for (const trace::Warning &W : Warnings) {
    raw_ostream &OS = inputMessage("warning");
    if (W.Offset)
      OS << "offset " << *W.Offset << ": ";
    OS << W.Text << '\n';
  }
}

/// Writes one graphic into the folder and says so.
static Error writeSvg(const Twine &Name, StringRef Contents) {
  SmallString<128> Path(SvgFolder);
  sys::path::append(Path, Name);
  if (Error E = writeFile(Path, Contents))
    return createStringError(
        Path + ": error: cannot write: " + toString(std::move(E)));
  outs() << "wrote " << Path << '\n';
  return Error::success();
}

/// Names the trace in an error of reading it.
static Error ofInput(Error E) {
  if (E.isA<trace::Interrupted>())
    return E;
  return createStringError(Inputs.front() +
                           ": error: " + toString(std::move(E)));
}

static Error writeSvgs(const trace::Trace &T, ArrayRef<uint32_t> Selected) {
  if (Error E = createFolder(SvgFolder))
    return createStringError(
        SvgFolder + ": error: cannot write: " + toString(std::move(E)));
  outs() << '\n';
  for (uint32_t I : Selected.take_front(MostDrawn)) {
    std::string Prefix =
        Selected.size() > 1 ? ("launch" + Twine(I) + "-").str() : "";
    Expected<std::string> Blocks = report::drawBlocks(T, I);
    if (!Blocks)
      return ofInput(Blocks.takeError());
    if (Error E = writeSvg(Prefix + "blocks.svg", *Blocks))
      return E;
    // Of several launches some may have the block and others not.
    auto Warps = report::drawWarps(T, I, BlockNumber);
    if (!Warps)
      return ofInput(Warps.takeError());
    if (const std::optional<std::string> &Drawing = *Warps)
      if (Error E = writeSvg(
              Prefix + "block-" + Twine(BlockNumber) + "-warps.svg", *Drawing))
        return E;
  }
  if (Selected.size() > MostDrawn)
    outs() << "not drawn: " << Selected.size() - MostDrawn
           << " more launches; --launch N draws one\n";
  return Error::success();
}

namespace {

/// Sees whether there is a block, without looking into it.
class NoBlocks final : public trace::BlockSink {
public:
  void block(const trace::BlockView &) override {}
  void join(NoBlocks &&) {}
};

} // namespace

/// Whether a block that was asked for is in any of the launches.
static Expected<bool> hasBlock(const trace::Trace &T,
                               ArrayRef<uint32_t> Selected, uint32_t Number) {
  std::atomic<bool> Found = false;
  trace::VisitOptions O;
  O.Wanted = [&](uint32_t Launch, const trace::Block &B) {
    if (B.Number == Number && is_contained(Selected, Launch))
      Found = true;
    return false;
  };
  auto Seen = trace::collectBlocks(T, O, NoBlocks());
  if (!Seen)
    return Seen.takeError();
  return Found;
}

static int run() {
  Expected<trace::RawTrace> Raw = trace::readTraceFile(Inputs.front());
  if (!Raw)
    return failed(Raw.takeError());
  Expected<trace::Trace> Understood =
      trace::understand(std::move(*Raw), watchWork());
  if (!Understood)
    return failed(Understood.takeError());
  clearProgress();
  trace::Trace &T = *Understood;
  printWarnings(T.Raw.Warnings);
  printWarnings(T.Ls.Warnings);

  report::Filter F;
  if (LaunchNumber.getNumOccurrences())
    F.Launch = LaunchNumber;
  F.Kernel = KernelPattern;
  Expected<std::vector<uint32_t>> Selected = report::selectLaunches(T, F);
  if (!Selected)
    return failed(Selected.takeError());

  if (BlockNumber.getNumOccurrences()) {
    Expected<bool> Has = hasBlock(T, *Selected, BlockNumber);
    if (!Has)
      return failed(Has.takeError());
    if (!*Has)
      return failed(createStringError(inconvertibleErrorCode(),
                                      "block " + utostr(BlockNumber) +
                                          " left no record"));
  }

  report::TerminalOptions O;
  O.AllLaunches = AllLaunches;
  O.SubtractMarkCost = SubtractMarkCost;
  O.Filtered = F.Launch || !F.Kernel.empty();
  O.Colour =
      outs().is_displayed() && outs().has_colors() && !std::getenv("NO_COLOR");
  if (Error E = report::printReport(T, *Selected, O, outs()))
    return failed(std::move(E));
  if (!SvgFolder.empty())
    if (Error E = writeSvgs(T, *Selected))
      return failed(std::move(E), /*OfInput=*/false);
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter(
      [](raw_ostream &OS) { OS << "kinstr-report " KINSTR_VERSION "\n"; });
  std::string Said;
  raw_string_ostream Errors(Said);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "shows where each warp of each block of a CUDA kernel spent its "
          "time\n\n"
          "  Reads a trace that a program built with kinstr wrote, and prints "
          "a table of its phases.\n"
          "  min, p50, p95 and max are over the warps' spans; percentiles are "
          "nearest-rank. Shares are of\n"
          "  the time from each warp's first mark to its exit.\n"
          "  Exit code: 0 done, 1 the trace cannot be read or a result not "
          "written, 2 wrong usage.\n",
          &Errors))
    return Said.empty() ? UsageError // LLVM has printed it
                        : usage(reworded(Said));
  if (Inputs.empty())
    return usage("no trace file");
  if (Inputs.size() > 1)
    return usage("more than one trace file: '" + Inputs[0] + "' and '" +
                 Inputs[1] + "'");
  if (BlockNumber.getNumOccurrences() && SvgFolder.empty())
    return usage("'--block' needs '--svg'");
  if (std::string Why;
      !KernelPattern.empty() && !Regex(KernelPattern).isValid(Why))
    return usage("'" + KernelPattern + "' is not a regular expression: " + Why);
  int Code = run();
  outs().flush();
  if (std::error_code EC = outs().error()) { // a full disk, most likely
    outs().clear_error();
    errs() << "kinstr-report: error: cannot write: "
           << StringRef(EC.message()).lower() << '\n';
    return InputError;
  }
  return Code;
}
