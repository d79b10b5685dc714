// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr-nvcc/Programs.h"

#include "support/Paths.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace kinstr {

static bool isThisProgram(StringRef Path) {
  return sys::fs::equivalent(Path, "/proc/self/exe");
}

static bool isUsable(StringRef Path) {
  return sys::fs::can_execute(Path) && !sys::fs::is_directory(Path) &&
         !isThisProgram(Path);
}

std::string findProgram(StringRef Name) {
  if (Name.contains('/'))
    return isUsable(Name) ? Name.str() : "";
  std::string Path = sys::Process::GetEnv("PATH").value_or("");
  SmallVector<StringRef, 16> Folders;
  StringRef(Path).split(Folders, ':');
  for (StringRef Folder : Folders)
    if (std::string File = inFolder(Folder.empty() ? "." : Folder, Name);
        isUsable(File))
      return File;
  return "";
}

std::string findNvcc() {
  if (std::string OnPath = findProgram("nvcc"); !OnPath.empty())
    return OnPath;
  for (const std::string &Root :
       {sys::Process::GetEnv("CUDA_HOME").value_or(""),
        sys::Process::GetEnv("CUDA_PATH").value_or(""),
        std::string("/usr/local/cuda")})
    if (std::string File = inFolder(Root, "bin/nvcc");
        !Root.empty() && isUsable(File))
      return File;
  return "";
}

std::string toolkitOf(StringRef Nvcc) {
  SmallString<256> Real;
  if (sys::fs::real_path(Nvcc, Real))
    return "";
  StringRef Root = sys::path::parent_path(sys::path::parent_path(Real));
  if (!sys::fs::exists(inFolder(Root, "include/cuda_runtime.h")))
    return "";
  return Root.str();
}

} // namespace kinstr
