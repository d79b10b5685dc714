// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/Process.h"

#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace kinstr {

std::string Outcome::text() const {
  if (!Error.empty())
    return Error;
  return Signal ? "signal " + itostr(Signal)
                : "exit status " + itostr(ExitStatus);
}

Capture::Capture() : Out(std::tmpfile(), fclose), Err(std::tmpfile(), fclose) {}

static void copy(FILE *From, int To) {
  int In = fileno(From);
  off_t At = 0;
  char Bytes[4096];
  for (ssize_t N; (N = pread(In, Bytes, sizeof(Bytes), At)) > 0; At += N)
    for (ssize_t Done = 0; Done < N;) {
      ssize_t Wrote = write(To, Bytes + Done, N - Done);
      if (Wrote < 0 && errno != EINTR)
        return;
      Done += std::max<ssize_t>(Wrote, 0);
    }
}

void Capture::replay() const {
  outs().flush();
  errs().flush();
  copy(Out.get(), STDOUT_FILENO);
  copy(Err.get(), STDERR_FILENO);
}

Outcome run(const std::vector<std::string> &Command, const Capture *Into) {
  std::vector<char *> Argv;
  Argv.reserve(Command.size() + 1);
  for (const std::string &Word : Command)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  if (Into) {
    posix_spawn_file_actions_adddup2(&Actions, fileno(Into->Out.get()),
                                     STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&Actions, fileno(Into->Err.get()),
                                     STDERR_FILENO);
  }
  outs().flush();
  pid_t Child = 0;
  int Failed =
      posix_spawnp(&Child, Argv[0], &Actions, nullptr, Argv.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  if (Failed)
    return {127, 0, StringRef(std::strerror(Failed)).lower()};
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      return {127, 0, StringRef(std::strerror(errno)).lower()};
  if (WIFSIGNALED(Status))
    return {1, WTERMSIG(Status), ""};
  return {WEXITSTATUS(Status), 0, ""};
}

void exitLike(const Outcome &End) {
  outs().flush();
  if (End.Signal) {
    std::signal(End.Signal, SIG_DFL);
    raise(End.Signal);
  }
  std::exit(End.ExitStatus);
}

} // namespace kinstr
