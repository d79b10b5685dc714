// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs clang over the file once, as a library.
#include "cuda/NvccAccepts.h"
#include "cuda/PragmaMacros.h"
#include "cuda/Shims.h"
#include "rewrite/Pass.h"
#include "support/Installation.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <map>

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

/// A header that has nothing of these is never changed and its bodies are not
/// read, unless it is on the way to one that is.
static bool concernsKernels(StringRef Text) {
  return any_of(std::initializer_list<StringRef>{"<<<", "__global__", "@phase",
                                                 "@mark", "@kernel", "@scope",
                                                 "@value"},
                [&](StringRef Word) { return Text.contains(Word); });
}

/// Branches of the files that are inactive each time their file is read: behind
/// an include guard, the second reading skips all.
class InactiveBranches {
public:
  /// \p Begin tells the file.
  void enter(unsigned Begin, FileID Reading) { Files[Begin][Reading]; }
  void add(unsigned Begin, FileID Reading, ByteRange Skipped) {
    Files[Begin][Reading].push_back(Skipped);
  }

  std::vector<ByteRange> all() const {
    std::vector<ByteRange> Out;
    for (const auto &[Begin, Readings] : Files) {
      std::vector<ByteRange> InAll = Readings.begin()->second;
      for (const auto &[Reading, Skipped] : drop_begin(Readings))
        InAll = common(InAll, Skipped);
      append_range(Out, InAll);
    }
    return Out;
  }

private:
  static std::vector<ByteRange> common(ArrayRef<ByteRange> A,
                                       ArrayRef<ByteRange> B) {
    std::vector<ByteRange> Out;
    for (ByteRange X : A)
      for (ByteRange Y : B)
        if (std::max(X.Begin, Y.Begin) < std::min(X.End, Y.End))
          Out.push_back({std::max(X.Begin, Y.Begin), std::min(X.End, Y.End)});
    return Out;
  }

  std::map<unsigned, std::map<FileID, std::vector<ByteRange>>> Files;
};

class Preprocessing : public PPCallbacks {
public:
  Preprocessing(SourceManager &SM, MainFile &Main, Sources &Files,
                InactiveBranches &Inactive, Pass &Out,
                kinstr::Diagnostics &Diags)
      : SM(SM), Main(Main), Files(Files), Inactive(Inactive), Out(Out),
        Diags(Diags) {
    // It may include itself.
    FileID File = SM.getMainFileID();
    Names.emplace(SM.getFileEntryForID(File)->getUniqueID(), Files.main().Path);
    Inactive.enter(Files.main().Begin, File);
  }

  void FileChanged(SourceLocation Loc, FileChangeReason Reason,
                   SrcMgr::CharacteristicKind Kind, FileID) override {
    FileID File = SM.getFileID(Loc);
    OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
    if (Reason != EnterFile || Kind != SrcMgr::C_User ||
        File == SM.getMainFileID() || !Entry)
      return;
    std::string Path = nameOf(*Entry);
    std::optional<unsigned> Index = Files.find(Path);
    StringRef Text = SM.getBufferData(File);
    if (!Index && concernsKernels(Text))
      Index = Files.add(Path, Text, Diags);
    if (!Index)
      return;
    Main.add(File, *Index);
    Inactive.enter(Files.files()[*Index].Begin, File);
  }

