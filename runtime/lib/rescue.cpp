// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arena=host: the trace is written also when a signal ends the program, say because a kernel hangs.
//
// A signal handler may do next to nothing, so it wakes a thread that writes the file, waits for it,
// and lets the signal take its course. The thread makes no CUDA call: any of them might wait for
// the kernel that hangs. Only signals that would end the program are taken, and only where the
// program has no handler of its own.
#include "messages.h"
#include "signals.h"
#include "state.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

constexpr int longest_wait = 30000; ///< of the handler for the file [ms]

pid_t owner = 0; ///< a child of fork() has the handler, but not the thread
int wake[2] = {-1, -1};
int done[2] = {-1, -1};

void on_signal(int signal)
{
  // SA_RESETHAND: the disposition is the default one again.
  if (::getpid() == owner)
  {
    const auto number             = static_cast<unsigned char>(signal);
    [[maybe_unused]] const auto n = ::write(wake[1], &number, 1);
    pollfd written                = {done[0], POLLIN, 0};
    while (::poll(&written, 1, longest_wait) < 0)
    {
    }
  }
  ::raise(signal);
}

/// Whoever holds it may be stuck in a CUDA call, behind the kernel that hangs. It changes nothing
/// then.
std::unique_lock<std::mutex> lock_if_possible(process_state &p)
{
  std::unique_lock<std::mutex> lock(p.mutex, std::try_to_lock);
  for (int i = 0; i < 100 && !lock.owns_lock(); ++i)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    lock.try_lock();
  }
  return lock;
}

void write_when_woken(process_state &p)
{
  unsigned char signal = 0;
  while (::read(wake[0], &signal, 1) != 1)
  {
  }
  if (!p.finished)
  {
    try
    {
      report(severity::warning, "signal %d: the trace is written as far as it goes", signal);
      const std::unique_lock<std::mutex> lock = lock_if_possible(p);
      rescue(p);
    }
    catch (const std::exception &e)
    {
      report(severity::error, "no trace is written: %s", e.what());
    }
  }
  [[maybe_unused]] const auto n = ::write(done[1], &signal, 1);
}

void take(int signal)
{
  struct sigaction now;
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
  {
    return;
  }
  struct sigaction ours = {};
  ours.sa_handler       = on_signal;
  ours.sa_flags         = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(signal, &ours, nullptr);
}

} // namespace

void write_on_signals(process_state &p)
{
  if (owner != 0)
  {
    return;
  }
  owner = ::getpid();
  if (::pipe2(wake, O_CLOEXEC) != 0 || ::pipe2(done, O_CLOEXEC) != 0)
  {
    report(severity::warning, "a signal will lose the trace: no pipe");
    return;
  }
  try
  {
    const all_signals_guard signals;
    std::thread([&p] { write_when_woken(p); }).detach();
  }
  catch (const std::system_error &e)
  {
    report(severity::warning, "a signal will lose the trace: %s", e.what());
    return;
  }
  for (const int signal : {SIGINT, SIGTERM, SIGABRT})
  {
    take(signal);
  }
}

} // namespace kinstr::rt
