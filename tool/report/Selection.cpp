// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a filter, to launches first, then to what is in them.
#include "report/Selection.h"

#include "report/Names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"
#include <algorithm>
#include <atomic>
#include <iterator>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

static Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

/// Positions in Trace::launches(), ascending.
static Expected<std::vector<uint32_t>> selectLaunches(const Trace &T,
                                                      const Filter &F) {
  Regex Kernel(F.Kernel);
  uint64_t Count = T.launches().size();
  if (F.Launches.First > 0 && F.Launches.First >= Count)
    return fail("there is no " + rangeText(F.Launches, "launch") +
                ", the trace has " + counted(Count, "launch"));
  std::vector<uint32_t> Out;
  for (uint64_t I = F.Launches.First; I < Count && I <= F.Launches.Last; ++I)
    if (F.Kernel.empty() || Kernel.match(kernelName(T, T.launches()[I])))
      Out.push_back(static_cast<uint32_t>(I));
  if (Out.empty() && !F.Kernel.empty())
    return fail("no launch of a kernel that matches '" + F.Kernel + "'");
  return Out;
}

static bool hasName(const Site &S) {
  return S.Kind == SiteKind::Phase || S.Kind == SiteKind::Mark ||
         S.Kind == SiteKind::Scope || S.Kind == SiteKind::Value;
}

/// An error where a time was asked for and none of the launches has any.
static Error checkTime(const Trace &T, const Filter &F,
                       ArrayRef<uint32_t> Launches) {
  if (F.allTime() || any_of(Launches, [&](uint32_t I) {
        return T.clock(I).Source != SlopeSource::None;
      }))
    return Error::success();
  return fail("no clock rate is known: nothing can be selected by time");
}

std::string filterText(const Filter &F) {
  std::string Out;
  auto Add = [&](const std::string &Text) {
    Out += (Out.empty() ? "" : ", ") + Text;
  };
  if (!F.Blocks.all())
    Add(rangeText(F.Blocks, "block"));
  if (!F.Warps.all())
    Add(rangeText(F.Warps, "warp"));
  if (!F.Sms.all())
    Add(rangeText(F.Sms, "SM"));
  if (!F.Phase.empty())
    Add("phases '" + printable(F.Phase) + "'");
  if (F.FromNs > -INFINITY && F.ToNs < INFINITY)
    Add(duration(F.FromNs) + " to " + duration(F.ToNs));
  else if (F.FromNs > -INFINITY)
    Add("from " + duration(F.FromNs) + " on");
  else if (F.ToNs < INFINITY)
    Add("before " + duration(F.ToNs));
  return Out;
}

Expected<Selection> Selection::make(const Trace &T, Filter F) {
  Selection S(T, std::move(F));
  Expected<std::vector<uint32_t>> Chosen = selectLaunches(T, S.F);
  if (!Chosen)
    return Chosen.takeError();
  S.Launches = std::move(*Chosen);
  S.IsSelected.resize(T.launches().size());
  for (uint32_t I : S.Launches)
    S.IsSelected.set(I);
  if (Error E = checkTime(T, S.F, S.Launches))
    return E;
  if (S.F.Phase.empty())
    return S;

  Regex Phase(S.F.Phase);
  bool Any = false;
  for (uint32_t I : S.Launches) {
    const Launch &L = T.launches()[I];
    ArrayRef<Site> Sites = T.kernel(L).Sites;
    BitVector &Matches = S.Sites[{L.Module, L.Kernel}];
    Matches.resize(Sites.size());
    for (size_t J = 0; J < Sites.size(); ++J)
      if (hasName(Sites[J]) && Phase.match(Sites[J].Name))
        Matches.set(J);
    Any |= Matches.any();
  }
  if (!Any)
    return fail("no phase matches '" + S.F.Phase + "'");
  return S;
}

bool Selection::wholeLaunches() const {
  return F.Phase.empty() && F.allTime() && F.Blocks.all() && F.Warps.all() &&
         F.Sms.all();
}

bool Selection::hasBlock(uint32_t Launch, const Block &B) const {
  return hasLaunch(Launch) && F.Blocks.has(B.Number) && F.Sms.has(B.SmStart);
}

bool Selection::hasSite(uint32_t Launch, uint32_t Site) const {
  if (F.Phase.empty())
    return true;
  const trace::Launch &L = T->launches()[Launch];
  const BitVector &Matches = Sites.at({L.Module, L.Kernel});
  return Site < Matches.size() && Matches.test(Site);
}

