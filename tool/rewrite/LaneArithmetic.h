// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What integer arithmetic makes of values that differ between lanes as
// threadIdx.x does. Private to the library.
#ifndef KINSTR_REWRITE_LANEARITHMETIC_H
#define KINSTR_REWRITE_LANEARITHMETIC_H

#include "rewrite/Lanes.h"
#include "clang/AST/Expr.h"

namespace kinstr {

/// "x", "y" or "z" where \p E reads that part of the built-in variable
/// \p Variable, else empty.
llvm::StringRef builtinPart(const clang::Expr *E, llvm::StringRef Variable);

/// The built-in variable that \p E reads a part of ("threadIdx"), or empty.
llvm::StringRef builtinOf(const clang::MSPropertyRefExpr *E);

/// Whether \p D is the built-in variable \p Name.
bool isBuiltin(const clang::ValueDecl *D, llvm::StringRef Name);

/// The value of \p E, where clang can tell.
std::optional<llvm::APSInt> constantOf(const clang::Expr *E,
                                       const clang::ASTContext &Context);

/// What the binary operation \p Opcode yields for operands that are not all the
/// same in all lanes. \p E is the operation, for its operands and their types.
Lanes lanesOfArithmetic(const clang::BinaryOperator *E,
                        clang::BinaryOperatorKind Opcode, Lanes LHS, Lanes RHS,
                        const clang::ASTContext &Context);

/// What is left of \p L when a value is converted to \p Type.
Lanes lanesOfConversion(clang::QualType Type, Lanes L,
                        const clang::ASTContext &Context);

} // namespace kinstr

#endif // KINSTR_REWRITE_LANEARITHMETIC_H