  void InclusionDirective(SourceLocation HashLoc, const Token &Word, StringRef,
                          bool Angled, CharSourceRange Operand,
                          OptionalFileEntryRef To, StringRef SearchPath,
                          StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    FileID From = SM.getFileID(HashLoc);
    OptionalFileEntryRef FromEntry = SM.getFileEntryRefForID(From);
    if (!To)
      return;
    Include I;
    I.To = nameOf(*To);
    if (FromEntry) { // else it comes from the command line
      I.From = nameOf(*FromEntry);
      CharSourceRange Written = SM.getExpansionRange(Operand);
      I.Begin = SM.getFileOffset(Written.getBegin());
      I.End = SM.getFileOffset(Written.getEnd()) +
              (Written.isTokenRange()
                   ? Lexer::MeasureTokenLength(Written.getEnd(), SM, {})
                   : 0);
    }
    I.Beside =
        !Angled && FromEntry && SearchPath == FromEntry->getDir().getName();
    I.Fixed = SM.isInSystemHeader(HashLoc) || !FromEntry ||
              Word.getIdentifierInfo()->getPPKeywordID() != tok::pp_include;
    Out.Includes.push_back(std::move(I));
  }

  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    FileID File = SM.getFileID(Range.getBegin());
    std::optional<unsigned> Start = Main.offset(SM.getLocForStartOfFile(File));
    std::optional<ByteRange> R = Main.range(Range);
    if (Start && R)
      Inactive.add(*Start, File, *R);
  }
  void MacroExpands(const Token &, const MacroDefinition &Macro,
                    SourceRange Range, const MacroArgs *Args) override {
    const MacroInfo *Info = Macro.getMacroInfo();
    if (Info && any_of(Info->tokens(), [](const Token &T) {
          return T.getIdentifierInfo() &&
                 T.getIdentifierInfo()->getName() == "_Pragma";
        }))
      if (auto At = Main.offset(Range.getBegin()))
        Out.PragmaMacros.insert(*At);
    if (Args && Range.getBegin().isFileID())
      if (auto R = Main.range(Range))
        Out.MacroUses.push_back(*R);
  }

private:
  /// A file may be found under several names: the first one stands for all.
  std::string nameOf(FileEntryRef Entry) {
    return Names.try_emplace(Entry.getUniqueID(), Entry.getName().str())
        .first->second;
  }

  SourceManager &SM;
  MainFile &Main;
  Sources &Files;
  InactiveBranches &Inactive;
  Pass &Out;
  kinstr::Diagnostics &Diags;
  std::map<sys::fs::UniqueID, std::string> Names;
};

/// Keeps clang's errors instead of printing them: nvcc judges the language.
class ErrorCollector : public DiagnosticConsumer {
public:
  explicit ErrorCollector(Pass &Out) : Out(Out) {}

  /// Once there is one. Errors before are not in the files.
  const MainFile *Main = nullptr;

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    if (Level < DiagnosticsEngine::Error || nvccAccepts(Info.getID()))
      return;
    SmallString<256> Message;
    Info.FormatDiagnostic(Message);
    if (Main && Info.hasSourceManager())
      if (std::optional<unsigned> Offset = Main->offset(Info.getLocation())) {
        Out.ClangErrors.push_back(
            {Severity::Note, *Offset, Message.str().str(), std::nullopt});
        return;
      }
    if (Out.FirstErrorElsewhere.empty())
      Out.FirstErrorElsewhere = Message.str().str();
  }

private:
  Pass &Out;
};

/// Drops the instances of templates that clang would make when all is parsed,
/// if nobody looks at them. Those that parsing needs are there by then.
class PendingInstances : public ExternalSemaSource {
public:
  PendingInstances(Sema &S, InstanceUser AreNeeded)
      : S(S), AreNeeded(AreNeeded) {}

  void ReadPendingInstantiations(
      SmallVectorImpl<Sema::PendingImplicitInstantiation> &) override {
    if (!AreNeeded())
      S.PendingInstantiations.clear();
  }

private:
  Sema &S;
  InstanceUser AreNeeded;
};

class Consumer : public SemaConsumer {
public:
  Consumer(const SourceManager &SM, const MainFile &Main,
           const InactiveBranches &Inactive, InstanceUser Instances,
           AstUser Use, Pass &Out)
      : SM(SM), Main(Main), Inactive(Inactive), Instances(Instances), Use(Use),
        Out(Out) {}

