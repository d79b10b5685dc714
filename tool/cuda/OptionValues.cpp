// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `nvcc --dryrun` shows what becomes of a value.
#include "cuda/OptionValues.h"

using namespace llvm;

namespace kinstr {

static std::vector<std::string> split(StringRef Values, bool AreMacros) {
  std::vector<std::string> Out;
  std::string Value;
  auto End = [&] {
    if (!Value.empty())
      Out.push_back(std::move(Value));
    Value.clear();
  };
  bool Quoted = false;
  for (size_t I = 0; I < Values.size(); ++I) {
    char C = Values[I];
    bool Escape = AreMacros && C == '\\' && I + 1 < Values.size();
    if (!Escape && C == ',' && !Quoted) {
      End();
      continue;
    }
    if (C == '"')
      Quoted = !Quoted;
    if (Escape)
      C = Values[++I];
    if (AreMacros || C != '"')
      Value += C;
  }
  End();
  return Out;
}

std::vector<std::string> splitMacros(StringRef Values) {
  return split(Values, /*AreMacros=*/true);
}

std::vector<std::string> splitPaths(StringRef Values) {
  return split(Values, /*AreMacros=*/false);
}

} // namespace kinstr
