// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/AutoName.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kinstr {

static std::string joined(const NameWish &W, bool WithLine) {
  std::string Name = W.Base;
  if (WithLine)
    Name += "_L" + Twine(W.Line).str();
  return W.And.empty() ? Name : Name + "+" + W.And;
}

std::vector<std::string> phaseNames(ArrayRef<NameWish> Wishes) {
  StringMap<unsigned> Count;
  for (const NameWish &W : Wishes)
    ++Count[joined(W, false)];
  std::vector<std::string> Names;
  StringSet<> Taken;
  for (const NameWish &W : Wishes) {
    std::string Wanted =
        joined(W, W.WithLine || Count.lookup(joined(W, false)) > 1);
    std::string Name = Wanted;
    for (unsigned I = 2; !Taken.insert(Name).second; ++I)
      Name = (Wanted + "." + Twine(I)).str(); // two on one line
    Names.push_back(std::move(Name));
  }
  return Names;
}

} // namespace kinstr
