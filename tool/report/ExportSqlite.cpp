// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a database, inserted a part of the trace at a time, in one
// transaction.
#include "report/Export.h"
#include "report/Names.h"
#include "report/SiteNames.h"
#include "report/Sqlite.h"
#include "report/SqliteSchema.h"
#include "report/Stays.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

namespace {

using MaybeNs = std::optional<int64_t>;

struct SpanRow {
  Stay S;
  MaybeNs Begin, End;
};

struct MarkRow {
  Event E;
  MaybeNs Ns;
};

struct ValueRow {
  Value V;
  size_t Span; ///< in Rows; or NoSpan
  MaybeNs Ns;

  static constexpr size_t NoSpan = std::numeric_limits<size_t>::max();
};

struct WarpRow {
  uint32_t Index = 0;
  WarpTime Time;
  MaybeNs Begin, End;
  size_t SpansEnd = 0, MarksEnd = 0, ScopesEnd = 0, ValuesEnd = 0; ///< in Rows
};

struct BlockRow {
  Block B;
  MaybeNs Begin, End;
  size_t WarpsEnd = 0; ///< in Rows
};

/// What a part of the trace adds to the tables.
class Rows final : public BlockSink {
public:
  Rows(const Trace &T, const TimeAxis &Axis) : T(T), Axis(Axis) {}

  void block(const BlockView &V) override;

  std::vector<BlockRow> Blocks;
  std::vector<WarpRow> Warps;
  std::vector<SpanRow> Spans;
  std::vector<MarkRow> Marks;
  std::vector<SpanRow> Scopes;
  std::vector<ValueRow> Values;

private:
  const Trace &T;
  const TimeAxis &Axis;
  std::vector<Stay> Stays;
  std::vector<StayValue> Placed;
};

/// Rows of the large tables that one statement adds.
constexpr size_t Batch = 50;

class Writer {
public:
  Writer(const Trace &T, const Selection &S, Database &Db);

  Error write();

private:
  void addMeta();
  void addProcesses();
  void addDevices();
  void addKernels();
  void addLaunches();
  void addLaunch(Insert &Add, uint32_t I);
  void add(const Rows &Part);
  void add(const BlockRow &Row);

  const Trace &T;
  const Selection &S;
  Database &Db;
  TimeAxis Axis;
  PerSite<int64_t> PhaseIds;
  std::vector<std::vector<int64_t>> KernelIds; ///< by module and kernel
  std::vector<std::pair<MaybeNs, MaybeNs>> LaunchTimes;
  int64_t BlockId = 0, WarpId = 0; ///< the last ones given
  int64_t SpanId = 0;              ///< the last one of the parts before

  Insert AddBlock, AddAnchor, AddWarp, AddSpan, AddMark, AddScope, AddValue;
};

} // namespace

void Rows::block(const BlockView &V) {
  BlockTimes Times = Axis.of(V.Launch, V.B);
  auto Ns = [&](uint64_t Clock) {
    return Times.known() ? MaybeNs(Times.ns(Clock)) : std::nullopt;
  };
  BlockRow Row{V.B, {}, {}, 0};
  if (Times.known()) {
    TimeRange R = blockRange(T.clock(V.Launch), V);
    Row.Begin = Times.whole(R.Begin);
    Row.End = Times.whole(R.End);
  }
  for (const WarpView &W : V.Warps) {
    joinPieces(W.Spans, Stays);
    placeValues(Stays, W.Values, Placed);
    for (const StayValue &P : Placed)
      Values.push_back({P.V,
                        P.Stay == StayValue::NoStay ? ValueRow::NoSpan
                                                    : Spans.size() + P.Stay,
                        Ns(P.V.Clock)});
    for (const Stay &S : Stays)
      Spans.push_back({S, Ns(S.Begin), Ns(S.End)});
    sortScopes(W.Scopes, Stays);
    for (const Stay &S : Stays)
      Scopes.push_back({S, Ns(S.Begin), Ns(S.End)});
    for (const Event &M : W.Marks)
      Marks.push_back({M, Ns(M.Clock)});
    bool Empty = W.Events.empty();
    Warps.push_back({W.Index, W.Time, Empty ? MaybeNs() : Ns(W.Time.Begin),
                     Empty ? MaybeNs() : Ns(W.Time.End), Spans.size(),
                     Marks.size(), Scopes.size(), Values.size()});
  }
  Row.WarpsEnd = Warps.size();
  Blocks.push_back(Row);
}

static bool hasRow(const Site &S) {
  return S.Kind == SiteKind::Phase || S.Kind == SiteKind::Mark ||
         S.Kind == SiteKind::Scope || S.Kind == SiteKind::Value;
}

/// Numbers from 1 on for sites that have a row in `phases`; 0 for others.
static PerSite<int64_t> phaseIds(const Trace &T) {
  int64_t Next = 0;
  return {T, [&](const Site &S) -> int64_t { return hasRow(S) ? ++Next : 0; }};
}

