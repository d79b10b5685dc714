// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the tables of several traces, as JSON: so keys that this reader does
// not know stay.
#include "trace/Merge.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace kinstr::trace {

/// Numbers that fit in 16 bits, in records of callees less one, and one that is
/// no module's.
static constexpr size_t MostModules = 65534;

static Error fail(StringRef File, const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), File + ": " + Message);
}

bool MergedTables::Renumbered::keepsModules() const {
  for (auto [Old, New] : enumerate(Modules))
    if (Old != New)
      return false;
  return true;
}

// ---- clocks ----

namespace {

/// Where a device's times go.
struct Placement {
  int64_t OffsetNs = 0;
  std::optional<uint64_t> ErrorNs;
};

/// Of all devices of all inputs, in order.
class Clocks {
public:
  explicit Clocks(ArrayRef<MergeInput> Inputs);

  Placement place(const MergeInput &In, size_t Device, MergedTables &Out) const;

private:
  /// GPUs that several processes used have one clock.
  static std::string keyOf(const MergeInput &In, size_t Device);

  StringMap<ClockDistance> Distances;
};

} // namespace

std::string Clocks::keyOf(const MergeInput &In, size_t Device) {
  const trace::Device &D = In.Tables.Devices[Device];
  if (!D.Uuid.empty())
    return D.Uuid;
  return In.File + '\0' + utostr(D.Process) + ' ' + itostr(D.Index);
}

Clocks::Clocks(ArrayRef<MergeInput> Inputs) {
  for (const MergeInput &In : Inputs)
    for (size_t I = 0; I < In.Clocks.size(); ++I)
      Distances[keyOf(In, I)].intersect(In.Clocks[I]);
}

Placement Clocks::place(const MergeInput &In, size_t Device,
                        MergedTables &Out) const {
  const ClockDistance D = Distances.lookup(keyOf(In, Device));
  auto Warn = [&](const Twine &Text) {
    Out.Warnings.emplace_back(In.File,
                              ("device " + Twine(Device) + ": " + Text).str());
  };
  Placement P;
  if (!D.AtMost) {
    Warn(
        "nothing tells when it was on the host's clock; it is not aligned with "
        "the others");
    return P;
  }
  P.OffsetNs = D.offset();
  if (!D.AtLeast)
    return P;
  auto Most = static_cast<uint64_t>(*D.AtMost);
  auto Least = static_cast<uint64_t>(*D.AtLeast);
  if (*D.AtMost >= *D.AtLeast) {
    P.ErrorNs = Most - Least;
    return P;
  }
  const uint64_t Apart = Least - Most;
  P.OffsetNs = nsBetween(static_cast<uint64_t>(P.OffsetNs), Apart / 2);
  Warn("its clock and the host's moved apart by at least " + Twine(Apart) +
       " ns while it ran: how well it is aligned is not known");
  return P;
}

// ---- tables ----

namespace {

/// A table: rows as text, one behind another.
class Rows {
public:
  uint32_t add(const json::Value &Row) {
    raw_string_ostream OS(Text);
    if (Count)
      OS << ",\n";
    OS << Row;
    return Count++;
  }
  uint32_t size() const { return Count; }
  const std::string &text() const { return Text; }

private:
  std::string Text;
  uint32_t Count = 0;
};

/// One whose rows are there once each.
class Set {
public:
  uint32_t add(const json::Value &Row) {
    std::string Text;
    raw_string_ostream(Text) << Row;
    auto [It, New] = Known.try_emplace(Text, Table.size());
    return New ? Table.add(Row) : It->second;
  }
  const Rows &rows() const { return Table; }

private:
  StringMap<uint32_t> Known;
  Rows Table;
};

class Joiner {
public:
  Joiner(ArrayRef<MergeInput> Inputs, MergedTables &Out)
      : Inputs(Inputs), Out(Out), Axis(Inputs) {}

  Error add(const MergeInput &In, json::Object &Tables);
  std::string finish(std::optional<uint64_t> HostClockErrorNs);

private:
  Error addModules(const MergeInput &In, json::Object &Tables);
  void addFunctions(json::Object &Tables);
  void addProcesses(const MergeInput &In, json::Object &Tables);
  void addDevices(const MergeInput &In, json::Object &Tables);
  void addLaunches(json::Object &Tables);
  void addTotals(json::Object &Tables);

