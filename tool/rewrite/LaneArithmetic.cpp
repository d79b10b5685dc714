// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/LaneArithmetic.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include <optional>

using namespace clang;
using namespace llvm;

namespace kinstr {

bool isBuiltin(const ValueDecl *D, StringRef Name) {
  return D->getIdentifier() && D->getName() == Name &&
         D->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

// threadIdx.x and its kin are properties in clang's headers.
StringRef builtinOf(const MSPropertyRefExpr *E) {
  const Expr *Base = E->getBaseExpr()->IgnoreParenImpCasts();
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(Base))
    Base = Opaque->getSourceExpr()->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Base);
  if (Ref)
    for (StringRef Name : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
      if (isBuiltin(Ref->getDecl(), Name))
        return Name;
  return "";
}

/// \p E without conversions that keep the low bits.
static const Expr *strip(const Expr *E) {
  E = E->IgnoreParens();
  const auto *Cast = dyn_cast<CastExpr>(E);
  if (!Cast || !Cast->getType()->isIntegerType() ||
      Cast->getType()->isBooleanType() || Cast->getType()->isEnumeralType() ||
      !is_contained({CK_IntegralCast, CK_LValueToRValue, CK_NoOp},
                    Cast->getCastKind()))
    return E;
  return strip(Cast->getSubExpr());
}

StringRef builtinPart(const Expr *E, StringRef Variable) {
  E = strip(E);
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
    E = Pseudo->getSyntacticForm()->IgnoreParens();
  const auto *Ref = dyn_cast<MSPropertyRefExpr>(E);
  return Ref && builtinOf(Ref) == Variable ? Ref->getPropertyDecl()->getName()
                                           : StringRef("");
}

std::optional<APSInt> constantOf(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Result;
  if (E->isValueDependent() || E->isTypeDependent() || E->containsErrors() ||
      !E->getType()->isIntegralOrEnumerationType() ||
      !E->EvaluateAsInt(Result, Context))
    return std::nullopt;
  return Result.Val.getInt();
}

namespace {

/// Facts about the values of expressions, under the assumption that a warp is
/// 32 neighbours along x (the block is as wide as whole warps, or a row).
class Arithmetic {
public:
  explicit Arithmetic(const ASTContext &Context) : Context(Context) {}

  /// \p E modulo 32, where clang can tell.
  std::optional<unsigned> remainder(const Expr *E) const {
    if (std::optional<APSInt> Value = constantOf(E, Context))
      return Value->extOrTrunc(64).getZExtValue() & 31;
    if (isMultiple(E))
      return 0;
    return std::nullopt;
  }

  /// Whether \p E is a multiple of 32.
  bool isMultiple(const Expr *E) const;

  /// Nothing below zero, and nothing above this.
  std::optional<std::uint64_t> bound(const Expr *E) const;

private:
  bool isMultipleConstant(const Expr *E) const {
    std::optional<APSInt> Value = constantOf(E, Context);
    return Value && (Value->extOrTrunc(64).getZExtValue() & 31) == 0;
  }
  static void factors(const Expr *E, SmallVectorImpl<const Expr *> &Out) {
    E = strip(E);
    const auto *Product = dyn_cast<BinaryOperator>(E);
    if (Product && Product->getOpcode() == BO_Mul) {
      factors(Product->getLHS(), Out);
      factors(Product->getRHS(), Out);
    } else {
      Out.push_back(E);
    }
  }
  /// Whether \p E is zero in blocks that have no rows but one.
  static bool isZeroInRow(const Expr *E);

