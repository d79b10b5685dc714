// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one pass of clang over the file yields, as data. Private to the library.
#ifndef KINSTR_REWRITE_PASS_H
#define KINSTR_REWRITE_PASS_H

#include "rewrite/Bind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <set>

namespace clang {
class ASTContext;
} // namespace clang

namespace kinstr {

/// What one pass of clang for one architecture yields.
struct Pass {
  std::vector<ByteRange> Skipped;              ///< inactive branches
  std::vector<ByteRange> MacroUses;            ///< of function-like macros
  std::set<unsigned> PragmaMacros;             ///< uses of macros with pragmas
  std::vector<Diagnostic> ClangErrors;         ///< in the files
  std::string FirstErrorElsewhere;             ///< "header.h:3: ..." or empty
  std::map<unsigned, BoundFunction> Functions; ///< by start of body
  std::set<unsigned> Bound;                 ///< annotations that found a place
  std::map<unsigned, Diagnostics> Failures; ///< annotation -> why not
  std::vector<unsigned> Inactive;           ///< annotations
  std::set<unsigned> UnknownInside;         ///< unknown directives in functions
  std::map<unsigned, BoundLaunch> Launches; ///< by WrittenLaunch::At
  std::map<unsigned, unsigned> LaunchedBody; ///< launch -> start of body
  std::vector<unsigned> DeviceResets;
  std::vector<unsigned> DriverLaunches;
  std::vector<unsigned> ContextEnds;
  std::vector<unsigned> UnwrappedLaunches;
  std::vector<Include> Includes;
  std::uint64_t ConstantBytes = 0; ///< in __constant__ variables
  bool Parsed = false;
};

inline bool isIn(llvm::ArrayRef<ByteRange> Ranges, unsigned Offset) {
  return llvm::any_of(Ranges, [=](ByteRange R) { return R.contains(Offset); });
}

/// What is made of the AST. The pass has what the preprocessor saw.
using AstUser =
    llvm::function_ref<void(clang::ASTContext &, const MainFile &, Pass &)>;

/// Says, when all is parsed, whether instances of templates matter. They take
/// most of the time where there are many.
using InstanceUser = llvm::function_ref<bool()>;

/// Runs clang's device pass for \p Arch over the main file, which stands for
/// what its path has on disk. Headers that matter are added to \p Files.
Pass runPass(llvm::StringRef Arch, Sources &Files,
             const CompileOptions &Options, const Toolkit &Cuda,
             InstanceUser Instances, AstUser Use, Diagnostics &Diags);

/// Binds the annotations of \p Files in one AST.
void bindPass(clang::ASTContext &Context, const MainFile &Main,
              const Sources &Files, const CompileOptions &Options, Pass &Out);

/// Whether clang gave up in \p P, which is an error.
bool reportUnread(const Pass &P, Diagnostics &Diags);

/// What the passes of all architectures have bound, as one. What none of them
/// could bind is reported.
BoundFile putTogether(std::vector<Pass> Passes,
                      llvm::ArrayRef<std::string> Architectures,
                      const Sources &Files, Diagnostics &Diags);

} // namespace kinstr

#endif // KINSTR_REWRITE_PASS_H
