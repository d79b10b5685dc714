// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/DeviceLibrary.h"

#include "LLVMCompat.h"
#include "rewrite/LaneArithmetic.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

/// The name of a function of CUDA's or of the standard library, or empty: users
/// may call theirs the same.
static StringRef libraryName(const CallExpr *Call) {
  const auto *Callee = dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl());
  if (!Callee || !Callee->getIdentifier() || isa<CXXMethodDecl>(Callee))
    return "";
  const SourceManager &Sources = Callee->getASTContext().getSourceManager();
  bool Known = Callee->getBuiltinID() != 0 ||
               Sources.isInSystemHeader(Callee->getLocation());
  return Known ? Callee->getName() : StringRef("");
}

bool isPureCall(const CallExpr *Call) {
  StringRef Name = libraryName(Call);
  return (is_contained({"min", "max", "abs", "__popc", "__popcll", "__ffs",
                        "__ffsll", "__clz", "__clzll", "__umulhi", "__mulhi"},
                       Name) &&
          Call->getType()->isArithmeticType()) ||
         Name == "__builtin_assume" || Name == "__builtin_expect";
}

/// A mask that names all lanes: those that are there execute it together.
static bool namesAllLanes(const Expr *Mask, const ASTContext &Context) {
  std::optional<llvm::APSInt> Value = constantOf(Mask, Context);
  return Value && Value->extOrTrunc(32).isAllOnes();
}

/// Functions in which the lanes of a warp, or the threads of a block, agree on
/// a result.
static Lanes lanesOfIntrinsic(StringRef Name, const CallExpr *Call,
                              function_ref<Lanes(const Expr *)> LanesOf) {
  static const StringSet<> OfBlock = {"__syncthreads_count",
                                      "__syncthreads_and", "__syncthreads_or"};
  static const StringSet<> OfWarp = {"__ballot_sync",     "__any_sync",
                                     "__all_sync",        "__match_all_sync",
                                     "__reduce_add_sync", "__reduce_min_sync",
                                     "__reduce_max_sync", "__reduce_and_sync",
                                     "__reduce_or_sync",  "__reduce_xor_sync"};
  if (OfBlock.contains(Name))
    return Lanes::Same;
  if (Name == "__ldg" && Call->getNumArgs() == 1)
    return LanesOf(Call->getArg(0)) == Lanes::Same ? Lanes::Same : Lanes::Any;
  const ASTContext &Context = Call->getCalleeDecl()->getASTContext();
  if (Call->getNumArgs() < 2 || !namesAllLanes(Call->getArg(0), Context))
    return Lanes::Any;
  if (OfWarp.contains(Name))
    return Lanes::Same;
  if (Name != "__shfl_sync" || Call->getNumArgs() != 4)
    return Lanes::Any;
  std::optional<llvm::APSInt> Width = constantOf(Call->getArg(3), Context);
  return Width && *Width == 32 && LanesOf(Call->getArg(2)) == Lanes::Same
             ? Lanes::Same
             : Lanes::Any;
}

/// Its classes are in a namespace for the version.
static bool isCooperativeGroup(const CXXRecordDecl *Record) {
  const auto *Version = dyn_cast<NamespaceDecl>(Record->getDeclContext());
  const auto *Outer =
      Version ? dyn_cast<NamespaceDecl>(Version->getParent()) : nullptr;
  return Outer && Outer->getName() == "cooperative_groups" &&
         Version->getName().starts_with("__v") &&
         Record->getASTContext().getSourceManager().isInSystemHeader(
             Record->getLocation());
}

