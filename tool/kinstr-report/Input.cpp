// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, and prints what the reader had to say.
#include "Input.h"

#include "Options.h"
#include "Waiting.h"
#include "report/Names.h"

using namespace llvm;

namespace kinstr {

static raw_ostream &message(StringRef File, const char *Kind) {
  clearProgress();
  return errs() << report::printable(File) << ": " << Kind << ": ";
}

int outputError(Error E) {
  clearProgress();
  outs().flush();
  if (E.isA<trace::Interrupted>()) {
    consumeError(std::move(E));
    return interruptedStatus();
  }
  // One of each output that failed.
  handleAllErrors(std::move(E), [](const ErrorInfoBase &One) {
    errs() << report::printable(One.message()) << '\n';
  });
  return InputError;
}

int inputError(StringRef File, Error E) {
  if (E.isA<trace::Interrupted>())
    return outputError(std::move(E));
  outs().flush();
  message(File, "error") << report::printable(toString(std::move(E))) << '\n';
  return InputError;
}

static void printWarnings(StringRef File, ArrayRef<trace::Warning> Warnings) {
  for (const trace::Warning &W : Warnings) {
    raw_ostream &OS = message(File, "warning");
    if (W.Offset)
      OS << "offset " << *W.Offset << ": ";
    OS << report::printable(W.Text) << '\n';
  }
}

std::optional<trace::Trace> openTrace(const std::string &File, int &Status) {
  Expected<trace::RawTrace> Raw = trace::readTraceFile(File);
  if (!Raw) {
    Status = inputError(File, Raw.takeError());
    return std::nullopt;
  }
  Expected<trace::Trace> T = trace::understand(std::move(*Raw), watchWork());
  if (!T) {
    Status = inputError(File, T.takeError());
    return std::nullopt;
  }
  clearProgress();
  printWarnings(File, T->Raw.Warnings);
  printWarnings(File, T->Ls.Warnings);
  return std::move(*T);
}

} // namespace kinstr
