// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Copies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>

using namespace llvm;

namespace kinstr {

namespace {

/// A change within one file.
struct LocalEdit {
  unsigned Begin;
  unsigned End;
  std::string Text;
};

class Copier {
public:
  Copier(const Plan &P, const Sources &Files, StringRef Output,
         Diagnostics &Diags)
      : P(P), Files(Files), Output(Output), Diags(Diags) {}

  std::vector<Copy> run();

private:
  void takeEdits();
  void chooseHeaders();
  void redirect(StringRef From);
  std::string pathFrom(StringRef From, StringRef To) const;
  std::optional<std::string> textOf(StringRef Path) const;
  void cannot(const Include &I, const Twine &Why);

  const Plan &P;
  const Sources &Files;
  StringRef Output;
  Diagnostics &Diags;
  std::map<std::string, std::vector<LocalEdit>> Edits; ///< by path
  std::map<std::string, std::string> CopyOf;           ///< path -> new path
  std::vector<std::string> Headers; ///< in order of discovery
};

} // namespace

std::string headerFolder(StringRef Output) {
  return (Output + ".include").str();
}

void Copier::takeEdits() {
  for (Edit &E : edits(P, Files)) {
    const SourceFile &File = Files.files()[Files.fileAt(E.Begin)];
    Edits[File.Path].push_back(
        {E.Begin - File.Begin, E.End - File.Begin, std::move(E.Text)});
  }
}

/// Headers with edits, and all headers that include them.
void Copier::chooseHeaders() {
  const std::string &Main = Files.main().Path;
  for (const SourceFile &File : Files.files().drop_front())
    if (Edits.count(File.Path))
      Headers.push_back(File.Path);
  std::set<std::string> Known(Headers.begin(), Headers.end());
  for (size_t I = 0; I < Headers.size(); ++I)
    for (const Include &Inc : P.Includes) {
      if (Inc.To != Headers[I] || Inc.From == Main)
        continue;
      if (Inc.Fixed)
        cannot(Inc, Inc.From.empty() ? "the command line includes it"
                                     : "'" + Inc.From + "' includes it");
      else if (Known.insert(Inc.From).second)
        Headers.push_back(Inc.From);
    }
  for (size_t I = 0; I < Headers.size(); ++I) {
    SmallString<256> Path(headerFolder(Output));
    sys::path::append(Path, std::to_string(I + 1) + "_" +
                                sys::path::filename(Headers[I]).str());
    CopyOf[Headers[I]] = Path.str().str();
  }
  CopyOf[Main] = Output.str();
}

void Copier::cannot(const Include &I, const Twine &Why) {
  std::optional<unsigned> File = Files.find(I.To);
  unsigned At = File ? Files.files()[*File].Begin : 0;
  for (const Annotation &A : reverse(Files.scanned().Annotations))
    if (File && A.At >= At && A.At < Files.files()[*File].End)
      At = A.At;
  Diags.warning(At, ("this header cannot be replaced by its copy: " + Why +
                     "; where it is found that way, its annotations have no "
                     "effect")
                        .str());
}

static SmallString<256> realFolder(StringRef Path) {
  SmallString<256> Folder(sys::path::parent_path(Path)), Real;
  if (Folder.empty())
    Folder = ".";
  if (sys::fs::real_path(Folder, Real)) { // not made yet
    Real = Folder;
    if (sys::fs::make_absolute(Real))
      return Folder; // no current folder: relative as it is
    sys::path::remove_dots(Real, /*remove_dot_dot=*/true);
  }
  return Real;
}

/// The way from the folder of \p From to \p To, without the machine's paths.
std::string Copier::pathFrom(StringRef From, StringRef To) const {
  SmallString<256> FromFolder = realFolder(From), Target = realFolder(To);
  sys::path::append(Target, sys::path::filename(To));
  auto F = sys::path::begin(FromFolder), FEnd = sys::path::end(FromFolder);
  auto T = sys::path::begin(Target), TEnd = sys::path::end(Target);
  while (F != FEnd && T != TEnd && *F == *T)
    ++F, ++T;
  SmallString<256> Out;
  for (; F != FEnd; ++F)
    sys::path::append(Out, "..");
  for (; T != TEnd; ++T)
    sys::path::append(Out, *T);
  return Out.str().str();
}

/// Includes of \p From that find a copy, and those that are looked up beside
/// the file that has them.
void Copier::redirect(StringRef From) {
  const std::string &New = CopyOf.at(From.str());
  bool Moved = realFolder(New) != realFolder(From);
  // A file may be read several times, and a macro name another file each time:
  // such an include cannot be led to all of them.
  std::map<unsigned, std::set<StringRef>> Targets;
  for (const Include &I : P.Includes)
    if (I.From == From)
      Targets[I.Begin].insert(I.To);
  std::set<unsigned> Done;
  for (const Include &I : P.Includes) {
    if (I.From != From || I.Fixed)
      continue;
    if (Targets[I.Begin].size() > 1) {
      if (CopyOf.count(I.To))
        cannot(I, "an '#include' in '" + From + "' names several files");
      continue;
    }
    auto Target = CopyOf.find(I.To);
    bool Copied = Target != CopyOf.end();
    if ((Copied || (Moved && I.Beside)) && Done.insert(I.Begin).second)
      Edits[From.str()].push_back(
          {I.Begin, I.End,
           "\"" + pathFrom(New, Copied ? Target->second : I.To) + "\""});
  }
}

std::optional<std::string> Copier::textOf(StringRef Path) const {
  if (std::optional<unsigned> File = Files.find(Path))
    return Files.text(Files.files()[*File]).str();
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return std::nullopt;
  return (*Buffer)->getBuffer().str();
}

/// A string as it stands between quotes in the source.
static std::string escaped(StringRef Text) {
  std::string Out;
  for (char C : Text) {
    if (C == '\\' || C == '"')
      Out += '\\';
    Out += C;
  }
  return Out;
}

static StringRef newlineOf(StringRef Code) {
  return Code.contains("\r\n") ? "\r\n" : "\n";
}

static std::string withNewline(StringRef Text, StringRef Newline) {
  std::string Out;
  for (char C : Text)
    Out += C == '\n' ? Newline : StringRef(&C, 1);
  return Out;
}

/// \p Code with \p Edits and \p Head in front, behind a byte-order mark.
/// Nullopt if two edits are for the same bytes.
static std::optional<std::string> apply(StringRef Code, StringRef Head,
                                        std::vector<LocalEdit> Edits) {
  stable_sort(Edits, [](const LocalEdit &A, const LocalEdit &B) {
    return A.Begin < B.Begin;
  });
  constexpr StringLiteral ByteOrderMark = "\xEF\xBB\xBF";
  unsigned Done = Code.starts_with(ByteOrderMark) ? ByteOrderMark.size() : 0;
  std::string Out = (Code.take_front(Done) + Head).str();
  for (const LocalEdit &E : Edits) {
    if (E.Begin < Done)
      return std::nullopt;
    Out += Code.slice(Done, E.Begin);
    Out += E.Text;
    Done = E.End;
  }
  Out += Code.drop_front(Done);
  return Out;
}

std::vector<Copy> Copier::run() {
  takeEdits();
  chooseHeaders();
  std::vector<std::string> Paths = {Files.main().Path};
  append_range(Paths, Headers);
  std::vector<Copy> Out;
  for (const std::string &Path : Paths) {
    bool Main = Path == Files.main().Path;
    std::optional<std::string> Code = textOf(Path);
    if (!Code) {
      Diags.error(0, "cannot read '" + Path + "'");
      return {};
    }
    redirect(Path);
    StringRef Newline = newlineOf(*Code);
    std::string Head = P.empty() ? "" : "#line 1 \"" + escaped(Path) + "\"\n";
    if (Main && !P.empty())
      Head.insert(0, std::string(P.StateInGlobalMemory
                                     ? "#define KINSTR_STATE_DEVICE\n"
                                     : "") +
                         "#include <kinstr/trace.cuh> // written by kinstr; "
                         "nvcc needs $(kinstr --nvcc-flags)\n");
    std::optional<std::string> Text =
        apply(*Code, withNewline(Head, Newline), std::move(Edits[Path]));
    if (!Text) {
      Diags.error(0, "two changes to '" + Path + "' are for the same place");
      return {};
    }
    if (Main && !P.empty()) {
      if (!StringRef(*Text).ends_with("\n"))
        *Text += Newline;
      if (StringRef(*Text).rtrim().ends_with(
              "\\")) // continues on the next line
        *Text += Newline;
      *Text += withNewline(tables(P, Files), Newline);
    }
    Out.push_back({CopyOf.at(Path), std::move(*Text)});
  }
  return Out;
}

std::vector<Copy> makeCopies(const Plan &P, const Sources &Files,
                             StringRef Output, Diagnostics &Diags) {
  return Copier(P, Files, Output, Diags).run();
}

} // namespace kinstr
