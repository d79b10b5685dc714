// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares files by what they are, not by name.
#include "Outputs.h"

#include "support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kinstr {

/// Of a file that does not exist: its absolute name, without links.
static std::string absoluteName(StringRef Path) {
  SmallString<256> Full(followLinks(Path));
  if (sys::fs::make_absolute(Full))
    return Path.str();
  SmallString<256> Folder;
  if (!sys::fs::real_path(sys::path::parent_path(Full), Folder)) {
    sys::path::append(Folder, sys::path::filename(Full));
    Full = Folder;
  }
  sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
  return Full.str().str();
}

static bool isSameFile(StringRef A, StringRef B) {
  if (A == "-" || B == "-")
    return false;
  if (openDescriptor(A) && openDescriptor(B)) // one behind the other
    return false;
  bool ThereIsA = sys::fs::exists(A), ThereIsB = sys::fs::exists(B);
  if (ThereIsA && ThereIsB)
    return sys::fs::is_regular_file(A) && sys::fs::equivalent(A, B);
  return ThereIsA == ThereIsB && absoluteName(A) == absoluteName(B);
}

std::string checkOutputs(ArrayRef<std::string> Inputs,
                         ArrayRef<Output> Outputs) {
  for (; !Outputs.empty(); Outputs = Outputs.drop_front()) {
    const Output &O = Outputs.front();
    if (O.Path.empty())
      continue;
    for (const std::string &Input : Inputs)
      if (isSameFile(O.Path, Input))
        return ("'--" + O.Option + "' would replace the trace '" + Input + "'")
            .str();
    for (const Output &Other : Outputs.drop_front())
      if (!Other.Path.empty() && isSameFile(O.Path, Other.Path))
        return ("'--" + O.Option + "' and '--" + Other.Option +
                "' name the same file, '" + O.Path + "'")
            .str();
  }
  return "";
}

} // namespace kinstr