bool Selection::hasTime(uint32_t Launch, const Block &B, uint64_t Begin,
                        uint64_t End) const {
  if (F.allTime())
    return true;
  const LaunchClock &C = T->clock(Launch);
  if (C.Source == SlopeSource::None)
    return false;
  const SmLine &Line = *C.find(B.SmStart);
  double BeginNs = C.toNs(Line, Begin), EndNs = C.toNs(Line, End);
  if (B.moved()) { // its clocks are of two SMs, of which nobody knows which
    BeginNs = C.toNs(Line, B.ClockStart);
    EndNs = C.toNs(*C.find(B.SmEnd), B.ClockEnd);
  }
  // What has no length lies in a range that it begins.
  return BeginNs < F.ToNs && (EndNs > F.FromNs || BeginNs >= F.FromNs);
}

double Selection::cyclesWithin(uint32_t Launch, const Block &B, uint64_t Begin,
                               uint64_t End) const {
  auto Cycles = static_cast<double>(End - Begin);
  if (F.allTime() || B.moved() || Cycles == 0)
    return Cycles;
  const LaunchClock &C = T->clock(Launch);
  const SmLine &Line = *C.find(B.SmStart);
  double BeginNs = C.toNs(Line, Begin), EndNs = C.toNs(Line, End);
  double Ns = std::min(EndNs, F.ToNs) - std::max(BeginNs, F.FromNs);
  return EndNs > BeginNs ? Cycles * std::clamp(Ns / (EndNs - BeginNs), 0., 1.)
                         : Cycles;
}

double Selection::pausedWithin(const BlockView &V, const WarpView &W,
                               uint64_t Begin, uint64_t End) const {
  // From the last event at or before Begin on: a pause may go on there.
  const Event *First = upper_bound(
      W.Events, Begin, [](uint64_t C, const Event &E) { return C < E.Clock; });
  if (First != W.Events.begin())
    --First;
  // A pause before the warp's first event is none of its own.
  const Event *Own =
      find_if(W.Events, [](const Event &E) { return E.Site != pause_site; });
  double Sum = 0;
  uint64_t Since = 0;
  bool Busy = false;
  for (const Event &E : make_range(std::max(First, Own), W.Events.end())) {
    if (Busy)
      Sum += cyclesWithin(V.Launch, V.B, std::clamp(Since, Begin, End),
                          std::clamp(E.Clock, Begin, End));
    if (E.Clock >= End)
      break;
    Busy = E.Site == pause_site;
    Since = E.Clock;
  }
  // Behind a last pause nothing is known.
  return Sum;
}

namespace {

/// What is selected of one kind of thing in the warps of a block. Views of it
/// are taken when all warps are in, and it no longer moves.
template <typename Thing> class Kept {
public:
  void clear() {
    All.clear();
    Ends.clear();
  }
  /// Those of the next warp.
  template <typename Predicate> void add(ArrayRef<Thing> Of, Predicate Is) {
    copy_if(Of, std::back_inserter(All), Is);
    Ends.push_back(All.size());
  }
  ArrayRef<Thing> of(size_t Warp) const {
    size_t Begin = Warp ? Ends[Warp - 1] : 0;
    return ArrayRef(All).slice(Begin, Ends[Warp] - Begin);
  }

private:
  std::vector<Thing> All;
  SmallVector<size_t, 32> Ends;
};

/// Hands on what of a block is selected.
class SelectedSink final : public BlockSink {
public:
  SelectedSink(const Selection &S, std::unique_ptr<BlockSink> Next)
      : Next(std::move(Next)), S(S) {}

  void block(const BlockView &V) override {
    Warps.clear();
    Spans.clear();
    Scopes.clear();
    Marks.clear();
    Values.clear();
    for (const WarpView &W : V.Warps) {
      if (!S.filter().Warps.has(W.Index) ||
          !S.hasTime(V.Launch, V.B, W.Time.Begin, W.Time.End))
        continue;
      select(V, W);
      Warps.push_back(W);
    }
    for (auto [I, W] : enumerate(Warps)) {
      W.Spans = Spans.of(I);
      W.Scopes = Scopes.of(I);
      W.Marks = Marks.of(I);
      W.Values = Values.of(I);
    }
    if (!Warps.empty())
      Next->block({V.Launch, V.B, Warps, V.Clocks});
  }