Writer::Writer(const Trace &T, const Selection &S, Database &Db)
    : T(T), S(S), Db(Db), Axis(T), PhaseIds(phaseIds(T)),
      LaunchTimes(T.launches().size()),
      AddBlock(Db, "blocks", "(?, ?, ?, ?, ?, ?, ?, ?)"),
      AddAnchor(Db, "anchors", "(?, ?, ?, ?, ?)"),
      AddWarp(Db, "warps", "(?, ?, ?, ?, ?, ?, ?, ?)", Batch),
      AddSpan(Db, "spans", "(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", Batch),
      AddMark(Db, "marks", "(NULL, ?, ?, ?, ?)", Batch),
      AddScope(Db, "scopes", "(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", Batch),
      AddValue(Db, "\"values\"", "(NULL, ?, ?, ?, ?, ?, ?, ?)", Batch) {}

/// NULL where it is not.
template <typename T> static std::optional<T> known(bool Is, T Value) {
  return Is ? std::optional(Value) : std::nullopt;
}

static std::optional<std::string> knownText(StringRef Text) {
  return known(!Text.empty(), plainText(Text));
}

void Writer::addMeta() {
  const Meta &M = T.meta();
  Insert Add(Db, "meta", "(?, ?)");
  Add("schema_version", 2);
  Add("producer", plainText(M.Producer));
  Add("program", plainText(M.Program));
  Add("pid", M.Pid);
  Add("options", plainText(M.Options));
  Add("start_unix_ns", M.StartUnixNs);
  Add("end_unix_ns", M.EndUnixNs);
  Add("origin_ns", Axis.originNs());
  Add("recorded_events", M.Total.Events);
  Add("dropped_records", M.Total.DroppedRecords);
  Add("dropped_events", M.Total.DroppedEvents);
  Add("sampled", sampleText(M.Samples));
  Add("merged", M.Merged);
  Add("between_processes_ns",
      M.Merged ? trace::betweenProcessesNs(M) : std::nullopt);
}

