// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the JSON tables of a trace and checks every index in them.
#include "trace/Meta.h"

#include "kinstr/record.h"
#include "trace/MetaText.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <utility>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// One JSON object being read. Keys that are absent leave their field alone, so
/// that files of older writers stay readable; a value of the wrong type or
/// range is an error at its path.
class Fields {
public:
  Fields(const json::Value &V, json::Path P) : Object(V.getAsObject()), P(P) {
    if (!Object)
      P.report("expected object");
  }

  explicit operator bool() const { return Object != nullptr; }

  template <typename Int> bool integer(StringLiteral Key, Int &Out) {
    const json::Value *V = Object->get(Key);
    return !V || readInteger(*V, Out, P.field(Key));
  }

  /// Nothing where it is absent.
  template <typename Int>
  bool integer(StringLiteral Key, std::optional<Int> &Out) {
    const json::Value *V = Object->get(Key);
    return !V || readInteger(*V, Out.emplace(), P.field(Key));
  }

  bool boolean(StringLiteral Key, bool &Out) {
    const json::Value *V = Object->get(Key);
    return !V || json::fromJSON(*V, Out, P.field(Key));
  }

  /// Not negative, and no more than any duration could be.
  bool real(StringLiteral Key, double &Out) {
    const json::Value *V = Object->get(Key);
    if (!V)
      return true;
    if (!json::fromJSON(*V, Out, P.field(Key)))
      return false;
    if (Out >= 0 && Out <= 1e9)
      return true;
    P.field(Key).report("number out of range");
    return false;
  }

  bool text(StringLiteral Key, std::string &Out) {
    const json::Value *V = Object->get(Key);
    return !V || json::fromJSON(*V, Out, P.field(Key));
  }

  template <typename T> bool list(StringLiteral Key, std::vector<T> &Out) {
    const json::Value *V = Object->get(Key);
    return !V || json::fromJSON(*V, Out, P.field(Key));
  }

  template <typename T> bool object(StringLiteral Key, T &Out) {
    const json::Value *V = Object->get(Key);
    return !V || fromJSON(*V, Out, P.field(Key));
  }

  bool dims(StringLiteral Key, Dim3 &Out) {
    const json::Value *V = Object->get(Key);
    if (!V)
      return true;
    const json::Array *A = V->getAsArray();
    if (!A || A->size() != Out.size()) {
      P.field(Key).report("expected array of 3 integers");
      return false;
    }
    for (size_t I = 0; I < Out.size(); ++I)
      if (!readInteger((*A)[I], Out[I], P.field(Key).index(I)))
        return false;
    return true;
  }

private:
  template <typename Int>
  static bool readInteger(const json::Value &V, Int &Out, json::Path P) {
    // A host clock in ns needs 61 bits; larger unsigned values come back from
    // getAsUINT64 only.
    if constexpr (std::is_same_v<Int, uint64_t>) {
      if (std::optional<uint64_t> U = V.getAsUINT64()) {
        Out = *U;
        return true;
      }
    } else if (std::optional<int64_t> I = V.getAsInteger()) {
      if (*I >= std::numeric_limits<Int>::min() &&
          *I <= std::numeric_limits<Int>::max()) {
        Out = static_cast<Int>(*I);
        return true;
      }
      P.report("integer out of range");
      return false;
    }
    P.report("expected integer");
    return false;
  }

  const json::Object *Object;
  json::Path P;
};

} // namespace

bool fromJSON(const json::Value &V, MarkCost &C, json::Path P) {
  Fields F(V, P);
  return F && F.text("buffer", C.Buffer) && F.text("layout", C.Layout) &&
         F.real("cycles", C.Cycles);
}

