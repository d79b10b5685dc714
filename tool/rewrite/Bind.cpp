// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a pass for each architecture and puts together what they found.
#include "rewrite/Bind.h"

#include "rewrite/Binder.h"
#include "rewrite/Pass.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kinstr {

/// One place has to do for all: braces that one needs do not hurt the others.
static void mergeSite(Site &Into, const Site &From, const Annotation &A,
                      Diagnostics &Diags) {
  if (Into.Insert != From.Insert || (Into.CloseBrace && From.CloseBrace &&
                                     Into.CloseBrace != From.CloseBrace))
    Diags.error(A.At, "this place means different things to the architectures "
                      "asked for; add braces, or rewrite for one at a time");
  if (Into.ScopeEnd != From.ScopeEnd)
    Diags.error(A.At, "the statement of this scope ends elsewhere for some of "
                      "the architectures asked for");
  if (!Into.CloseBrace)
    Into.CloseBrace = From.CloseBrace;
  Into.InLoop |= From.InLoop;
}

/// The larger of two launch bounds; the most there can be if not comparable.
static std::string mergeThreads(StringRef A, StringRef B) {
  unsigned NumberA = 0, NumberB = 0;
  if (A == B)
    return A.str();
  if (A.getAsInteger(10, NumberA) || B.getAsInteger(10, NumberB))
    return "1024";
  return utostr(std::max(NumberA, NumberB));
}

static void mergeFunction(BoundFunction &Into, BoundFunction &&From,
                          const ScannedFile &File, Diagnostics &Diags) {
  for (Site &S : From.Sites) {
    auto Known = find_if(Into.Sites, [&](const Site &Known) {
      return Known.Annotation == S.Annotation;
    });
    if (Known == Into.Sites.end())
      Into.Sites.push_back(S);
    else
      mergeSite(*Known, S, File.Annotations[S.Annotation], Diags);
  }
  Into.Threads = mergeThreads(Into.Threads, From.Threads);
  Into.MaxThreads = std::max(Into.MaxThreads, From.MaxThreads);
  llvm::sort(Into.Sites, [](const Site &A, const Site &B) {
    return A.Annotation < B.Annotation;
  });
  if (!Into.Divergence)
    Into.Divergence = std::move(From.Divergence);
  if (!Into.Quits)
    Into.Quits = std::move(From.Quits);
  if (!Into.OnceOnly)
    Into.OnceOnly = std::move(From.OnceOnly);
  if (!Into.DynamicShared)
    Into.DynamicShared = std::move(From.DynamicShared);
  Into.StaticShared = std::max(Into.StaticShared, From.StaticShared);
  Into.HasGoto |= From.HasGoto;
  Into.NeedsWarpRows |= From.NeedsWarpRows;
  Into.Recursive |= From.Recursive;
  Into.Leaf &= From.Leaf;
  Into.Reached |= From.Reached;
  Into.Launched |= From.Launched;
  if (!Into.KernelAnnotation)
    Into.KernelAnnotation = From.KernelAnnotation;
}

/// In file order, each once.
static std::vector<unsigned> sortedUnique(std::vector<unsigned> Offsets) {
  llvm::sort(Offsets);
  Offsets.erase(std::unique(Offsets.begin(), Offsets.end()), Offsets.end());
  return Offsets;
}

static std::string listOf(ArrayRef<std::string> Architectures) {
  return join(Architectures, ", ");
}

/// Annotations that some architecture could not place, or that none has.
static void reportUnbound(const ScannedFile &File, ArrayRef<Pass> Passes,
                          ArrayRef<std::string> Architectures,
                          Diagnostics &Diags) {
  for (unsigned I = 0; I < File.Annotations.size(); ++I) {
    const Diagnostics *Why = nullptr;
    bool Bound = false;
    for (const Pass &P : Passes) {
      Bound |= P.Bound.count(I) != 0;
      if (auto It = P.Failures.find(I); !Why && It != P.Failures.end())
        Why = &It->second;
    }
    if (Bound && !Why)
      continue;
    if (!Why) {
      Diags.warning(File.Annotations[I].At,
                    "this branch is inactive for " + listOf(Architectures) +
                        "; the annotation has no effect");
      continue;
    }
    for (const Diagnostic &D : Why->all())
      Diags.add(D.Level, D.Offset, D.Message).Fix = D.Fix;
  }
}

/// In device code an unknown directive is a mistake. Elsewhere it may be
/// anything, unless it looks like one of kinstr's.
static void reportUnknown(const ScannedFile &File, ArrayRef<Pass> Passes,
                          Diagnostics &Diags) {
  for (unsigned I = 0; I < File.Unknown.size(); ++I) {
    const UnknownDirective &U = File.Unknown[I];
    bool Inside = any_of(
        Passes, [&](const Pass &P) { return P.UnknownInside.count(I) != 0; });
    if (!Inside && U.Suggestion.empty())
      continue;
    std::string Message = "unknown directive '@" + U.Word + "'";
    if (!U.Suggestion.empty())
      Message += "; did you mean '@" + U.Suggestion + "'?";
    Diagnostic &D = Inside ? Diags.error(U.At, std::move(Message))
                           : Diags.warning(U.At, std::move(Message));
    if (!U.Suggestion.empty()) {
      unsigned Begin = U.At + 1;
      unsigned End = Begin + static_cast<unsigned>(U.Word.size());
      D.Fix = FixIt{Begin, End, U.Suggestion};
    }
  }
}

