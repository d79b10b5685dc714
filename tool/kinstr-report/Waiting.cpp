// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line on standard error, and two signals.
#include "Waiting.h"

#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace llvm;

namespace kinstr {

static std::atomic<bool> Cancel;
static std::atomic<int> Signal;
static_assert(std::atomic<bool>::is_always_lock_free &&
                  std::atomic<int>::is_always_lock_free,
              "a signal handler writes them");

extern "C" void kinstrReportInterrupted(int Number) {
  Signal = Number;
  if (!Cancel.exchange(true))
    return;
  sys::RunInterruptHandlers(); // removes temporary files
  _exit(128 + Number);
}

int interruptedStatus() { return 128 + Signal; }

namespace {

using Clock = std::chrono::steady_clock;

class Bar {
public:
  void show(uint64_t Done, uint64_t All) {
    if (Clock::now() - Start < std::chrono::seconds(1))
      return;
    auto Percent = static_cast<unsigned>(100 * std::min(Done, All) /
                                         std::max<uint64_t>(All, 1));
    if (Shown && Percent == Last)
      return;
    constexpr unsigned Width = 40;
    unsigned Filled = Percent * Width / 100;
    errs() << "\rreading the trace [" << std::string(Filled, '#')
           << std::string(Width - Filled, ' ') << "] " << Percent << " %";
    Shown = true;
    Last = Percent;
    if (Done >= All) // what follows may be output
      clear();
  }
  void clear() {
    if (Shown)
      errs() << "\r\x1b[K";
    Shown = false;
  }

private:
  const Clock::time_point Start = Clock::now();
  bool Shown = false;
  unsigned Last = 0;
};

} // namespace

static Bar &bar() {
  static Bar B;
  return B;
}

void clearProgress() { bar().clear(); }

trace::Watch watchWork() {
  struct sigaction Action = {};
  Action.sa_handler = kinstrReportInterrupted;
  sigemptyset(&Action.sa_mask);
  for (int Number : {SIGINT, SIGTERM}) {
    struct sigaction Before;
    // Whoever started us in the background wants it ignored.
    if (sigaction(Number, nullptr, &Before) == 0 &&
        Before.sa_handler != SIG_IGN)
      sigaction(Number, &Action, nullptr);
  }
  trace::Watch W;
  W.Cancel = &Cancel;
  const char *Term = std::getenv("TERM");
  if (errs().is_displayed() && !(Term && StringRef(Term) == "dumb")) {
    bar(); // the clock starts
    W.Progress = [](uint64_t Done, uint64_t All) { bar().show(Done, All); };
  }
  return W;
}

} // namespace kinstr