bool fromJSON(const json::Value &V, Device &D, json::Path P) {
  Fields F(V, P);
  return F && F.integer("index", D.Index) && F.integer("context", D.Context) &&
         F.text("name", D.Name) && F.text("uuid", D.Uuid) &&
         F.text("compute_capability", D.ComputeCapability) &&
         F.integer("sm_count", D.SmCount) &&
         F.integer("clock_khz", D.ClockKhz) &&
         F.integer("memory_bytes", D.MemoryBytes) &&
         F.integer("shared_per_sm", D.SharedPerSm) &&
         F.text("driver", D.Driver) && F.text("runtime", D.Runtime) &&
         F.integer("regions", D.Regions) &&
         F.integer("region_words", D.RegionWords) &&
         F.integer("timer_step_ns", D.TimerStepNs) &&
         F.list("mark_costs", D.MarkCosts) && F.integer("process", D.Process) &&
         F.integer("time_offset_ns", D.TimeOffsetNs) &&
         F.integer("time_error_ns", D.TimeErrorNs);
}

/// The file as a whole, or an entry of `processes`.
bool fromJSON(const json::Value &V, Process &Pr, json::Path P) {
  Fields F(V, P);
  return F && F.text("file", Pr.File) && F.text("producer", Pr.Producer) &&
         F.text("program", Pr.Program) && F.text("options", Pr.Options) &&
         F.integer("pid", Pr.Pid) && F.integer("rank", Pr.Rank) &&
         F.text("host", Pr.Host) && F.text("boot_id", Pr.BootId) &&
         F.integer("start_unix_ns", Pr.StartUnixNs) &&
         F.integer("end_unix_ns", Pr.EndUnixNs) &&
         F.boolean("cut_short", Pr.CutShort);
}

bool fromJSON(const json::Value &V, SiteKind &K, json::Path P) {
  if (V == json::Value("phase"))
    K = SiteKind::Phase;
  else if (V == json::Value("mark"))
    K = SiteKind::Mark;
  else if (V == json::Value("end"))
    K = SiteKind::End;
  else if (V == json::Value("return"))
    K = SiteKind::Return;
  else if (V == json::Value("entry"))
    K = SiteKind::Entry;
  else if (V == json::Value("scope"))
    K = SiteKind::Scope;
  else if (V == json::Value("scope-end"))
    K = SiteKind::ScopeEnd;
  else if (V == json::Value("value"))
    K = SiteKind::Value;
  else {
    P.report("expected 'phase', 'mark', 'end', 'scope', 'scope-end', 'value', "
             "'return' or 'entry'");
    return false;
  }
  return true;
}

bool fromJSON(const json::Value &V, Site &S, json::Path P) {
  Fields F(V, P);
  return F && F.object("kind", S.Kind) && F.text("name", S.Name) &&
         F.integer("line", S.Line) && F.text("drain", S.Drain);
}

bool fromJSON(const json::Value &V, Kernel &K, json::Path P) {
  Fields F(V, P);
  if (!F || !F.text("name", K.Name) || !F.integer("line", K.Line) ||
      !F.text("buffer", K.Buffer) || !F.text("layout", K.Layout) ||
      !F.text("flow", K.Flow) || !F.list("sites", K.Sites) ||
      !F.text("file", K.File))
    return false;
  K.OwnSites = K.Sites.size();
  return true;
}

bool fromJSON(const json::Value &V, Callee &C, json::Path P) {
  Fields F(V, P);
  return F && F.text("name", C.Name) && F.integer("line", C.Line) &&
         F.integer("first_site", C.FirstSite) && F.text("flow", C.Flow) &&
         F.list("sites", C.Sites) && F.text("file", C.File);
}

bool fromJSON(const json::Value &V, LaunchSite &L, json::Path P) {
  Fields F(V, P);
  return F && F.integer("line", L.Line) && F.integer("kernel", L.Kernel) &&
         F.text("file", L.File);
}

bool fromJSON(const json::Value &V, Module &M, json::Path P) {
  Fields F(V, P);
  return F && F.integer("abi", M.Abi) && F.text("file", M.File) &&
         F.list("kernels", M.Kernels) && F.list("launches", M.Launches) &&
         F.list("callees", M.Callees);
}

bool fromJSON(const json::Value &V, Function &Fn, json::Path P) {
  Fields F(V, P);
  return F && F.integer("module", Fn.Module) &&
         F.integer("kernel", Fn.Kernel) && F.text("name", Fn.Name) &&
         F.integer("registers", Fn.Registers) &&
         F.integer("static_shared", Fn.StaticShared) &&
         F.integer("local_bytes", Fn.LocalBytes);
}

