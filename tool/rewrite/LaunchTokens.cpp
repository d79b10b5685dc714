// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/LaunchTokens.h"

#include "rewrite/MacroBody.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

std::optional<unsigned> kernelArgument(StringRef Function) {
  return StringSwitch<std::optional<unsigned>>(Function)
      .Case("cudaLaunchKernel", 0)
      .Case("cudaLaunchCooperativeKernel", 0)
      .Case("cudaLaunchKernelExC", 1)
      .Case("cudaLaunchKernelEx", 1)
      .Default(std::nullopt);
}

static bool isDriverLaunch(StringRef Function) {
  return Function == "cuLaunchKernel" || Function == "cuLaunchKernelEx" ||
         Function == "cuLaunchCooperativeKernel";
}

static bool endsContext(StringRef Function) {
  return Function == "cuCtxDestroy" || Function == "cuCtxDestroy_v2";
}

//===----------------------------------------------------------------------===//
// kernel<<<grid, block>>>
//===----------------------------------------------------------------------===//

/// The arguments between '<<<', which is token \p Chevron, and '>>>', split at
/// commas outside of brackets. Empty if that is not what stands there.
static std::vector<ByteRange> splitArguments(ArrayRef<RawToken> Tokens,
                                             size_t Chevron) {
  std::vector<ByteRange> Arguments;
  std::optional<ByteRange> Current;
  unsigned Depth = 0;
  for (const RawToken &Tok : Tokens.drop_front(Chevron + 1)) {
    bool Last = Tok.Kind == tok::greatergreatergreater;
    if (Depth == 0 && (Last || Tok.Kind == tok::comma)) {
      if (!Current)
        return {};
      Arguments.push_back(*Current);
      Current.reset();
      if (Last)
        return Arguments;
      continue;
    }
    if (Depth == 0 && Tok.Kind == tok::semi)
      return {};
    if (is_contained({tok::l_paren, tok::l_brace, tok::l_square}, Tok.Kind))
      ++Depth;
    if (is_contained({tok::r_paren, tok::r_brace, tok::r_square}, Tok.Kind) &&
        Depth-- == 0)
      return {};
    Current = ByteRange{Current ? Current->Begin : Tok.Begin, Tok.End};
  }
  return {};
}

/// Walks back from '<<<' over "ns::kernel<Args>" and notes where it starts and
/// its last identifier.
static void readName(StringRef Code, ArrayRef<RawToken> Tokens, size_t Chevron,
                     WrittenLaunch &L) {
  size_t I = Chevron;
  int Angles = 0; // open, seen from the right
  for (; I > 0; --I) {
    const RawToken &Tok = Tokens[I - 1];
    bool Word = Tok.Kind == tok::raw_identifier;
    if (Tok.Kind == tok::greater) {
      ++Angles;
    } else if (Tok.Kind == tok::greatergreater) {
      Angles += 2;
    } else if (Tok.Kind == tok::less && Angles > 0) {
      --Angles;
    } else {
      bool Ends =
          Angles == 0
              ? !Word && Tok.Kind != tok::coloncolon
              : is_contained({tok::semi, tok::l_brace, tok::r_brace}, Tok.Kind);
      // Two words in a row: a keyword such as 'return' stands in front.
      bool Keyword = Angles == 0 && Word && I < Chevron &&
                     Tokens[I].Kind == tok::raw_identifier;
      if (Ends || Keyword)
        break;
    }
    if (Angles == 0 && Word && L.BaseName.empty())
      L.BaseName = Code.slice(Tok.Begin, Tok.End).str();
  }
  L.Name = ByteRange{I < Chevron ? Tokens[I].Begin : Tokens[Chevron].Begin,
                     Tokens[Chevron - (Chevron > 0)].End};
}

static WrittenLaunch readChevrons(StringRef Code, ArrayRef<RawToken> Tokens,
                                  size_t Chevron) {
  WrittenLaunch L;
  L.At = Tokens[Chevron].Begin;
  readName(Code, Tokens, Chevron, L);
  L.Arguments = splitArguments(Tokens, Chevron);
  if (L.Arguments.size() < 2 || L.Arguments.size() > 4)
    L.Arguments.clear();
  return L;
}

