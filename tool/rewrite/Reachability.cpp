// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Reachability.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace llvm;

namespace kinstr {

namespace {

/// Follows the calls of all functions and of the instances they lead to.
class Calls : public CalleeVisitor<Calls> {
public:
  Calls(const MainFile &Main, std::map<unsigned, std::set<unsigned>> &Callees)
      : Main(Main), Callees(Callees) {}

  void start(const FunctionDecl &F, unsigned Body) {
    pend(F, Body);
    if (const FunctionTemplateDecl *T = F.getDescribedFunctionTemplate())
      for (const FunctionDecl *Instance : T->specializations())
        pend(*Instance, Body);
  }

  void run() {
    while (!Pending.empty()) {
      const FunctionDecl *F = nullptr;
      std::tie(F, Caller) = Pending.pop_back_val();
      traverseFunction(*F);
    }
  }

  void function(const FunctionDecl &Definition) {
    std::optional<ByteRange> Body;
    if (const Stmt *S = Definition.getBody())
      Body = Main.range(S->getSourceRange());
    if (Body)
      Callees[Caller].insert(Body->Begin);
    // What a function of another file calls, its caller does.
    pend(Definition, Body ? Body->Begin : Caller);
  }

private:
  void pend(const FunctionDecl &F, unsigned Body) {
    if (F.getBody() && Seen.insert({&F, Body}).second)
      Pending.push_back({&F, Body});
  }

  const MainFile &Main;
  std::map<unsigned, std::set<unsigned>> &Callees;
  unsigned Caller = 0; ///< start of a body in the files
  std::set<std::pair<const FunctionDecl *, unsigned>> Seen;
  SmallVector<std::pair<const FunctionDecl *, unsigned>, 16> Pending;
};

} // namespace

Reachability::Reachability(const MainFile &Main, ArrayRef<Function> Functions) {
  Calls Visitor(Main, Callees);
  for (const Function &F : Functions)
    Visitor.start(*F.Decl, F.Body.Begin);
  Visitor.run();
}

std::set<unsigned>
Reachability::reachableFrom(unsigned Body,
                            const std::set<unsigned> &Borders) const {
  std::set<unsigned> Reached;
  SmallVector<unsigned, 8> Pending = {Body};
  while (!Pending.empty()) {
    auto It = Callees.find(Pending.pop_back_val());
    if (It == Callees.end())
      continue;
    for (unsigned Callee : It->second)
      if (Reached.insert(Callee).second && Borders.count(Callee) == 0)
        Pending.push_back(Callee);
  }
  return Reached;
}

} // namespace kinstr