/// Calls of members of cooperative groups. Their types say what they are.
static Lanes lanesOfGroupMember(const CallExpr *Call,
                                function_ref<Lanes(const Expr *)> LanesOf) {
  const auto *Callee =
      dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts());
  const auto *Method =
      Callee ? dyn_cast<CXXMethodDecl>(Callee->getMemberDecl()) : nullptr;
  if (!Method || !Method->getIdentifier() || Callee->isArrow())
    return Lanes::Any;
  const CXXRecordDecl *Group =
      Callee->getBase()->IgnoreParenImpCasts()->getType()->getAsCXXRecordDecl();
  if (!Group || !Group->getIdentifier() || !isCooperativeGroup(Group))
    return Lanes::Any;
  static const StringSet<> OfBlock = {
      "group_index",  "group_dim",  "dim_threads",  "num_threads",
      "size",         "block_rank", "block_index",  "num_blocks",
      "dim_blocks",   "grid_dim",   "cluster_rank", "num_clusters",
      "dim_clusters", "is_valid",   "cluster_index"};
  static const StringSet<> OfTile = {
      "meta_group_rank", "meta_group_size", "num_threads", "size", "any", "all",
      "ballot"};
  StringRef Name = Method->getName();
  if (is_contained({"thread_block", "grid_group", "cluster_group"},
                   Group->getName())) {
    if (Name == "thread_rank" && Group->getName() == "thread_block")
      return Lanes::Row; // warps are cut from the ranks, whatever the shape
    return OfBlock.contains(Name) ? Lanes::Same : Lanes::Any;
  }
  const auto *Tile = dyn_cast<ClassTemplateSpecializationDecl>(Group);
  if (!Tile || Tile->getName() != "thread_block_tile" ||
      Tile->getTemplateArgs().size() == 0 ||
      Tile->getTemplateArgs()[0].getKind() != TemplateArgument::Integral ||
      Tile->getTemplateArgs()[0].getAsIntegral() != 32)
    return Lanes::Any;
  if (Name == "shfl" && Call->getNumArgs() == 2)
    return LanesOf(Call->getArg(1)) == Lanes::Same ? Lanes::Same : Lanes::Any;
  return OfTile.contains(Name) ? Lanes::Same : Lanes::Any;
}

Lanes lanesOfLibraryCall(const CallExpr *Call,
                         function_ref<Lanes(const Expr *)> LanesOf) {
  StringRef Name = libraryName(Call);
  return Name.empty() ? lanesOfGroupMember(Call, LanesOf)
                      : lanesOfIntrinsic(Name, Call, LanesOf);
}

bool readsUniformRegister(const GCCAsmStmt *S) {
  const clang::StringLiteral *Text = asmText(S);
  return Text && !S->isAsmGoto() && S->getNumOutputs() == 1 &&
         S->getNumInputs() == 0 &&
         Regex("^[[:space:]]*mov\\.[usb](16|32|64)[[:space:]]+%0,[[:space:]]*"
               "%%(ntid|ctaid|nctaid|gridid|clusterid|nclusterid|"
               "cluster_ctaid|cluster_nctaid|cluster_ctarank|"
               "cluster_nctarank|dynamic_smem_size|total_smem_size)"
               "(\\.[xyz])?;?[[:space:]]*$")
             .match(Text->getString());
}

bool mayEndThread(const GCCAsmStmt *S) {
  const clang::StringLiteral *Text = asmText(S);
  return S->isAsmGoto() || !Text ||
         Regex("(^|[^a-z_.%$])(exit|ret)($|[^a-z_])").match(Text->getString());
}

bool definesNames(const GCCAsmStmt *S) {
  const clang::StringLiteral *Text = asmText(S);
  if (!Text)
    return true;
  if (!Text->getString().contains(':') && !Text->getString().contains(".reg"))
    return false;      // most of them, and looking closer takes time
  std::string Outside; // of braces
  unsigned Depth = 0;
  for (char C : Text->getString()) {
    Depth -= C == '}' && Depth > 0;
    if (Depth == 0)
      Outside += C == '}' ? ';' : C;
    Depth += C == '{';
  }
  return Regex("\\.reg[[:space:]]+\\.").match(Outside) ||
         Regex("(^|;)[[:space:]]*[a-zA-Z_$%][a-zA-Z0-9_$]*[[:space:]]*:")
             .match(Outside);
}

} // namespace kinstr