/// Clang's own errors matter only where they may have hidden something.
static void reportClangErrors(const Pass &P, Diagnostics &Diags) {
  constexpr unsigned Shown = 5;
  unsigned Count = 0;
  for (const Diagnostic &E : P.ClangErrors) {
    bool Inside = any_of(P.Functions, [&](const auto &F) {
      return F.second.Body.contains(E.Offset);
    });
    if (StringRef(E.Message).contains("file not found")) {
      Diags.warning(E.Offset,
                    E.Message + "; give kinstr the -I flags you give nvcc");
      continue;
    }
    if (!Inside && !Diags.hasErrors())
      continue;
    if (++Count > Shown)
      break;
    if (Diags.hasErrors())
      Diags.note(E.Offset, "clang stumbled here: " + E.Message);
    else
      Diags.warning(E.Offset,
                    "clang does not understand this, nvcc may: " + E.Message);
  }
  if (Diags.hasErrors() && P.ClangErrors.empty() &&
      !P.FirstErrorElsewhere.empty())
    Diags.note(0, "clang stumbled: " + P.FirstErrorElsewhere);
}

/// Puts together what the passes found.
static BoundFile merge(std::vector<Pass> Passes, const ScannedFile &File,
                       Diagnostics &Diags) {
  std::map<unsigned, BoundFunction> Functions;
  std::map<unsigned, BoundLaunch> Launches;
  std::map<unsigned, unsigned> LaunchedBody;
  std::vector<unsigned> Resets, Drivers, ContextEnds, Unwrapped;
  BoundFile Out;
  for (Pass &P : Passes) {
    for (auto &[Body, F] : P.Functions) {
      auto [It, New] = Functions.try_emplace(Body, F);
      if (!New)
        mergeFunction(It->second, std::move(F), File, Diags);
    }
    Launches.merge(P.Launches);
    LaunchedBody.merge(P.LaunchedBody);
    append_range(Resets, P.DeviceResets);
    append_range(Drivers, P.DriverLaunches);
    append_range(ContextEnds, P.ContextEnds);
    append_range(Unwrapped, P.UnwrappedLaunches);
    append_range(Out.Includes, std::move(P.Includes));
    Out.ConstantBytes = std::max(Out.ConstantBytes, P.ConstantBytes);
  }

  std::map<unsigned, unsigned> IndexOf;
  for (auto &[Body, F] : Functions) {
    IndexOf[Body] = Out.Functions.size();
    Out.Functions.push_back(std::move(F));
  }
  for (auto &[Key, L] : Launches) {
    if (auto Body = LaunchedBody.find(Key); Body != LaunchedBody.end())
      if (auto F = IndexOf.find(Body->second); F != IndexOf.end())
        L.Kernel = F->second;
    Out.Launches.push_back(std::move(L));
  }
  Out.DeviceResets = sortedUnique(std::move(Resets));
  Out.DriverLaunches = sortedUnique(std::move(Drivers));
  Out.ContextEnds = sortedUnique(std::move(ContextEnds));
  for (unsigned At : sortedUnique(std::move(Unwrapped)))
    Diags.remark(At, "this launch cannot be wrapped; it is recorded without "
                     "its source line");
  return Out;
}

void bindPass(clang::ASTContext &Context, const MainFile &Main,
              const Sources &Files, const CompileOptions &Options, Pass &Out) {
  Binder(Context, Main, Files.scanned(), !Options.RelocatableDeviceCode, Out)
      .run();
}

bool reportUnread(const Pass &P, Diagnostics &Diags) {
  if (P.Parsed)
    return false;
  Diags.error(0, "clang did not read this file");
  if (!P.FirstErrorElsewhere.empty())
    Diags.note(0, P.FirstErrorElsewhere);
  return true;
}

BoundFile putTogether(std::vector<Pass> Passes,
                      ArrayRef<std::string> Architectures, const Sources &Files,
                      Diagnostics &Diags) {
  const ScannedFile &File = Files.scanned();
  reportUnbound(File, Passes, Architectures, Diags);
  reportUnknown(File, Passes, Diags);
  reportClangErrors(Passes.front(), Diags);
  return merge(std::move(Passes), File, Diags);
}

BoundFile bindAnnotations(Sources &Files, const CompileOptions &Options,
                          const Toolkit &Cuda, Diagnostics &Diags) {
  std::vector<std::string> Architectures = architecturesOf(Options, Cuda);
  std::vector<Pass> Passes;
  Passes.reserve(Architectures.size());
  for (const std::string &Arch : Architectures)
    Passes.push_back(runPass(
        Arch, Files, Options, Cuda,
        [&] { return !Files.scanned().Annotations.empty(); },
        [&](clang::ASTContext &Context, const MainFile &Main, Pass &Out) {
          bindPass(Context, Main, Files, Options, Out);
        },
        Diags));
  if (any_of(Passes, [&](const Pass &P) { return reportUnread(P, Diags); }))
    return {};
  return putTogether(std::move(Passes), Architectures, Files, Diags);
}

} // namespace kinstr
