// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies --launch and --kernel.
#include "report/Selection.h"

#include "report/Names.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace kinstr::report {

static Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Expected<std::vector<uint32_t>> selectLaunches(const trace::Trace &T,
                                               const Filter &F) {
  Regex Kernel(F.Kernel);
  size_t Count = T.launches().size();
  if (F.Launch && *F.Launch >= Count)
    return fail("there is no launch " + Twine(*F.Launch) + ", the trace has " +
                counted(Count, "launch"));
  std::vector<uint32_t> Out;
  for (uint32_t I = 0; I < Count; ++I) {
    if (F.Launch && *F.Launch != I)
      continue;
    if (!F.Kernel.empty() && !Kernel.match(kernelName(T, T.launches()[I])))
      continue;
    Out.push_back(I);
  }
  if (Out.empty() && !F.Kernel.empty())
    return fail("no launch of a kernel that matches '" + F.Kernel + "'");
  return Out;
}

} // namespace kinstr::report
