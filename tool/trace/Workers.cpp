// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take the next part, and one that takes what they made of it.
#include "trace/Workers.h"

#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

using namespace llvm;

namespace kinstr::trace {

char Interrupted::ID;

void Interrupted::log(raw_ostream &OS) const { OS << "interrupted"; }

std::error_code Interrupted::convertToErrorCode() const {
  return std::make_error_code(std::errc::operation_canceled);
}

Error andThen(Error E, function_ref<Error()> Next) {
  if (E.isA<Interrupted>())
    return E;
  Error Then = Next();
  if (Then.isA<Interrupted>()) {
    consumeError(std::move(E));
    return Then;
  }
  return joinErrors(std::move(E), std::move(Then));
}

namespace {

/// Less than this is done before a thread is under way [bytes].
constexpr uint64_t WorthThreads = 1 << 20;

constexpr unsigned MostThreads = 8;
constexpr std::chrono::milliseconds ProgressEvery(100);

class Pipeline {
public:
  Pipeline(size_t Count, const Watch &W, Meter &M,
           function_ref<Error(size_t)> Work, function_ref<Error(size_t)> Done)
      : Count(Count), W(W), M(M), Work(Work), Done(Done) {}

  Error runHere();
  Error run(unsigned Threads);

private:
  void worker();
  Error drain();

  const size_t Count;
  const Watch &W;
  Meter &M;
  function_ref<Error(size_t)> Work, Done;

  std::mutex Lock; ///< of what follows
  std::condition_variable Changed;
  std::vector<std::optional<Error>> Results; ///< by item, until taken
  size_t Next = 0;                           ///< to be begun
  size_t Taken = 0; ///< Done was called for those before
  size_t Ahead = 0; ///< how far Next may be ahead of Taken
  bool Stop = false;
};

} // namespace

Error Pipeline::runHere() {
  for (size_t I = 0; I < Count; ++I) {
    if (W.cancelled())
      return make_error<Interrupted>();
    if (Error E = Work(I))
      return E;
    if (Error E = Done(I))
      return E;
    if (W.Progress)
      W.Progress(M.Done, M.All);
  }
  return Error::success();
}

void Pipeline::worker() {
  std::unique_lock<std::mutex> Guard(Lock);
  while (true) {
    Changed.wait(Guard,
                 [&] { return Stop || Next == Count || Next < Taken + Ahead; });
    if (Stop || Next == Count)
      return;
    size_t I = Next++;
    Guard.unlock();
    Error E = Work(I);
    Guard.lock();
    Results[I].emplace(std::move(E));
    Changed.notify_all();
  }
}

/// Takes results until the last, or an error.
Error Pipeline::drain() {
  std::unique_lock<std::mutex> Guard(Lock);
  while (Taken < Count) {
    bool There = Changed.wait_for(Guard, ProgressEvery,
                                  [&] { return Results[Taken].has_value(); });
    size_t I = Taken;
    Error E = Error::success();
    if (std::optional<Error> &Result = Results[I])
      E = std::move(*Result);
    Guard.unlock();
    if (!E && W.cancelled())
      E = make_error<Interrupted>();
    if (!E && There)
      E = Done(I);
    if (!E && W.Progress)
      W.Progress(M.Done, M.All);
    Guard.lock();
    if (There) {
      Results[I].reset();
      ++Taken;
      Changed.notify_all();
    }
    if (E)
      return E;
  }
  return Error::success();
}

Error Pipeline::run(unsigned Threads) {
  Results.resize(Count);
  Ahead = Threads + 1;
  std::vector<std::thread> All;
  All.reserve(Threads);
  for (unsigned I = 0; I < Threads; ++I)
    All.emplace_back([this] { worker(); });
  Error E = drain();
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stop = true;
    Changed.notify_all();
  }
  for (std::thread &T : All)
    T.join();
  for (std::optional<Error> &Left : Results)
    if (Left)
      consumeError(std::move(*Left));
  return E;
}

Error inOrder(size_t Count, const Watch &W, Meter &M,
              function_ref<Error(size_t)> Work,
              function_ref<Error(size_t)> Done) {
  unsigned Threads = W.Threads ? W.Threads
                               : std::clamp(std::thread::hardware_concurrency(),
                                            1u, MostThreads);
  Threads = std::min<size_t>(Threads, Count);
  Pipeline P(Count, W, M, Work, Done);
  bool Here = M.All < WorthThreads && W.Threads == 0;
  return Here ? P.runHere() : P.run(Threads);
}

} // namespace kinstr::trace
