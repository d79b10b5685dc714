// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a trace, whole and filtered, through the writers for other
// programs.
#include "report/Export.h"
#include "Formats.h"
#include "Require.h"
#include "TraceInput.h"
#include <protozero/pbf_reader.hpp>

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

/// Fields of a line of CSV, those with commas in quotes.
static size_t numFields(StringRef Line) {
  size_t Fields = 1;
  bool Quoted = false;
  for (char C : Line) {
    Quoted ^= C == '"';
    Fields += C == ',' && !Quoted;
  }
  require(!Quoted, "a quote is closed");
  return Fields;
}

static void checkCsv(StringRef Csv) {
  requirePlain(Csv, "CSV");
  auto [Header, Rows] = Csv.split('\n');
  for (size_t Fields = numFields(Header); !Rows.empty();) {
    auto [Row, Next] = Rows.split('\n');
    require(numFields(Row) == Fields, "rows have as many fields as the first");
    Rows = Next;
  }
}

/// Packets, each of whole fields. A reader that finds others throws.
static void checkPerfetto(StringRef Bytes) {
  constexpr protozero::pbf_tag_type TracePacket = 1;
  protozero::pbf_reader File(Bytes.data(), Bytes.size());
  while (File.next()) {
    require(File.tag() == TracePacket, "a trace is of packets");
    protozero::pbf_reader Packet = File.get_message();
    while (Packet.next())
      Packet.skip();
  }
}

static void writeAll(const trace::Trace &T, const report::Selection &S) {
  std::string Chrome = written([&](report::Put Out) {
    return report::writeChrome(T, S, Out).takeError();
  });
  require(requireJson(Chrome, "an export").getAsArray(), "it is an array");
  checkPerfetto(written([&](report::Put Out) {
    return report::writePerfetto(T, S, Out).takeError();
  }));
  checkCsv(
      written([&](report::Put Out) { return report::writeCsv(T, S, Out); }));
  require(!report::writeSqlite(T, S, ":memory:"), "a database takes all");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (auto T = openTrace(repaired(Bytes)))
    forSelections(*T, [&](const report::Selection &S) { writeAll(*T, S); });
  return 0;
}
