// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole rewriter on a .cu file and its headers, with --auto and without.
// Inputs change by tokens and annotations, so that most of them still mean
// something to clang (rewrite_mutator.cpp).
#include "Check.h"
#include "InputFiles.h"
#include "PrecompiledHeaders.h"
#include "Preprocess.h"
#include "kinstr/Print.h"
#include "kinstr/RewriteFile.h"
#include "support/Installation.h"
#include "support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kinstr;
using namespace llvm;

static Toolkit Cuda;
static CompileOptions Compile;
static std::string Folder, In, Out; // clang wants its files to exist

//===----------------------------------------------------------------------===//
// The text of one copy
//===----------------------------------------------------------------------===//

static std::vector<StringRef> tokenTexts(StringRef Code) {
  Diagnostics Ignored;
  std::vector<StringRef> Texts;
  std::string Copy = Code.str(); // the scanner wants a NUL at the end
  for (const RawToken &T : scan(Copy, Ignored).Tokens) {
    Texts.push_back(Code.slice(T.Begin, T.End));
    if (Texts.back() == "KINSTR_cudaDeviceReset") // a name that is replaced
      Texts.back().consume_front("KINSTR_");
  }
  return Texts;
}

template <typename Range>
static bool isSubsequence(const Range &Short, const Range &Long) {
  auto It = Short.begin();
  for (const auto &Element : Long)
    if (It != Short.end() && *It == Element)
      ++It;
  return It == Short.end();
}

/// The file that \p Copy is of, by its "#line", which is taken away together
/// with the include before it and the table at the tail.
static std::string takeFrame(StringRef &Copy, bool Main) {
  Copy.consume_front("\xEF\xBB\xBF");
  if (Main) {
    require(Copy.starts_with("#include <kinstr/trace.cuh>"),
            "a copy includes its macros");
    Copy = Copy.split('\n').second;
    size_t Table = Copy.rfind("#ifndef KINSTR_OFF");
    require(Table != StringRef::npos, "a copy has its table");
    Copy = Copy.take_front(Table);
  }
  require(Copy.consume_front("#line 1 \""), "a copy says whose it is");
  auto [Line, Body] = Copy.split('\n');
  Copy = Body;
  return Line.rtrim("\r\"").str();
}

/// The lines of \p Code that are part of an #include.
static std::vector<bool> includeLines(StringRef Code) {
  Diagnostics Ignored;
  std::vector<bool> Lines(Code.count('\n') + 1);
  std::string Copy = Code.str();
  for (const RawDirective &D : scan(Copy, Ignored).Directives)
    if (StringRef(D.Name).starts_with("include"))
      for (size_t At = D.Begin; At < D.End; At = Code.find('\n', At + 1))
        Lines[Code.take_front(At).count('\n')] = true;
  return Lines;
}

