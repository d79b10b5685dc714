// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report: reads a trace and shows where the time went.
#include "Commands.h"
#include "Input.h"
#include "Options.h"
#include "report/Verdict.h"
#include "llvm/Support/InitLLVM.h"
#include <csignal>

using namespace llvm;
using namespace kinstr;

/// An error in reading the trace.
static Error inInput(const Options &O, Error E) {
  if (!E || E.isA<trace::Interrupted>())
    return E;
  return createStringError(O.Input + ": error: " + toString(std::move(E)));
}

/// Every output that was asked for, whether another could be written or not.
/// The text of an error names the file.
static Error write(const trace::Trace &T, const report::Selection &S,
                   const Options &O) {
  if (O.TableShown)
    if (Error E = inInput(O, report::printReport(T, S, O.Terminal, outs())))
      return E;
  Error E = report::writePictures(T, S, O.Pictures, O.log());
  E = trace::andThen(std::move(E), [&] {
    return O.Html.Path.empty() ? Error::success()
                               : report::writeHtml(T, S, O.Html, O.log());
  });
  E = trace::andThen(std::move(E), [&] {
    return report::writeExports(T, S, O.Exports, O.log());
  });
  return trace::andThen(std::move(E), [&] {
    return O.Json.empty()
               ? Error::success()
               : report::writeVerdict(T, S, {O.Terminal.SubtractMarkCost},
                                      O.Json, O.Json == "-" ? outs() : O.log());
  });
}

static int run(const Options &O) {
  int Status = Done;
  std::optional<trace::Trace> T = openTrace(O.Input, Status);
  if (!T)
    return Status;
  Expected<report::Selection> S = report::Selection::make(*T, O.Filter);
  if (!S)
    return inputError(O.Input, S.takeError());
  if (Error E = report::checkNotEmpty(*T, *S))
    return inputError(O.Input, std::move(E));
  if (Error E = write(*T, *S, O))
    return outputError(std::move(E));
  return Done;
}

static int runReport(int argc, char **argv) {
  std::optional<Options> O = parseOptions(argc, argv);
  return O ? run(*O) : UsageError;
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  // A limit on the size of files is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  StringRef Command = argc > 1 ? argv[1] : "";
  int Code = Command == "diff"    ? runDiff(argc, argv)
             : Command == "merge" ? runMerge(argc, argv)
                                  : runReport(argc, argv);
  outs().flush();
  if (std::error_code EC = outs().error()) { // a full disk, most likely
    outs().clear_error();
    if (Code != Done) // it has been said
      return Code;
    errs() << "kinstr-report: error: cannot write: "
           << StringRef(EC.message()).lower() << '\n';
    return InputError;
  }
  return Code;
}
