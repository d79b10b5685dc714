// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How functions are entered, and what that says about the marks in them. In the
// code below, `mark` stands where an annotation could.
#include "rewrite/CallContexts.h"
#include "rewrite/Uniformity.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Tooling/Tooling.h"
#include "gtest/gtest.h"

using namespace clang;
using namespace kinstr;

namespace {

constexpr char Prelude[] = R"(
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
__device__ int lane();
__device__ void mark();
struct Params { int n; int tiles; };
#include "library.h"
)";

constexpr char Library[] = R"(
struct vector { float x; };
__device__ void hook(int);
template <class F> __device__ void hidden(F) {} // calls hook(F) and adl(F)
)";

/// The functions that hold a call of mark(), templates as they are written.
struct Marked : RecursiveASTVisitor<Marked> {
  bool TraverseDecl(Decl *D) {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    const FunctionDecl *Outer = F ? std::exchange(Current, F) : Current;
    bool Result = RecursiveASTVisitor::TraverseDecl(D);
    Current = Outer;
    return Result;
  }
  bool TraverseLambdaExpr(LambdaExpr *E) {
    const FunctionDecl *Outer = std::exchange(Current, E->getCallOperator());
    bool Result = RecursiveASTVisitor::TraverseLambdaExpr(E);
    Current = Outer;
    return Result;
  }
  bool VisitCallExpr(CallExpr *E) {
    const auto *Callee = dyn_cast_or_null<NamedDecl>(E->getCalleeDecl());
    if (Callee && Callee->getIdentifier() && Callee->getName() == "mark") {
      At = E;
      In = Current;
    }
    return true;
  }
  const CallExpr *At = nullptr;
  const FunctionDecl *In = nullptr;
  const FunctionDecl *Current = nullptr;
};

enum Linkage { Whole, Separate };

/// Whether all lanes pass the last mark of \p Code together, and leave its
/// function together. Functions whose name begins with "root" are roots, and
/// the bodies of those that begin with "hidden" were not read.
bool together(llvm::StringRef Code, Linkage L = Whole) {
  // Read from later: the file system keeps no copy.
  static const tooling::FileContentMappings Headers = {{"library.h", Library}};
  auto Unit = tooling::buildASTFromCodeWithArgs(
      Prelude + Code.str(),
      {"-xcuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc",
       "-nocudalib", "-std=c++20", "-Wno-everything"},
      "input.cu", "kinstr", std::make_shared<PCHContainerOperations>(),
      tooling::getClangStripDependencyFileAdjuster(), Headers);
  EXPECT_TRUE(Unit && !Unit->getDiagnostics().hasErrorOccurred());
  ASTContext &Context = Unit->getASTContext();
  Marked Mark;
  Mark.TraverseAST(Context);
  std::vector<const FunctionDecl *> Roots;
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (FunctionDecl *F = D->getAsFunction(); F && F->getIdentifier()) {
      if (F->getName().starts_with("root"))
        Roots.push_back(F);
      if (F->getName().starts_with("hidden"))
        F->setHasSkippedBody();
    }
  CallContexts Contexts(Context, Roots, L == Whole);
  Uniformity Flow(*Mark.In, &Contexts);
  return !Flow.divergenceAround(Mark.At) && !Flow.divergentExit();
}

} // namespace

TEST(CallContexts, AFunctionThatOnlyWarpsEnterIsEnteredTogether) {
  EXPECT_TRUE(together("__device__ void f() { mark(); }"
                       "__global__ void k(int n) { if (n) f(); }"));
}

TEST(CallContexts, AConditionAroundTheCallParts) {
  EXPECT_FALSE(together("__device__ void f() { mark(); }"
                        "__global__ void k() { if (lane() < 3) f(); }"));
}

TEST(CallContexts, OneCallOfSeveralIsEnough) {
  EXPECT_FALSE(together("__device__ void f() { mark(); }"
                        "__global__ void k() { f(); if (lane() < 3) f(); }"));
}

