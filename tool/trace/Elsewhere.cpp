// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the anchors of all parts.
#include "trace/Elsewhere.h"

#include "trace/Clock.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

using namespace llvm;

namespace kinstr::trace {

Record RecordCopies::add(const Record &R) {
  size_t Size = R.end() - R.address();
  Bytes.emplace_back(new uint8_t[Size]);
  std::memcpy(Bytes.back().get(), R.address(), Size);
  return Record(Bytes.back().get());
}

void RecordCopies::take(RecordCopies &&From) {
  append_range(Bytes, make_range(std::make_move_iterator(From.Bytes.begin()),
                                 std::make_move_iterator(From.Bytes.end())));
  From.Bytes.clear();
}

void Elsewhere::tell(uint32_t Number, MutableArrayRef<Found> Blocks) const {
  auto OfPart = [&](const auto &All, auto Id) {
    auto Begin = partition_point(
        All, [&](const auto &E) { return Id(E).first < Number; });
    auto End = std::find_if(
        Begin, All.end(), [&](const auto &E) { return Id(E).first != Number; });
    return make_range(Begin, End);
  };
  // The positions are of the same bytes, or of a file without a checksum.
  for (const auto &[Id, Replay] :
       OfPart(Replays, [](const auto &E) { return E.first; }))
    if (Id.second < Blocks.size())
      Blocks[Id.second].Replay = Replay;
  for (const BlockId &Id : OfPart(Gathered, [](const auto &E) { return E; }))
    if (Id.second < Blocks.size())
      Blocks[Id.second].Gathered = true;
}

namespace {

/// A block of a launch that has some of its blocks more than once.
struct Repeat {
  const LaunchKey *Launch = nullptr; ///< in ElsewhereQuestion::Repeated
  uint32_t Block = 0;
  uint64_t GlobalStart = 0;
  BlockId Id;
};

/// A block that a stray may be of.
struct Candidate {
  uint64_t Key = 0; ///< lookupKey()
  BlockId Id;
  Found F; ///< its record is gone
};

class Look {
public:
  Look(const RawTrace &T, const ElsewhereQuestion &Q);

  Error run(const Watch &W);
  ElsewhereAnswer answer();

private:
  struct OfPart {
    std::vector<Repeat> Repeats;
    std::vector<Candidate> Candidates;
  };

  Error look(uint32_t Number, OfPart &Out) const;
  void findReplays(ElsewhereAnswer &Out);
  void matchStrays(ElsewhereAnswer &Out);
  const Candidate *blockOf(const CopiedStray &S) const;