bool fromJSON(const json::Value &V, HostLaunch &L, json::Path P) {
  Fields F(V, P);
  return F && F.integer("device", L.Device) && F.integer("module", L.Module) &&
         F.integer("site", L.Site) && F.integer("function", L.Function) &&
         F.dims("grid", L.Grid) && F.dims("block", L.Block) &&
         F.integer("dynamic_shared", L.DynamicShared) &&
         F.integer("stream", L.Stream) &&
         F.integer("host_unix_ns", L.HostUnixNs) &&
         F.integer("blocks_per_sm", L.BlocksPerSm) &&
         F.boolean("captured", L.Captured);
}

bool fromJSON(const json::Value &V, Sample &S, json::Path P) {
  Fields F(V, P);
  if (!F || !F.integer("every", S.Every) || !F.integer("first", S.First) ||
      !F.integer("count", S.Count))
    return false;
  if (S.Every == 0)
    P.field("every").report("expected a positive integer");
  return S.Every != 0;
}

bool fromJSON(const json::Value &V, Sampling &S, json::Path P) {
  Fields F(V, P);
  return F && F.object("blocks", S.Blocks) && F.object("warps", S.Warps) &&
         F.object("sms", S.Sms);
}

bool fromJSON(const json::Value &V, DroppedRegion &D, json::Path P) {
  Fields F(V, P);
  return F && F.integer("device", D.Device) && F.integer("sm", D.Sm) &&
         F.integer("records", D.Records) && F.integer("events", D.Events);
}

bool fromJSON(const json::Value &V, Totals &T, json::Path P) {
  Fields F(V, P);
  return F && F.integer("records", T.Records) &&
         F.integer("events", T.Events) &&
         F.integer("dropped_records", T.DroppedRecords) &&
         F.integer("dropped_events", T.DroppedEvents);
}

bool fromJSON(const json::Value &V, Meta &M, json::Path P) {
  Fields F(V, P);
  return F && F.text("producer", M.Producer) && F.integer("abi", M.Abi) &&
         F.text("program", M.Program) && F.integer("pid", M.Pid) &&
         F.text("options", M.Options) &&
         F.integer("start_unix_ns", M.StartUnixNs) &&
         F.integer("end_unix_ns", M.EndUnixNs) &&
         F.text("overflow", M.Overflow) && F.object("sampling", M.Samples) &&
         F.list("devices", M.Devices) && F.list("modules", M.Modules) &&
         F.list("functions", M.Functions) && F.list("launches", M.Launches) &&
         F.list("dropped", M.Dropped) && F.object("totals", M.Total) &&
         F.list("processes", M.Processes) &&
         F.integer("host_clock_error_ns", M.HostClockErrorNs);
}

static Error fault(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), "meta: " + Message);
}

template <typename T>
static Error checkIndex(const char *Table, size_t At, const char *Key,
                        uint64_t Index, const std::vector<T> &Target) {
  if (Index < Target.size())
    return Error::success();
  return fault(Twine(Table) + "[" + Twine(At) + "]." + Key + " is " +
               Twine(Index) + ", but the table it points into has " +
               Twine(Target.size()) + " entries");
}

/// From this version on files can be read: in what came later, records of
/// callees are no longer of one activation each.
static constexpr uint32_t OldestAbi = 3;

static Error checkAbi(const Twine &Where, uint32_t Abi) {
  if (Abi >= OldestAbi && Abi <= abi_version)
    return Error::success();
  return fault(Where + "abi " + Twine(Abi) + " is not supported (expected " +
               Twine(OldestAbi) + " to " + Twine(abi_version) + ")");
}

