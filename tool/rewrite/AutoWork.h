// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a statement of a kernel does, as far as its phases are concerned.
// Private to the library.
#ifndef KINSTR_REWRITE_AUTOWORK_H
#define KINSTR_REWRITE_AUTOWORK_H

#include "rewrite/MainFile.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"

namespace kinstr {

/// Bits of Work::Does.
enum WorkBit : unsigned {
  Barriers = 1u << 0,     ///< waits for other warps: __syncthreads()
  Waits = 1u << 1,        ///< waits for an operation: cp.async.wait_group
  IssuesCopy = 1u << 2,   ///< cp.async, TMA
  Multiplies = 1u << 3,   ///< tensor cores
  Atomics = 1u << 4,      ///<
  Reduces = 1u << 5,      ///< across lanes or warps
  LoadsGlobal = 1u << 6,  ///<
  StoresGlobal = 1u << 7, ///<
  LoadsShared = 1u << 8,  ///<
  StoresShared = 1u << 9, ///<
};

struct Work {
  unsigned Does = 0;      ///< in the statement itself
  unsigned InCallees = 0; ///< in the functions it calls
  llvm::StringRef Callee; ///< a function of the user's that is worth a name

  bool any(unsigned Bits) const { return (Does & Bits) != 0; }
  bool anywhere(unsigned Bits) const {
    return ((Does | InCallees) & Bits) != 0;
  }
};

/// What a call to a function named \p Name does, by its name alone.
unsigned workOfCall(llvm::StringRef Name);

/// What inline PTX does.
unsigned workOfAsm(llvm::StringRef Text);

/// Answers for the statements of one kernel.
class WorkFinder {
public:
  enum class Space { Unknown, Global, Shared };
  using Spaces = llvm::DenseMap<const clang::ValueDecl *, Space>;

  WorkFinder(const clang::FunctionDecl &Kernel, const MainFile &Main);

  Work of(const clang::Stmt *S);

private:
  unsigned inCallee(const clang::FunctionDecl *F);

  const MainFile &Main;
  Spaces Known; ///< where pointers point to
  llvm::DenseMap<const clang::FunctionDecl *, unsigned> Callees;
};

} // namespace kinstr

#endif // KINSTR_REWRITE_AUTOWORK_H
