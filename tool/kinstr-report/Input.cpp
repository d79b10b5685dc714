// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, and prints what the reader had to say.
#include "Input.h"

#include "Options.h"

using namespace llvm;

namespace kinstr {

static raw_ostream &message(StringRef File, const char *Kind) {
  return errs() << File << ": " << Kind << ": ";
}

int inputError(StringRef File, Error E) {
  message(File, "error") << toString(std::move(E)) << '\n';
  return InputError;
}

static void printWarnings(StringRef File, ArrayRef<trace::Warning> Warnings) {
  for (const trace::Warning &W : Warnings) {
    raw_ostream &OS = message(File, "warning");
    if (W.Offset)
      OS << "offset " << *W.Offset << ": ";
    OS << W.Text << '\n';
  }
}

std::optional<trace::Trace> openTrace(const std::string &File) {
  Expected<trace::RawTrace> Raw = trace::readTraceFile(File);
  if (!Raw) {
    inputError(File, Raw.takeError());
    return std::nullopt;
  }
  trace::Trace T = trace::understand(std::move(*Raw));
  printWarnings(File, T.Raw.Warnings);
  printWarnings(File, T.Ls.Warnings);
  return T;
}

} // namespace kinstr
