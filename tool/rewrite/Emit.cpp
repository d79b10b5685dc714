// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Emit.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kinstr {

namespace {

class Emitter {
public:
  Emitter(const Plan &P, const Sources &Files)
      : P(P), Code(Files.text()), File(Files.scanned()) {}

  std::vector<Edit> run();

private:
  void kernel(unsigned Index, const KernelPlan &K);
  void callee(const CalleePlan &C);
  void recorder(unsigned BodyBegin, const Twine &Macro);
  void sites(unsigned First, ArrayRef<Site> Sites);
  void launch(unsigned Index, const BoundLaunch &L);
  void insert(unsigned Offset, std::string Text) {
    Edits.push_back({Offset, Offset, std::move(Text)});
  }

  const Plan &P;
  StringRef Code;
  const ScannedFile &File;
  std::vector<Edit> Edits;
};

} // namespace

/// The use of a macro that passes \p S. \p First: number of the function's
/// first site.
static std::string use(const Site &S, const Annotation &A, unsigned First) {
  if (A.Kind == Directive::Value)
    return ("KINSTR_VALUE(" + Twine(First + S.Number) + ", " + A.Expression +
            ")")
        .str();
  StringRef Wait = A.Wait == Drain::None    ? ""
                   : A.Wait == Drain::Loads ? "_DRAIN"
                                            : "_DRAIN_STORES";
  std::string Numbers = std::to_string(First + S.Number);
  if (S.ScopeEnd)
    Numbers += ", " + std::to_string(First + S.EndNumber);
  return ((S.ScopeEnd ? "KINSTR_SCOPE" : "KINSTR_MARK") + Wait + "(" + Numbers +
          ")")
      .str();
}

void Emitter::recorder(unsigned BodyBegin, const Twine &Macro) {
  insert(BodyBegin + (Code[BodyBegin] == '{' ? 1 : 2), // or "<%"
         (" " + Macro).str());
}

void Emitter::kernel(unsigned Index, const KernelPlan &K) {
  const bool Once = K.Copies == Body::Once;
  recorder(K.BodyBegin, StringRef(Once ? "KINSTR_KERNEL(" : "KINSTR_BODY(") +
                            Twine(Index) + ", " + name(K.Where) +
                            (K.KeepAlignment ? "1024" : "") + ", " +
                            name(K.Events) + ", " + name(K.Flow) + ", " +
                            Twine(K.NumSites) + ", " + K.Threads + ")");
  sites(0, K.Sites);
  if (!Once)
    insert(K.BodyEnd - (Code[K.BodyEnd - 1] == '}' ? 1 : 2), // or "%>"
           K.Copies == Body::Twin ? "KINSTR_RUN_TWIN " : "KINSTR_RUN ");
}

void Emitter::callee(const CalleePlan &C) {
  recorder(C.BodyBegin, Twine("KINSTR_FUNCTION(") + name(C.Flow) + ", " +
                            name(C.Calls) + ", " + Twine(C.FirstSite) + ", " +
                            Twine(C.NumSites) + ")");
  sites(C.FirstSite, C.Sites);
}

void Emitter::sites(unsigned First, ArrayRef<Site> Sites) {
  for (const Site &S : Sites) {
    std::string Text = S.CloseBrace ? "KINSTR_BEGIN " : "";
    Text += use(S, File.Annotations[S.Annotation], First);
    // Before a comment, or behind a brace or a statement.
    insert(S.Insert, Code[S.Insert] == '/' ? Text + " " : " " + Text);
  }
  // Inner braces close before outer ones; they carry no text of their own.
  for (const Site &S : Sites)
    if (S.CloseBrace)
      insert(*S.CloseBrace, " KINSTR_END");
}

void Emitter::launch(unsigned Index, const BoundLaunch &L) {
  static constexpr StringLiteral Names[] = {"GRID", "BLOCK", "SHARED",
                                            "STREAM"};
  if (L.Operand)
    insert(*L.Operand, ("KINSTR_CALL(" + Twine(Index) + ") ").str());
  for (unsigned I = 0; I < L.Arguments.size(); ++I) {
    std::string Open = ("KINSTR_" + Names[I] + "(" + Twine(Index) + ", ").str();
    if (I == 0)
      Open += L.KernelText + ", ";
    insert(L.Arguments[I].Begin, std::move(Open));
    insert(L.Arguments[I].End, ")");
  }
}

std::vector<Edit> Emitter::run() {
  for (unsigned I = 0; I < P.Kernels.size(); ++I)
    kernel(I, P.Kernels[I]);
  for (const CalleePlan &C : P.Callees)
    callee(C);
  for (unsigned I = 0; I < P.Launches.size(); ++I)
    launch(I, P.Launches[I]);
  for (unsigned At : P.DeviceResets)
    insert(At, "KINSTR_");
  for (unsigned At : P.DriverLaunches)
    insert(At, "KINSTR_ATTACH ");
  for (unsigned At : P.ContextEnds)
    insert(At, "KINSTR_CONTEXT ");
  stable_sort(Edits,
              [](const Edit &A, const Edit &B) { return A.Begin < B.Begin; });
  return std::move(Edits);
}

std::vector<Edit> edits(const Plan &P, const Sources &Files) {
  return Emitter(P, Files).run();
}

} // namespace kinstr
