// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler, barriers and memory of the SIMT machine.
#include "Machine.h"
#include "Fiber.h"
#include "Random.h"
#include "VectorClock.h"
#include <cstring>
#include <deque>
#include <map>
#include <memory>

namespace simt {
namespace {

struct Warp;
struct Block;

enum class LaneState { Ready, Waiting, Gone };
enum class WaitFor { Mask, Block };

struct Lane {
  Dim3 Index;
  uint32_t Thread = 0, Id = 0; ///< in the block, in the warp
  Warp *W = nullptr;
  Block *B = nullptr;
  Fiber *F = nullptr;
  LaneState State = LaneState::Ready;
  size_t ReadyAt = 0; ///< in Machine::Ready
  uint32_t Place = 0; ///< at()

  // At an __activemask(), to be answered when the lane runs again.
  bool AsksMask = false;
  Line At = {"", 0};
  uint64_t Answer = 0; ///< of that, or of meet()

  // In meet().
  WaitFor Waits = WaitFor::Mask;
  WarpOp Op = WarpOp::Sync;
  uint32_t Mask = 0, From = 0;
  uint64_t Value = 0;

  Knowledge Known;
};

struct Warp {
  uint32_t Number = 0;          ///< in the grid
  uint32_t Exist = 0, Left = 0; ///< lanes
  uint32_t Waiting = 0;         ///< lanes in meet()
  uint32_t Slot = 0;            ///< of the SM
  Lane *Lanes[32] = {};
};

/// What is known of one word of shared memory.
struct Shadow {
  bool Written = false, Atomic = false; ///< and how the last time
  bool Read = false;
  Moment Write, LastRead;
};

/// One static array of a block.
struct SharedArray {
  const void *Key = nullptr;
  uint32_t Address = 0;
  std::vector<uint32_t> Words;
  std::vector<Shadow> Shadows;
};

struct Block {
  Dim3 Index;
  uint32_t Number = 0, Sm = 0;
  std::vector<Lane> Lanes;
  std::vector<Warp> Warps;
  uint32_t Gone = 0, AtBarrier = 0;
  std::deque<SharedArray> Shared;
  std::map<uint32_t, ClockVector> Atomics; ///< what was released, by address
};

class Machine {
public:
  std::string run(const Grid &Config, Traced Memory,
                  const std::function<void()> &Body);

  void step() {
    ++Now;
    if (G.Preempted != 0 && Rng.below(1000) < G.Preempted)
      moveWarp();
    if (--Left == 0)
      yield();
  }
  void moveWarp();
  void yield();
  [[noreturn]] void fail(std::string Why);
  uint32_t activeMask(Line L);
  uint64_t meet(WarpOp Op, uint32_t Mask, Line L, uint64_t Value,
                uint32_t From);
  void blockBarrier();
  uint32_t sharedAddress(const void *Array, size_t Bytes);
  uint32_t &sharedWord(uint32_t Address, uint32_t Bytes, bool Store,
                       bool Atomic);
  uint32_t &atomicWord(uint32_t Address);
  void storeGlobal(uint32_t *P, uint32_t Count);

  Grid G;
  Traced T;
  uint64_t Now = 0;
  Lane *Self = nullptr;
  Random Rng{0};
  std::vector<uint32_t> SmOf; ///< by block

private:
  bool admit();
  void start(uint32_t Number, uint32_t Sm);
  void enterSlot(Warp &W, uint32_t Sm);
  void leave(Lane &L);
  Lane &pick();
  void answerMask(Lane &L);
  void makeReady(Lane &L);
  void makeWait(Lane &L);
  void release(uint32_t Mask, Warp &W);
  void releaseBlock(Block &B);
  std::string deadlock() const;
  std::string where(const Lane &L) const;

