// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing without the signals that a failed write raises.
#ifndef KINSTR_LIB_SIGNALS_H
#define KINSTR_LIB_SIGNALS_H

#include <csignal>
#include <ctime>
#include <initializer_list>

namespace kinstr::rt
{

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
