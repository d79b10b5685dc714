// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements of a function all lanes of a warp reach together.
//
// Wrong in the safe direction only: what cannot be shown to be uniform is
// called divergent, and costs a slower recorder, never a wrong one.
#ifndef KINSTR_REWRITE_UNIFORMITY_H
#define KINSTR_REWRITE_UNIFORMITY_H

#include "rewrite/Lanes.h"

namespace kinstr {

class CallContexts;

class Uniformity {
public:
  /// \p Function may be a template: what its instances do counts too. Without
  /// \p Contexts it is entered as kernels are.
  explicit Uniformity(const clang::FunctionDecl &Function,
                      const CallContexts *Contexts = nullptr);

  // These hold where a warp is 32 neighbours along x: where blockDim.x is a
  // multiple of 32, or the block has one row. needsWarpRows() tells whether
  // they may not hold elsewhere.

  /// The condition that keeps lanes of a warp from reaching \p S together, or
  /// null if they all do.
  const clang::Stmt *divergenceAround(const clang::Stmt *S) const {
    return Rows.around(S);
  }
  bool needsWarpRows(const clang::Stmt *S) const {
    return !Rows.around(S) && AnyShape.around(S);
  }

  /// A 'return' or 'goto' that some lanes of a warp may take without the
  /// others, or a statement that is not followed or ends the thread, in this
  /// function or in one it calls, or null.
  const clang::Stmt *divergentExit() const { return Rows.Exit; }
  bool exitNeedsWarpRows() const { return !Rows.Exit && AnyShape.Exit; }

  /// Whether statements that are not in a loop may run twice.
  bool hasGoto() const { return HasGoto; }

private:
  /// For one assumption about the shape of blocks.
  struct View {
    const clang::Stmt *around(const clang::Stmt *S) const;

    /// By the beginning of a statement, which a template shares with its
    /// instances. Null: all lanes.
    llvm::DenseMap<clang::SourceLocation, const clang::Stmt *> Around;
    const clang::Stmt *Exit = nullptr;
  };
  enum class Merge { All, OnlyUnknown };
  void analyse(const clang::FunctionDecl &Function, const FunctionEntry &Entry,
               bool WarpRows, Merge How);

  View Rows, AnyShape;
  bool HasGoto = false;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_UNIFORMITY_H
