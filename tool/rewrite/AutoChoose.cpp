// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over the statements of a kernel that opens a phase where the work
// changes. It goes into a loop only where warps wait in it: a mark in any other
// loop would cost more than it shows.
#include "rewrite/AutoChoose.h"

#include "rewrite/AutoKind.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

constexpr unsigned MaxPhases = 12;      ///< of a kernel, outside of loops
constexpr unsigned MaxPhasesOfLoop = 6; ///< in each loop that has any
constexpr unsigned MaxLoopDepth = 2;    ///< tiles, and what a tile consists of

struct Step {
  Step(const Stmt *Before, PhaseKind What, StringRef Callee = {})
      : Before(Before), NamedBy(Before), What(What), Callee(Callee) {}

  const Stmt *Before;
  const Stmt *NamedBy; ///< its line goes into the name
  PhaseKind What;
  StringRef Callee;
  /// The first of a block, or behind one: without it the phase before would
  /// hold what is not its own.
  bool Opens = false;
  bool InLoop = false; ///< counted with its loop
  std::string And;     ///< what it took over
};

using Steps = std::vector<Step>;

class Chooser {
public:
  Chooser(WorkFinder &Find, function_ref<bool(const Stmt *)> CanStand,
          bool AllBranches)
      : Find(Find), CanStand(CanStand), AllBranches(AllBranches) {}

  Steps choose(const CompoundStmt *Body) {
    list(Body);
    return std::move(Out);
  }

private:
  Chooser inside(unsigned Deeper) const {
    Chooser Inner(Find, CanStand, AllBranches);
    Inner.Depth = Depth + Deeper;
    Inner.AtStart = false;
    return Inner;
  }

  void list(const CompoundStmt *List) {
    for (const Stmt *S : List->body())
      statement(S);
  }
  void statement(const Stmt *S);
  bool loop(const Stmt *S, const Stmt *Loop, const Work &W);
  bool branch(const Stmt *S, const IfStmt *If, const Work &W);
  void append(Steps Inner);

  void enter(const Stmt *S, PhaseKind What, const Work &W);
  bool open(const Stmt *S, PhaseKind What, StringRef Callee = {});

  WorkFinder &Find;
  function_ref<bool(const Stmt *)> CanStand;
  bool AllBranches;    ///< go into branches without a barrier, too
  unsigned Depth = 0;  ///< of loops
  bool AtStart = true; ///< of the kernel, as long as there is no step
  Steps Out;
  bool Fresh = true;       ///< the next statement begins a phase in any case
  bool Undecided = false;  ///< the open phase is named by what comes
  unsigned Arithmetic = 0; ///< statements of an undecided phase
};

} // namespace

/// Where no mark can stand the phase before goes on.
bool Chooser::open(const Stmt *S, PhaseKind What, StringRef Callee) {
  if (!CanStand(S))
    return false;
  Out.emplace_back(S, What, Callee).Opens = Fresh;
  Fresh = false;
  Undecided = false;
  return true;
}

static bool isBoundary(PhaseKind K) {
  return K == PhaseKind::Barrier || K == PhaseKind::Wait;
}

/// Statements of one kind, and the arithmetic between them, are one phase.
void Chooser::enter(const Stmt *S, PhaseKind What, const Work &W) {
  Step *Last = Fresh ? nullptr : &Out.back();
  bool Boundary = Last && isBoundary(Last->What);
  if (What == PhaseKind::None) {
    if (Last && !Boundary) {
      ++Arithmetic;
      return;
    }
    bool First = AtStart && Out.empty();
    Undecided =
        open(S, First ? PhaseKind::Setup : PhaseKind::Compute) && !First;
    Arithmetic = 1;
    return;
  }
  // What leads up to work belongs to it; a wait has room for an index.
  if (Last && Undecided && (!isBoundary(What) || Arithmetic <= 2)) {
    Last->What = What;
    Last->Callee = W.Callee;
    Last->NamedBy = S;
    Undecided = false;
    return;
  }
  bool Same = Last && Last->What == What && What != PhaseKind::Loop &&
              (What != PhaseKind::Call || Last->Callee == W.Callee);
  bool WaitsOn =
      Last && Last->What == PhaseKind::Wait && What == PhaseKind::Barrier;
  // A result that is put where others find it.
  bool Shares =
      Last && !Boundary && W.Does == StoresShared && What == PhaseKind::Compute;
  if (!Same && !WaitsOn && !Shares)
    open(S, What, W.Callee);
}

void Chooser::statement(const Stmt *S) {
  const Stmt *Bare = withoutAttributes(S);
  if (const auto *List = dyn_cast<CompoundStmt>(Bare))
    return list(List);
  if (doesNothing(Bare) || isa<LabelStmt>(Bare))
    return;
  Work W = Find.of(Bare);
  if (loopBody(Bare)) {
    if (loop(S, Bare, W))
      return;
  } else if (const auto *If = dyn_cast<IfStmt>(Bare); If && branch(S, If, W)) {
    return;
  }
  enter(S, kindOf(Bare, W, Depth > 0), W);
}

static StringRef baseName(const Step &S) {
  switch (S.What) {
  case PhaseKind::None:
  case PhaseKind::Compute:
  case PhaseKind::Update:
    return "compute";
  case PhaseKind::Setup:
    return "setup";
  case PhaseKind::Call:
    return S.Callee;
  case PhaseKind::Store:
    return "store";
  case PhaseKind::Load:
    return "load";
  case PhaseKind::Reduce:
    return "reduce";
  case PhaseKind::Atomic:
    return "atomic";
  case PhaseKind::Loop:
    return "loop";
  case PhaseKind::Copy:
    return "copy";
  case PhaseKind::Multiply:
    return "mma";
  case PhaseKind::Wait:
    return "wait";
  case PhaseKind::Barrier:
    return "barrier";
  }
  llvm_unreachable("all kinds handled");
}

