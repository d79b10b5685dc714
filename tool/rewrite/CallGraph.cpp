// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/CallGraph.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

bool isDeviceCode(const FunctionDecl &F) {
  return F.isImplicit() || F.hasAttr<CUDADeviceAttr>() ||
         F.hasAttr<CUDAGlobalAttr>();
}

static bool isSkipped(const FunctionDecl &F) {
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  return F.hasSkippedBody() || (Pattern && Pattern->hasSkippedBody());
}

namespace {

/// Walks all code, instances of templates in place of the templates.
class Walk : public RecursiveASTVisitor<Walk> {
public:
  Walk(CallGraph &Out, std::vector<const FunctionDecl *> &Skipped)
      : Out(Out), Skipped(Skipped) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool TraverseDecl(Decl *D) {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    if (!F)
      return RecursiveASTVisitor::TraverseDecl(D);
    if (isSkipped(*F))
      Skipped.push_back(F);
    if (F->isDependentContext())
      return true;
    if (F->doesThisDeclarationHaveABody() && F->getBody() && isDeviceCode(*F))
      Out.Functions.push_back(F);
    const FunctionDecl *Outer = std::exchange(Current, F);
    bool Result = RecursiveASTVisitor::TraverseDecl(D);
    Current = Outer;
    return Result;
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) { return add(E, E->getDecl()); }
  bool VisitMemberExpr(MemberExpr *E) { return add(E, E->getMemberDecl()); }
  bool VisitOverloadExpr(OverloadExpr *E) {
    for (NamedDecl *D : E->decls())
      add(E, D->getUnderlyingDecl()->getAsFunction());
    return true;
  }

private:
  bool add(const Expr *E, const ValueDecl *D) {
    const auto *F = dyn_cast_or_null<FunctionDecl>(D);
    const FunctionDecl *Definition = nullptr;
    if (!F || (Current && !isDeviceCode(*Current)))
      return true;
    // As a pointer, a lambda is its body.
    const auto *Conversion = dyn_cast<CXXConversionDecl>(F);
    if (Conversion && Conversion->getParent()->isLambda())
      F = Conversion->getParent()->getLambdaCallOperator();
    if (F && F->hasBody(Definition))
      Out.References.push_back({E, Definition});
    return true;
  }

  CallGraph &Out;
  std::vector<const FunctionDecl *> &Skipped;
  const FunctionDecl *Current = nullptr; ///< null: an initializer
};

} // namespace

CallGraph::CallGraph(ASTContext &Context) : Context(Context) {
  Walk(*this, Skipped).TraverseAST(Context);
  const SourceManager &Sources = Context.getSourceManager();
  for (const FunctionDecl *F : Skipped)
    if (F->getLocation().isValid())
      FilesWithSkipped.insert(
          Sources.getFileID(Sources.getExpansionLoc(F->getLocation())));
  LibrarySeesUser =
      any_of(Skipped, [&](const FunctionDecl *F) { return mentionsUser(*F); });
}

/// Whether \p Loc is in a file whose functions clang has read.
bool CallGraph::isVisible(SourceLocation Loc) const {
  const SourceManager &Sources = Context.getSourceManager();
  return Loc.isValid() && !FilesWithSkipped.contains(
                              Sources.getFileID(Sources.getExpansionLoc(Loc)));
}

/// Whether what is declared at \p Loc may lead to a function of the user's.
/// System headers do not know them.
bool CallGraph::isUsers(SourceLocation Loc) const {
  return isVisible(Loc) && !Context.getSourceManager().isInSystemHeader(Loc);
}