  ArrayRef<MergeInput> Inputs;
  MergedTables &Out;
  Clocks Axis;
  Set Modules, Functions;
  Rows Processes, Devices, Launches, Dropped;
  std::map<std::string, uint64_t> Totals;
  json::Value Samples = nullptr; ///< of the first
  // Of the input at hand: what its old indices become.
  MergedTables::Renumbered New;
  std::vector<uint32_t> NewFunctions;
  uint32_t FirstProcess = 0;
};

} // namespace

/// Empty where there is none: parseMeta() was content with it.
static json::Array takeArray(json::Object &From, StringRef Key) {
  if (json::Array *A = From.getArray(Key))
    return std::move(*A);
  return {};
}

/// The number behind \p Key, 0 where it is absent, replaced by what \p Map
/// says.
template <typename Fn>
static void renumber(json::Object &Row, StringRef Key, Fn Map) {
  int64_t Old = Row.getInteger(Key).value_or(0);
  Row[Key] = static_cast<int64_t>(Map(Old));
}

Error Joiner::addModules(const MergeInput &In, json::Object &Tables) {
  New.Modules.clear();
  for (json::Value &M : takeArray(Tables, "modules"))
    New.Modules.push_back(Modules.add(M));
  if (Modules.rows().size() > MostModules)
    return fail(In.File, "with it there are more than " + Twine(MostModules) +
                             " modules, which a trace cannot number");
  return Error::success();
}

void Joiner::addFunctions(json::Object &Tables) {
  NewFunctions.clear();
  for (json::Value &F : takeArray(Tables, "functions")) {
    renumber(*F.getAsObject(), "module",
             [&](int64_t Old) { return New.Modules[Old]; });
    NewFunctions.push_back(Functions.add(F));
  }
}

void Joiner::addProcesses(const MergeInput &In, json::Object &Tables) {
  FirstProcess = Processes.size();
  for (json::Value &P : takeArray(Tables, "processes"))
    Processes.add(P);
  if (In.Tables.Merged)
    return;
  json::Object P{{"file", json::fixUTF8(In.File)}};
  for (const char *Key : {"producer", "program", "pid", "options", "rank",
                          "host", "boot_id", "start_unix_ns", "end_unix_ns"})
    if (json::Value *V = Tables.get(Key))
      P[Key] = std::move(*V);
  if (In.CutShort)
    P["cut_short"] = true;
  Processes.add(std::move(P));
}

void Joiner::addDevices(const MergeInput &In, json::Object &Tables) {
  New.FirstDevice = Devices.size();
  for (auto &&[I, V] : enumerate(takeArray(Tables, "devices"))) {
    json::Object &D = *V.getAsObject();
    renumber(D, "process", [&](int64_t Old) { return Old + FirstProcess; });
    Placement P = Axis.place(In, I, Out);
    D["time_offset_ns"] = P.OffsetNs;
    D.erase("time_error_ns");
    if (P.ErrorNs)
      D["time_error_ns"] = *P.ErrorNs;
    Devices.add(V);
  }
}

void Joiner::addLaunches(json::Object &Tables) {
  auto Device = [&](int64_t Old) { return Old + New.FirstDevice; };
  for (json::Value &V : takeArray(Tables, "launches")) {
    json::Object &L = *V.getAsObject();
    renumber(L, "device", Device);
    renumber(L, "module", [&](int64_t Old) { return New.Modules[Old]; });
    if (L.getInteger("function").value_or(-1) >= 0)
      renumber(L, "function", [&](int64_t Old) { return NewFunctions[Old]; });
    Launches.add(V);
  }
  for (json::Value &V : takeArray(Tables, "dropped")) {
    renumber(*V.getAsObject(), "device", Device);
    Dropped.add(V);
  }
}

void Joiner::addTotals(json::Object &Tables) {
  if (const json::Object *T = Tables.getObject("totals"))
    for (const auto &[Key, V] : *T)
      Totals[StringRef(Key).str()] += V.getAsUINT64().value_or(0);
}

/// Nothing and an empty object are the same sample: all.
static json::Value samplesOf(json::Object &Tables) {
  json::Object *S = Tables.getObject("sampling");
  return S ? json::Object(std::move(*S)) : json::Object();
}