/// Too many phases: the least important become part of the one before.
static void limit(Steps &All, unsigned Most) {
  auto Counts = [](const Step &S) { return !S.InLoop; };
  while (static_cast<unsigned>(count_if(All, Counts)) > Most) {
    size_t Victim = 0;
    for (size_t I = 1; I < All.size(); ++I)
      if (!All[I].InLoop && !All[I - 1].InLoop && !All[I].Opens &&
          (!Victim || All[I].What <= All[Victim].What))
        Victim = I;
    if (!Victim)
      return;
    // A barrier that goes is what the phase before it waits for at its end;
    // work that goes to a barrier has to be said.
    Step &Before = All[Victim - 1];
    if (isBoundary(Before.What) && !isBoundary(All[Victim].What) &&
        Before.And.empty())
      Before.And = baseName(All[Victim]).str();
    All.erase(All.begin() + Victim);
  }
}

/// The steps of a block; what follows is no part of its last one.
void Chooser::append(Steps Inner) {
  move(Inner, std::back_inserter(Out));
  Fresh = true;
  Undecided = false;
}

/// A loop in which warps wait: its phases are in its body.
bool Chooser::loop(const Stmt *S, const Stmt *Loop, const Work &W) {
  const auto *Body = dyn_cast<CompoundStmt>(loopBody(Loop));
  if (!Body || !W.anywhere(Barriers | Waits) || Depth >= MaxLoopDepth ||
      kindOf(Loop, W, true) == PhaseKind::Wait ||
      (halvesOrDoubles(Loop) && !W.any(LoadsGlobal | StoresGlobal)))
    return false;
  Chooser Inner = inside(1);
  Inner.list(Body);
  // "++k;" at the end is not worth a mark an iteration.
  if (!Inner.Fresh && Inner.Undecided && Inner.Arithmetic <= 2)
    Inner.Out.pop_back();
  Steps Found = std::move(Inner.Out);
  if (Found.size() < 2)
    return false;
  limit(Found, MaxPhasesOfLoop);
  for (Step &F : Found)
    F.InLoop = true;
  if (AtStart && Out.empty())
    open(S, PhaseKind::Loop);
  append(std::move(Found));
  return true;
}

/// Branches that are parts of the kernel of their own: those of producers and
/// consumers, or "if (i < n)" around all that it does.
bool Chooser::branch(const Stmt *S, const IfStmt *If, const Work &W) {
  if (!AllBranches && !W.anywhere(Barriers | Waits))
    return false;
  Steps Found;
  for (const Stmt *Side : {If->getThen(), If->getElse()}) {
    if (!Side)
      continue;
    Chooser Inner = inside(0);
    Inner.statement(Side);
    move(Inner.Out, std::back_inserter(Found));
  }
  if (Found.size() < 2)
    return false;
  if (AtStart && Out.empty())
    open(S, PhaseKind::Setup);
  append(std::move(Found));
  return true;
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// All in one phase: split it at the last statement that does something.
static void splitOnly(const CompoundStmt *Body, Steps &Found, WorkFinder &Find,
                      function_ref<bool(const Stmt *)> CanStand) {
  const Stmt *Only = Found.front().Before;
  for (const Stmt *S : reverse(Body->body())) {
    const Stmt *Bare = withoutAttributes(S);
    if (S == Only || doesNothing(Bare) || isa<LabelStmt>(Bare) ||
        isa<CompoundStmt>(Bare) || !CanStand(S))
      continue;
    Work W = Find.of(Bare);
    PhaseKind What = kindOf(Bare, W, false);
    if (What == PhaseKind::None)
      What = PhaseKind::Compute;
    Found.emplace_back(S, What, W.Callee);
    return;
  }
  // Only declarations besides it.
  const Stmt *First = Body->body_front();
  if (First != Only && CanStand(First))
    Found.insert(Found.begin(), Step(First, PhaseKind::Setup));
}

static NameWish wish(const Step &S, const MainFile &Main) {
  NameWish Wish;
  Wish.Base = baseName(S).str();
  Wish.Line = Main.line(Main.offset(S.NamedBy->getBeginLoc()).value_or(0));
  Wish.WithLine = isBoundary(S.What) || S.What == PhaseKind::Loop;
  Wish.And = S.And;
  return Wish;
}

std::vector<ChosenPhase>
choosePhases(const FunctionDecl &Kernel, const MainFile &Main,
             function_ref<bool(const Stmt *)> CanStand) {
  const auto *Body = cast<CompoundStmt>(Kernel.getBody());
  WorkFinder Find(Kernel, Main);
  Steps Found = Chooser(Find, CanStand, false).choose(Body);
  if (Found.size() <= 2) {
    Steps More = Chooser(Find, CanStand, true).choose(Body);
    if (More.size() > Found.size())
      Found = std::move(More);
  }
  if (Found.size() == 1)
    splitOnly(Body, Found, Find, CanStand);
  limit(Found, MaxPhases);
  std::vector<ChosenPhase> Out;
  for (const Step &S : Found)
    Out.push_back({S.Before, wish(S, Main)});
  return Out;
}

} // namespace kinstr
