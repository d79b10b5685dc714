// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Emit.h"

#include "kinstr/record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kinstr {

namespace {

/// Text to insert. At one offset, texts keep the order they were added in.
struct Insertion {
  unsigned Offset;
  std::string Text;
};

class Emitter {
public:
  Emitter(StringRef Code, StringRef FileName, const Plan &P,
          const ScannedFile &File)
      : Code(Code), FileName(FileName), P(P), File(File),
        Newline(Code.contains("\r\n") ? "\r\n" : "\n") {}

  std::string run();

private:
  void kernel(unsigned Index, const KernelPlan &K);
  void site(unsigned Index, const Site &S);
  void launch(unsigned Index, const BoundLaunch &L);
  std::string head() const;
  std::string tables() const;
  void insert(unsigned Offset, std::string Text) {
    Insertions.push_back({Offset, std::move(Text)});
  }

  StringRef Code;
  StringRef FileName;
  const Plan &P;
  const ScannedFile &File;
  StringRef Newline;
  std::vector<Insertion> Insertions;
};

} // namespace

static StringRef name(Buffer B) {
  return B == Buffer::Shared ? "shared" : "global";
}
static StringRef name(Layout L) {
  return L == Layout::Slots ? "slots" : "stream";
}
static StringRef name(Lockstep F) {
  return F == Lockstep::Uniform    ? "uniform"
         : F == Lockstep::WarpRows ? "warprows"
                                   : "divergent";
}
static StringRef name(Drain D) {
  return D == Drain::None ? "none" : D == Drain::Loads ? "loads" : "stores";
}
static StringRef markMacro(Drain D) {
  return D == Drain::None    ? "KINSTR_MARK"
         : D == Drain::Loads ? "KINSTR_MARK_DRAIN"
                             : "KINSTR_MARK_DRAIN_STORES";
}
static StringRef kindName(Directive D) {
  return D == Directive::Phase  ? "phase"
         : D == Directive::Mark ? "mark"
                                : "end";
}
static std::string quoted(StringRef S) {
  std::string Out;
  raw_string_ostream(Out) << json::Value(json::fixUTF8(S));
  return Out;
}

void Emitter::kernel(unsigned Index, const KernelPlan &K) {
  insert(K.BodyBegin + (Code[K.BodyBegin] == '{' ? 1 : 2), // or "<%"
         (" KINSTR_KERNEL(" + Twine(Index) + ", " + name(K.Where) +
          (K.KeepAlignment ? "1024" : "") + ", " + name(K.Events) + ", " +
          name(K.Flow) + ", " + Twine(K.Sites.size()) + ", " + K.Threads + ")")
             .str());
  for (unsigned I = 0; I < K.Sites.size(); ++I)
    site(I, K.Sites[I]);
  // Inner braces close before outer ones; they carry no text of their own.
  for (const Site &S : K.Sites)
    if (S.CloseBrace)
      insert(*S.CloseBrace, " KINSTR_END");
}

void Emitter::site(unsigned Index, const Site &S) {
  const Annotation &A = File.Annotations[S.Annotation];
  std::string Text = S.CloseBrace ? "KINSTR_BEGIN " : "";
  Text += markMacro(A.Wait);
  Text += "(" + std::to_string(Index) + ")";
  // Before a comment, or behind a brace or a statement.
  insert(S.Insert, Code[S.Insert] == '/' ? Text + " " : " " + Text);
}

void Emitter::launch(unsigned Index, const BoundLaunch &L) {
  static constexpr StringLiteral Names[] = {"GRID", "BLOCK", "SHARED",
                                            "STREAM"};
  for (unsigned I = 0; I < L.Arguments.size(); ++I) {
    std::string Open = ("KINSTR_" + Names[I] + "(" + Twine(Index) + ", ").str();
    if (I == 0)
      Open += L.KernelText + ", ";
    insert(L.Arguments[I].Begin, std::move(Open));
    insert(L.Arguments[I].End, ")");
  }
}

