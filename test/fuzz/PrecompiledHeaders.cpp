// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "PrecompiledHeaders.h"

#include "Check.h"
#include "cuda/Shims.h"
#include "support/Installation.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {
class Precompile : public GeneratePCHAction {
public:
  explicit Precompile(StringRef Output) : Output(Output) {}

  bool BeginInvocation(CompilerInstance &CI) override {
    FrontendOptions &Options = CI.getFrontendOpts();
    Options.OutputFile = Output.str();
    Options.SkipFunctionBodies = true;
    CI.getPreprocessorOpts().AllowPCHWithCompilerErrors = true;
    return true;
  }

private:
  StringRef Output;
};
} // namespace

std::vector<std::string> precompileHeaders(StringRef EmptyFile,
                                           const CompileOptions &Options,
                                           const Toolkit &Cuda) {
  std::string Path = (EmptyFile + ".pch").str();
  IntrusiveRefCntPtr<FileManager> FileMgr(
      new FileManager(FileSystemOptions(), fileSystemWithShims()));
  std::vector<std::string> Args =
      clangArguments(EmptyFile, Options.Architectures.front(), Options, Cuda);
  Args.insert(Args.begin() + 1,
              {"-resource-dir", findInstallation().ClangResources});
  tooling::ToolInvocation Invocation(Args, std::make_unique<Precompile>(Path),
                                     FileMgr.get());
  IgnoringDiagConsumer Ignored;
  Invocation.setDiagnosticConsumer(&Ignored);
  Invocation.run();
  std::uint64_t Size = 0;
  require(!sys::fs::file_size(Path, Size) && Size != 0,
          "clang precompiles the headers");
  return {"-Xclang", "-include-pch", "-Xclang",
          Path,      "-Xclang",      "-fallow-pch-with-compiler-errors"};
}

} // namespace kinstr
