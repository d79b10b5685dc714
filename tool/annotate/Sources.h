// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a translation unit that may be rewritten: the main file, and the
// user's headers that have something to do with kernels.
#ifndef KINSTR_ANNOTATE_SOURCES_H
#define KINSTR_ANNOTATE_SOURCES_H

#include "annotate/Scan.h"

namespace kinstr {

/// A file and its place in Sources::text().
struct SourceFile {
  std::string Path; ///< as the compiler spells it
  unsigned Begin;
  unsigned End;
};

/// All files in one sequence of bytes, so that one number, an offset, says
/// which file and where in it. The main file comes first.
class Sources {
public:
  Sources(llvm::StringRef MainPath, llvm::StringRef Text, Diagnostics &Diags) {
    add(MainPath, Text, Diags);
  }

  /// Scans a file and puts it behind the others. Returns its index.
  unsigned add(llvm::StringRef Path, llvm::StringRef Text, Diagnostics &Diags);

  /// The file of that path, or nullopt.
  std::optional<unsigned> find(llvm::StringRef Path) const;

  llvm::StringRef text() const { return Text; }
  llvm::StringRef text(const SourceFile &File) const {
    return text().slice(File.Begin, File.End);
  }
  const ScannedFile &scanned() const { return Scanned; }
  llvm::ArrayRef<SourceFile> files() const { return Files; }
  const SourceFile &main() const { return Files.front(); }

  /// The file around \p Offset.
  unsigned fileAt(unsigned Offset) const;
  /// The line of \p Offset in its file, from 1.
  unsigned line(unsigned Offset) const;

private:
  std::string Text;
  std::vector<SourceFile> Files;
  ScannedFile Scanned;
};

} // namespace kinstr

#endif // KINSTR_ANNOTATE_SOURCES_H
