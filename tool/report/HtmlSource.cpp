// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for files, and reads text that may be anything.
#include "report/HtmlSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kinstr::report {

/// Nobody reads more; a trace can name any file.
static constexpr uint64_t LargestFile = 4 << 20;

std::vector<std::string> sourceCandidates(StringRef Name,
                                          ArrayRef<std::string> Folders) {
  std::vector<std::string> Out;
  SmallVector<StringRef, 8> Parts(sys::path::begin(Name), sys::path::end(Name));
  if (sys::path::is_absolute(Name))
    Parts.erase(Parts.begin());
  for (size_t I = 0; I < Parts.size(); ++I)
    for (const std::string &F : Folders) {
      SmallString<128> Path(F);
      for (StringRef P : ArrayRef(Parts).drop_front(I))
        sys::path::append(Path, P);
      Out.push_back(Path.str().str());
    }
  if (sys::path::is_absolute(Name))
    Out.push_back(Name.str());
  return Out;
}

/// A trace may come from anywhere, and pages are passed on: a name in it must
/// not be able to bring a file into the page that is no source.
static bool namesSource(StringRef Name) {
  static constexpr StringLiteral Extensions[] = {
      ".cu", ".cuh", ".c",   ".cc",  ".cpp", ".cxx", ".h",
      ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp"};
  return is_contained(Extensions, sys::path::extension(Name));
}

/// Only what a compiler would have read: no device, no pipe, no giant.
static bool read(StringRef Path, std::vector<std::string> &Lines) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || !sys::fs::is_regular_file(Status) ||
      Status.getSize() > LargestFile)
    return false;
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer)
    return false;
  StringRef Rest = (*Buffer)->getBuffer();
  Rest.consume_front("\xEF\xBB\xBF");
  while (!Rest.empty()) {
    auto [Line, After] = Rest.split('\n');
    Lines.push_back(json::fixUTF8(Line.rtrim('\r')));
    Rest = After;
  }
  return true;
}

size_t SourceFiles::indexOf(StringRef Name) {
  auto [It, New] = Known.try_emplace(Name, Files.size());
  if (!New)
    return It->second;
  SourceFile F;
  F.Name = Name.str();
  if (namesSource(Name))
    F.Found = any_of(sourceCandidates(Name, Folders),
                     [&](StringRef Path) { return read(Path, F.Lines); });
  Files.push_back(std::move(F));
  return It->second;
}

} // namespace kinstr::report
