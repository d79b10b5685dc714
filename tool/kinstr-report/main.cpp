// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report: reads a trace and shows where the time went.
#include "Commands.h"
#include "Input.h"
#include "Options.h"
#include "report/SvgReport.h"
#include "report/Verdict.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace kinstr;

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
  if (!O.Json.empty())
    if (Error E = report::writeVerdict(T, S, {O.Terminal.SubtractMarkCost},
                                       O.Json, O.Json == "-" ? outs() : Log))
      return E;
  return Error::success();
}

static int run(const Options &O) {
  std::optional<trace::Trace> T = openTrace(O.Input);
  if (!T)
    return InputError;
  Expected<report::Selection> S = report::Selection::make(*T, O.Filter);
  if (!S)
    return inputError(O.Input, S.takeError());
  if (Error E = report::checkNotEmpty(*T, *S))
    return inputError(O.Input, std::move(E));
  if (Error E = write(*T, *S, O)) {
    outs().flush();
    errs() << toString(std::move(E)) << '\n';
    return InputError;
  }
  return Done;
}

static int runReport(int argc, char **argv) {
  std::optional<Options> O = parseOptions(argc, argv);
  return O ? run(*O) : UsageError;
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  StringRef Command = argc > 1 ? argv[1] : "";
  int Code = Command == "diff"    ? runDiff(argc, argv)
             : Command == "merge" ? runMerge(argc, argv)
                                  : runReport(argc, argv);
  outs().flush();
  if (std::error_code EC = outs().error()) { // a full disk, most likely
    outs().clear_error();
    errs() << "kinstr-report: error: cannot write: "
           << StringRef(EC.message()).lower() << '\n';
    return InputError;
  }
  return Code;
}