  std::unique_ptr<BlockSink> Next;

private:
  void select(const BlockView &V, const WarpView &W) {
    auto IsSelected = [&](uint32_t Site, uint64_t Begin, uint64_t End) {
      return S.hasSite(V.Launch, Site) && S.hasTime(V.Launch, V.B, Begin, End);
    };
    auto Lasting = [&](const auto &P) {
      return IsSelected(P.Site, P.Begin, P.End);
    };
    auto Instant = [&](const auto &E) {
      return IsSelected(E.Site, E.Clock, E.Clock);
    };
    Spans.add(W.Spans, Lasting);
    Scopes.add(W.Scopes, Lasting);
    Marks.add(W.Marks, Instant);
    const std::vector<uint64_t> Ends = endsOf(W);
    Values.add(W.Values, [&](const Value &N) {
      return IsSelected(N.Site, N.Clock, Ends[&N - W.Values.data()]);
    });
  }
  /// A value holds until the next of its site.
  static std::vector<uint64_t> endsOf(const WarpView &W) {
    std::vector<uint64_t> Out(W.Values.size());
    SmallDenseMap<uint32_t, uint64_t> Next;
    for (size_t I = Out.size(); I-- > 0;) {
      const Value &N = W.Values[I];
      Out[I] = Next.try_emplace(N.Site, W.Time.End).first->second;
      Next[N.Site] = N.Clock;
    }
    return Out;
  }

  const Selection &S;
  std::vector<WarpView> Warps;
  Kept<Span> Spans;
  Kept<ScopeSpan> Scopes;
  Kept<Event> Marks;
  Kept<Value> Values;
};

} // namespace

Error visitSelected(const Trace &T, const Selection &S, VisitOptions O,
                    function_ref<std::unique_ptr<BlockSink>()> Make,
                    function_ref<Error(std::unique_ptr<BlockSink>)> Done) {
  O.Wanted = [&S, More = std::move(O.Wanted)](uint32_t Launch, const Block &B) {
    return S.hasBlock(Launch, B) && (!More || More(Launch, B));
  };
  if (S.wholeLaunches())
    return visitBlocks(T, O, Make, Done);
  return visitBlocks(
      T, O, [&] { return std::make_unique<SelectedSink>(S, Make()); },
      [&](std::unique_ptr<BlockSink> Part) {
        return Done(std::move(static_cast<SelectedSink &>(*Part).Next));
      });
}

/// Whether any warp is selected; with \p Inside, anything in one.
static Expected<bool> selectsAnything(const Trace &T, const Filter &F,
                                      bool Inside) {
  Expected<Selection> S = Selection::make(T, F);
  if (!S)
    return S.takeError();
  struct AnySink final : BlockSink {
    AnySink(std::atomic<bool> &Found, bool Inside)
        : Found(Found), Inside(Inside) {}
    void block(const BlockView &V) override {
      if (any_of(V.Warps, [&](const WarpView &W) {
            return !Inside || !W.Spans.empty() || !W.Scopes.empty() ||
                   !W.Marks.empty() || !W.Values.empty();
          }))
        Found = true;
    }
    std::atomic<bool> &Found;
    bool Inside;
  };
  std::atomic<bool> Found = false;
  VisitOptions O; // once it is found, no other block is decoded
  O.Wanted = [&](uint32_t, const Block &) { return !Found; };
  Error E = visitSelected(
      T, *S, O, [&] { return std::make_unique<AnySink>(Found, Inside); },
      [](std::unique_ptr<BlockSink>) { return Error::success(); });
  if (E)
    return E;
  return Found.load();
}

Error checkNotEmpty(const Trace &T, const Selection &S) {
  const Filter &F = S.filter();
  bool Inside = !F.Phase.empty() || !F.allTime();
  if (S.wholeLaunches())
    return Error::success();
  Expected<bool> Any = selectsAnything(T, F, Inside);
  if (!Any || *Any)
    return Any.takeError();

  // Which filter is it? One after the other.
  Filter Some;
  Some.Launches = F.Launches;
  Some.Kernel = F.Kernel;
  auto Leaves = [&](bool Inside) -> Expected<bool> {
    return selectsAnything(T, Some, Inside);
  };
  auto Range = [&](IndexRange Filter::*Which, StringRef Noun) -> Error {
    Some.*Which = F.*Which;
    Expected<bool> Any = Leaves(/*Inside=*/false);
    if (!Any || *Any)
      return Any.takeError();
    return fail(rangeText(F.*Which, Noun) + " left no record");
  };
  if (Error E = Range(&Filter::Blocks, "block"))
    return E;
  if (Error E = Range(&Filter::Sms, "SM"))
    return E;
  if (Error E = Range(&Filter::Warps, "warp"))
    return E;
  Some.Phase = F.Phase;
  Any = Leaves(Inside);
  if (!Any)
    return Any.takeError();
  return fail(*Any ? "nothing was recorded in the time asked for"
                   : "no phase that matches '" + F.Phase + "' left a record");
}

} // namespace kinstr::report