std::string Emitter::head() const {
  std::string Name;
  for (char C : FileName) {
    if (C == '\\' || C == '"')
      Name += '\\';
    Name += C;
  }
  return ("#include <kinstr/trace.cuh> // written by kinstr; nvcc needs "
          "$(kinstr --nvcc-flags)" +
          Newline + "#line 1 \"" + Name + "\"" + Newline)
      .str();
}

/// What the trace says about this file (docs/trace-format.md, "modules").
std::string Emitter::tables() const {
  std::string Out;
  raw_string_ostream OS(Out);
  OS << "{\n  \"abi\": " << abi_version << ",\n  \"file\": " << quoted(FileName)
     << ",\n  \"kernels\": [";
  ListSeparator KernelComma(",");
  for (const KernelPlan &K : P.Kernels) {
    OS << KernelComma << "\n    {\"name\": " << quoted(K.Name)
       << ", \"line\": " << K.Line << ", \"buffer\": \"" << name(K.Where)
       << "\", \"layout\": \"" << name(K.Events) << "\", \"flow\": \""
       << name(K.Flow) << "\", \"sites\": [";
    ListSeparator SiteComma(",");
    for (const Site &S : K.Sites) {
      const Annotation &A = File.Annotations[S.Annotation];
      OS << SiteComma << "\n      {\"kind\": \"" << kindName(A.Kind)
         << "\", \"name\": " << quoted(A.Name) << ", \"line\": " << A.Line
         << ", \"drain\": \"" << name(A.Wait) << "\"}";
    }
    OS << "]}";
  }
  OS << "],\n  \"launches\": [";
  ListSeparator LaunchComma(",");
  for (const BoundLaunch &L : P.Launches)
    OS << LaunchComma << "\n    {\"line\": " << L.Line
       << ", \"kernel\": " << (L.Kernel ? static_cast<int>(*L.Kernel) : -1)
       << "}";
  OS << "]\n}";
  return Out;
}

std::string Emitter::run() {
  for (unsigned I = 0; I < P.Kernels.size(); ++I)
    kernel(I, P.Kernels[I]);
  for (unsigned I = 0; I < P.Launches.size(); ++I)
    launch(I, P.Launches[I]);
  for (unsigned At : P.DeviceResets)
    insert(At, "KINSTR_");
  stable_sort(Insertions, [](const Insertion &A, const Insertion &B) {
    return A.Offset < B.Offset;
  });

  constexpr StringLiteral ByteOrderMark = "\xEF\xBB\xBF";
  unsigned Done = Code.starts_with(ByteOrderMark) ? ByteOrderMark.size() : 0;
  std::string Out = Code.take_front(Done).str() + head();
  for (const Insertion &I : Insertions) {
    Out += Code.slice(Done, I.Offset);
    Out += I.Text;
    Done = I.Offset;
  }
  Out += Code.drop_front(Done);
  if (!Code.ends_with("\n"))
    Out += Newline;
  if (Code.rtrim().ends_with("\\")) // continues on the next line
    Out += Newline;

  Out +=
      ("#ifndef KINSTR_OFF" + Newline + "static const ::kinstr::kinstr_tables<")
          .str();
  ListSeparator Comma(", ");
  for (const BoundLaunch &L : P.Launches)
    Out += (StringRef(Comma) + Twine(L.Arguments.size())).str();
  Out += "> kinstr_file(R\"kinstr(";
  for (char C : tables())
    Out += C == '\n' ? Newline : StringRef(&C, 1);
  Out += (")kinstr\");" + Newline + "#endif" + Newline).str();
  return Out;
}

std::string emit(StringRef Code, StringRef FileName, const Plan &P,
                 const ScannedFile &File) {
  return Emitter(Code, FileName, P, File).run();
}

} // namespace kinstr
