// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels: trees of statements that keep the promises which the tool
// makes to a recorder (docs/internals.md, "Recording").
#ifndef KINSTR_TEST_SIMT_PROGRAM_H
#define KINSTR_TEST_SIMT_PROGRAM_H

#include "Machine.h"
#include "Random.h"
#include "Recorders.h"
#include <array>
#include <optional>

namespace simt {

/// What lanes do differently: Condition of a branch, of a return, and turns of
/// a loop depend on nothing finer than that.
struct Choice {
  Flow Finest = Flow::uniform;
  uint64_t Salt = 0;
  uint32_t Percent = 50;

  uint64_t hash() const; ///< of the lane that asks
  bool holds() const { return hash() % 100 < Percent; }
};

struct Statement {
  enum Kind {
    Mark,    ///< of Number, the site within the function
    Work,    ///< Number operations
    Branch,  ///< Then or Else
    Loop,    ///< Then, Number times and up to More times more
    Return,  ///< out of the function, if the choice holds
    Call,    ///< of callee Number
    Recurse, ///< into the same callee
    Barrier, ///< of the block
  } What = Work;
  uint32_t Place = 0; ///< no two statements share one
  uint32_t Number = 0, More = 0;
  Drain Wait = Drain::None;
  bool HasNumber = false; ///< Mark: of the lane's own, another each time
  Choice If;
  std::vector<Statement> Then, Else;
};

using Body = std::vector<Statement>;

struct Program {
  const KernelType *Kernel = nullptr;
  Body Main;
  std::vector<Body> Callees; ///< by CalleeType

  uint64_t weight() const; ///< operations of a lane, about
};

/// A kernel for that recorder, and functions it calls.
Program makeProgram(const KernelType &K, uint64_t Seed);

/// The kernel as C++ would show it, for a reader who looks for a fault.
std::string text(const Program &P);

//===----------------------------------------------------------------------===//
// Running one
//===----------------------------------------------------------------------===//

/// One site passed by one lane: the clock of an event that tells of it is above
/// Before and not above After.
struct Pass {
  uint32_t Site = 0; ///< of the kernel, exit_site, or of the module's callees
  bool Callee = false;
  uint64_t Before = 0, After = 0; ///< now()
  std::optional<uint32_t> Number;
};

/// What a lane did, in order.
struct LaneLog {
  uint64_t Begin = 0, End = 0; ///< now()
  std::vector<Pass> Passes;
};

/// By block and thread.
using RunLog = std::vector<std::vector<LaneLog>>;

/// The lane that calls executes the program.
void execute(const Program &P, RunLog &Log);

} // namespace simt

#endif // KINSTR_TEST_SIMT_PROGRAM_H
