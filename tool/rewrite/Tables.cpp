// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a module, as the trace carries them.
#include "kinstr/record.h"
#include "rewrite/Emit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace kinstr {

static std::string quoted(StringRef S) {
  std::string Out;
  raw_string_ostream(Out) << json::Value(json::fixUTF8(S));
  return Out;
}

namespace {

class Tables {
public:
  Tables(const Plan &P, const Sources &Files, raw_ostream &OS)
      : P(P), Files(Files), OS(OS) {}

  void write();

private:
  void kernel(const KernelPlan &K);
  void callee(const CalleePlan &C);
  void sites(ArrayRef<Site> Sites, ListSeparator &Comma);
  void site(ListSeparator &Comma, StringRef Kind, StringRef Name, unsigned Line,
            StringRef Drain);
  void place(unsigned Offset);

  const Plan &P;
  const Sources &Files;
  raw_ostream &OS;
};

} // namespace

/// Where something stands. The main file need not be named.
void Tables::place(unsigned Offset) {
  if (unsigned File = Files.fileAt(Offset))
    OS << "\"file\": " << quoted(Files.files()[File].Path) << ", ";
  OS << "\"line\": " << Files.line(Offset);
}

void Tables::site(ListSeparator &Comma, StringRef Kind, StringRef Name,
                  unsigned Line, StringRef Drain) {
  OS << Comma << "\n      {\"kind\": \"" << Kind
     << "\", \"name\": " << quoted(Name) << ", \"line\": " << Line
     << ", \"drain\": \"" << Drain << "\"}";
}

void Tables::sites(ArrayRef<Site> Sites, ListSeparator &Comma) {
  std::map<unsigned, std::pair<StringRef, const Annotation *>> ByNumber;
  for (const Site &S : Sites) {
    const Annotation &A = Files.scanned().Annotations[S.Annotation];
    ByNumber[S.Number] = {kindName(A.Kind), &A};
    if (S.ScopeEnd)
      ByNumber[S.EndNumber] = {"scope-end", &A};
  }
  for (const auto &[Number, What] : ByNumber)
    site(Comma, What.first, What.second->Name, What.second->Line,
         name(What.second->Wait));
}

void Tables::kernel(const KernelPlan &K) {
  OS << "\n    {\"name\": " << quoted(K.Name) << ", ";
  if (!K.RuntimeName.empty() && K.RuntimeName != K.Name)
    OS << "\"function\": " << quoted(K.RuntimeName) << ", ";
  place(K.NameAt);
  OS << ", \"buffer\": \"" << name(K.Where) << "\", \"layout\": \""
     << name(K.Events) << "\", \"flow\": \"" << name(K.Flow)
     << "\", \"sites\": [";
  ListSeparator Comma(",");
  sites(K.Sites, Comma);
  OS << "]}";
}

void Tables::callee(const CalleePlan &C) {
  unsigned Line = Files.line(C.NameAt);
  OS << "\n    {\"name\": " << quoted(C.Name) << ", ";
  place(C.NameAt);
  OS << ", \"first_site\": " << C.FirstSite << ", \"flow\": \"" << name(C.Flow)
     << "\", \"sites\": [";
  ListSeparator Comma(",");
  sites(C.Sites, Comma);
  site(Comma, "return", "", Line, "none");
  if (C.recordsEntry())
    site(Comma, "entry", "", Line, "none");
  OS << "]}";
}

void Tables::write() {
  OS << "{\n  \"abi\": " << abi_version
     << ",\n  \"file\": " << quoted(Files.main().Path) << ",\n  \"kernels\": [";
  ListSeparator KernelComma(",");
  for (const KernelPlan &K : P.Kernels) {
    OS << KernelComma;
    kernel(K);
  }
  OS << "],\n  \"callees\": [";
  ListSeparator CalleeComma(",");
  for (const CalleePlan &C : P.Callees) {
    OS << CalleeComma;
    callee(C);
  }
  OS << "],\n  \"launches\": [";
  ListSeparator LaunchComma(",");
  for (const BoundLaunch &L : P.Launches) {
    OS << LaunchComma << "\n    {";
    place(L.At);
    OS << ", \"kernel\": " << (L.Kernel ? static_cast<int>(*L.Kernel) : -1)
       << "}";
  }
  OS << "]\n}";
}

/// Read more than once within itself.
static bool includesItself(const Plan &P, StringRef Main) {
  return any_of(P.Includes, [&](const Include &I) { return I.To == Main; });
}

std::string tables(const Plan &P, const Sources &Files) {
  std::string Out;
  raw_string_ostream OS(Out);
  OS << (includesItself(P, Files.main().Path)
             ? "#if !defined(KINSTR_OFF) && __INCLUDE_LEVEL__ == 0"
             : "#ifndef KINSTR_OFF")
     << "\nstatic const ::kinstr::kinstr_tables<";
  ListSeparator Comma(", ");
  for (const BoundLaunch &L : P.Launches)
    OS << Comma << L.Arguments.size();
  OS << "> kinstr_file(R\"kinstr(";
  Tables(P, Files, OS).write();
  OS << ")kinstr\");\n#endif\n";
  return Out;
}

} // namespace kinstr
