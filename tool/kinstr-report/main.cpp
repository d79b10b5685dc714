// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report: reads a trace and shows where the time went.
#include "Options.h"
#include "report/SvgReport.h"
#include "report/Verdict.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace kinstr;

static raw_ostream &message(const Options &O, const char *Kind) {
  return errs() << O.Input << ": " << Kind << ": ";
}

static int inputError(const Options &O, Error E) {
  message(O, "error") << toString(std::move(E)) << '\n';
  return InputError;
}

static void printWarnings(const Options &O, ArrayRef<trace::Warning> Warnings) {
  for (const trace::Warning &W : Warnings) {
    raw_ostream &OS = message(O, "warning");
    if (W.Offset)
      OS << "offset " << *W.Offset << ": ";
    OS << W.Text << '\n';
  }
}

/// An error in reading the trace.
static Error inInput(const Options &O, Error E) {
  return E ? createStringError(O.Input + ": error: " + toString(std::move(E)))
           : Error::success();
}

/// Every output that was asked for. The text of an error names the file.
static Error write(const trace::Trace &T, const report::Selection &S,
                   const Options &O) {
  if (O.TableShown)
    if (Error E = inInput(O, report::printReport(T, S, O.Terminal, outs())))
      return E;
  raw_ostream &Log = O.TableShown ? outs() : errs();
  if (!O.Svg.empty())
    if (Error E = report::writeSvgs(T, S, O.Svg, Log))
      return E;
  if (!O.Html.Path.empty())
    if (Error E = report::writeHtml(T, S, O.Html, Log))
      return E;
  if (!O.Json.empty())
    if (Error E = report::writeVerdict(T, S, {O.Terminal.SubtractMarkCost},
                                       O.Json, O.Json == "-" ? outs() : Log))
      return E;
  return Error::success();
}

static int run(const Options &O) {
  Expected<trace::RawTrace> Raw = trace::readTraceFile(O.Input);
  if (!Raw)
    return inputError(O, Raw.takeError());
  trace::Trace T = trace::understand(std::move(*Raw));
  printWarnings(O, T.Raw.Warnings);
  printWarnings(O, T.Ls.Warnings);

  Expected<report::Selection> S = report::Selection::make(T, O.Filter);
  if (!S)
    return inputError(O, S.takeError());
  if (Error E = report::checkNotEmpty(T, *S))
    return inputError(O, std::move(E));
  if (Error E = write(T, *S, O)) {
    outs().flush();
    errs() << toString(std::move(E)) << '\n';
    return InputError;
  }
  return Done;
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  std::optional<Options> O = parseOptions(argc, argv);
  if (!O)
    return UsageError;
  int Code = run(*O);
  outs().flush();
  if (std::error_code EC = outs().error()) { // a full disk, most likely
    outs().clear_error();
    errs() << "kinstr-report: error: cannot write: "
           << StringRef(EC.message()).lower() << '\n';
    return InputError;
  }
  return Code;
}
