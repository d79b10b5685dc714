// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/ClangArgs.h"

#include "LLVMCompat.h"
#include "cuda/Shims.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kinstr {

/// What nvcc compiles for without -arch.
static std::string defaultArchitecture(const Toolkit &Cuda) {
  return Cuda.Version >= 13000 ? "sm_75" : "sm_52";
}

static void addUnique(std::vector<std::string> &List, std::string Item) {
  if (!is_contained(List, Item))
    List.push_back(std::move(Item));
}

void addArchitectures(StringRef Value, std::vector<std::string> &Out) {
  // Of -gencode only arch= decides what the source looks like.
  if (Value.contains("arch=")) {
    Value = Value.substr(Value.find("arch=") + 5);
    Value = Value.take_until([](char C) { return C == ','; });
  }
  Value = Value.trim(" '\"");
  SmallVector<StringRef, 4> Parts;
  Value.split(Parts, ',', -1, false);
  for (StringRef Part : Parts) {
    Part = Part.trim(" []");
    if (Part.consume_front("compute_"))
      addUnique(Out, ("sm_" + Part).str());
    else if (!Part.empty())
      addUnique(Out, Part.str());
  }
}

std::string clangArchitecture(StringRef Arch, const Toolkit &Cuda) {
  std::string Default = defaultArchitecture(Cuda);
  StringRef Number = Arch;
  if (!Number.consume_front("sm_"))
    return Default; // native, all, all-major
  if (isKnownGpuArchitecture(Arch))
    return Arch.str();
  unsigned Wanted = 0;
  if (Number.consumeInteger(10, Wanted))
    return Default;
  for (unsigned N = Wanted; N >= 50; --N)
    for (StringRef Suffix : {"a", ""})
      if (std::string Older = ("sm_" + Twine(N) + (N == Wanted ? Number : "") +
                               (Number.empty() ? "" : Suffix))
                                  .str();
          isKnownGpuArchitecture(Older))
        return Older;
  return Default;
}

/// Macros that nvcc defines and clang does not.
static void addNvccMacros(const CompileOptions &Options, const Toolkit &Cuda,
                          std::vector<std::string> &Args) {
  auto Define = [&](const Twine &Macro) {
    Args.push_back(("-D" + Macro).str());
  };
  Define("__CUDACC_VER_MAJOR__=" + Twine(Cuda.Version / 1000));
  Define("__CUDACC_VER_MINOR__=" + Twine(Cuda.Version % 1000 / 10));
  Define("__CUDACC_VER_BUILD__=0");
  Define("__NVCC__");
  if (Options.RelaxedConstexpr)
    Define("__CUDACC_RELAXED_CONSTEXPR__");
  if (Options.ExtendedLambda)
    Define("__CUDACC_EXTENDED_LAMBDA__");
  if (Options.RelocatableDeviceCode)
    Define("__CUDACC_RDC__");
  if (Options.PerThreadDefaultStream)
    Define("CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

std::vector<std::string> architecturesOf(const CompileOptions &Options,
                                         const Toolkit &Cuda) {
  if (Options.Architectures.empty())
    return {clangArchitecture("native", Cuda)};
  return Options.Architectures;
}

std::vector<std::string> clangArguments(StringRef File, StringRef Arch,
                                        const CompileOptions &Options,
                                        const Toolkit &Cuda) {
  std::vector<std::string> Args = {
      "clang++",
      "-xcuda",
      // One job: the host pass would hide code under __CUDA_ARCH__.
      "--cuda-device-only",
      "--cuda-gpu-arch=" + clangArchitecture(Arch, Cuda),
      "--cuda-path=" + Cuda.Root,
      "-fsyntax-only",
      "-std=" + (Options.Standard.empty() ? "c++17" : Options.Standard),
      "-ferror-limit=0",
      // nvcc judges the language; clang only finds places.
      "-w",
      "-Wno-unknown-cuda-version",
      "-Wno-error",
  };
  if (!Cuda.CcclDir.empty()) {
    Args.push_back("-isystem");
    Args.push_back(Cuda.CcclDir);
  }
  Args.push_back("-idirafter");
  Args.push_back(ShimFolder);
  addNvccMacros(Options, Cuda, Args);
  append_range(Args, Options.Preprocessor);
  append_range(Args, Options.ClangArgs);
  Args.push_back(File.str());
  return Args;
}

} // namespace kinstr
