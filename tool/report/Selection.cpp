// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a filter, to launches first, then to what is in them.
#include "report/Selection.h"

#include "report/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"
#include <iterator>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

static Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Expected<std::vector<uint32_t>> selectLaunches(const trace::Trace &T,
                                               const Filter &F) {
  Regex Kernel(F.Kernel);
  size_t Count = T.Ls.List.size();
  if (F.Launch && *F.Launch >= Count)
    return fail("there is no launch " + Twine(*F.Launch) + ", the trace has " +
                counted(Count, "launch"));
  std::vector<uint32_t> Out;
  for (uint32_t I = 0; I < Count; ++I) {
    if (F.Launch && *F.Launch != I)
      continue;
    if (!F.Kernel.empty() && !Kernel.match(kernelName(T, T.Ls.List[I])))
      continue;
    Out.push_back(I);
  }
  if (Out.empty() && !F.Kernel.empty())
    return fail("no launch of a kernel that matches '" + F.Kernel + "'");
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
      if (!Sites[J].Name.empty() && Phase.match(Sites[J].Name))
        Matches.set(J);
    Any |= Matches.any();
  }
  if (!Any)
    return fail("no phase matches '" + S.F.Phase + "'");
  return S;
}

bool Selection::wholeLaunches() const {
  auto All = [](const IndexRange &R) {
    return R.First == 0 && R.Last == UINT64_MAX;
  };
  return F.Phase.empty() && F.allTime() && All(F.Blocks) && All(F.Warps) &&
         All(F.Sms);
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

namespace {

/// Hands on what of a block is selected.
class SelectedSink final : public BlockSink {
public:
  SelectedSink(const Trace &T, const Selection &S,
               std::unique_ptr<BlockSink> Next)
      : Next(std::move(Next)), T(T), S(S) {}

  void block(const BlockView &V) override {
    Warps.clear();
    Spans.clear();
    Marks.clear();
    // Arrays first, views of them when they no longer move.
    SmallVector<std::pair<size_t, size_t>, 32> Ends;
    for (const WarpView &W : V.Warps) {
      if (!S.filter().Warps.has(W.Index))
        continue;
      select(V, W);
      Warps.push_back(W);
      Ends.push_back({Spans.size(), Marks.size()});
    }
    std::pair<size_t, size_t> Begin = {0, 0};
    for (auto [W, End] : zip_equal(Warps, Ends)) {
      W.Spans = ArrayRef(Spans).slice(Begin.first, End.first - Begin.first);
      W.Marks = ArrayRef(Marks).slice(Begin.second, End.second - Begin.second);
      Begin = End;
    }
    if (!Warps.empty())
      Next->block({V.Launch, V.B, Warps});
  }

  std::unique_ptr<BlockSink> Next;

private:
  void select(const BlockView &V, const WarpView &W) {
    auto IsSelected = [&](uint32_t Site, uint64_t Begin, uint64_t End) {
      return S.hasSite(V.Launch, Site) && inTime(V, Begin, End);
    };
    copy_if(W.Spans, std::back_inserter(Spans),
            [&](const Span &P) { return IsSelected(P.Site, P.Begin, P.End); });
    copy_if(W.Marks, std::back_inserter(Marks), [&](const Event &E) {
      return IsSelected(E.Site, E.Clock, E.Clock);
    });
  }

  bool inTime(const BlockView &V, uint64_t Begin, uint64_t End) const {
    if (S.filter().allTime())
      return true;
    const LaunchClock &C = T.clock(V.Launch);
    const SmLine *Line = C.find(V.B.SmStart);
    return Line && C.toNs(*Line, Begin) <= S.filter().ToNs &&
           C.toNs(*Line, End) >= S.filter().FromNs;
  }

  const Trace &T;
  const Selection &S;
  std::vector<WarpView> Warps;
  std::vector<Span> Spans;
  std::vector<Event> Marks;
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
      T, O, [&] { return std::make_unique<SelectedSink>(T, S, Make()); },
      [&](std::unique_ptr<BlockSink> Part) {
        return Done(std::move(static_cast<SelectedSink &>(*Part).Next));
      });
}

} // namespace kinstr::report