Error Joiner::add(const MergeInput &In, json::Object &Tables) {
  const MergeInput &First = Inputs.front();
  if (In.Tables.Abi != First.Tables.Abi)
    return fail(In.File, "its records are of version " + Twine(In.Tables.Abi) +
                             ", those of " + First.File + " of version " +
                             Twine(First.Tables.Abi));
  json::Value S = samplesOf(Tables);
  if (&In == &First)
    Samples = S;
  else if (S != Samples)
    return fail(In.File, "it was not sampled as " + First.File +
                             " was: figures of both together would mean "
                             "nothing");
  if (In.CutShort)
    Out.Warnings.emplace_back(In.File,
                              "cut short: what is whole of it is merged");
  if (Error E = addModules(In, Tables))
    return E;
  addFunctions(Tables);
  addProcesses(In, Tables);
  addDevices(In, Tables);
  addLaunches(Tables);
  addTotals(Tables);
  Out.Inputs.push_back(New);
  return Error::success();
}

/// What all inputs have, or nothing.
static std::string common(ArrayRef<MergeInput> Inputs, std::string Meta::*Key) {
  for (const MergeInput &In : Inputs)
    if (In.Tables.*Key != Inputs.front().Tables.*Key)
      return "";
  return Inputs.front().Tables.*Key;
}

/// The names of the programs, each once.
static std::string programs(ArrayRef<MergeInput> Inputs) {
  std::vector<std::string> Names;
  for (const MergeInput &In : Inputs)
    if (!is_contained(Names, In.Tables.Program))
      Names.push_back(In.Tables.Program);
  return join(Names, ", ");
}

std::string Joiner::finish(std::optional<uint64_t> HostClockErrorNs) {
  std::string Text = "{";
  raw_string_ostream OS(Text);
  auto Key = [&](StringRef Name) -> raw_ostream & {
    return OS << (Text.size() > 1 ? ",\n\"" : "\"") << Name << "\":";
  };
  auto Value = [&](StringRef Name, const json::Value &V) { Key(Name) << V; };
  uint64_t Start = 0, End = 0;
  bool Ring = false;
  for (const MergeInput &In : Inputs) {
    const Meta &M = In.Tables;
    if (M.StartUnixNs && (Start == 0 || M.StartUnixNs < Start))
      Start = M.StartUnixNs;
    End = std::max(End, M.EndUnixNs);
    Ring |= M.Overflow == "ring";
  }
  Value("producer", "kinstr " KINSTR_VERSION);
  Value("abi", Inputs.front().Tables.Abi);
  Value("program", programs(Inputs));
  Value("options", common(Inputs, &Meta::Options));
  // Where it is ring for one, dropped may count what was there.
  if (std::string O = common(Inputs, &Meta::Overflow); Ring || !O.empty())
    Value("overflow", Ring ? "ring" : O);
  Value("sampling", Samples);
  Value("start_unix_ns", Start);
  Value("end_unix_ns", End);
  if (HostClockErrorNs)
    Value("host_clock_error_ns", *HostClockErrorNs);
  auto Table = [&](StringRef Name, const Rows &R) {
    Key(Name) << '[' << R.text() << ']';
  };
  Table("processes", Processes);
  Table("devices", Devices);
  Table("modules", Modules.rows());
  Table("functions", Functions.rows());
  Table("launches", Launches);
  Table("dropped", Dropped);
  json::Object Sums;
  for (const auto &[Name, N] : Totals)
    Sums[Name] = N;
  Value("totals", std::move(Sums));
  OS << '}';
  return Text;
}

Expected<MergedTables>
mergeTables(ArrayRef<MergeInput> Inputs,
            function_ref<Expected<std::string>(size_t)> Json,
            std::optional<uint64_t> HostClockErrorNs) {
  MergedTables Out;
  Joiner J(Inputs, Out);
  for (size_t I = 0; I < Inputs.size(); ++I) {
    Expected<std::string> Text = Json(I);
    if (!Text)
      return fail(Inputs[I].File, toString(Text.takeError()));
    Expected<json::Value> V = json::parse(*Text);
    if (!V)
      return fail(Inputs[I].File, toString(V.takeError()));
    if (Error E = J.add(Inputs[I], *V->getAsObject()))
      return E;
  }
  Out.Json = J.finish(HostClockErrorNs);
  return Out;
}

} // namespace kinstr::trace
