// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeping signals out: of writes that fail, and of threads that are not the program's.
#ifndef KINSTR_LIB_SIGNALS_H
#define KINSTR_LIB_SIGNALS_H

#include <csignal>
#include <ctime>
#include <initializer_list>

namespace kinstr::rt
{

/// While one lives, this thread takes no signal, nor do the threads that it starts: signals are the
/// program's threads' to handle.
class all_signals_guard
{
  sigset_t before_;

public:
  all_signals_guard()
  {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  all_signals_guard(const all_signals_guard &)            = delete;
  all_signals_guard &operator=(const all_signals_guard &) = delete;

  ~all_signals_guard() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
};

/// While one lives, a write of this thread that nobody reads, or that passes a limit on file sizes,
/// fails with EPIPE or EFBIG and does not end the program. Nests.
class write_signals_guard
{
  sigset_t before_; ///< signals this thread blocked
  sigset_t ours_;   ///< those a write may raise, less what was pending: that is the program's

public:
  write_signals_guard()
  {
    sigset_t pending;
    ::sigpending(&pending);
    ::sigemptyset(&ours_);
    for (const int s : {SIGPIPE, SIGXFSZ})
    {
      if (::sigismember(&pending, s) == 0)
      {
        ::sigaddset(&ours_, s);
      }
    }
    ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  write_signals_guard(const write_signals_guard &)            = delete;
  write_signals_guard &operator=(const write_signals_guard &) = delete;

  ~write_signals_guard()
  {
    const timespec none = {0, 0};
    while (::sigtimedwait(&ours_, nullptr, &none) > 0)
    {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
};

} // namespace kinstr::rt

#endif // KINSTR_LIB_SIGNALS_H
