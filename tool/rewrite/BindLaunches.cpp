// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts together what tokens and AST say about each launch.
#include "rewrite/Binder.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

/// The kernel as one macro argument.
static std::string kernelText(StringRef Code, const WrittenLaunch &L,
                              const LaunchFacts *Facts) {
  StringRef Text = Code.slice(L.Name.Begin, L.Name.End);
  if (!Facts || !Facts->Nameable || L.InMacro ||
      Text.find_first_of("\n#") != StringRef::npos || Text.contains("//"))
    return "nullptr";
  return Text.contains(',') ? ("(" + Text + ")").str() : Text.str();
}

/// The annotated kernels that \p Facts name.
static std::vector<BoundFunction *>
annotated(const LaunchFacts &Facts, ArrayRef<Function> Functions, Pass &Out) {
  std::vector<BoundFunction *> Found;
  for (const Function &F : Functions)
    if (auto K = Out.Functions.find(F.Body.Begin); K != Out.Functions.end())
      if (is_contained(Facts.Kernels, F.Decl->getCanonicalDecl()))
        Found.push_back(&K->second);
  return Found;
}

/// Where the AST knows nothing: the annotated kernels of that name.
static std::vector<BoundFunction *>
named(StringRef BaseName, ArrayRef<Function> Functions, Pass &Out) {
  std::vector<BoundFunction *> Found;
  for (const Function &F : Functions)
    if (auto K = Out.Functions.find(F.Body.Begin); K != Out.Functions.end())
      if (F.Decl->getNameAsString() == BaseName)
        Found.push_back(&K->second);
  return Found;
}

static void launched(ArrayRef<BoundFunction *> Kernels,
                     const LaunchFacts *Facts) {
  for (BoundFunction *K : Kernels) {
    K->Launched = true;
    if (Facts && Facts->DynamicShared && !K->DynamicShared)
      K->DynamicShared = Reason{*Facts->DynamicShared,
                                "launched with dynamic shared memory here"};
  }
}

void Binder::launch(const WrittenLaunch &Written, const LaunchFacts *Facts) {
  std::vector<BoundFunction *> Kernels =
      Facts ? annotated(*Facts, Functions.Functions, Out)
            : named(Written.BaseName, Functions.Functions, Out);
  // Whether it may launch something else, too.
  bool Unknown = Facts ? Facts->Unknown || Facts->Kernels.size() > 1
                       : Kernels.size() > 1 || Written.BaseName.empty();
  if (Kernels.empty() && !Unknown)
    return;
  // A header changes only for what is annotated.
  if (Kernels.empty() && Main.sources().fileAt(Written.Name.Begin) != 0)
    return;
  if (Kernels.empty() && Facts && !Facts->Unknown)
    return; // several, none of them annotated
  launched(Kernels, Facts);

  // An argument that is a macro may hide several.
  bool Hidden = Facts && Facts->Arguments > Written.Arguments.size();
  if (Written.IsCall ? !Written.Operand : Written.Arguments.empty() || Hidden) {
    Out.UnwrappedLaunches.push_back(Written.Name.Begin);
    return;
  }
  if (!Unknown)
    Out.LaunchedBody[Written.At] = Kernels.front()->Body.Begin;
  Out.Launches[Written.At] = {Written.Name.Begin, std::nullopt,
                              kernelText(Main.text(), Written, Facts),
                              Written.Arguments, Written.Operand};
}

void Binder::launches() {
  HostCalls Calls = findHostCalls(Context, Main, File);
  for (const WrittenLaunch &Written : findWrittenLaunches(Main.text(), File)) {
    if (Written.ByDriver || Written.EndsContext) {
      if (Written.Operand)
        (Written.ByDriver ? Out.DriverLaunches : Out.ContextEnds)
            .push_back(*Written.Operand);
      continue;
    }
    auto It = Calls.Launches.find(Written.At);
    launch(Written, It == Calls.Launches.end() ? nullptr : &It->second);
  }
  for (const auto &[At, Facts] : Calls.Elsewhere) {
    std::vector<BoundFunction *> Kernels =
        annotated(Facts, Functions.Functions, Out);
    launched(Kernels, &Facts);
    if (!Kernels.empty())
      Out.UnwrappedLaunches.push_back(At);
  }
  Out.DeviceResets = std::move(Calls.DeviceResets);
}

} // namespace kinstr