TEST(CallContexts, AConditionFurtherUpParts) {
  EXPECT_FALSE(together("__device__ void f() { mark(); }"
                        "__device__ void g() { f(); }"
                        "__global__ void k() { while (lane()) g(); }"));
}

TEST(CallContexts, LanesThatLeftTheCallerAreMissing) {
  EXPECT_FALSE(together("__device__ void f() { mark(); }"
                        "__global__ void k() { if (lane()) return; f(); }"));
}

TEST(CallContexts, LanesThatLeftACalleeAreBack) {
  EXPECT_TRUE(together("__device__ void f() { mark(); }"
                       "__device__ int g() { if (lane()) return 1; return 2; }"
                       "__global__ void k() { g(); f(); }"));
}

TEST(CallContexts, LanesThatACalleeEndsAreMissing) {
  EXPECT_FALSE(
      together("__device__ void f() { mark(); }"
               "__device__ void g() { if (lane()) asm volatile(\"exit;\"); }"
               "__global__ void k() { g(); f(); }"));
}

TEST(CallContexts, ArgumentsDecide) {
  const char *Callee = "__device__ void f(int n) { if (n) mark(); }";
  EXPECT_TRUE(together(std::string(Callee) +
                       "__global__ void k(int n) { f(n); f(n + 1); }"));
  EXPECT_FALSE(together(std::string(Callee) +
                        "__global__ void k(int n) { f(n); f(lane()); }"));
}

TEST(CallContexts, ArgumentsAreFollowedThroughRecursion) {
  EXPECT_TRUE(together("__device__ void f(int n) { mark(); if (n) f(n - 1); }"
                       "__global__ void k(int n) { f(n); }"));
  EXPECT_FALSE(together("__device__ void f(int n) { mark(); if (n) f(lane()); }"
                        "__global__ void k(int n) { f(n); }"));
}

TEST(CallContexts, AReferenceIsAsGoodAsWhatItNames) {
  const char *Callee = "__device__ void f(Params const &p) {"
                       "  for (int i = 0; i < p.tiles; ++i) mark(); }";
  EXPECT_TRUE(
      together(std::string(Callee) + "__global__ void k(Params p) { f(p); }"));
  EXPECT_FALSE(together(std::string(Callee) + "__global__ void k(Params p) {"
                                              "  p.n = lane(); f(p); }"));
  EXPECT_FALSE(together(std::string(Callee) + "__device__ Params *memory;"
                                              "__global__ void k() {"
                                              "  f(*memory); }"));
}

TEST(CallContexts, WhoWritesThroughAReferenceChangesTheCaller) {
  EXPECT_FALSE(together("__device__ void set(int &n) { n = lane(); }"
                        "__global__ void k(int n) { set(n); if (n) mark(); }"));
  EXPECT_FALSE(
      together("__device__ void set(const int &n) { (int &)n = lane(); }"
               "__global__ void k(int n) { set(n); if (n) mark(); }"));
  EXPECT_FALSE(together("__device__ const int &same(const int &n) { return n; }"
                        "__global__ void k(int n) {"
                        "  (int &)same(n) = lane(); if (n) mark(); }"));
  EXPECT_TRUE(together("__device__ int get(const int &n) { return n + 1; }"
                       "__global__ void k(int n) { if (get(n)) mark(); }"));
}

TEST(CallContexts, ResultsOfSmallFunctions) {
  EXPECT_TRUE(
      together("__device__ int up(int a, int b) { return (a + b - 1) / b; }"
               "__global__ void k(int n) { if (up(n, 3)) mark(); }"));
  EXPECT_FALSE(together("__device__ int up(int a) { return a + lane(); }"
                        "__global__ void k(int n) { if (up(n)) mark(); }"));
  EXPECT_FALSE(together("__device__ int up(int a) {"
                        "  if (lane()) return 1; return 2; }"
                        "__global__ void k(int n) { if (up(n)) mark(); }"));
  EXPECT_FALSE(together("__device__ int up(int a) {"
                        "  return a ? up(a - 1) : 0; }"
                        "__global__ void k(int n) { if (up(n)) mark(); }"));
}