static Error checkModules(const Meta &M) {
  for (size_t I = 0; I < M.Modules.size(); ++I) {
    const Module &Mod = M.Modules[I];
    if (Error E = checkAbi("modules[" + Twine(I) + "]: ", Mod.Abi))
      return E;
    for (const LaunchSite &L : Mod.Launches)
      if (L.Kernel >= 0)
        if (Error E = checkIndex("launch sites of modules", I, "kernel",
                                 L.Kernel, Mod.Kernels))
          return E;
    uint64_t Next = 0;
    for (const Callee &C : Mod.Callees) {
      if (C.FirstSite < Next)
        return fault("callees of modules[" + Twine(I) +
                     "] share site numbers or are out of order");
      Next = uint64_t(C.FirstSite) + C.Sites.size();
    }
  }
  return Error::success();
}

static Error checkFunctions(const Meta &M) {
  for (size_t I = 0; I < M.Functions.size(); ++I) {
    const Function &F = M.Functions[I];
    if (Error E = checkIndex("functions", I, "module", F.Module, M.Modules))
      return E;
    if (F.Kernel >= 0)
      if (Error E = checkIndex("functions", I, "kernel", F.Kernel,
                               M.Modules[F.Module].Kernels))
        return E;
  }
  return Error::success();
}

static Error checkDevices(const Meta &M) {
  for (size_t I = 0; I < M.Devices.size(); ++I)
    if (Error E = checkIndex("devices", I, "process", M.Devices[I].Process,
                             M.Processes))
      return E;
  return Error::success();
}

static Error checkLaunches(const Meta &M) {
  for (size_t I = 0; I < M.Launches.size(); ++I) {
    const HostLaunch &L = M.Launches[I];
    if (Error E = checkIndex("launches", I, "device", L.Device, M.Devices))
      return E;
    if (Error E = checkIndex("launches", I, "module", L.Module, M.Modules))
      return E;
    if (L.Site >= 0)
      if (Error E = checkIndex("launches", I, "site", L.Site,
                               M.Modules[L.Module].Launches))
        return E;
    if (L.Function >= 0)
      if (Error E =
              checkIndex("launches", I, "function", L.Function, M.Functions))
        return E;
  }
  for (size_t I = 0; I < M.Dropped.size(); ++I)
    if (Error E =
            checkIndex("dropped", I, "device", M.Dropped[I].Device, M.Devices))
      return E;
  return Error::success();
}

static Error check(const Meta &M) {
  if (Error E = checkAbi("", M.Abi))
    return E;
  if (Error E = checkDevices(M))
    return E;
  if (Error E = checkModules(M))
    return E;
  if (Error E = checkFunctions(M))
    return E;
  return checkLaunches(M);
}

namespace {

/// The rows of `launches`, read one by one.
struct LaunchRows {
  std::vector<HostLaunch> List;
  std::string Fault; ///< of the first that has one

  void take(const json::Value &V) {
    if (!Fault.empty())
      return;
    json::Path::Root Root("meta");
    json::Path P(Root);
    size_t Index = List.size();
    if (!fromJSON(V, List.emplace_back(), P.field("launches").index(Index)))
      Fault = toString(Root.getError());
  }
};

} // namespace

Expected<Meta> parseMeta(function_ref<StringRef()> Next) {
  LaunchRows Rows;
  auto Take = [&](const json::Value *V) {
    if (V)
      Rows.take(*V);
    else
      Rows = {};
  };
  MetaText Text(Take);
  for (StringRef Piece = Next(); !Piece.empty(); Piece = Next())
    if (Error E = Text.add(Piece))
      return fault(toString(std::move(E)));
  Expected<json::Value> V = Text.finish();
  if (!V)
    return fault(toString(V.takeError()));
  json::Path::Root Root("meta");
  Meta M;
  if (!fromJSON(*V, M, Root))
    return Root.getError();
  if (!Rows.Fault.empty())
    return createStringError(Rows.Fault);
  if (M.Launches.empty()) // else the key was written in another way
    M.Launches = std::move(Rows.List);
  M.Merged = !M.Processes.empty();
  if (!M.Merged && !fromJSON(*V, M.Processes.emplace_back(), Root))
    return Root.getError();
  if (Error E = check(M))
    return E;
  return M;
}

Expected<Meta> parseMeta(StringRef Json) {
  return parseMeta([&] { return std::exchange(Json, StringRef()); });
}

} // namespace kinstr::trace
