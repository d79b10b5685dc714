// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a trace, whole and filtered, through the writers for other
// programs.
#include "report/Export.h"
#include "Formats.h"
#include "Require.h"
#include "TraceInput.h"

using namespace kinstr;
using namespace llvm;

/// What it wrote, for a look.
template <typename Fn> static std::string written(Fn Write) {
  std::string Out;
  Error E = Write([&](StringRef Bytes) {
    Out += Bytes;
    return Error::success();
  });
  require(!E, "a trace that can be read can be written");
  return Out;
}

static void writeAll(const trace::Trace &T, const report::Selection &S) {
  std::string Chrome = written([&](report::Put Out) {
    return report::writeChrome(T, S, Out).takeError();
  });
  require(requireJson(Chrome, "an export").getAsArray(), "it is an array");
  written([&](report::Put Out) {
    return report::writePerfetto(T, S, Out).takeError();
  });
  std::string Csv =
      written([&](report::Put Out) { return report::writeCsv(T, S, Out); });
  require(json::isUTF8(Csv), "CSV is UTF-8");
  require(!report::writeSqlite(T, S, ":memory:"), "a database takes all");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (auto T = openTrace(repaired(Bytes)))
    forSelections(*T, [&](const report::Selection &S) { writeAll(*T, S); });
  return 0;
}
