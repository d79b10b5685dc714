// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/Toolkit.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace kinstr {

static bool hasRuntimeHeader(StringRef Root) {
  SmallString<256> Header(Root);
  sys::path::append(Header, "include", "cuda_runtime.h");
  return !Root.empty() && sys::fs::exists(Header);
}

/// The toolkit that holds the nvcc on PATH, links resolved, or "".
static std::string toolkitOfNvcc() {
  ErrorOr<std::string> Nvcc = sys::findProgramByName("nvcc");
  SmallString<256> Real;
  if (!Nvcc || sys::fs::real_path(*Nvcc, Real))
    return "";
  return sys::path::parent_path(sys::path::parent_path(Real)).str();
}

static unsigned readVersion(StringRef Root) {
  SmallString<256> Header(Root);
  sys::path::append(Header, "include", "cuda.h");
  auto Text = MemoryBuffer::getFile(Header);
  if (!Text)
    return 0;
  StringRef Rest = (*Text)->getBuffer();
  constexpr StringLiteral Define = "#define CUDA_VERSION ";
  size_t At = Rest.find(Define);
  unsigned Version = 0;
  if (At == StringRef::npos ||
      Rest.drop_front(At + Define.size()).ltrim().consumeInteger(10, Version))
    return 0;
  return Version;
}

/// The last number of "Cuda compilation tools, release 13.0, V13.0.88".
static unsigned readBuild(StringRef Root) {
  SmallString<256> Nvcc(Root), Answer;
  sys::path::append(Nvcc, "bin", "nvcc");
  if (!sys::fs::can_execute(Nvcc) ||
      sys::fs::createTemporaryFile("kinstr", "txt", Answer))
    return 0;
  FileRemover Remove(Answer);
  std::optional<StringRef> Redirects[] = {StringRef(), Answer.str(),
                                          StringRef()};
  if (sys::ExecuteAndWait(Nvcc, {Nvcc, "--version"}, std::nullopt, Redirects))
    return 0;
  auto Text = MemoryBuffer::getFile(Answer);
  if (!Text)
    return 0;
  StringRef Version = (*Text)->getBuffer().split(", V").second;
  StringRef Number = Version.split('.').second.split('.').second;
  unsigned Build = 0;
  Number.consumeInteger(10, Build);
  return Build;
}

Expected<Toolkit> findToolkit(StringRef Asked) {
  std::string Root;
  if (!Asked.empty()) {
    if (!hasRuntimeHeader(Asked))
      return createStringError("no CUDA toolkit in '" + Asked +
                               "': it has no include/cuda_runtime.h");
    Root = Asked.str();
  } else {
    for (const std::string &Candidate :
         {sys::Process::GetEnv("CUDA_HOME").value_or(""),
          sys::Process::GetEnv("CUDA_PATH").value_or(""), toolkitOfNvcc(),
          std::string("/usr/local/cuda")})
      if (hasRuntimeHeader(Candidate)) {
        Root = Candidate;
        break;
      }
  }
  if (Root.empty())
    return createStringError("no CUDA toolkit found: put nvcc on PATH, set "
                             "CUDA_HOME, or pass --cuda-path=DIR");

  Toolkit T;
  T.Root = Root;
  T.Version = readVersion(Root);
  T.Build = readBuild(Root);
  SmallString<256> Cccl(Root);
  sys::path::append(Cccl, "include", "cccl");
  if (sys::fs::is_directory(Cccl))
    T.CcclDir = Cccl.str().str();
  return T;
}

} // namespace kinstr
