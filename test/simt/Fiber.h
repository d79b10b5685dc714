// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack that runs one body after another: Boost.Context's fiber, and what
// AddressSanitizer has to be told when stacks change.
#ifndef KINSTR_TEST_SIMT_FIBER_H
#define KINSTR_TEST_SIMT_FIBER_H

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>

namespace simt {

/// All fibers belong to one scheduler, which runs on the thread's own stack.
/// A fiber is never unwound: one that was left in the middle of its body is
/// never used again.
class Fiber {
public:
  Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// The body of the next run; it must leave through no exception.
  std::function<void()> Body;

  /// By the scheduler: runs until the fiber suspends itself, or its body ends.
  void resume();
  /// By the fiber.
  void suspend();

private:
  boost::context::fiber Self, Scheduler;
  const void *Stack = nullptr; ///< lowest address
  size_t StackSize = 0;
  void *FakeStack = nullptr; ///< AddressSanitizer's, while it does not run
  const void *SchedulerStack = nullptr;
  size_t SchedulerStackSize = 0;
};

/// A fiber whose body has ended, or a new one.
Fiber &takeFiber();
void giveBack(Fiber &F);

} // namespace simt

#endif // KINSTR_TEST_SIMT_FIBER_H
