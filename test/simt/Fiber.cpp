// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switching stacks.
#include "Fiber.h"
#include <boost/context/protected_fixedsize_stack.hpp>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KINSTR_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KINSTR_ASAN 1
#endif
#ifdef KINSTR_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

// Room for a sanitizer's report; memory is used only where it is touched.
constexpr size_t StackBytes = 256 * 1024;

static void beginSwitch([[maybe_unused]] void **Leaving,
                        [[maybe_unused]] const void *To,
                        [[maybe_unused]] size_t Size) {
#ifdef KINSTR_ASAN
  __sanitizer_start_switch_fiber(Leaving, To, Size);
#endif
}

static void endSwitch([[maybe_unused]] void *Arriving,
                      [[maybe_unused]] const void **From,
                      [[maybe_unused]] size_t *Size) {
#ifdef KINSTR_ASAN
  __sanitizer_finish_switch_fiber(Arriving, From, Size);
#endif
}

Fiber::Fiber() {
  boost::context::protected_fixedsize_stack Allocator(StackBytes);
  boost::context::stack_context Memory = Allocator.allocate();
  StackSize = Memory.size;
  Stack = static_cast<char *>(Memory.sp) - StackSize;
  auto Main = [this](boost::context::fiber &&From) -> boost::context::fiber {
    endSwitch(nullptr, &SchedulerStack, &SchedulerStackSize);
    Scheduler = std::move(From);
    for (;;) {
      Body();
      suspend();
    }
  };
  boost::context::preallocated Where(Memory.sp, Memory.size, Memory);
  Self = boost::context::fiber(std::allocator_arg, Where, Allocator, Main);
}

void Fiber::resume() {
  void *Fake = nullptr;
  beginSwitch(&Fake, Stack, StackSize);
  Self = std::move(Self).resume();
  endSwitch(Fake, nullptr, nullptr);
}

void Fiber::suspend() {
  beginSwitch(&FakeStack, SchedulerStack, SchedulerStackSize);
  Scheduler = std::move(Scheduler).resume();
  endSwitch(FakeStack, &SchedulerStack, &SchedulerStackSize);
}

// Fibers live as long as the process: destroying one would unwind it.
static std::vector<Fiber *> &idleFibers() {
  static auto &Idle = *new std::vector<Fiber *>;
  return Idle;
}

Fiber &takeFiber() {
  static auto &All = *new std::vector<Fiber *>;
  auto &Idle = idleFibers();
  if (Idle.empty()) {
    All.push_back(new Fiber);
    return *All.back();
  }
  Fiber &F = *Idle.back();
  Idle.pop_back();
  return F;
}

void giveBack(Fiber &F) { idleFibers().push_back(&F); }

} // namespace simt
