// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole rewriter on a .cu file. Inputs change by tokens and annotations, so
// that most of them still mean something to clang (rewrite_mutator.cpp).
#include "rewrite/Rewrite.h"
#include "Check.h"
#include "PrecompiledHeaders.h"
#include "support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kinstr;
using namespace llvm;

static Toolkit Cuda;
static CompileOptions Compile;
static SmallString<128> Folder, Input; // clang wants its file to exist

static std::vector<StringRef> tokenTexts(StringRef Code) {
  Diagnostics Ignored;
  std::vector<StringRef> Out;
  std::string Copy = Code.str(); // the scanner wants a NUL at the end
  for (const RawToken &T : scan(Copy, Ignored).Tokens) {
    Out.push_back(Code.slice(T.Begin, T.End));
    if (Out.back() == "KINSTR_cudaDeviceReset") // a name that is replaced
      Out.back().consume_front("KINSTR_");
  }
  return Out;
}

template <typename Range>
static bool isSubsequence(const Range &Short, const Range &Long) {
  auto It = Short.begin();
  for (const auto &Element : Long)
    if (It != Short.end() && *It == Element)
      ++It;
  return It == Short.end();
}

/// What is between the two lines at the head and the table at the tail.
static StringRef bodyOf(StringRef Copy) {
  Copy.consume_front("\xEF\xBB\xBF");
  for (StringRef Head : {"#include <kinstr/trace.cuh>", "#line 1 \""}) {
    require(Copy.starts_with(Head), "a copy has its head");
    Copy = Copy.split('\n').second;
  }
  size_t Table = Copy.rfind("#ifndef KINSTR_OFF");
  require(Table != StringRef::npos, "a copy has its table");
  return Copy.take_front(Table);
}

/// \p Body is \p Code plus insertions, and whole lines at the end.
static void checkInsertions(StringRef Code, StringRef Body) {
  Code.consume_front("\xEF\xBB\xBF");
  SmallVector<StringRef> Before, After;
  Code.split(Before, '\n');
  Body.split(After, '\n');
  require(After.size() >= Before.size(), "no line is lost");
  for (auto [Old, New] : zip(Before, After)) {
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

namespace {
struct Result {
  Diagnostics Diags;
  Sources Files;
  std::vector<Copy> Copies;

  explicit Result(StringRef Code)
      : Files(Input, Code, Diags),
        Copies(rewrite({(Folder + "/output.cu").str(), std::nullopt, Compile},
                       Files, Cuda, Diags)) {}
};
} // namespace

static void checkDeterminism(StringRef Code, const Result &First) {
  Result Second(Code);
  require(same(First.Diags, Second.Diags), "messages are the same each time");
  require(kinstr::equal(First.Copies, Second.Copies,
                        [](const Copy &A, const Copy &B) {
                          return A.Path == B.Path && A.Text == B.Text;
                        }),
          "copies are the same each time");
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  Expected<Toolkit> Found = findToolkit("");
  if (!Found) {
    errs() << toString(Found.takeError()) << "\n";
    std::exit(125); // skipped: see run.sh
  }
  Cuda = *Found;
  Compile.Architectures = {"sm_90"};
  std::error_code EC = sys::fs::createUniqueDirectory("kinstr-fuzz", Folder);
  Input = Folder;
  sys::path::append(Input, "input.cu");
  require(!EC && !errorToBool(writeFile(Input, "")), "there is a folder");
  std::atexit([] { sys::fs::remove_directories(Folder); });
  Compile.ClangArgs = precompileHeaders(Input, Compile, Cuda);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Code(reinterpret_cast<const char *>(Data), Size);
  if (Code.find('\0') != std::string::npos) // rejected before
    return 0;
  Result R(Code);
  requirePlaces(R.Diags, 0, R.Files.text().size());
  require(R.Diags.hasErrors() == R.Copies.empty(),
          "either errors or something to write");
  if (R.Diags.hasErrors())
    return 0;
  if (R.Files.scanned().Annotations.empty())
    require(R.Copies.size() == 1 && R.Copies.front().Text == Code,
            "without annotations the copy is the original");
  else if (R.Copies.front().Text != Code)
    checkInsertions(Code, bodyOf(R.Copies.front().Text));
  if (hash_value(StringRef(Code)) % 8 == 0)
    checkDeterminism(Code, R);
  return 0;
}