  const ASTContext &Context;
};

} // namespace

bool Arithmetic::isZeroInRow(const Expr *E) {
  SmallVector<const Expr *, 4> Factors;
  factors(E, Factors);
  return any_of(Factors, [](const Expr *Factor) {
    StringRef Part = builtinPart(Factor, "threadIdx");
    if (Part == "y" || Part == "z")
      return true;
    const auto *Sum = dyn_cast<BinaryOperator>(Factor);
    return Sum && Sum->getOpcode() == BO_Add && isZeroInRow(Sum->getLHS()) &&
           isZeroInRow(Sum->getRHS());
  });
}

bool Arithmetic::isMultiple(const Expr *E) const {
  SmallVector<const Expr *, 4> Factors;
  factors(E, Factors);
  bool Width = false, Zero = false;
  for (const Expr *Factor : Factors) {
    if (isMultipleConstant(Factor))
      return true;
    const auto *Sum = dyn_cast<BinaryOperator>(Factor);
    if (Sum && (Sum->getOpcode() == BO_Add || Sum->getOpcode() == BO_Sub) &&
        Sum->getType()->isIntegerType() && isMultiple(Sum->getLHS()) &&
        isMultiple(Sum->getRHS()))
      return true;
    Width |= builtinPart(Factor, "blockDim") == "x";
    Zero |= isZeroInRow(Factor);
  }
  // In a block as wide as whole warps the one, in a row the other.
  return Width && Zero;
}

std::optional<std::uint64_t> Arithmetic::bound(const Expr *E) const {
  constexpr std::uint64_t Limit = std::uint64_t(1) << 31;
  if (std::optional<APSInt> Value = constantOf(E, Context)) {
    if (Value->isNegative() || Value->getActiveBits() > 31)
      return std::nullopt;
    return Value->getZExtValue();
  }
  E = E->IgnoreParens();
  if (!builtinPart(E, "threadIdx").empty())
    return 1023;
  if (!builtinPart(E, "blockDim").empty())
    return 1024;
  if (const auto *Cast = dyn_cast<CastExpr>(E);
      Cast && Cast->getCastKind() == CK_IntegralCast &&
      Context.getIntWidth(Cast->getType()) >= 32)
    return bound(Cast->getSubExpr());
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  if (!Binary ||
      (Binary->getOpcode() != BO_Add && Binary->getOpcode() != BO_Mul))
    return std::nullopt;
  std::optional<std::uint64_t> L = bound(Binary->getLHS()),
                               R = bound(Binary->getRHS());
  if (!L || !R)
    return std::nullopt;
  std::uint64_t Most = Binary->getOpcode() == BO_Add ? *L + *R : *L * *R;
  return Most < Limit ? std::optional(Most) : std::nullopt;
}

/// "row < bound" and the like: the same in all lanes where the bound does not
/// cut a group of 32 in two.
static Lanes compare(const BinaryOperator *E, BinaryOperatorKind Opcode,
                     Lanes LHS, Lanes RHS, const Arithmetic &A) {
  const Expr *Bound = E->getRHS();
  if (LHS == Lanes::Same) {
    Bound = E->getLHS();
    Opcode = BinaryOperator::reverseComparisonOp(Opcode);
  } else if (RHS != Lanes::Same) {
    return Lanes::Any;
  }
  unsigned Wanted = Opcode == BO_LT || Opcode == BO_GE ? 0 : 31;
  return A.remainder(Bound) == Wanted ? Lanes::Same : Lanes::Any;
}

static Lanes bitwiseAnd(const BinaryOperator *E, Lanes LHS, Lanes RHS,
                        const Arithmetic &A) {
  const Expr *Mask = LHS == Lanes::Same   ? E->getLHS()
                     : RHS == Lanes::Same ? E->getRHS()
                                          : nullptr;
  if (Mask && A.isMultiple(Mask))
    return Lanes::Same;
  bool Positive = join(LHS, RHS) == Lanes::Row || (Mask && A.bound(Mask));
  return Positive ? Lanes::Row : Lanes::SignedRow;
}

/// By a constant, which has to keep each group of 32 in one piece.
static Lanes divide(const BinaryOperator *E, BinaryOperatorKind Opcode,
                    Lanes LHS, QualType Type, const ASTContext &Context) {
  std::optional<APSInt> By = constantOf(E->getRHS(), Context);
  if (LHS == Lanes::Same || !By || By->isNegative() || *By == 0 ||
      By->getActiveBits() > 31)
    return Lanes::Any;
  if (Opcode == BO_Shr)
    return By->getZExtValue() >= 5 ? Lanes::Same : Lanes::Any;
  // Division rounds towards zero.
  if (By->getZExtValue() % 32 != 0 ||
      (LHS == Lanes::SignedRow && !Type->isUnsignedIntegerType()))
    return Lanes::Any;
  return Opcode == BO_Div ? Lanes::Same : Lanes::Row;
}

Lanes lanesOfArithmetic(const BinaryOperator *E, BinaryOperatorKind Opcode,
                        Lanes LHS, Lanes RHS, const ASTContext &Context) {
  Lanes Both = join(LHS, RHS);
  if (Both == Lanes::Same || Both == Lanes::Any)
    return Both;
  const auto *Compound = dyn_cast<CompoundAssignOperator>(E);
  QualType Type =
      Compound ? Compound->getComputationLHSType() : E->getLHS()->getType();
  if (!Type->isIntegerType() || !E->getRHS()->getType()->isIntegerType())
    return Lanes::Any;
  Arithmetic A(Context);
  switch (Opcode) {
  case BO_LT:
  case BO_LE:
  case BO_GT:
  case BO_GE:
    return compare(E, Opcode, LHS, RHS, A);
  case BO_Add:
  case BO_Sub: {
    bool Moved =
        (RHS == Lanes::Same && A.isMultiple(E->getRHS())) ||
        (LHS == Lanes::Same && Opcode == BO_Add && A.isMultiple(E->getLHS()));
    if (!Moved)
      return Lanes::Any;
    return E->getOpcode() == BO_Add && A.bound(E) ? Lanes::Row
                                                  : Lanes::SignedRow;
  }
  case BO_And:
    return bitwiseAnd(E, LHS, RHS, A);
  case BO_Or:
  case BO_Xor:
    return Lanes::SignedRow;
  case BO_Shr:
  case BO_Div:
  case BO_Rem:
    return divide(E, Opcode, LHS, Type, Context);
  default:
    return Lanes::Any;
  }
}

Lanes lanesOfConversion(QualType Type, Lanes L, const ASTContext &Context) {
  if (L == Lanes::Same || L == Lanes::Any)
    return L;
  if (!Type->isIntegerType() || Type->isBooleanType() ||
      Type->isEnumeralType() || Context.getIntWidth(Type) < 8)
    return Lanes::Any;
  // What is cut off is a multiple of 32; what is left may be negative.
  return Context.getIntWidth(Type) < 32 ? Lanes::SignedRow : L;
}

} // namespace kinstr
