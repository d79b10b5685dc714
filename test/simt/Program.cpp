// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making random programs, and running them lane by lane.
#include "Program.h"
#include "kinstr/record.h"

namespace simt {

uint64_t Choice::hash() const {
  const Dim3 &T = threadIndex(), &D = threadsDim(), &B = blockIndex();
  const uint64_t Block = B.x | uint64_t(B.y) << 16 | uint64_t(B.z) << 32;
  const uint32_t Thread = T.x + D.x * (T.y + D.y * T.z);
  uint64_t Who = 0;
  switch (Finest) {
  case Flow::uniform:
    Who = Thread / 32;
    break;
  case Flow::warprows:
    Who = T.x / 32 | T.y << 10 | T.z << 20;
    break;
  case Flow::divergent:
    Who = Thread;
    break;
  }
  return mix(Salt ^ mix(Block << 32 ^ Who));
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

static bool hasCall(const Body &B) {
  for (const Statement &S : B)
    if (S.What == Statement::Call || hasCall(S.Then) || hasCall(S.Else))
      return true;
  return false;
}

namespace {

/// Writes one function.
class Writer {
public:
  Writer(Random &Rng, uint32_t &Places, Flow Most, Layout Lay, uint32_t Sites,
         int Callee)
      : Rng(Rng), Places(Places), Most(Most), Lay(Lay), Sites(Sites),
        Callee(Callee) {}

  Body write() {
    if (Callee >= 0) // whoever its flow allows may call it
      return body(Most, 0, nullptr, Rng.between(0, 5));
    return body(Flow::uniform, 0, nullptr,
                Rng.between(0, std::min(3 + 2 * Sites, 80u)));
  }

private:
  Flow scope(Flow Now) {
    auto S = static_cast<Flow>(Rng.below(static_cast<uint32_t>(Most) + 1));
    return std::max(S, Now);
  }
  Choice choice(Flow Finest, uint32_t Percent) {
    return {Finest, Rng.bits(), Percent};
  }

  /// \p Now: which threads come here together. \p Loop: those that go round
  /// the outermost loop together; null outside of loops.
  Body body(Flow Now, uint32_t Depth, const Flow *Loop, uint32_t Count) {
    Body Out;
    for (uint32_t I = 0; I < Count; ++I)
      Out.push_back(statement(std::max(Now, Left), Depth, Loop));
    return Out;
  }

  Statement statement(Flow Now, uint32_t Depth, const Flow *Loop) {
    Statement S;
    S.Place = ++Places;
    const uint32_t Dice = Rng.below(100);
    if (Dice < 50) {
      mark(S, Loop != nullptr);
    } else if (Dice < 68 && Depth < 3) {
      S.What = Statement::Branch;
      S.If = choice(scope(Now), Rng.between(10, 90));
      S.Then = body(S.If.Finest, Depth + 1, Loop, Rng.between(1, 3));
      S.Else = body(S.If.Finest, Depth + 1, Loop, Rng.between(0, 2));
    } else if (Dice < 76 && Depth < 2) {
      S.What = Statement::Loop;
      S.If = choice(scope(Now), 0);
      S.Number = Rng.between(0, Callee < 0 ? 4 : 2);
      S.More = Rng.below(3);
      S.Then = body(S.If.Finest, Depth + 1, Loop ? Loop : &S.If.Finest,
                    Rng.between(1, 3));
      // Longer than any buffer now and then.
      if (Depth == 0 && Callee < 0 && !hasCall(S.Then) && Rng.chance(50))
        S.Number = Rng.between(20, Rng.chance(30) ? 140 : 40);
    } else if (Dice < 81 && (!Loop || Now <= *Loop)) {
      // In a loop, those that come round again must still come together.
      S.What = Statement::Return;
      S.If = choice(Loop ? Now : scope(Now), Rng.between(5, 50));
      Left = std::max(Left, S.If.Finest);
    } else if (Dice < 92) {
      call(S, Now);
    } else if (Dice < 95 && Callee < 0 && Depth == 0) {
      S.What = Statement::Barrier;
    } else {
      S.Number = Rng.between(1, 4);
    }
    return S;
  }

  /// Each site has one place in the text, and with slots is in no loop.
  void mark(Statement &S, bool Looped) {
    if (Next == Sites || (Looped && Lay == Layout::slots)) {
      S.Number = 1;
      return;
    }
    S.What = Statement::Mark;
    S.Number = Next++;
    S.HasNumber = Lay == Layout::stream && Rng.chance(30);
    if (Rng.chance(10))
      S.Wait = Rng.chance(50) ? Drain::Loads : Drain::Stores;
  }

  /// A function whose lanes come together as its recorder was promised.
  void call(Statement &S, Flow Now) {
    const int Chosen = Rng.below(calleeTypes().size());
    const CalleeType &T = calleeTypes()[Chosen];
    const bool Leaf =
        Callee >= 0 && calleeTypes()[Callee].Nest == Nesting::leaf;
    if (Chosen == Callee && T.Nest == Nesting::recursive && Now <= T.Flw) {
      S.What = Statement::Recurse;
    } else if (Chosen > Callee && Now <= T.Flw && !Leaf) {
      S.What = Statement::Call;
      S.Number = Chosen;
    } else {
      S.Number = 1;
    }
  }

  Random &Rng;
  uint32_t &Places;
  Flow Most;
  Layout Lay;
  uint32_t Sites;
  int Callee; ///< -1: a kernel
  uint32_t Next = 0;
  Flow Left = Flow::uniform; ///< the finest of the returns so far
};

} // namespace

Program makeProgram(const KernelType &K, uint64_t Seed) {
  Random Rng(Seed);
  Program P;
  P.Kernel = &K;
  uint32_t Places = 0;
  P.Main = Writer(Rng, Places, K.Flw, K.Lay, K.Sites, -1).write();
  for (const CalleeType &T : calleeTypes())
    P.Callees.push_back(
        Writer(Rng, Places, T.Flw, Layout::stream, T.Sites, P.Callees.size())
            .write());
  return P;
}

//===----------------------------------------------------------------------===//
// What one costs
//===----------------------------------------------------------------------===//

constexpr uint32_t MostNested = 3; ///< calls

static uint64_t weight(const Program &P, const Body &B, uint32_t Callee,
                       uint32_t Nested) {
  uint64_t Sum = 0;
  for (const Statement &S : B)
    switch (S.What) {
    case Statement::Mark:
      Sum += 3;
      break;
    case Statement::Work:
      Sum += S.Number;
      break;
    case Statement::Branch:
      Sum += std::max(weight(P, S.Then, Callee, Nested),
                      weight(P, S.Else, Callee, Nested));
      break;
    case Statement::Loop:
      Sum += (S.Number + S.More) * weight(P, S.Then, Callee, Nested);
      break;
    case Statement::Return:
      break;
    case Statement::Call:
    case Statement::Recurse: {
      const uint32_t To = S.What == Statement::Call ? S.Number : Callee;
      if (Nested < MostNested)
        Sum += 6 + weight(P, P.Callees[To], To, Nested + 1);
      break;
    }
    case Statement::Barrier:
      Sum += 1;
      break;
    }
  return Sum;
}

uint64_t Program::weight() const { return simt::weight(*this, Main, 0, 0); }

//===----------------------------------------------------------------------===//
// Showing one
//===----------------------------------------------------------------------===//

static std::string text(const Body &B, std::string Indent) {
  std::string Out;
  for (const Statement &S : B) {
    const std::string Number = std::to_string(S.Number);
    Out += Indent;
    switch (S.What) {
    case Statement::Mark:
      Out += (S.HasNumber ? "value " : "mark ") + Number;
      break;
    case Statement::Work:
      Out += "work " + Number;
      break;
    case Statement::Branch:
      Out += std::string("branch, ") + name(S.If.Finest);
      break;
    case Statement::Loop:
      Out += std::string("loop ") + Number + "+" + std::to_string(S.More) +
             ", " + name(S.If.Finest);
      break;
    case Statement::Return:
      Out += std::string("return, ") + name(S.If.Finest);
      break;
    case Statement::Call:
      Out += "call " + calleeTypes()[S.Number].name();
      break;
    case Statement::Recurse:
      Out += "recurse";
      break;
    case Statement::Barrier:
      Out += "barrier";
      break;
    }
    Out += "   // place " + std::to_string(S.Place) + "\n";
    Out += text(S.Then, Indent + "  ");
    if (!S.Else.empty())
      Out += Indent + "else\n" + text(S.Else, Indent + "  ");
  }
  return Out;
}

static void noteCalls(const Body &B, std::vector<bool> &Called) {
  for (const Statement &S : B) {
    if (S.What == Statement::Call)
      Called[S.Number] = true;
    noteCalls(S.Then, Called);
    noteCalls(S.Else, Called);
  }
}

std::string text(const Program &P) {
  std::string Out = P.Kernel->name() + "\n" + text(P.Main, "  ");
  std::vector<bool> Called(P.Callees.size());
  noteCalls(P.Main, Called);
  for (size_t I = 0; I < P.Callees.size(); ++I)
    if (Called[I]) { // callees call only those behind them
      noteCalls(P.Callees[I], Called);
      Out += calleeTypes()[I].name() + "\n" + text(P.Callees[I], "  ");
    }
  return Out;
}

//===----------------------------------------------------------------------===//
// Running one
//===----------------------------------------------------------------------===//

namespace {

// Where functions begin and end, besides the places of their statements.
constexpr uint32_t KernelEnd = 1 << 20;
constexpr uint32_t CalleeEntry = 2 << 20, CalleeEnd = 3 << 20; ///< by callee

/// Of one lane.
class Interpreter {
public:
  Interpreter(const Program &P, LaneLog &Log) : P(P), Log(Log) {}

  void kernel() {
    size_t Exit = 0;
    P.Kernel->Run([&](void *Recorder, const MarkSite *Marks) {
      Function F{nullptr, Recorder, Marks, false};
      run(P.Main, F);
      at(KernelEnd);
      Exit = begin(kinstr::exit_site, false);
    });
    end(Exit);
  }

private:
  struct Function {
    const CalleeType *Callee; ///< null: the kernel
    void *Recorder;
    const MarkSite *Marks;
    bool Any; ///< passed a site
  };

  void call(uint32_t Callee) {
    if (Nested == MostNested)
      return;
    ++Nested;
    const CalleeType &T = calleeTypes()[Callee];
    const bool Entry = T.Nest == Nesting::recursive;
    size_t Pass = 0;
    bool Any = false;
    at(CalleeEntry + Callee);
    if (Entry)
      Pass = begin(T.entrySite(), true);
    T.Run([&](void *Recorder, const MarkSite *Marks) {
      if (Entry)
        end(Pass);
      Function F{&T, Recorder, Marks, Entry};
      run(P.Callees[Callee], F);
      at(CalleeEnd + Callee);
      Any = F.Any;
      if (Any) // or there is no activation to end
        Pass = begin(T.returnSite(), true);
    });
    if (Any)
      end(Pass);
    --Nested;
  }

  /// False: the function returns.
  bool run(const Body &B, Function &F) {
    for (const Statement &S : B)
      if (!run(S, F))
        return false;
    return true;
  }

  bool run(const Statement &S, Function &F) {
    at(S.Place);
    switch (S.What) {
    case Statement::Mark:
      mark(S, F);
      return true;
    case Statement::Work:
      for (uint32_t I = 0; I < S.Number; ++I)
        work();
      return true;
    case Statement::Branch:
      return run(S.If.holds() ? S.Then : S.Else, F);
    case Statement::Loop:
      for (uint64_t I = S.Number + S.If.hash() % (S.More + 1); I > 0; --I)
        if (!run(S.Then, F))
          return false;
      return true;
    case Statement::Return:
      return !S.If.holds();
    case Statement::Call:
      call(S.Number);
      return true;
    case Statement::Recurse:
      call(F.Callee - calleeTypes().data());
      return true;
    case Statement::Barrier:
      blockBarrier();
      return true;
    }
    return true;
  }

  void mark(const Statement &S, Function &F) {
    const uint32_t First = F.Callee ? F.Callee->FirstSite : 0;
    const size_t Pass = begin(First + S.Number, F.Callee != nullptr);
    uint32_t Number = 0;
    if (S.HasNumber) {
      const Dim3 &T = threadIndex();
      Number = mix(Pass << 32 ^ (T.x | T.y << 10 | T.z << 20));
      Log.Passes[Pass].Number = Number;
    }
    F.Marks[S.Number](F.Recorder, S.Wait, S.HasNumber ? &Number : nullptr);
    end(Pass);
    F.Any = true;
  }

  size_t begin(uint32_t Site, bool Callee) {
    Log.Passes.push_back({Site, Callee, now(), 0, std::nullopt});
    return Log.Passes.size() - 1;
  }
  void end(size_t Pass) { Log.Passes[Pass].After = now(); }

  const Program &P;
  LaneLog &Log;
  uint32_t Nested = 0;
};

} // namespace

void execute(const Program &P, RunLog &Log) {
  const Dim3 &T = threadIndex(), &D = threadsDim();
  const Dim3 &B = blockIndex(), &G = blocksDim();
  LaneLog &Mine =
      Log[B.x + G.x * (B.y + G.y * B.z)][T.x + D.x * (T.y + D.y * T.z)];
  Mine.Begin = now();
  Interpreter(P, Mine).kernel();
  Mine.End = now();
}

} // namespace simt
