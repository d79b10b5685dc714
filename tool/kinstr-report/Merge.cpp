// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report merge: one trace of several.
#include "trace/Merge.h"
#include "Commands.h"
#include "Input.h"
#include "Options.h"
#include "report/Names.h"
#include "support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include <unistd.h>

using namespace llvm;

namespace kinstr {

static cl::OptionCategory Category("kinstr-report merge options");
static const cl::sub InMerge(mergeCommand());

static cl::list<std::string> Inputs(cl::Positional, cl::desc("FILE.kitrace..."),
                                    cl::value_desc("FILE"), cl::cat(Category),
                                    InMerge);
static cl::opt<std::string> Output("o", cl::value_desc("FILE"),
                                   cl::desc("Write the merged trace to FILE"),
                                   cl::cat(Category), InMerge);
static cl::opt<std::string> HostClockError(
    "host-clock-error", cl::value_desc("MS"),
    cl::desc("By how many milliseconds the clocks of the hosts may disagree, "
             "as NTP or PTP says. Not given: how well traces of several hosts "
             "are aligned is not known"),
    cl::cat(Category), InMerge);

static constexpr Command This = {"kinstr-report merge",
                                 "-o ALL.kitrace A.kitrace B.kitrace..."};

static const char *const Overview =
    "makes one trace of several: of the processes, GPUs and hosts of a job\n\n"
    "  Times come to one axis, the hosts' clock: no kernel starts before its "
    "launch call, or ends\n"
    "  after its trace was written. How well that aligns processes is printed, "
    "and in the report.\n"
    "  Exit code: 0 done, 1 a trace cannot be read, merged or written, 2 wrong "
    "usage.\n";

static int usage(const Twine &Message) {
  printUsage(This, Message);
  return UsageError;
}

static int checkUsage(std::optional<uint64_t> &HostClockErrorNs) {
  if (Output.empty())
    return usage("no output: -o FILE");
  if (Output == "-" || openDescriptor(Output) == STDOUT_FILENO)
    return usage("a trace is not written to standard output");
  if (Inputs.size() < 2)
    return usage("two traces or more are needed");
  if (!HostClockError.getNumOccurrences())
    return Done;
  double Ms = 0;
  if (StringRef(HostClockError).getAsDouble(Ms) || !(Ms >= 0 && Ms <= 1e9))
    return usage("'--host-clock-error' takes milliseconds, not '" +
                 HostClockError + "'");
  HostClockErrorNs = static_cast<uint64_t>(Ms * 1e6);
  return Done;
}

/// An error where a file is named twice, or is the output as well.
static Error checkFiles() {
  std::map<sys::fs::UniqueID, std::string> Known;
  for (const std::string &File : Inputs) {
    sys::fs::UniqueID Id;
    if (sys::fs::getUniqueID(File, Id))
      continue; // reading it says why
    if (auto [It, New] = Known.try_emplace(Id, File); !New)
      return createStringError(File + ": error: the same file as " +
                               It->second);
  }
  sys::fs::UniqueID Id;
  if (!sys::fs::getUniqueID(Output, Id) && Known.count(Id))
    return createStringError(Output + ": error: it is one of the traces that "
                                      "are merged");
  return Error::success();
}

/// As openTrace().
static std::optional<trace::MergeInput> readInput(const std::string &File,
                                                  int &Status) {
  std::optional<trace::Trace> T = openTrace(File, Status);
  if (!T)
    return std::nullopt;
  trace::MergeInput In;
  In.File = File;
  Expected<std::vector<trace::ClockDistance>> Clocks =
      trace::clockDistances(*T);
  if (!Clocks) {
    Status = inputError(File, Clocks.takeError());
    return std::nullopt;
  }
  In.Clocks = std::move(*Clocks);
  In.CutShort = T->Raw.CutShort;
  In.Tables = std::move(T->Raw.Tables);
  return In;
}

/// Copies of one file: the same process, written at the same time.
static Error checkProcesses(ArrayRef<trace::MergeInput> Traces) {
  std::map<std::tuple<std::string, uint64_t, uint64_t, uint64_t>, std::string>
      Known;
  for (const trace::MergeInput &In : Traces)
    for (const trace::Process &P : In.Tables.Processes) {
      if (P.StartUnixNs == 0)
        continue;
      auto [It, New] = Known.try_emplace(
          {P.clockName(), P.Pid, P.StartUnixNs, P.EndUnixNs}, In.File);
      if (!New)
        return createStringError(In.File + ": error: has the same records as " +
                                 It->second + ": process " + Twine(P.Pid));
    }
  return Error::success();
}

static Error write(ArrayRef<trace::MergeInput> Traces,
                   const trace::MergedTables &Tables) {
  auto Failed = [](Error E) {
    return createStringError(
        Output + ": error: cannot write: " + toString(std::move(E)));
  };
  Expected<OutputFile> File = OutputFile::create(Output);
  if (!File)
    return Failed(File.takeError());
  std::string Unwritten; // told apart from what cannot be read
  Error E = trace::writeMerged(Traces, Tables, [&](StringRef Bytes) -> Error {
    if (Error Why = File->put(Bytes)) {
      Unwritten = toString(std::move(Why));
      return createStringError(Unwritten);
    }
    return Error::success();
  });
  if (!Unwritten.empty()) {
    consumeError(std::move(E));
    return Failed(createStringError(Unwritten));
  }
  if (E)
    return createStringError("error: " + toString(std::move(E)));
  if (Error Why = File->commit())
    return Failed(std::move(Why));
  return Error::success();
}

static int merge(std::optional<uint64_t> HostClockErrorNs) {
  if (Error E = checkFiles())
    return outputError(std::move(E));
  std::vector<trace::MergeInput> Traces;
  for (const std::string &File : Inputs) {
    int Status = Done;
    std::optional<trace::MergeInput> In = readInput(File, Status);
    if (!In)
      return Status;
    Traces.push_back(std::move(*In));
  }
  if (Error E = checkProcesses(Traces))
    return outputError(std::move(E));
  Expected<trace::MergedTables> Tables = trace::mergeTables(
      Traces, [&](size_t I) { return trace::readMetaText(Traces[I].File); },
      HostClockErrorNs);
  if (!Tables)
    return outputError(
        createStringError("error: " + toString(Tables.takeError())));
  for (const auto &[File, Text] : Tables->Warnings)
    errs() << report::printable(File)
           << ": warning: " << report::printable(Text) << '\n';
  if (Error E = write(Traces, *Tables))
    return outputError(std::move(E));
  Expected<trace::Meta> Merged = trace::parseMeta(Tables->Json);
  if (!Merged)
    return outputError(Merged.takeError());
  outs() << "wrote " << Output << ": " << report::mergedText(*Merged) << '\n';
  return Done;
}

int runMerge(int argc, char **argv) {
  if (!parseCommandLine(argc, argv, mergeCommand(), Category, This, Overview))
    return UsageError;
  std::optional<uint64_t> HostClockErrorNs;
  if (int Code = checkUsage(HostClockErrorNs))
    return Code;
  return merge(HostClockErrorNs);
}

} // namespace kinstr