  void InitializeSema(Sema &S) override {
    S.addExternalSource(new PendingInstances(S, Instances));
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    Out.Skipped = Inactive.all();
    Use(Context, Main, Out);
    Out.Parsed = true;
  }

  /// Bodies in other files say nothing about where the user's marks go, except
  /// for the shared memory that those in the user's own may use, and for what
  /// they return to all lanes of a warp.
  bool shouldSkipFunctionBody(Decl *D) override {
    SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
    FileID File = SM.getFileID(Loc);
    if (Main.knows(File))
      return false;
    return SM.isInSystemHeader(Loc) || !isOfInterest(File);
  }

private:
  bool isOfInterest(FileID Header) {
    auto [It, New] = Interest.try_emplace(Header, false);
    StringRef Text = New ? SM.getBufferData(Header) : "";
    It->second |= Text.contains("__shared__") || Text.contains("__shfl_sync");
    return It->second;
  }

  const SourceManager &SM;
  const MainFile &Main;
  const InactiveBranches &Inactive;
  DenseMap<FileID, bool> Interest;
  InstanceUser Instances;
  AstUser Use;
  Pass &Out;
};

class Action : public ASTFrontendAction {
public:
  Action(Sources &Files, InstanceUser Instances, AstUser Use, Pass &Out,
         ErrorCollector &Errors, kinstr::Diagnostics &Diags)
      : Files(Files), Instances(Instances), Use(Use), Out(Out), Errors(Errors),
        Diags(Diags) {}
  ~Action() override { Errors.Main = nullptr; }

  bool BeginInvocation(CompilerInstance &CI) override {
    CI.getFrontendOpts().SkipFunctionBodies = true;
    // Clang reads what was scanned, under the name of what is on disk.
    const SourceFile &File = Files.main();
    CI.getPreprocessorOpts().addRemappedFile(
        File.Path,
        MemoryBuffer::getMemBufferCopy(Files.text(File), File.Path).release());
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    SourceManager &SM = CI.getSourceManager();
    Main = std::make_unique<MainFile>(SM, CI.getLangOpts(), Files);
    Errors.Main = Main.get();
    CI.getPreprocessor().addPPCallbacks(std::make_unique<Preprocessing>(
        SM, *Main, Files, Inactive, Out, Diags));
    CI.getPreprocessor().addPPCallbacks(readPragmaMacros(CI.getPreprocessor()));
    return std::make_unique<Consumer>(SM, *Main, Inactive, Instances, Use, Out);
  }

private:
  Sources &Files;
  InstanceUser Instances;
  AstUser Use;
  Pass &Out;
  ErrorCollector &Errors;
  kinstr::Diagnostics &Diags;
  std::unique_ptr<MainFile> Main;
  InactiveBranches Inactive;
};

} // namespace

Pass runPass(StringRef Arch, Sources &Files, const CompileOptions &Options,
             const Toolkit &Cuda, InstanceUser Instances, AstUser Use,
             kinstr::Diagnostics &Diags) {
  Pass Out;
  ErrorCollector Errors(Out);
  // Reference-counted: the compiler instance takes a share.
  IntrusiveRefCntPtr<FileManager> FileMgr(
      new FileManager(FileSystemOptions(), fileSystemWithShims()));
  std::vector<std::string> Args =
      clangArguments(Files.main().Path, Arch, Options, Cuda);
  Args.insert(Args.begin() + 1,
              {"-resource-dir", findInstallation().ClangResources});
  tooling::ToolInvocation Invocation(
      Args, std::make_unique<Action>(Files, Instances, Use, Out, Errors, Diags),
      FileMgr.get());
  Invocation.setDiagnosticConsumer(&Errors);
  // What clang had in hand stays as it is: the process ends soon.
  CrashRecoveryContext::Enable();
  if (!CrashRecoveryContext().RunSafely([&] { Invocation.run(); })) {
    Out = Pass();
    Out.FirstErrorElsewhere = "clang crashed while reading it";
  }
  return Out;
}

} // namespace kinstr
