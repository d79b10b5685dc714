// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs clang over the file once, as a library.
#include "cuda/Shims.h"
#include "rewrite/Binder.h"
#include "support/Installation.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

class Preprocessing : public PPCallbacks {
public:
  Preprocessing(SourceManager &SM, const MainFile &Main, Pass &Out)
      : SM(SM), Main(Main), Out(Out) {}

  void FileChanged(SourceLocation Loc, FileChangeReason Reason,
                   SrcMgr::CharacteristicKind Kind, FileID) override {
    if (Reason != EnterFile || Kind != SrcMgr::C_User)
      return;
    FileID File = SM.getFileID(Loc);
    OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
    if (File == SM.getMainFileID() || !Entry)
      return;
    SourceLocation Include = SM.getIncludeLoc(File);
    while (Include.isValid() && !SM.isInMainFile(Include))
      Include = SM.getIncludeLoc(SM.getFileID(Include));
    auto At = Main.offset(Include);
    Diagnostics Ignored;
    if (At && !scan(SM.getBufferData(File), Ignored).Annotations.empty())
      Out.AnnotatedHeaders.emplace(*At, Entry->getName().str());
  }

  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    if (auto R = Main.range(Range))
      Out.Skipped.push_back(*R);
  }
  void MacroExpands(const Token &, const MacroDefinition &, SourceRange Range,
                    const MacroArgs *Args) override {
    if (Args && Range.getBegin().isFileID())
      if (auto R = Main.range(Range))
        Out.MacroUses.push_back(*R);
  }

private:
  SourceManager &SM;
  const MainFile &Main;
  Pass &Out;
};

/// Keeps clang's errors instead of printing them: nvcc judges the language.
class ErrorCollector : public DiagnosticConsumer {
public:
  explicit ErrorCollector(Pass &Out) : Out(Out) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    if (Level < DiagnosticsEngine::Error)
      return;
    SmallString<256> Message;
    Info.FormatDiagnostic(Message);
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      const SourceManager &SM = Info.getSourceManager();
      SourceLocation Loc = SM.getExpansionLoc(Info.getLocation());
      auto [File, Offset] = SM.getDecomposedLoc(Loc);
      if (File == SM.getMainFileID()) {
        Out.ClangErrors.push_back(
            {Severity::Note, Offset, Message.str().str(), std::nullopt});
        return;
      }
    }
    if (Out.FirstErrorElsewhere.empty())
      Out.FirstErrorElsewhere = Message.str().str();
  }

private:
  Pass &Out;
};

class Consumer : public ASTConsumer {
public:
  Consumer(const SourceManager &SM, const ScannedFile &File, Pass &Out)
      : SM(SM), File(File), Out(Out) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    MainFile Main(Context.getSourceManager(), Context.getLangOpts());
    Binder(Context, Main, File, Out).run();
    Out.Parsed = true;
  }

  /// Bodies in headers say nothing about where the user's marks go, except for
  /// the shared memory that those in the user's own may use.
  bool shouldSkipFunctionBody(Decl *D) override {
    SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
    if (SM.isInMainFile(Loc))
      return false;
    return SM.isInSystemHeader(Loc) || !mentionsShared(SM.getFileID(Loc));
  }

private:
  bool mentionsShared(FileID Header) {
    auto [It, New] = Mentions.try_emplace(Header, false);
    if (New)
      It->second = SM.getBufferData(Header).contains("__shared__");
    return It->second;
  }

  const SourceManager &SM;
  DenseMap<FileID, bool> Mentions;
  const ScannedFile &File;
  Pass &Out;
};

class Action : public ASTFrontendAction {
public:
  Action(const ScannedFile &File, Pass &Out) : File(File), Out(Out) {}

  bool BeginInvocation(CompilerInstance &CI) override {
    CI.getFrontendOpts().SkipFunctionBodies = true;
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    Main = std::make_unique<MainFile>(CI.getSourceManager(), CI.getLangOpts());
    CI.getPreprocessor().addPPCallbacks(
        std::make_unique<Preprocessing>(CI.getSourceManager(), *Main, Out));
    return std::make_unique<Consumer>(CI.getSourceManager(), File, Out);
  }

private:
  const ScannedFile &File;
  Pass &Out;
  std::unique_ptr<MainFile> Main;
};

} // namespace

Pass runPass(StringRef Path, StringRef Arch, const ScannedFile &File,
             const CompileOptions &Options, const Toolkit &Cuda) {
  Pass Out;
  ErrorCollector Errors(Out);
  // Reference-counted: the compiler instance takes a share.
  IntrusiveRefCntPtr<FileManager> Files(
      new FileManager(FileSystemOptions(), fileSystemWithShims()));
  std::vector<std::string> Args = clangArguments(Path, Arch, Options, Cuda);
  Args.insert(Args.begin() + 1,
              {"-resource-dir", findInstallation().ClangResources});
  tooling::ToolInvocation Invocation(Args, std::make_unique<Action>(File, Out),
                                     Files.get());
  Invocation.setDiagnosticConsumer(&Errors);
  Invocation.run();
  return Out;
}

} // namespace kinstr