/// Whether an argument within a macro's body is one argument whatever the macro
/// is given, and stays what it is where text is put around it.
static bool canBeWrapped(StringRef Code, ArrayRef<RawToken> Body,
                         StringRef Variadic, ByteRange Argument) {
  for (const RawToken &Tok : Body) {
    if (!Argument.contains(Tok.Begin))
      continue;
    StringRef Word = Code.slice(Tok.Begin, Tok.End);
    if (Word == Variadic || Word == "__VA_OPT__")
      return false;
    bool AtEdge = Tok.Begin == Argument.Begin || Tok.End == Argument.End;
    if (AtEdge && Tok.Kind == tok::hashhash)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// cudaLaunchKernel(kernel, ...)
//===----------------------------------------------------------------------===//

/// Whether the word before token \p I says that this declares a function.
static bool isDeclared(StringRef Code, ArrayRef<RawToken> Tokens, size_t I) {
  if (I > 0 && Tokens[I - 1].Kind == tok::coloncolon)
    --I;
  if (I == 0)
    return false;
  const RawToken &Before = Tokens[I - 1];
  StringRef Word = Code.slice(Before.Begin, Before.End);
  if (Before.Kind == tok::raw_identifier)
    return !is_contained({"return", "co_return", "co_await", "co_yield", "else",
                          "do", "case", "throw"},
                         Word);
  return is_contained({tok::period, tok::arrow, tok::star, tok::hashhash},
                      Before.Kind);
}

/// The call whose function's name is token \p I.
static std::optional<WrittenLaunch>
readCall(StringRef Code, ArrayRef<RawToken> Tokens, size_t I) {
  StringRef Name = Code.slice(Tokens[I].Begin, Tokens[I].End);
  bool ByDriver = isDriverLaunch(Name), EndsContext = endsContext(Name);
  if ((!ByDriver && !EndsContext && !kernelArgument(Name)) ||
      I + 2 >= Tokens.size() || Tokens[I + 1].Kind != tok::l_paren ||
      isDeclared(Code, Tokens, I))
    return std::nullopt;
  WrittenLaunch L;
  L.IsCall = true;
  L.ByDriver = ByDriver;
  L.EndsContext = EndsContext;
  L.At = Tokens[I].Begin;
  L.Name = {Tokens[I].Begin, Tokens[I].End};
  const RawToken &First = Tokens[I + 2];
  // A null pointer constant is one only as long as it is alone.
  if (!is_contained({tok::numeric_constant, tok::r_paren, tok::l_brace,
                     tok::hash, tok::hashhash},
                    First.Kind) &&
      Code.slice(First.Begin, First.End) != "NULL")
    L.Operand = First.Begin;
  return L;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void findIn(StringRef Code, ArrayRef<RawToken> Tokens,
                   std::vector<WrittenLaunch> &Found) {
  for (size_t I = 0; I < Tokens.size(); ++I) {
    if (Tokens[I].Kind == tok::lesslessless)
      Found.push_back(readChevrons(Code, Tokens, I));
    else if (Tokens[I].Kind == tok::raw_identifier)
      if (std::optional<WrittenLaunch> Call = readCall(Code, Tokens, I))
        Found.push_back(std::move(*Call));
  }
}

static void findInMacro(StringRef Code, const RawDirective &Define,
                        std::vector<WrittenLaunch> &Found) {
  MacroBody Macro = readMacro(Code, Define);
  size_t First = Found.size();
  findIn(Code, Macro.Tokens, Found);
  for (WrittenLaunch &L : MutableArrayRef(Found).drop_front(First)) {
    L.InMacro = true;
    if (!all_of(L.Arguments, [&](ByteRange A) {
          return canBeWrapped(Code, Macro.Tokens, Macro.Variadic, A);
        }))
      L.Arguments.clear();
    if (L.Operand &&
        Code.substr(*L.Operand).starts_with(Macro.Variadic)) // may be empty
      L.Operand.reset();
    // What a parameter of the macro stands for is its user's business.
    if (is_contained(Macro.Parameters, L.BaseName))
      L.BaseName.clear();
  }
}

std::vector<WrittenLaunch> findWrittenLaunches(StringRef Code,
                                               const ScannedFile &File) {
  std::vector<WrittenLaunch> Found;
  findIn(Code, File.Tokens, Found);
  // A directive inside a macro's argument is undefined behaviour.
  for (WrittenLaunch &L : Found)
    if (!L.Arguments.empty() &&
        !File.directivesIn(L.At, L.Arguments.back().End).empty())
      L.Arguments.clear();
  for (const RawDirective &D : File.Directives)
    if (D.Name == "define")
      findInMacro(Code, D, Found);
  return Found;
}

} // namespace kinstr