  const std::function<void()> *Kernel = nullptr;
  std::string Error;
  uint32_t NextBlock = 0, Left = 1;
  std::vector<uint32_t> Resident;         ///< by SM
  std::vector<std::vector<Warp *>> Slots; ///< who is in each, by SM
  std::deque<std::unique_ptr<Block>> Blocks;
  std::vector<Lane *> Ready;
  std::vector<uint32_t> Owner;    ///< of each word of T: 1 + the warp's number
  std::vector<Knowledge *> Known; ///< of lanes that meet, while they do
};

Machine TheMachine;

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

std::string Machine::run(const Grid &Config, Traced Memory,
                         const std::function<void()> &Body) {
  G = Config;
  T = Memory;
  Kernel = &Body;
  Now = 0;
  Rng = Random(G.Seed);
  Error.clear();
  NextBlock = 0;
  SmOf.assign(G.Blocks.size(), 0);
  Resident.assign(G.Sms, 0);
  const uint32_t Warps = (G.Threads.size() + 31) / 32 * G.BlocksPerSm;
  Slots.assign(G.Sms, std::vector<Warp *>(std::max(G.Slots, Warps)));
  Owner.assign(size_t(T.RegionWords) * T.Regions, 0);
  while (Error.empty()) {
    while (admit())
      ;
    if (Blocks.empty())
      break;
    if (Ready.empty()) {
      Error = deadlock();
      break;
    }
    Self = &pick();
    Left = Rng.between(1, 2 * G.Burst - 1);
    Self->F->resume();
    if (Self->State == LaneState::Gone)
      leave(*Self);
  }
  Self = nullptr;
  Ready.clear();
  Blocks.clear();
  return Error;
}

/// Puts the next block on an SM that has room.
bool Machine::admit() {
  if (NextBlock == G.Blocks.size())
    return false;
  std::vector<uint32_t> Free;
  for (uint32_t Sm = 0; Sm < G.Sms; ++Sm)
    if (Resident[Sm] < G.BlocksPerSm)
      Free.push_back(Sm);
  if (Free.empty())
    return false;
  start(NextBlock++, Free[Rng.below(Free.size())]);
  return true;
}

void Machine::start(uint32_t Number, uint32_t Sm) {
  if (G.OnBlock)
    G.OnBlock(Number);
  ++Resident[Sm];
  SmOf[Number] = Sm;
  Blocks.push_back(std::make_unique<Block>());
  Block &B = *Blocks.back();
  B.Number = Number;
  B.Sm = Sm;
  B.Index = {Number % G.Blocks.x, Number / G.Blocks.x % G.Blocks.y,
             Number / G.Blocks.x / G.Blocks.y};
  const uint32_t Threads = G.Threads.size();
  B.Lanes.resize(Threads);
  B.Warps.resize((Threads + 31) / 32);
  for (uint32_t I = 0; I < Threads; ++I) {
    Lane &L = B.Lanes[I];
    Warp &W = B.Warps[I / 32];
    L.Index = {I % G.Threads.x, I / G.Threads.x % G.Threads.y,
               I / G.Threads.x / G.Threads.y};
    L.Thread = I;
    L.Id = I % 32;
    L.W = &W;
    L.B = &B;
    L.Known.begin(I, Threads);
    W.Number = Number * B.Warps.size() + I / 32;
    W.Exist |= 1u << L.Id;
    W.Lanes[L.Id] = &L;
    if (L.Id == 0)
      enterSlot(W, Sm);
    L.F = &takeFiber();
    L.F->Body = [this, &L] {
      (*Kernel)();
      L.State = LaneState::Gone;
    };
    makeReady(L);
  }
}

/// A free slot, whoever has been in it.
void Machine::enterSlot(Warp &W, uint32_t Sm) {
  auto &Of = Slots[Sm];
  do
    W.Slot = Rng.below(Of.size());
  while (Of[W.Slot] != nullptr);
  Of[W.Slot] = &W;
}

/// The running lane's warp changes places with whoever is in another slot.
void Machine::moveWarp() {
  Warp &W = *Self->W;
  auto &Of = Slots[Self->B->Sm];
  const uint32_t To = Rng.below(Of.size());
  if (Of[To] != nullptr)
    Of[To]->Slot = W.Slot;
  std::swap(Of[W.Slot], Of[To]);
  W.Slot = To;
}

void Machine::makeReady(Lane &L) {
  L.State = LaneState::Ready;
  L.ReadyAt = Ready.size();
  Ready.push_back(&L);
}

static void removeReady(std::vector<Lane *> &Ready, Lane &L) {
  Ready.back()->ReadyAt = L.ReadyAt;
  Ready[L.ReadyAt] = Ready.back();
  Ready.pop_back();
}

void Machine::makeWait(Lane &L) {
  removeReady(Ready, L);
  L.State = LaneState::Waiting;
}

Lane &Machine::pick() {
  Lane *L = Ready[Rng.below(Ready.size())];
  if (!L->AsksMask)
    return *L;
  if (G.Meet == Converge::Together)
    for (Lane *Other : L->W->Lanes)
      if (Other && Other->State == LaneState::Ready && !Other->AsksMask)
        return *Other;
  answerMask(*L);
  return *L;
}

/// Chooses which of the lanes that wait at the same __activemask() with \p L
/// are together.
void Machine::answerMask(Lane &L) {
  const uint32_t Chance = G.Meet == Converge::Alone      ? 0
                          : G.Meet == Converge::Together ? 100
                                                         : Rng.between(0, 100);
  uint32_t Mask = 1u << L.Id;
  for (Lane *Other : L.W->Lanes)
    if (Other && Other != &L && Other->AsksMask &&
        Other->State == LaneState::Ready && Other->Place == L.Place &&
        Other->At.File == L.At.File && Other->At.Number == L.At.Number &&
        Rng.chance(Chance))
      Mask |= 1u << Other->Id;
  for (Lane *Other : L.W->Lanes)
    if (Other && Mask >> Other->Id & 1) {
      Other->AsksMask = false;
      Other->Answer = Mask;
    }
}

void Machine::leave(Lane &L) {
  removeReady(Ready, L);
  giveBack(*L.F);
  L.F = nullptr;
  L.W->Left |= 1u << L.Id;
  for (const Lane *Other : L.W->Lanes)
    if (Other && Other->State == LaneState::Waiting &&
        Other->Waits == WaitFor::Mask && Other->Mask >> L.Id & 1)
      Error = where(*Other) + ": waits for lane " + std::to_string(L.Id) +
              ", which left";
  Block &B = *L.B;
  if (++B.Gone != B.Lanes.size()) {
    releaseBlock(B);
    return;
  }
  --Resident[B.Sm];
  for (const Warp &W : B.Warps)
    Slots[B.Sm][W.Slot] = nullptr;
  for (auto It = Blocks.begin(); It != Blocks.end(); ++It)
    if (It->get() == &B) {
      Blocks.erase(It);
      return;
    }
}

void Machine::yield() { Self->F->suspend(); }

void Machine::fail(std::string Why) {
  if (Error.empty())
    Error = where(*Self) + ": " + Why;
  std::string().swap(Why); // nobody unwinds this stack
  for (;;)
    Self->F->suspend(); // never resumed
}

std::string Machine::where(const Lane &L) const {
  return "block " + std::to_string(L.B->Number) + ", thread " +
         std::to_string(L.Thread) + ", place " + std::to_string(L.Place);
}

std::string Machine::deadlock() const {
  std::string Out = "no lane can go on";
  unsigned Shown = 0;
  for (const auto &B : Blocks)
    for (const Lane &L : B->Lanes)
      if (L.State == LaneState::Waiting && ++Shown <= 8) {
        Out += "\n  " + where(L);
        if (L.Waits == WaitFor::Block)
          Out += ": waits for its block";
        else
          Out += ": waits at " + std::string(L.At.File) + ":" +
                 std::to_string(L.At.Number) + " for lanes " +
                 std::to_string(L.Mask);
      }
  return Out;
}

//===----------------------------------------------------------------------===//
// Lanes that wait for each other
//===----------------------------------------------------------------------===//

uint32_t Machine::activeMask(Line L) {
  Self->AsksMask = true;
  Self->At = L;
  ++Now;
  yield();
  return static_cast<uint32_t>(Self->Answer);
}

uint64_t Machine::meet(WarpOp Op, uint32_t Mask, Line At, uint64_t Value,
                       uint32_t From) {
  step();
  Lane &L = *Self;
  Warp &W = *L.W;
  Mask &= W.Exist; // lanes that a partial warp lacks count as arrived
  if (!(Mask >> L.Id & 1))
    fail("a mask without the lane itself");
  if (Mask & W.Left)
    fail("a mask names lanes that left: " + std::to_string(Mask & W.Left));
  L.Op = Op;
  L.Mask = Mask;
  L.At = At;
  L.Value = Value;
  L.From = From;
  L.Waits = WaitFor::Mask;
  makeWait(L);
  W.Waiting |= 1u << L.Id;
  bool All = (W.Waiting & Mask) == Mask;
  for (uint32_t I = 0; I < 32 && All; ++I)
    if (Mask >> I & 1)
      All = W.Lanes[I]->Op == Op && W.Lanes[I]->Mask == Mask;
  if (All)
    release(Mask, W);
  else
    yield();
  return L.Answer;
}

void Machine::release(uint32_t Mask, Warp &W) {
  uint64_t Ballot = 0;
  for (const Lane *L : W.Lanes)
    if (L && Mask >> L->Id & 1)
      Ballot |= uint64_t(L->Value != 0) << L->Id;
  Known.clear();
  W.Waiting &= ~Mask;
  for (Lane *L : W.Lanes) {
    if (!L || !(Mask >> L->Id & 1))
      continue;
    makeReady(*L);
    if (L->At.File != Self->At.File || L->At.Number != Self->At.Number ||
        L->Place != Self->Place)
      fail("meets lanes that are elsewhere, at place " +
           std::to_string(L->Place));
    if (L->Op == WarpOp::Shuffle && !(Mask >> (L->From & 31) & 1))
      fail("a shuffle from a lane that is not there");
    L->Answer =
        L->Op == WarpOp::Shuffle ? W.Lanes[L->From & 31]->Value : Ballot;
    Known.push_back(&L->Known);
  }
  if (Self->Op == WarpOp::Sync) // the others order no memory
    Knowledge::exchange(Known);
}

void Machine::blockBarrier() {
  step();
  Lane &L = *Self;
  L.Waits = WaitFor::Block;
  makeWait(L);
  ++L.B->AtBarrier;
  releaseBlock(*L.B);
  if (L.State == LaneState::Waiting)
    yield();
}

/// If all lanes that have not left are at the barrier. Those that left count
/// as arrived, as on a GPU.
void Machine::releaseBlock(Block &B) {
  if (B.AtBarrier == 0 || B.AtBarrier + B.Gone != B.Lanes.size())
    return;
  B.AtBarrier = 0;
  Known.clear();
  for (Lane &L : B.Lanes)
    if (L.State == LaneState::Waiting) {
      makeReady(L);
      Known.push_back(&L.Known);
    }
  Knowledge::exchange(Known);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint32_t Machine::sharedAddress(const void *Array, size_t Bytes) {
  auto &Shared = Self->B->Shared;
  uint32_t Next = 0x400;
  for (const SharedArray &A : Shared) {
    if (A.Key == Array)
      return A.Address;
    Next = A.Address + A.Words.size() * 4;
  }
  SharedArray A;
  A.Key = Array;
  A.Address = (Next + 1024 + 1023) / 1024 * 1024; // with a gap between
  A.Words.resize(Bytes / 4);
  A.Shadows.resize(Bytes / 4);
  for (uint32_t &W : A.Words)
    W = static_cast<uint32_t>(Rng.bits());
  Shared.push_back(std::move(A));
  return Shared.back().Address;
}

/// Checks an access of this lane, and that it is ordered with those of others.
uint32_t &Machine::sharedWord(uint32_t Address, uint32_t Bytes, bool Store,
                              bool Atomic) {
  if (Address % Bytes != 0)
    fail("misaligned access to shared memory");
  for (SharedArray &A : Self->B->Shared) {
    if (Address < A.Address || Address - A.Address >= A.Words.size() * 4)
      continue;
    const uint32_t I = (Address - A.Address) / 4;
    if (I + Bytes / 4 > A.Words.size())
      break;
    Shadow &S = A.Shadows[I];
    const Knowledge &Known = Self->Known;
    const bool OnlyAtomics = Atomic && S.Atomic;
    if (S.Written && !OnlyAtomics && !Known.after(S.Write))
      fail("shared word " + std::to_string(I) + ": unordered with the store " +
           "of thread " + std::to_string(S.Write.Thread));
    if (Store && S.Read && !Known.after(S.LastRead))
      fail("shared word " + std::to_string(I) + ": unordered with the load " +
           "of thread " + std::to_string(S.LastRead.Thread));
    if (Store) {
      S.Written = true;
      S.Atomic = Atomic;
      S.Write = Known.moment();
    } else {
      S.Read = true;
      S.LastRead = Known.moment();
    }
    return A.Words[I];
  }
  fail("access beyond shared memory");
}

uint32_t &Machine::atomicWord(uint32_t Address) {
  uint32_t &W = sharedWord(Address, 4, true, true);
  auto It = Self->B->Atomics.find(Address);
  if (Self->Known.releases() || It != Self->B->Atomics.end())
    Self->Known.atomic(Self->B->Atomics[Address]);
  return W;
}

void Machine::storeGlobal(uint32_t *P, uint32_t Count) {
  const uint64_t Size = uint64_t(T.RegionWords) * T.Regions;
  // As numbers: P may be anything.
  const auto Offset =
      reinterpret_cast<uintptr_t>(P) - reinterpret_cast<uintptr_t>(T.Words);
  if (Offset % (4 * Count) != 0)
    fail("misaligned store to the arena");
  const uint64_t I = Offset / 4;
  if (I >= Size || Count > Size - I)
    fail("store beyond the arena");
  const uint32_t Region = std::min(Self->B->Sm, T.Regions - 1);
  if (I / T.RegionWords != Region || (I + Count - 1) / T.RegionWords != Region)
    fail("store to another SM's region");
  for (uint32_t W = 0; W < Count; ++W) {
    uint32_t &Writer = Owner[I + W];
    const uint32_t Me = Self->W->Number + 1;
    if (Writer != 0 && Writer != Me)
      fail("two warps write word " + std::to_string(I + W) + " of the arena");
    Writer = Me;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// What tests and the stand-ins call
//===----------------------------------------------------------------------===//

std::string run(const Grid &G, Traced T, const std::function<void()> &Kernel) {
  return TheMachine.run(G, T, Kernel);
}
uint64_t now() { return TheMachine.Now; }
uint32_t smOfBlock(uint32_t Block) { return TheMachine.SmOf.at(Block); }
void at(uint32_t Place) { TheMachine.Self->Place = Place; }
void work() { TheMachine.step(); }

const Dim3 &threadIndex() { return TheMachine.Self->Index; }
const Dim3 &blockIndex() { return TheMachine.Self->B->Index; }
const Dim3 &threadsDim() { return TheMachine.G.Threads; }
const Dim3 &blocksDim() { return TheMachine.G.Blocks; }

uint32_t activeMask(Line L) { return TheMachine.activeMask(L); }
uint64_t meet(WarpOp Op, uint32_t Mask, Line L, uint64_t Value, uint32_t From) {
  return TheMachine.meet(Op, Mask, L, Value, From);
}
void blockBarrier() { TheMachine.blockBarrier(); }
void fence() {
  TheMachine.step();
  TheMachine.Self->Known.fence();
}

uint64_t atomicAdd(uint64_t *P, uint64_t V) {
  TheMachine.step();
  const uint64_t Old = *P;
  *P += V;
  return Old;
}

uint64_t clock64() {
  TheMachine.step();
  return TheMachine.G.ClockOffset[TheMachine.Self->B->Sm] + ++TheMachine.Now;
}
uint64_t globalTimer() {
  TheMachine.step();
  const uint64_t Time = TheMachine.G.TimerOffset + ++TheMachine.Now;
  return Time / TimerStep * TimerStep;
}
uint32_t smId() { return TheMachine.Self->B->Sm; }
uint32_t warpId() {
  TheMachine.step();
  return TheMachine.Self->W->Slot;
}
uint32_t laneId() { return TheMachine.Self->Id; }
uint64_t gridId() { return TheMachine.G.GridId; }
uint32_t dynamicShared() { return TheMachine.G.DynamicShared; }
uint32_t clusterDim() { return TheMachine.G.ClusterDim; }

uint32_t sharedAddress(const void *Array, size_t Bytes) {
  return TheMachine.sharedAddress(Array, Bytes);
}
void storeShared(uint32_t Address, uint32_t V) {
  TheMachine.step();
  TheMachine.sharedWord(Address, 4, true, false) = V;
}
void storeShared(uint32_t Address, uint32_t V0, uint32_t V1) {
  TheMachine.step();
  TheMachine.sharedWord(Address, 8, true, false) = V0;
  TheMachine.sharedWord(Address + 4, 4, true, false) = V1;
}
uint32_t loadShared(uint32_t Address) {
  TheMachine.step();
  return TheMachine.sharedWord(Address, 4, false, false);
}
uint32_t addShared(uint32_t Address, uint32_t V) {
  TheMachine.step();
  uint32_t &W = TheMachine.atomicWord(Address);
  const uint32_t Old = W;
  W += V;
  return Old;
}
uint32_t exchangeShared(uint32_t Address, uint32_t V) {
  TheMachine.step();
  uint32_t &W = TheMachine.atomicWord(Address);
  const uint32_t Old = W;
  W = V;
  return Old;
}

void storeGlobal(uint32_t *P, uint32_t V) {
  TheMachine.step();
  TheMachine.storeGlobal(P, 1);
  *P = V;
}
void storeGlobal(uint32_t *P, uint32_t V0, uint32_t V1) {
  TheMachine.step();
  TheMachine.storeGlobal(P, 2);
  P[0] = V0;
  P[1] = V1;
}

static uint32_t *aligned(const void *P) {
  if (reinterpret_cast<uintptr_t>(P) % 16 != 0)
    TheMachine.fail("misaligned access to 16 bytes");
  return static_cast<uint32_t *>(const_cast<void *>(P));
}
void loadGlobal(const void *P, uint32_t &V0, uint32_t &V1, uint32_t &V2,
                uint32_t &V3) {
  TheMachine.step();
  const uint32_t *W = aligned(P);
  V0 = W[0], V1 = W[1], V2 = W[2], V3 = W[3];
}
void storeGlobal(void *P, uint32_t V0, uint32_t V1, uint32_t V2, uint32_t V3) {
  TheMachine.step();
  uint32_t *W = aligned(P);
  W[0] = V0, W[1] = V1, W[2] = V2, W[3] = V3;
}

} // namespace simt
