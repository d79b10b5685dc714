// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime says, on stderr. Nothing here touches the program's stdout or exit code.
#ifndef KINSTR_LIB_MESSAGES_H
#define KINSTR_LIB_MESSAGES_H

#include "signals.h"

#include <cstdarg>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace kinstr::rt
{

enum class severity
{
  note,
  warning,
  error
};

/// Prints one line, "kinstr: error: ...", in one write so that lines of several processes stay
/// whole. Not through stdio: where the program buffers stderr, what could not be written would stay
/// there and raise SIGPIPE later.
[[gnu::format(printf, 2, 3)]] inline void report(severity level, const char *format, ...)
{
  char text[2048];
  char line[sizeof text + 32];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  const char *kind = level == severity::error     ? "error: "
                     : level == severity::warning ? "warning: "
                                                  : "";
  const int size   = std::snprintf(line, sizeof line, "kinstr: %s%s\n", kind, text);

  const write_signals_guard signals;
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, line, static_cast<std::size_t>(size));
}

/// "1 launch", "2 launches".
inline std::string counted(unsigned long long n, const char *singular, const char *plural)
{
  return std::to_string(n) + ' ' + (n == 1 ? singular : plural);
}

} // namespace kinstr::rt

#endif // KINSTR_LIB_MESSAGES_H
