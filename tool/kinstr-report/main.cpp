// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report: reads a trace and shows where the time went.
#include "Options.h"
#include "Waiting.h"
#include "report/Verdict.h"
#include "llvm/Support/InitLLVM.h"
#include <csignal>

using namespace llvm;
using namespace kinstr;

static raw_ostream &message(const Options &O, const char *Kind) {
  clearProgress();
  return errs() << O.Input << ": " << Kind << ": ";
}

/// Says why, and returns the exit status. Of an interruption, whoever asked for
/// it knows. The text of an error of an output names the file.
static int failed(const Options &O, Error E, bool OfInput = true) {
  clearProgress();
  outs().flush();
  if (E.isA<trace::Interrupted>()) {
    consumeError(std::move(E));
    return interruptedStatus();
  }
  if (OfInput)
    message(O, "error");
  errs() << toString(std::move(E)) << '\n';
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

/// Every output that was asked for. The text of an error names the file.
static Error write(const trace::Trace &T, const report::Selection &S,
                   const Options &O) {
  if (O.TableShown)
    if (Error E = report::printReport(T, S, O.Terminal, outs()))
      return E;
  if (Error E = report::writePictures(T, S, O.Pictures, O.log()))
    return E;
  if (!O.Html.Path.empty())
    if (Error E = report::writeHtml(T, S, O.Html, O.log()))
      return E;
  if (Error E = report::writeExports(T, S, O.Exports, O.log()))
    return E;
  if (O.Json.empty())
    return Error::success();
  return report::writeVerdict(T, S, {O.Terminal.SubtractMarkCost}, O.Json,
                              O.Json == "-" ? outs() : O.log());
}

static int run(const Options &O) {
  Expected<trace::RawTrace> Raw = trace::readTraceFile(O.Input);
  if (!Raw)
    return failed(O, Raw.takeError());
  Expected<trace::Trace> T = trace::understand(std::move(*Raw), watchWork());
  if (!T)
    return failed(O, T.takeError());
  clearProgress();
  printWarnings(O, T->Raw.Warnings);
  printWarnings(O, T->Ls.Warnings);

  Expected<report::Selection> S = report::Selection::make(*T, O.Filter);
  if (!S)
    return failed(O, S.takeError());
  if (Error E = report::checkNotEmpty(*T, *S))
    return failed(O, std::move(E));
  if (Error E = write(*T, *S, O))
    return failed(O, std::move(E), /*OfInput=*/false);
  return Done;
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  // A limit on the size of files is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::optional<Options> O = parseOptions(argc, argv);
  if (!O)
    return UsageError;
  int Code = run(*O);
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
