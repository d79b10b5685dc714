// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fails around the runtime is said, and leaves the program alone.
#include "RewrittenFile.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kinstr;
using namespace kinstr::test;
using testing::ExitedWithCode;

TEST_F(RuntimeDeathTest, NoMemoryForTheArenaLeavesTheProgramAlone) {
  EXPECT_EXIT(
      {
        start("buffer_mb=4096," + out());
        launch();
        launch();
        if (cudaGetLastError() != cudaSuccess) {
          std::_Exit(1);
        }
        std::exit(5);
      },
      ExitedWithCode(5),
      "^kinstr: error: device 0 is not traced: allocating 4096 MiB failed: "
      "out of memory\n$");
  EXPECT_FALSE(read_trace(path).found);
}

TEST_F(RuntimeDeathTest, ErrorOfTheProgramStaysPending) {
  EXPECT_EXIT(
      {
        start(out());
        fake::set_last_error(cudaErrorInvalidConfiguration);
        launch();
        std::exit(cudaGetLastError() == cudaErrorInvalidConfiguration ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch");
}

TEST_F(RuntimeDeathTest, FullDiskIsSaid) {
  EXPECT_EXIT(
      {
        start("out=/dev/full");
        launch();
        std::exit(4);
      },
      ExitedWithCode(4),
      "^kinstr: error: cannot write '/dev/full': No space left on device\n$");
}

TEST_F(RuntimeDeathTest, FileSizeLimitIsSaid) {
  EXPECT_EXIT(
      {
        rlimit limit;
        limit.rlim_cur = limit.rlim_max = 512; // less than the tables need
        ::setrlimit(RLIMIT_FSIZE, &limit);
        start(out());
        launch();
        std::exit(4);
      },
      ExitedWithCode(4),
      "^kinstr: error: cannot write '.*': File too large\n$");
}

TEST_F(RuntimeDeathTest, StderrThatNobodyReadsIsNoError) {
  EXPECT_EXIT(
      {
        int ends[2];
        (void)!::pipe(ends);
        ::close(ends[0]);
        ::dup2(ends[1], STDERR_FILENO);
        start(out());
        launch();
        std::exit(4);
      },
      ExitedWithCode(4), "^$");
  EXPECT_TRUE(read_trace(path).ended);
}

TEST_F(RuntimeDeathTest, SignalOfTheProgramStaysPending) {
  EXPECT_EXIT(
      {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        ::raise(SIGPIPE);
        start("unknown=1," + out()); // says so
        ::sigpending(&set);
        ::_exit(sigismember(&set, SIGPIPE) ? 0 : 1);
      },
      ExitedWithCode(0), "unknown key");
}

TEST_F(RuntimeDeathTest, PipeWithoutAReaderIsSaid) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::alarm(5);
        start(out());
        launch();
        std::exit(4);
      },
      ExitedWithCode(4), "^kinstr: error: cannot write '.*': No such device");
}

namespace {

/// A process that reads the pipe at `from` late, to its end, into the file
/// `to`.
pid_t start_slow_reader(const std::string &from, const std::string &to) {
  const int pipe = ::open(from.c_str(), O_RDONLY | O_NONBLOCK);
  const pid_t reader = ::fork();
  if (reader != 0) {
    ::close(pipe);
    return reader;
  }
  pollfd readable = {pipe, POLLIN, 0};
  ::poll(&readable, 1, -1);
  ::usleep(50000); // the pipe is full by now
  ::fcntl(pipe, F_SETFL, 0);
  std::ofstream copy(to, std::ios::binary);
  std::array<char, 4096> part;
  for (ssize_t n; (n = ::read(pipe, part.data(), part.size())) > 0;) {
    copy.write(part.data(), n);
  }
  copy.close();
  ::_exit(0);
}

} // namespace

TEST_F(RuntimeDeathTest, SlowReaderOfAPipeGetsAll) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::alarm(20);
        static const pid_t reader =
            start_slow_reader(path, file("t.1.kitrace"));
        std::atexit([] { ::waitpid(reader, nullptr, 0); });
        start(out());
        for (int i = 0; i < 1000; ++i) { // more than a pipe holds
          launch();
        }
        std::exit(4);
      },
      ExitedWithCode(4), "1000 launches");
  EXPECT_TRUE(read_trace(file("t.1.kitrace")).ended);
  EXPECT_EQ(read_trace(file("t.1.kitrace")).launches(), 1000u);
}

TEST_F(RuntimeDeathTest, ForkedChildWritesNothing) {
  EXPECT_EXIT(
      {
        start(out());
        launch();
        if (const pid_t child = ::fork(); child != 0) {
          int status = 0;
          ::waitpid(child, &status, 0);
          std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
        }
        kinstr_flush();
        std::exit(8);
      },
      ExitedWithCode(8), "^$");
  EXPECT_FALSE(read_trace(path).found);
}
