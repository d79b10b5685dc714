// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as several traces: two of them compared, all of them merged.
#include "Formats.h"
#include "Require.h"
#include "TraceInput.h"
#include "report/DiffCondition.h"
#include "trace/Merge.h"
#include "llvm/ADT/StringExtras.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace kinstr;
using namespace llvm;

static constexpr size_t MostTraces = 3;

//===----------------------------------------------------------------------===//
// Two, compared
//===----------------------------------------------------------------------===//

static void lookAt(const report::Diff &D) {
  std::vector<report::ConditionOutcome> Outcomes;
  for (StringRef Text :
       {"phase * > +5%", "share a < -2pp", "kernel . > +300ns"}) {
    Expected<report::ConditionOutcome> O =
        decide(cantFail(report::parseCondition(Text)), D, false);
    if (O)
      Outcomes.push_back(std::move(*O));
    else
      consumeError(O.takeError());
  }
  std::string Text;
  raw_string_ostream OS(Text);
  printDiff(D, {/*Colour=*/false, /*Wrap=*/true, 40}, OS);
  requirePlain(Text, "a comparison");
  requireJsonOf(diffJson(D, Outcomes), "diff.schema.json");
  requireMarkup(diffHtml(D, Outcomes), Markup::Html, "a comparison's page");
}

static void compare(const trace::Trace &A, const trace::Trace &B) {
  Expected<report::Selection> InA = report::Selection::make(A, {});
  Expected<report::Selection> InB = report::Selection::make(B, {});
  if (!InA || !InB) {
    consumeError(joinErrors(InA.takeError(), InB.takeError()));
    return;
  }
  if (errorToBool(checkNotEmpty(A, *InA)) ||
      errorToBool(checkNotEmpty(B, *InB)))
    return;
  Expected<report::Diff> D =
      report::compareTraces({"a", A, *InA}, {"b", B, *InB}, std::nullopt);
  if (!D)
    require(false, "traces can be compared: " + toString(D.takeError()));
  lookAt(*D);
}

//===----------------------------------------------------------------------===//
// All, merged
//===----------------------------------------------------------------------===//

namespace {

/// A file in memory: merging reads its inputs by name.
class File {
public:
  explicit File(StringRef Contents) : FD(memfd_create("kinstr", 0)) {
    raw_fd_ostream OS(FD, /*shouldClose=*/false);
    OS << Contents;
  }
  ~File() { close(FD); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  std::string path() const { return "/proc/self/fd/" + itostr(FD); }

private:
  int FD;
};

} // namespace

static trace::MergeInput inputOf(const trace::Trace &T, const File &F) {
  Expected<std::vector<trace::ClockDistance>> Clocks = clockDistances(T);
  require(bool(Clocks), "what was read once is read again");
  return {F.path(), T.meta(), std::move(*Clocks), T.Raw.CutShort};
}

/// Nothing where they do not go together.
static std::optional<std::string> merged(ArrayRef<trace::MergeInput> Inputs) {
  Expected<trace::MergedTables> Tables = mergeTables(
      Inputs, [&](size_t I) { return trace::readMetaText(Inputs[I].File); },
      std::nullopt);
  if (!Tables) {
    requirePlain(toString(Tables.takeError()), "an error");
    return std::nullopt;
  }
  std::string Out;
  Error E = writeMerged(Inputs, *Tables, [&](StringRef Bytes) {
    Out += Bytes;
    return Error::success();
  });
  if (E)
    require(false, "what was merged is written: " + toString(std::move(E)));
  return Out;
}

static void merge(ArrayRef<trace::Trace> Traces,
                  ArrayRef<std::unique_ptr<File>> Files) {
  std::vector<trace::MergeInput> Inputs;
  uint64_t Events = 0, Devices = 0;
  bool AnyCutShort = false;
  for (auto [T, F] : zip(Traces, Files)) {
    Inputs.push_back(inputOf(T, *F));
    Events += T.Ls.NumEvents;
    Devices += T.meta().Devices.size();
    AnyCutShort |= T.Raw.CutShort;
  }
  std::optional<std::string> Bytes = merged(Inputs);
  if (!Bytes)
    return;
  std::optional<trace::Trace> All = openTrace(*Bytes);
  require(All.has_value(), "what was merged can be read");
  require(All->meta().Devices.size() == Devices, "all devices are there");
  // What is not whole of the last section is left out.
  require(AnyCutShort ? All->Ls.NumEvents <= Events
                      : All->Ls.NumEvents == Events,
          "all events are there");
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::vector<trace::Trace> Traces;
  std::vector<std::unique_ptr<File>> Files;
  for (StringRef Text :
       splitTraces(StringRef(reinterpret_cast<const char *>(Data), Size))) {
    if (Traces.size() == MostTraces)
      break;
    std::string Bytes = repaired(Text);
    if (std::optional<trace::Trace> T = openTrace(Bytes)) {
      Traces.push_back(std::move(*T));
      Files.push_back(std::make_unique<File>(Bytes));
    }
  }
  if (Traces.empty())
    return 0;
  compare(Traces.front(), Traces.back());
  if (Traces.size() > 1)
    merge(Traces, Files);
  return 0;
}

/// Of two inputs, a trace of each.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *A, size_t SizeA,
                                            const uint8_t *B, size_t SizeB,
                                            uint8_t *Out, size_t MaxSize,
                                            unsigned Seed) {
  std::string Both;
  for (StringRef Input :
       {StringRef(reinterpret_cast<const char *>(A), SizeA),
        StringRef(reinterpret_cast<const char *>(B), SizeB)}) {
    std::vector<StringRef> Traces = splitTraces(Input);
    Both += Traces[Seed % Traces.size()];
    Seed /= Traces.size();
  }
  if (Both.size() > MaxSize)
    return 0;
  std::copy(Both.begin(), Both.end(), Out);
  return Both.size();
}
