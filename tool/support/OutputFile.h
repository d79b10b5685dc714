// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing a result so that it is there whole or not at all.
#ifndef KINSTR_SUPPORT_OUTPUTFILE_H
#define KINSTR_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace kinstr {

/// A result that is written bit by bit. A regular file, or a new one, is
/// written beside and renamed by commit(), and keeps its permissions; a link is
/// followed; a pipe or a device is written to, and so is what is open already
/// (openDescriptor()) and standard output, which is "-". Without commit(), and
/// on a signal that ends the program, what was written beside is removed.
/// Errors say why, in lower case, without the path.
class OutputFile {
public:
  static llvm::Expected<OutputFile> create(llvm::StringRef Path);
  OutputFile(OutputFile &&Other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// An error where the disk is full, say. Nothing is gained by going on then.
  llvm::Error put(llvm::StringRef Bytes);
  llvm::Error commit();

  /// The file beside, empty so far, for a library that opens files by name;
  /// empty where there is none.
  llvm::StringRef beside() const;

private:
  OutputFile() = default;
  llvm::Error openExisting(llvm::StringRef Path, std::optional<int> Descriptor);

  std::string Target;
  std::optional<unsigned> Permissions; ///< of the file that it replaces
  std::optional<llvm::sys::fs::TempFile> Temp;
  std::unique_ptr<llvm::raw_fd_ostream> Own;
  llvm::raw_fd_ostream *OS = nullptr; ///< Own, or standard output
};

/// The descriptor that \p Path names, by a number or as /dev/stdout does, or of
/// standard output or standard error where they go to that very file: a file in
/// its place would hide what else is written there.
std::optional<int> openDescriptor(llvm::StringRef Path);

/// What the symbolic link \p Path leads to, whether there is something or not.
/// Else \p Path.
std::string followLinks(llvm::StringRef Path);

/// Writes \p Contents to \p Path as an OutputFile.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Contents);

/// Creates a folder and those above it where they do not exist.
llvm::Error createFolder(llvm::StringRef Path);

} // namespace kinstr

#endif // KINSTR_SUPPORT_OUTPUTFILE_H
