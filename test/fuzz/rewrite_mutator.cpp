// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a .cu file at the boundaries of its tokens: bytes at random would
// spend all time on clang's syntax errors.
#include "annotate/Scan.h"
#include "llvm/ADT/STLExtras.h"
#include <random>

using namespace kinstr;
using namespace llvm;

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

static constexpr StringLiteral Annotations[] = {
    "// @phase a\n",
    "// @phase b drain\n",
    "/* @phase c */",
    "/* @phase d drain=stores */",
    "// @mark e\n",
    "/* @mark f */",
    "// @end\n",
    "/* @end */",
    "// @kernel\n",
    "// @kernel g buffer=global\n",
    "// @phase\n",
    "// @scope s\n",
    "/* @scope t */",
    "// @value v = 1\n",
    "/* @value w = i < n ? f(i, 1) : x[0] */",
};

static constexpr StringLiteral Fragments[] = {
    "{",
    "}",
    ";",
    "(",
    ")",
    ",",
    "<%",
    "%>",
    "\\\n",
    "return;",
    "break;",
    "continue;",
    "else ",
    "do ",
    "while (0);",
    "if (threadIdx.x == 0) ",
    "if (blockIdx.x == 0) ",
    "if constexpr (sizeof(int) == 4) ",
    "for (int i = 0; i < 4; ++i) ",
    "switch (threadIdx.y) {",
    "case 1: ",
    "default: ",
    "goto out;",
    "out: ",
    "__syncthreads();",
    "asm volatile(\"exit;\");",
    "int x = 0;",
    "[&] {",
    "}();",
    "__shared__ int s[64];",
    "__device__ void f() {",
    "__global__ void k() {",
    "template <class T> ",
    "namespace n {",
    "struct S {",
    "k<<<1, 32>>>();",
    "(k)<<<1, {32}, 0, 0>>>();",
    "cudaLaunchKernel((void *)k, 1, 32, nullptr, 0, nullptr);",
    "cudaDeviceReset();",
    "\n#if __CUDA_ARCH__\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#pragma unroll\n",
    "\n#define M(x) x\n",
    "M(",
    "\r\n",
    "\n//--- a.cuh\n",
    "\n//--- b.cuh\n",
    "\n#include \"a.cuh\"\n",
    "\n#include \"b.cuh\"\n",
    "\n#pragma once\n",
    "/*",
    "*/",
    "\"",
};

namespace {

class Mutator {
public:
  Mutator(std::string Text, unsigned Seed)
      : Code(std::move(Text)), Random(Seed) {
    Diagnostics Ignored;
    File = scan(Code, Ignored);
  }

  std::string run() {
    switch (below(8)) {
    case 0:
    case 1:
    case 2:
      insert(place(), pick(Annotations));
      break;
    case 3:
      insert(place(), pick(Fragments));
      break;
    case 4:
      dropAnnotation();
      break;
    case 5:
      dropToken();
      break;
    case 6:
      moveAnnotation();
      break;
    case 7:
      copyTokens();
      break;
    }
    return std::move(Code);
  }

private:
  unsigned below(size_t N) {
    return N == 0 ? 0
                  : std::uniform_int_distribution<unsigned>(0, N - 1)(Random);
  }
  template <typename T> const T &pick(ArrayRef<T> From) {
    return From[below(From.size())];
  }
  template <typename T, size_t N> StringRef pick(const T (&From)[N]) {
    return From[below(N)];
  }
  unsigned place() {
    if (File.Tokens.empty())
      return 0;
    const RawToken &T = pick<RawToken>(File.Tokens);
    return below(2) ? T.Begin : T.End;
  }
  void insert(unsigned At, StringRef Text) {
    Code.insert(std::min<size_t>(At, Code.size()), Text.data(), Text.size());
  }
  void drop(unsigned Begin, unsigned End) { Code.erase(Begin, End - Begin); }

  void dropToken() {
    if (File.Tokens.empty())
      return;
    const RawToken &T = pick<RawToken>(File.Tokens);
    drop(T.Begin, T.End);
  }
  void dropAnnotation() {
    if (File.Annotations.empty())
      return dropToken();
    const Annotation &A = pick<Annotation>(File.Annotations);
    drop(A.Begin, A.End);
  }
  void moveAnnotation() {
    if (File.Annotations.empty())
      return insert(place(), pick(Annotations));
    const Annotation &A = pick<Annotation>(File.Annotations);
    std::string Text = Code.substr(A.Begin, A.End - A.Begin);
    if (Text[1] == '/')
      Text += '\n';
    unsigned To = place();
    if (To > A.Begin) {
      insert(To, Text);
      drop(A.Begin, A.End);
    } else {
      drop(A.Begin, A.End);
      insert(To, Text);
    }
  }
  void copyTokens() {
    if (File.Tokens.empty())
      return;
    size_t First = below(File.Tokens.size());
    size_t Last = std::min(First + below(30), File.Tokens.size() - 1);
    unsigned Begin = File.Tokens[First].Begin;
    insert(place(), Code.substr(Begin, File.Tokens[Last].End - Begin) + " ");
  }

  std::string Code;
  std::mt19937 Random;
  ScannedFile File;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size,
                                          size_t MaxSize, unsigned Seed) {
  if (Seed % 16 == 0)
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  std::string Old(reinterpret_cast<char *>(Data), Size);
  std::string New = Mutator(Old, Seed).run();
  size_t Length = std::min(New.size(), MaxSize);
  std::copy_n(New.begin(), Length, Data);
  return Length;
}