TEST(CallContexts, MembersOfTheObject) {
  const char *Class = "struct Loop { int n;"
                      "  __device__ int count() const { return n; }"
                      "  __device__ void set() { n = lane(); }"
                      "  __device__ void run() { if (n) mark(); } };";
  EXPECT_TRUE(
      together(std::string(Class) + "__global__ void k(Loop l) { l.run(); }"));
  EXPECT_FALSE(together(std::string(Class) +
                        "__global__ void k(Loop l) { l.set(); l.run(); }"));
  EXPECT_TRUE(together(std::string(Class) +
                       "__global__ void k(Loop l) {"
                       "  l.count(); if (l.count()) mark(); }"));
  EXPECT_FALSE(together(std::string(Class) +
                        "__device__ Loop *memory;"
                        "__global__ void k() { memory->run(); }"));
}

// As in CUTLASS.
TEST(CallContexts, AMainLoopCalledFromATemplateKernel) {
  const char *Code = R"(
    template <int Stages> struct Mainloop {
      struct Params { int tiles; };
      template <class Shape>
      __device__ void operator()(Params const &p, Shape s, int k_tiles) {
        for (int k = 0; k < k_tiles; ++k) {
          if (k < p.tiles - Stages) mark();
        }
      }
    };
    template <class Loop>
    __global__ void k(typename Loop::Params p, int n) {
      int first = LANE;
      Loop loop;
      loop(p, n, n - first);
    }
    template __global__ void k<Mainloop<3>>(Mainloop<3>::Params, int);
    template __global__ void k<Mainloop<2>>(Mainloop<2>::Params, int);
  )";
  EXPECT_TRUE(together(std::string("#define LANE 3\n") + Code));
  EXPECT_FALSE(together(std::string("#define LANE lane()\n") + Code));
}

TEST(CallContexts, WhoseAddressIsTakenMayBeCalledAnywhere) {
  EXPECT_FALSE(together("__device__ void f() { mark(); }"
                        "__device__ void g(void (*h)()) { h(); }"
                        "__global__ void k() { f(); g(f); }"));
  EXPECT_FALSE(together("__device__ void f() { mark(); }"
                        "__device__ void (*pointer)() = f;"
                        "__global__ void k() { f(); }"));
}

TEST(CallContexts, VirtualFunctionsMayBeCalledAnywhere) {
  EXPECT_FALSE(together("struct S { __device__ virtual void f() { mark(); } };"
                        "__global__ void k(S *s) { s->f(); }"));
}

TEST(CallContexts, OtherTranslationUnitsMayCallWhatTheySee) {
  const char *Code = "__device__ void f() { mark(); }"
                     "__global__ void k() { f(); }";
  EXPECT_TRUE(together(Code, Whole));
  EXPECT_FALSE(together(Code, Separate));
  EXPECT_TRUE(together(std::string("static ") + Code, Separate));
}

TEST(CallContexts, WhoIsNeverCalledIsNotKnown) {
  EXPECT_FALSE(together("__device__ void f() { mark(); }"));
}

TEST(CallContexts, RootsAreEnteredAsKernelsAre) {
  EXPECT_TRUE(together("__device__ void root(const Params &p) {"
                       "  if (p.n) mark(); }"));
  EXPECT_FALSE(together("__device__ void root(int i) { if (i) mark(); }"));
  EXPECT_FALSE(together("__device__ void root(int n) { if (lane()) mark(); }"));
  EXPECT_FALSE(together("__device__ void root(int n) { mark(); }"
                        "__global__ void k() { if (lane()) root(1); }"));
}

