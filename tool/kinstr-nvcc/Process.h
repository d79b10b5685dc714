// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running other programs.
#ifndef KINSTR_KINSTR_NVCC_PROCESS_H
#define KINSTR_KINSTR_NVCC_PROCESS_H

#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace kinstr {

/// How a program ended.
struct Outcome {
  int ExitStatus = 0;
  int Signal = 0; ///< that ended it, or 0
  /// Why it was not started, or empty. ExitStatus is then 127.
  std::string Error;

  bool ok() const { return ExitStatus == 0 && Signal == 0; }
  /// "exit status 2", "signal 11", or why it was not started.
  std::string text() const;
};

/// What a program printed, kept in files without a name: whatever ends this
/// process, nothing is left behind.
class Capture {
public:
  Capture();
  /// False if there is no room for such files.
  explicit operator bool() const { return Out && Err; }
  /// Prints it where the program would have.
  void replay() const;

private:
  friend Outcome run(const std::vector<std::string> &, const Capture *);
  using File = std::unique_ptr<FILE, int (*)(FILE *)>;
  File Out, Err;
};

/// Runs \p Command, whose first word is looked up on PATH if it has no slash,
/// and waits for it. Its output goes to \p Into if that is not null.
Outcome run(const std::vector<std::string> &Command,
            const Capture *Into = nullptr);

/// Ends this process as \p End did the other one.
[[noreturn]] void exitLike(const Outcome &End);

} // namespace kinstr

#endif // KINSTR_KINSTR_NVCC_PROCESS_H