bool CallGraph::mentionsUser(QualType Type) const {
  Type = Type.getCanonicalType();
  if (QualType Pointee = Type->getPointeeType(); !Pointee.isNull())
    return mentionsUser(Pointee);
  if (const ArrayType *Array = Context.getAsArrayType(Type))
    return mentionsUser(Array->getElementType());
  if (const auto *Function = Type->getAs<FunctionProtoType>())
    return mentionsUser(Function->getReturnType()) ||
           any_of(Function->param_types(),
                  [&](QualType Parameter) { return mentionsUser(Parameter); });
  const TagDecl *Tag = Type->getAsTagDecl();
  if (!Tag)
    return false;
  const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(Tag);
  return isUsers(Tag->getLocation()) ||
         (Instance && mentionsUser(Instance->getTemplateArgs().asArray()));
}

bool CallGraph::mentionsUser(ArrayRef<TemplateArgument> Arguments) const {
  return any_of(Arguments, [&](const TemplateArgument &A) {
    switch (A.getKind()) {
    case TemplateArgument::Type:
      return mentionsUser(A.getAsType());
    case TemplateArgument::Declaration:
      return isUsers(A.getAsDecl()->getLocation());
    case TemplateArgument::Pack:
      return mentionsUser(A.getPackAsArray());
    case TemplateArgument::Null:
    case TemplateArgument::NullPtr:
    case TemplateArgument::Integral:
    case TemplateArgument::Expression: // of a template; its instances count
      return false;
    default:
      return true;
    }
  });
}

/// Whether \p F is made of a template for a type or a function of the user's.
bool CallGraph::mentionsUser(const FunctionDecl &F) const {
  if (F.isInStdNamespace() && !isDeviceCode(F))
    return false; // of the host
  if (const TemplateArgumentList *Arguments = F.getTemplateSpecializationArgs())
    if (mentionsUser(Arguments->asArray()))
      return true;
  for (const DeclContext *Outer = F.getDeclContext(); Outer;
       Outer = Outer->getParent())
    if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(Outer))
      if (mentionsUser(Class->getTemplateArgs().asArray()))
        return true;
  return false;
}

/// Whether a skipped body may find \p F by its name: it was declared before, or
/// the type of an argument leads to it.
bool CallGraph::canBeFound(const FunctionDecl &F) const {
  return any_of(F.redecls(),
                [&](const FunctionDecl *D) {
                  return !isVisible(D->getLocation());
                }) ||
         any_of(F.parameters(), [&](const ParmVarDecl *P) {
           QualType Type = P->getType().getNonReferenceType();
           while (!Type->getPointeeType().isNull())
             Type = Type->getPointeeType();
           const TagDecl *Tag =
               Type->getBaseElementTypeUnsafe()->getAsTagDecl();
           return Tag && (LibrarySeesUser || !isVisible(Tag->getLocation()));
         });
}

/// Whether a file with skipped bodies has the word \p Name in it.
bool CallGraph::isMentionedOutside(StringRef Name) {
  auto [It, New] = Mentioned.try_emplace(Name, false);
  const SourceManager &Sources = Context.getSourceManager();
  auto IsWord = [](char C) { return isAlnum(C) || C == '_'; };
  for (FileID File : New ? FilesWithSkipped : DenseSet<FileID>()) {
    StringRef Text = Sources.getBufferData(File);
    for (size_t At = Text.find(Name); At != StringRef::npos;
         At = Text.find(Name, At + 1)) {
      size_t End = At + Name.size();
      It->second |= (At == 0 || !IsWord(Text[At - 1])) &&
                    (End == Text.size() || !IsWord(Text[End]));
    }
  }
  return It->second;
}

bool CallGraph::mayHaveHiddenCallers(const FunctionDecl &F, bool WholeProgram) {
  if (Context.getDiagnostics().hasErrorOccurred() ||
      (!WholeProgram && F.isExternallyVisible()) ||
      isa<CXXConstructorDecl, CXXDestructorDecl>(F))
    return true;
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (Method && Method->isVirtual())
    return true;
  bool Reachable = !Method                      ? canBeFound(F)
                   : isVisible(F.getLocation()) ? LibrarySeesUser
                                                : true;
  return Reachable && !Skipped.empty() &&
         (!F.getIdentifier() || isMentionedOutside(F.getName()));
}

} // namespace kinstr