/// \p Body is \p Code plus insertions, and whole lines at the end.
static void checkInsertions(StringRef Code, StringRef Body) {
  Code.consume_front("\xEF\xBB\xBF");
  SmallVector<StringRef> Before, After;
  Code.split(Before, '\n');
  Body.split(After, '\n');
  require(After.size() >= Before.size(), "no line is lost");
  for (auto [Old, New, Include] : zip(Before, After, includeLines(Code))) {
    if (Include) // leads to a copy
      continue;
    require(isSubsequence(Old.rtrim('\r'), New), "no character is lost");
    require(Old.rtrim('\r') == New.rtrim('\r') || New.contains("KINSTR_"),
            "only macros are added");
  }
  require(isSubsequence(tokenTexts(Code), tokenTexts(Body)),
          "no token is torn apart");
  require(Body.count("KINSTR_BEGIN") - Code.count("KINSTR_BEGIN") ==
              Body.count("KINSTR_END") - Code.count("KINSTR_END"),
          "braces come in pairs");
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

namespace {
enum Mode { Marks, Auto, EmitAnnotations };

struct Result {
  CommandLine Options;
  Diagnostics Diags;
  Sources Files;
  std::vector<Copy> Copies;

  Result(StringRef Code, CommandLine Asked)
      : Options(std::move(Asked)), Files(Options.Input, Code, Diags),
        Copies(copiesOf(Options, Files, Cuda, Diags)) {
    requirePlaces(Diags, 0, Files.text().size());
    require(Diags.hasErrors() == Copies.empty(),
            "either errors or something to write");
  }
  bool accepted() const { return !Copies.empty(); }
  StringRef copy() const { return Copies.front().Text; }
};
} // namespace

static CommandLine commandLine(Mode M, bool Elsewhere) {
  CommandLine Options;
  Options.Input = In + "/input.cu";
  Options.Output = (Elsewhere ? Out : In) + "/output.cu";
  Options.Compile = Compile;
  if (M != Marks)
    Options.Auto = "";
  Options.EmitAnnotations = M == EmitAnnotations;
  return Options;
}

static bool isElsewhere(const CommandLine &Options) {
  return StringRef(Options.Output).starts_with(Out);
}

static std::string textOf(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  require(bool(Buffer), "a file is there");
  return (*Buffer)->getBuffer().str();
}

/// Two sequences of tokens, but for arguments that a macro prints.
static bool sameTokens(ArrayRef<std::string> A, ArrayRef<std::string> B) {
  return kinstr::equal(A, B, [](StringRef X, StringRef Y) {
    return X == Y || (Y.starts_with("\"") && Y.contains("KINSTR_"));
  });
}

static bool hasMarks(StringRef Copy) {
  return Copy.contains("#include <kinstr/trace.cuh>");
}

static StringRef bodyOf(StringRef Copy) {
  if (hasMarks(Copy))
    takeFrame(Copy, /*Main=*/true);
  return Copy;
}

static void checkCopies(StringRef Code, const Result &R) {
  for (const Copy &C : R.Copies) {
    StringRef Body = C.Text;
    bool Main = C.Path == R.Options.Output;
    if (Main && !hasMarks(Body)) {
      require(Body == Code || isElsewhere(R.Options),
              "without marks the copy is the original");
      continue;
    }
    std::string Original = takeFrame(Body, Main);
    require(!Main || Original == R.Options.Input,
            "the copy is the main file's");
    checkInsertions(Main ? Code.str() : textOf(Original), Body);
  }
}

/// The compiler sees the same, once the macros are off.
static void checkMacrosOff(const Result &R) {
  // "../x.h" is looked up on disk, from there.
  require(!errorToBool(createFolder(headerFolder(R.Options.Output))),
          "there is a folder");
  std::vector<std::string> Before =
      preprocess(R.Options.Input, In, {}, Compile, Cuda);
  std::vector<std::string> After =
      preprocess(R.Options.Output, Folder, R.Copies, Compile, Cuda);
  if (sameTokens(Before, After))
    return;
  auto [Old, New] =
      std::mismatch(Before.begin(), Before.end(), After.begin(), After.end());
  errs() << "token " << Old - Before.begin() << ": "
         << (Old == Before.end() ? "none" : *Old) << " became "
         << (New == After.end() ? "none" : *New) << "\n";
  for (const Copy &C : R.Copies)
    errs() << "--- " << C.Path << "\n" << C.Text << "\n";
  require(false, "with the macros off the tokens are the original's");
}

static size_t filesUnder(StringRef Folder) {
  size_t Files = 0;
  std::error_code EC;
  sys::fs::recursive_directory_iterator I(Folder, EC), End;
  for (; !EC && I != End; I.increment(EC))
    Files += I->type() != sys::fs::file_type::directory_file;
  require(!EC, "the folder can be read");
  return Files;
}

/// What is on disk is what was made in memory, all of it or nothing.
static void checkFiles(const Result &R) {
  std::string Said, Expected;
  raw_string_ostream SaidStream(Said), ExpectedStream(Expected);
  ExitCode Code = rewriteFile(R.Options, SaidStream);
  print(R.Diags, R.Files, R.Options.Remarks, ExpectedStream);
  require(Said == Expected, "messages are the same each time");
  require(Code == (R.accepted() ? Done : InputError),
          "the exit status says whether there are errors");
  for (const Copy &C : R.Copies)
    require(textOf(C.Path) == C.Text, "copies are the same each time");
  if (isElsewhere(R.Options))
    require(filesUnder(Out) == R.Copies.size(), "nothing else is written");
  for (const Copy &C : R.Copies)
    sys::fs::remove(C.Path);
}

/// Comments are all that is added, and they mean what --auto does.
static void checkEmitted(StringRef Code, const Result &Emitted,
                         const Result &Direct) {
  require(tokenTexts(Code) == tokenTexts(Emitted.copy()),
          "only comments are added");
  Result Later(Emitted.copy(), Direct.Options);
  require(Later.accepted() == Direct.accepted(),
          "emitted annotations are accepted as --auto is");
  if (Direct.accepted())
    require(tokenTexts(bodyOf(Later.copy())) ==
                tokenTexts(bodyOf(Direct.copy())),
            "emitted annotations do what --auto does");
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  Expected<Toolkit> Found = findToolkit("");
  if (!Found) {
    errs() << toString(Found.takeError()) << "\n";
    std::exit(125); // skipped: see run.sh
  }
  Cuda = *Found;
  SmallString<128> Unique, Real;
  std::error_code EC = sys::fs::createUniqueDirectory("kinstr-fuzz", Unique);
  require(!EC && !sys::fs::real_path(Unique, Real), "there is a folder");
  Folder = Real.str().str();
  In = Folder + "/in";
  Out = Folder + "/out";
  std::atexit([] { sys::fs::remove_directories(Folder); });
  std::string Empty = Folder + "/empty.cu";
  require(!errorToBool(writeFile(Empty, "")), "there is a file");
  Compile.Architectures = {"sm_90"};
  Compile.Preprocessor = {"-I", In,          "-I", findInstallation().Include,
                          "-D", "KINSTR_OFF"};
  Compile.ClangArgs = precompileHeaders(Empty, Compile, Cuda);
  return 0;
}

/// Puts the files of \p Parts where clang finds them.
static bool writeInput(ArrayRef<InputFile> Parts) {
  for (const std::string &Old : {In, Out})
    require(!sys::fs::remove_directories(Old) &&
                !errorToBool(createFolder(Old)),
            "there is an empty folder");
  require(!errorToBool(writeFile(In + "/input.cu", Parts.front().Text)),
          "there is a main file");
  for (const InputFile &F : Parts.drop_front()) {
    std::string Path = In + "/" + F.Name;
    if (StringRef(F.Name).starts_with("output.cu") || F.Name == "input.cu" ||
        errorToBool(createFolder(sys::path::parent_path(Path))) ||
        errorToBool(writeFile(Path, F.Text)))
      return false; // a file has the name of a folder
  }
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  std::vector<InputFile> Parts = splitInput(Text);
  if (Text.contains('\0') || !writeInput(Parts)) // rejected before
    return 0;
  std::string Code = Parts.front().Text.str(); // scanned up to its NUL
  size_t Choice = hash_value(Text);
  bool Elsewhere = Choice & 1;
  auto Run = [&](Mode M) { return Result(Code, commandLine(M, Elsewhere)); };
  auto Check = [&](const Result &R) {
    checkCopies(Code, R);
    if (R.accepted())
      checkMacrosOff(R);
    if (Choice % 8 < 2)
      checkFiles(R);
  };
  Result Plain = Run(Marks);
  Check(Plain);
  if (!Plain.Files.scanned().Annotations.empty() && Choice % 8 > 3)
    return 0;
  Result Chosen = Run(Auto);
  Check(Chosen);
  require(Chosen.accepted() || !Plain.accepted(),
          "--auto accepts what is accepted without");
  Result Emitted = Run(EmitAnnotations);
  if (Choice % 8 < 2)
    checkFiles(Emitted);
  require(Emitted.accepted() || !Chosen.accepted(),
          "annotations are emitted where they could be used");
  if (Emitted.accepted() && Plain.accepted())
    checkEmitted(Code, Emitted, Chosen);
  return 0;
}
