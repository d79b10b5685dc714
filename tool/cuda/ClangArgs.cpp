// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/ClangArgs.h"

#include "LLVMCompat.h"
#include "cuda/Shims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>
#include <set>

using namespace llvm;

namespace kinstr {

namespace {
/// "sm_90a": 90 and 'a'.
struct Architecture {
  unsigned Number;
  char Suffix; ///< 'a': of this one only; 'f': of its family; 0: of all later

  std::string name() const {
    return "sm_" + utostr(Number) + (Suffix ? std::string(1, Suffix) : "");
  }
};
} // namespace

/// Those of nvcc 12 and 13. Newer ones are believed.
static bool existsArchitecture(const Architecture &A) {
  static constexpr unsigned Known[] = {50, 52,  53,  60,  61,  62,  70,
                                       72, 75,  80,  86,  87,  88,  89,
                                       90, 100, 101, 103, 110, 120, 121};
  constexpr unsigned FirstSpecific = 90, FirstFamily = 100, Newest = 121;
  if (A.Suffix == 'a' && A.Number < FirstSpecific)
    return false;
  if (A.Suffix == 'f' && A.Number < FirstFamily)
    return false;
  return A.Number > Newest || is_contained(Known, A.Number);
}

/// Of "sm_90a", "compute_90a" or "lto_90a".
static std::optional<Architecture> parseArchitecture(StringRef Name) {
  Architecture A = {0, 0};
  if (!Name.consume_front("sm_") && !Name.consume_front("compute_") &&
      !Name.consume_front("lto_"))
    return std::nullopt;
  if (Name.consumeInteger(10, A.Number))
    return std::nullopt;
  if (Name == "a" || Name == "f")
    A.Suffix = Name.front();
  else if (!Name.empty())
    return std::nullopt;
  if (!existsArchitecture(A))
    return std::nullopt;
  return A;
}

Error addArchitecture(StringRef Value, std::vector<std::string> &Out) {
  Value = Value.trim(" '\"");
  std::string Name = Value.str();
  if (std::optional<Architecture> A = parseArchitecture(Value))
    Name = A->name();
  else if (Value != "native" && Value != "all" && Value != "all-major")
    return createStringError("unsupported gpu architecture '" + Value + "'");
  if (!is_contained(Out, Name))
    Out.push_back(Name);
  return Error::success();
}

Error addGencode(StringRef Value, std::vector<std::string> &Out) {
  StringRef Arch = Value.trim(" '\"");
  if (!Arch.consume_front("arch="))
    return createStringError("no 'arch=' in '-gencode " + Value + "'");
  return addArchitecture(Arch.split(',').first, Out);
}

/// What nvcc compiles for without -arch.
static Architecture defaultArchitecture(const Toolkit &Cuda) {
  return {Cuda.Version >= 13000 ? 75u : 52u, 0};
}

/// \p Name, or the default for "native", "all" and "all-major".
static Architecture architecture(StringRef Name, const Toolkit &Cuda) {
  return parseArchitecture(Name).value_or(defaultArchitecture(Cuda));
}

std::string clangArchitecture(StringRef Arch, const Toolkit &Cuda) {
  Architecture Asked = architecture(Arch, Cuda);
  if (isKnownGpuArchitecture(Asked.name()))
    return Asked.name();
  // The one with more intrinsics first.
  for (unsigned N = Asked.Number; N >= 50; --N)
    for (char Suffix : {'a', '\0'})
      if (Architecture Older = {N, Suffix};
          isKnownGpuArchitecture(Older.name()))
        return Older.name();
  return defaultArchitecture(Cuda).name();
}

//===----------------------------------------------------------------------===//
// Macros. `nvcc --dryrun` shows what nvcc defines.
//===----------------------------------------------------------------------===//

/// "750,900": everything the file is compiled for.
static std::string architectureList(const CompileOptions &Options,
                                    const Toolkit &Cuda) {
  std::set<unsigned> Numbers;
  for (const std::string &Name : Options.Architectures)
    Numbers.insert(architecture(Name, Cuda).Number);
  if (Numbers.empty())
    Numbers.insert(defaultArchitecture(Cuda).Number);
  std::string List;
  for (unsigned Number : Numbers)
    List += (List.empty() ? "" : ",") + utostr(Number * 10);
  return List;
}

/// The macros say \p Asked even where clang parses for an older one: they
/// decide which branches are read.
static void addArchitectureMacros(const Architecture &Asked,
                                  const Architecture &Parsed,
                                  std::vector<std::string> &Args) {
  std::string Number = utostr(Asked.Number * 10);
  if (Parsed.name() != Asked.name()) {
    Args.push_back("-D__CUDA_ARCH__=" + Number);
    if (Parsed.Suffix)
      Args.push_back("-U__CUDA_ARCH_FEAT_SM" + utostr(Parsed.Number) + "_ALL");
  }
  if (Asked.Suffix)
    Args.push_back("-D__CUDA_ARCH_FAMILY_SPECIFIC__=" + Number);
  if (Asked.Suffix != 'a')
    return;
  Args.push_back("-D__CUDA_ARCH_SPECIFIC__=" + Number);
  Args.push_back("-D__CUDA_ARCH_FEAT_SM" + utostr(Asked.Number) + "_ALL");
}

static void addNvccMacros(const CompileOptions &Options, const Toolkit &Cuda,
                          std::vector<std::string> &Args) {
  auto Define = [&](const Twine &Macro) {
    Args.push_back(("-D" + Macro).str());
  };
  Define("__NVCC__");
  for (StringRef Which : {"__CUDACC_VER_", "__CUDA_API_VER_"}) {
    Define(Which + "MAJOR__=" + Twine(Cuda.Version / 1000));
    Define(Which + "MINOR__=" + Twine(Cuda.Version % 1000 / 10));
  }
  Define("__CUDACC_VER_BUILD__=" + Twine(Cuda.Build));
  Define("__NVCC_DIAG_PRAGMA_SUPPORT__=1");
  Define("__CUDACC_DEVICE_ATOMIC_BUILTINS__=1");
  Define("CUDA_DOUBLE_MATH_FUNCTIONS");
  Define("__CUDA_ARCH_LIST__=" + architectureList(Options, Cuda));
  if (Options.RelaxedConstexpr)
    Define("__CUDACC_RELAXED_CONSTEXPR__");
  if (Options.ExtendedLambda)
    Define("__CUDACC_EXTENDED_LAMBDA__");
  if (Options.RelocatableDeviceCode)
    Define("__CUDACC_RDC__");
  if (Options.DeviceDebug)
    Define("__CUDACC_DEBUG__");
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
  std::string Parsed = clangArchitecture(Arch, Cuda);
  std::vector<std::string> Args = {
      "clang++",
      "-xcuda",
      // One job: the host pass would hide code under __CUDA_ARCH__.
      "--cuda-device-only",
      "--cuda-gpu-arch=" + Parsed,
      "--cuda-path=" + Cuda.Root,
      "-fsyntax-only",
      "-std=" + (Options.Standard.empty() ? "c++17" : Options.Standard),
      "-ferror-limit=0",
      // nvcc judges the language; clang only finds places. This silences what
      // clang makes an error by default too, such as narrowing.
      "-Wno-everything",
      // Launches from device code and variadic functions there.
      "-fgpu-rdc",
      "-Xclang",
      "-fcuda-allow-variadic-functions",
  };
  if (!Cuda.CcclDir.empty()) {
    Args.push_back("-isystem");
    Args.push_back(Cuda.CcclDir);
  }
  Args.push_back("-idirafter");
  Args.push_back(ShimFolder);
  Args.push_back("-include");
  Args.push_back(NvccHeader);
  addNvccMacros(Options, Cuda, Args);
  addArchitectureMacros(architecture(Arch, Cuda), architecture(Parsed, Cuda),
                        Args);
  append_range(Args, Options.Preprocessor);
  append_range(Args, Options.ClangArgs);
  Args.push_back(File.str());
  return Args;
}

} // namespace kinstr