void Writer::addProcesses() {
  Insert Add(Db, "processes", "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (auto [I, P] : enumerate(T.meta().Processes))
    Add(I, known(P.Rank >= 0, P.Rank), knownText(P.Host), knownText(P.BootId),
        P.Pid, plainText(P.Program), plainText(P.Options), P.StartUnixNs,
        P.EndUnixNs, knownText(P.File), P.CutShort);
}

void Writer::addDevices() {
  Insert Add(Db, "devices", "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (auto [I, D] : enumerate(T.meta().Devices))
    Add(I, D.Process, D.Index, plainText(D.Name),
        plainText(D.ComputeCapability), D.SmCount, D.ClockKhz,
        T.Time.Steps[I].Ns, D.MemoryBytes, plainText(D.Driver),
        plainText(D.Runtime), knownText(D.Uuid), Axis.offsetNs(I),
        D.TimeErrorNs);
  Insert AddDropped(Db, "dropped", "(?, ?, ?, ?)");
  for (const DroppedRegion &D : T.meta().Dropped)
    AddDropped(D.Device, D.Sm, D.Records, D.Events);
}

void Writer::addKernels() {
  Insert AddKernel(Db, "kernels", "(?, ?, ?, ?, ?, ?, ?)");
  Insert AddPhase(Db, "phases", "(?, ?, ?, ?, ?, ?, ?)");
  int64_t Id = 0, PhaseId = 0;
  for (const Module &M : T.meta().Modules) {
    KernelIds.emplace_back();
    for (const Kernel &K : M.Kernels) {
      KernelIds.back().push_back(++Id);
      AddKernel(Id, plainText(K.Name), plainText(M.fileOf(K)), K.Line,
                plainText(K.Buffer), plainText(K.Layout), plainText(K.Flow));
      for (auto [I, Site] : enumerate(K.Sites)) {
        if (hasRow(Site))
          AddPhase(++PhaseId, Id, I, kindName(Site.Kind), plainText(Site.Name),
                   Site.Line, plainText(Site.Drain));
      }
    }
  }
}

static const char *typeName(const Number &N) {
  switch (N.Type) {
  case number_type::signed_integer:
    return "signed";
  case number_type::floating_point:
    return "float";
  default:
    return "unsigned";
  }
}

static const char *nameOf(SlopeSource Source) {
  switch (Source) {
  case SlopeSource::Launch:
    return "launch";
  case SlopeSource::Device:
    return "device";
  case SlopeSource::Nominal:
    return "nominal";
  default:
    return "none";
  }
}

void Writer::addLaunch(Insert &Add, uint32_t I) {
  const Launch &L = T.launches()[I];
  const LaunchClock &C = T.clock(I);
  const Function *F = T.function(L);
  const HostLaunch *H = T.hostLaunch(L);
  const LaunchSite *Source =
      H && H->Site >= 0 ? &T.meta().Modules[H->Module].Launches[H->Site]
                        : nullptr;
  bool HasClock = Axis.known(I);
  Add(I, L.Device, KernelIds[L.Module][L.Kernel], plainText(kernelName(T, L)),
      L.Grid[0], L.Grid[1], L.Grid[2], L.BlockDim[0], L.BlockDim[1],
      L.BlockDim[2], L.Cluster[0], L.Cluster[1], L.Cluster[2], L.DynamicShared,
      known(F, F ? F->StaticShared : 0), known(F, F ? F->Registers : 0),
      known(L.BlocksPerSm, L.BlocksPerSm), known(H, H ? H->Stream : 0),
      known(H, H ? H->HostUnixNs : 0),
      known(Source, Source ? plainText(Source->File.empty()
                                           ? T.meta().Modules[H->Module].File
                                           : Source->File)
                           : std::string()),
      known(Source, Source ? Source->Line : 0), nameOf(C.Source),
      known(HasClock, C.NsPerCycle),
      known(HasClock && C.StepKnown, C.AlignmentErrorNs),
      known(HasClock, Axis.launchNs(I)), LaunchTimes[I].first,
      LaunchTimes[I].second);
}

void Writer::addLaunches() {
  Insert Add(Db, "launches",
             "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
             "?, ?, ?, ?, ?, ?)");
  for (uint32_t I : S.launches())
    addLaunch(Add, I);
}

void Writer::add(const BlockRow &Row) {
  const Block &B = Row.B;
  AddBlock(++BlockId, B.Launch, B.Number, B.SmStart, Row.Begin, Row.End,
           B.Finished, B.moved());
  AddAnchor(BlockId, false, B.SmStart, B.GlobalStart, B.ClockStart);
  if (B.Finished)
    AddAnchor(BlockId, true, B.SmEnd, B.GlobalEnd, B.ClockEnd);
  auto &[Begin, End] = LaunchTimes[B.Launch];
  if (Row.Begin && Row.End) {
    Begin = std::min(Begin.value_or(*Row.Begin), *Row.Begin);
    End = std::max(End.value_or(*Row.End), *Row.End);
  }
}

/// The rows of a large table that belong to one warp.
template <typename Row, typename Fn>
static void addUpTo(const std::vector<Row> &Of, size_t &Next, size_t End,
                    Fn Add) {
  for (; Next < End; ++Next)
    Add(Of[Next]);
}

void Writer::add(const Rows &Part) {
  size_t Warp = 0, Span = 0, Mark = 0, Scope = 0, Value = 0;
  AddWarp.expect(Part.Warps.size());
  AddSpan.expect(Part.Spans.size());
  AddMark.expect(Part.Marks.size());
  AddScope.expect(Part.Scopes.size());
  AddValue.expect(Part.Values.size());
  for (const BlockRow &B : Part.Blocks) {
    add(B);
    const std::vector<int64_t> &Ids = PhaseIds.of(T.launches()[B.B.Launch]);
    auto AddTo = [&](Insert &Table) {
      return [&](const SpanRow &R) {
        Table(WarpId, Ids[R.S.Site], R.S.Depth, R.Begin, R.End, R.S.Begin,
              R.S.End, R.S.Cycles, R.S.Open);
      };
    };
    for (; Warp < B.WarpsEnd; ++Warp) {
      const WarpRow &Row = Part.Warps[Warp];
      AddWarp(++WarpId, BlockId, Row.Index, Row.Begin, Row.End, Row.Time.Begin,
              Row.Time.End, Row.Time.Finished);
      addUpTo(Part.Spans, Span, Row.SpansEnd, AddTo(AddSpan));
      addUpTo(Part.Scopes, Scope, Row.ScopesEnd, AddTo(AddScope));
      addUpTo(Part.Marks, Mark, Row.MarksEnd, [&](const MarkRow &R) {
        AddMark(WarpId, Ids[R.E.Site], R.Ns, R.E.Clock);
      });
      addUpTo(Part.Values, Value, Row.ValuesEnd, [&](const ValueRow &R) {
        bool Inside = R.Span != ValueRow::NoSpan;
        AddValue(WarpId, Ids[R.V.Site],
                 known(Inside, SpanId + 1 + static_cast<int64_t>(R.Span)), R.Ns,
                 R.V.Clock, typeName(R.V.N), R.V.N);
      });
    }
  }
  SpanId += static_cast<int64_t>(Part.Spans.size());
}

Error Writer::write() {
  addMeta();
  addProcesses();
  addDevices();
  addKernels();
  if (Error E = visitSelected(
          T, S, {}, [&] { return std::make_unique<Rows>(T, Axis); },
          [&](std::unique_ptr<BlockSink> Part) {
            add(static_cast<Rows &>(*Part));
            return Db.error();
          }))
    return E;
  addLaunches();
  Db.run(schema::Close);
  return Db.error();
}

Error writeSqlite(const Trace &T, const Selection &S, StringRef Path) {
  Database Db(Path.str());
  Db.run(schema::Open);
  return Writer(T, S, Db).write();
}

} // namespace kinstr::report
