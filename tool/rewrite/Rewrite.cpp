// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Rewrite.h"

using namespace llvm;

namespace kinstr {

static bool isCopy(const Sources &Files, Diagnostics &Diags) {
  for (const RawDirective &D : Files.scanned().Directives)
    if (D.Name == "include" &&
        Files.text().slice(D.Begin, D.End).contains("kinstr/trace.cuh")) {
      Diags.error(D.Begin, "this file was written by kinstr already");
      return true;
    }
  return false;
}

std::vector<Copy> rewrite(const RewriteOptions &Options, Sources &Files,
                          const Toolkit &Cuda, Diagnostics &Diags) {
  if (isCopy(Files, Diags)) // reading it takes much longer than this
    return {};
  return rewrite(Options, Files,
                 bindAnnotations(Files, Options.Compile, Cuda, Diags), Diags);
}

std::vector<Copy> rewrite(const RewriteOptions &Options, const Sources &Files,
                          BoundFile Bound, Diagnostics &Diags) {
  if (isCopy(Files, Diags))
    return {};
  Plan P = plan(std::move(Bound), Files.scanned(),
                {Options.AskedBuffer, Options.WriteThrough}, Diags);
  if (Diags.hasErrors())
    return {};
  if (P.empty() && Files.scanned().Annotations.empty())
    Diags.remark(0, "no annotations: the copy is the original");
  // What goes to standard output is taken to stay in its folder.
  StringRef Output = Options.Output;
  if (Output == "-")
    Output = Files.main().Path;
  std::vector<Copy> Copies = makeCopies(P, Files, Output, Diags);
  if (Options.Output == "-" && Copies.size() > 1)
    Diags.error(0, "headers with annotations need a place for their copies: "
                   "give an output file with -o");
  return Diags.hasErrors() ? std::vector<Copy>() : std::move(Copies);
}

} // namespace kinstr
