// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "Preprocess.h"

#include "cuda/Shims.h"
#include "support/Installation.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {
/// No PreprocessorFrontendAction: that would not take precompiled headers.
class CollectTokens : public ASTFrontendAction {
public:
  CollectTokens(StringRef Folder, std::vector<std::string> &Out)
      : Folder(Folder), Out(Out) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    return std::make_unique<ASTConsumer>();
  }

  void ExecuteAction() override {
    Preprocessor &PP = getCompilerInstance().getPreprocessor();
    const SourceManager &SM = PP.getSourceManager();
    PP.EnterMainSourceFile();
    Token T;
    for (PP.Lex(T); T.isNot(tok::eof); PP.Lex(T)) {
      SourceLocation At = SM.getExpansionLoc(T.getLocation());
      if (!T.isAnnotation() && SM.getFilename(At).starts_with(Folder))
        Out.push_back(PP.getSpelling(T));
    }
  }

private:
  StringRef Folder;
  std::vector<std::string> &Out;
};
} // namespace

std::vector<std::string> preprocess(StringRef Main, StringRef Folder,
                                    ArrayRef<Copy> Unwritten,
                                    const CompileOptions &Options,
                                    const Toolkit &Cuda) {
  auto Memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const Copy &C : Unwritten)
    Memory->addFile(C.Path, 0, MemoryBuffer::getMemBufferCopy(C.Text, C.Path));
  auto Files =
      makeIntrusiveRefCnt<vfs::OverlayFileSystem>(fileSystemWithShims());
  Files->pushOverlay(Memory);
  IntrusiveRefCntPtr<FileManager> FileMgr(
      new FileManager(FileSystemOptions(), Files));
  std::vector<std::string> Args =
      clangArguments(Main, Options.Architectures.front(), Options, Cuda);
  Args.insert(Args.begin() + 1,
              {"-resource-dir", findInstallation().ClangResources});
  std::vector<std::string> Out;
  tooling::ToolInvocation Invocation(
      Args, std::make_unique<CollectTokens>(Folder, Out), FileMgr.get());
  IgnoringDiagConsumer Ignored;
  Invocation.setDiagnosticConsumer(&Ignored);
  Invocation.run();
  return Out;
}

} // namespace kinstr