  const RawTrace &T;
  const ElsewhereQuestion &Q;
  const std::vector<Part> Parts;
  DenseSet<uint64_t> Keys; ///< of the strays
  OfPart All;
};

} // namespace

Look::Look(const RawTrace &T, const ElsewhereQuestion &Q)
    : T(T), Q(Q), Parts(partsOf(T)) {
  for (const CopiedStray &S : Q.Strays)
    Keys.insert(lookupKey(S.S.R));
}

Error Look::look(uint32_t Number, OfPart &Out) const {
  Expected<LoadedPart> L = loadPart(T, Parts[Number]);
  if (!L)
    return L.takeError();
  std::vector<Found> Blocks = findBlocks(T.Tables, *L);
  const LaunchKey *Last = nullptr;
  for (uint32_t I = 0; I < Blocks.size(); ++I) {
    const Found &F = Blocks[I];
    if (uint64_t Key = lookupKey(F); Keys.contains(Key))
      Out.Candidates.push_back({Key, {Number, I}, F});
    LaunchKey Launch = F.launchKey();
    if (!Last || *Last != Launch) {
      auto It = Q.Repeated.find(Launch);
      Last = It == Q.Repeated.end() ? nullptr : &*It;
    }
    if (Last)
      Out.Repeats.push_back({Last, F.Block, F.A.GlobalStart, {Number, I}});
  }
  return Error::success();
}

Error Look::run(const Watch &W) {
  Meter M(bytesOf(Parts));
  std::vector<OfPart> Found(Parts.size());
  return inOrder(
      Parts.size(), W, M,
      [&](size_t I) {
        M.Done += bytesOf(Parts[I]);
        return look(I, Found[I]);
      },
      [&](size_t I) {
        OfPart P = std::exchange(Found[I], {});
        append_range(All.Repeats, P.Repeats);
        append_range(All.Candidates, P.Candidates);
        return Error::success();
      });
}

/// A block that a launch has twice ran in two replays of a graph, which follow
/// one another: the second time it starts is the second replay.
void Look::findReplays(ElsewhereAnswer &Out) {
  auto SameBlock = [](const Repeat &R) { return std::tie(R.Launch, R.Block); };
  llvm::sort(All.Repeats, [&](const Repeat &A, const Repeat &B) {
    auto KeyA = SameBlock(A), KeyB = SameBlock(B);
    return KeyA != KeyB
               ? KeyA < KeyB
               : std::tie(A.GlobalStart, A.Id) < std::tie(B.GlobalStart, B.Id);
  });
  uint32_t Replay = 0;
  for (size_t I = 1; I < All.Repeats.size(); ++I) {
    bool Again = SameBlock(All.Repeats[I]) == SameBlock(All.Repeats[I - 1]);
    Replay = Again ? Replay + 1 : 0;
    if (Again)
      Out.Known.Replays.emplace_back(All.Repeats[I].Id, Replay);
  }
  llvm::sort(Out.Known.Replays);
}

/// Looks for the block of a stray in the other regions of its device: where a
/// block moves, its warps reserve on more than one SM.
const Candidate *Look::blockOf(const CopiedStray &S) const {
  auto Key = [](const Candidate &C) { return std::pair(C.F.Device, C.Key); };
  auto Want = std::pair(S.Device, lookupKey(S.S.R));
  auto Begin = partition_point(
      All.Candidates, [&](const Candidate &C) { return Key(C) < Want; });
  auto End =
      std::partition_point(Begin, All.Candidates.end(),
                           [&](const Candidate &C) { return Key(C) == Want; });
  if (Begin == End)
    return nullptr;
  // The clocks of a device's SMs started together, more or less, and a record
  // is about as old as the anchors around it.
  uint64_t Clock = S.S.NearClock.value_or(Begin->F.A.ClockStart);
  if (auto First = outerClock(S.S.R, /*Last=*/false))
    Clock = nearestClock(Clock, First->first, First->second);
  auto Middle = std::partition_point(
      Begin, End, [&](const Candidate &C) { return C.F.A.ClockStart < Clock; });
  Choice<const Candidate *> C;
  for (auto It = Middle - std::min(Window, Middle - Begin),
            Last = Middle + std::min(Window, End - Middle);
       It != Last; ++It) {
    uint64_t Start = It->F.A.ClockStart;
    C.consider(&*It, fit(It->F, S.S.R),
               Start > Clock ? Start - Clock : Clock - Start);
  }
  return C.Block.value_or(nullptr);
}

void Look::matchStrays(ElsewhereAnswer &Out) {
  llvm::sort(All.Candidates, [](const Candidate &A, const Candidate &B) {
    return std::tie(A.F.Device, A.Key, A.F.A.ClockStart, A.Id) <
           std::tie(B.F.Device, B.Key, B.F.A.ClockStart, B.Id);
  });
  for (const CopiedStray &S : Q.Strays) {
    const Candidate *C = blockOf(S);
    if (!C) {
      ++Out.Lost.Orphans;
    } else if (!fitsKernel(T.Tables, C->F, S.S.R)) {
      ++Out.Lost.BadRecords;
    } else {
      Out.Placed.emplace_back(C->Id, S.S.R);
      Out.Known.Gathered.push_back(C->Id);
    }
  }
  llvm::sort(Out.Known.Gathered);
  Out.Known.Gathered.erase(llvm::unique(Out.Known.Gathered),
                           Out.Known.Gathered.end());
  llvm::stable_sort(Out.Placed, [](const auto &A, const auto &B) {
    return A.first < B.first;
  });
}

ElsewhereAnswer Look::answer() {
  ElsewhereAnswer Out;
  findReplays(Out);
  matchStrays(Out);
  return Out;
}

Expected<ElsewhereAnswer>
lookElsewhere(const RawTrace &T, const ElsewhereQuestion &Q, const Watch &W) {
  Look L(T, Q);
  if (Error E = L.run(W))
    return E;
  return L.answer();
}

} // namespace kinstr::trace