TEST(CallContexts, Lambdas) {
  EXPECT_TRUE(
      together("__global__ void k(int n) {"
               "  auto f = [=](int i) { if (n + i) mark(); }; f(3); }"));
  EXPECT_TRUE(together("__global__ void k(int n) {"
                       "  auto f = [&](auto i) { if (n + i) mark(); };"
                       "  f(3); }"));
  EXPECT_TRUE(together("__global__ void k(int n) {"
                       "  auto f = [m = n + 1] { if (m) mark(); }; f(); }"));
  EXPECT_TRUE(together("__global__ void k(int n) {"
                       "  auto f = [&] { return n; };"
                       "  f(); if (n) mark(); }"));
  EXPECT_FALSE(together("__global__ void k(int n) {"
                        "  auto f = [=](int i) { if (i) mark(); };"
                        "  f(lane()); }"));
  EXPECT_FALSE(together("__global__ void k(int n) { n = lane();"
                        "  auto f = [=] { if (n) mark(); }; f(); }"));
  EXPECT_FALSE(together("__global__ void k(int n) {"
                        "  auto f = [m = lane()] { if (m) mark(); }; f(); }"));
  EXPECT_FALSE(together("__global__ void k(int n) {"
                        "  auto f = [n]() mutable { if (n++) mark(); };"
                        "  if (lane()) f(); }"));
  EXPECT_FALSE(together("__global__ void k(int n) {"
                        "  auto f = [n]() mutable { return n++; };"
                        "  if (lane()) f(); if (f()) mark(); }"));
  EXPECT_FALSE(together("__global__ void k(int n) {"
                        "  auto f = [&](auto i) { n = i; };"
                        "  f(lane()); if (n) mark(); }"));
  EXPECT_FALSE(together("__global__ void k(int n) {"
                        "  auto f = [&] { n = lane(); };"
                        "  f(); if (n) mark(); }"));
}

// What a lambda is handed to may call it as it likes.
TEST(CallContexts, LambdasThatAreHandedOn) {
  const char *Lambda =
      "__global__ void k(int n) { auto f = [=] { mark(); }; f(); apply(f); }";
  EXPECT_TRUE(together(std::string("template <class F>"
                                   "__device__ void apply(F f) { f(); }") +
                       Lambda));
  EXPECT_FALSE(
      together(std::string("template <class F>"
                           "__device__ void apply(F f) { if (lane()) f(); }") +
               Lambda));
  EXPECT_FALSE(together("using function = void (*)();"
                        "__device__ void call(function f);"
                        "__global__ void k(int n) {"
                        "  auto f = [] { mark(); }; f(); call(f); }"));
}

// The bodies in the library are not read.
TEST(CallContexts, CodeThatWasSkippedMayCallWhatItIsGiven) {
  const char *Functor = "struct F { __device__ void operator()() { mark(); }"
                        "           __device__ void run() { mark(); } };";
  EXPECT_TRUE(together(std::string(Functor) +
                       "__global__ void k() { F f; f.run(); hidden(3); }"));
  EXPECT_FALSE(together("struct F { __device__ void operator()() { mark(); } };"
                        "__global__ void k() { F f; f(); hidden(f); }"));
  EXPECT_FALSE(together("__global__ void k() {"
                        "  auto f = [] { mark(); }; f(); hidden(f); }"));
  EXPECT_FALSE(
      together("template <class T> struct Box { T t; };"
               "struct F { __device__ void operator()() { mark(); } };"
               "__global__ void k() { F f; f(); hidden(Box<F *>()); }"));
}

TEST(CallContexts, CodeThatWasSkippedMayFindWhatWasDeclared) {
  EXPECT_FALSE(together("__device__ void hook(int) { mark(); }"
                        "__global__ void k() { hook(3); }"));
  EXPECT_TRUE(together("__device__ void own(int) { mark(); }"
                       "__global__ void k() { own(3); }"));
  EXPECT_FALSE(together("__device__ void adl(vector) { mark(); }"
                        "__global__ void k() { adl({}); }"));
  EXPECT_TRUE(together("__device__ void own(vector) { mark(); }"
                       "__global__ void k() { own({}); }"));
}
