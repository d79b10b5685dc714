// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source files that a trace names, where they can be found.
#ifndef KINSTR_REPORT_HTMLSOURCE_H
#define KINSTR_REPORT_HTMLSOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kinstr::report {

struct SourceFile {
  std::string Name; ///< as in the trace
  bool Found = false;
  std::vector<std::string> Lines; ///< valid UTF-8
};

/// Files by their names in a trace, each once.
class SourceFiles {
public:
  /// \p Folders in which to look for them, best first.
  explicit SourceFiles(std::vector<std::string> Folders)
      : Folders(std::move(Folders)) {}

  /// Its number in files(). Reads it when it is asked for first.
  size_t indexOf(llvm::StringRef Name);
  llvm::ArrayRef<SourceFile> files() const { return Files; }

private:
  std::vector<std::string> Folders;
  std::vector<SourceFile> Files;
  llvm::StringMap<size_t> Known;
};

/// Where to look for the file that a trace calls \p Name, best first: in each
/// folder, the name as it is, then without one leading folder after another, as
/// the trace may come from another machine. A name that is absolute is tried as
/// such last.
std::vector<std::string> sourceCandidates(llvm::StringRef Name,
                                          llvm::ArrayRef<std::string> Folders);

} // namespace kinstr::report

#endif // KINSTR_REPORT_HTMLSOURCE_H
