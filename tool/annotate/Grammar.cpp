// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "annotate/Grammar.h"

#include "annotate/Expression.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kinstr {

static constexpr StringLiteral KnownDirectives[] = {"phase", "end",   "mark",
                                                    "scope", "value", "kernel"};

/// Commands of Doxygen and kin that people write in plain comments too.
static bool isDocumentationCommand(StringRef Word) {
  static constexpr StringLiteral Commands[] = {
      "attention", "author",   "brief",      "bug",     "code",    "copyright",
      "date",      "defgroup", "deprecated", "details", "example", "file",
      "ingroup",   "internal", "license",    "note",    "par",     "param",
      "pre",       "post",     "ref",        "remark",  "remarks", "return",
      "returns",   "sa",       "see",        "since",   "test",    "throws",
      "todo",      "tparam",   "version",    "warning", "endcode", "fixme",
      "invariant", "group",    "addtogroup", "section"};
  return is_contained(Commands, Word);
}

/// The known directive that \p Word was probably meant to be, or "".
static StringRef suggestDirective(StringRef Word) {
  StringRef Best;
  unsigned BestDistance = 3; // more than two slips is another word
  for (StringRef Known : KnownDirectives) {
    unsigned Distance = Word.edit_distance(Known);
    if (Distance < BestDistance && Distance * 2 < Known.size()) {
      Best = Known;
      BestDistance = Distance;
    }
  }
  return Best;
}

namespace {

/// Walks over the text of one comment and remembers where in the file it is.
class CommentParser {
public:
  CommentParser(StringRef Text, unsigned Offset, Diagnostics &Diags)
      : Rest(Text), Offset(Offset), Diags(&Diags) {}

  void skipSpace() { drop(Rest.size() - Rest.ltrim(" \t\r\n\v\f").size()); }
  bool atEnd() {
    skipSpace();
    return Rest.empty();
  }
  unsigned offset() const { return Offset; }
  StringRef rest() const { return Rest; }

  /// The next run of characters that are not white space.
  StringRef word() {
    skipSpace();
    StringRef W = Rest.take_until([](char C) { return isSpace(C); });
    drop(W.size());
    return W;
  }

  void drop(size_t N) {
    Rest = Rest.drop_front(N);
    Offset += N;
  }

  bool parseName(StringRef Directive, Annotation &A);
  bool parseExpression(Annotation &A);
  bool parseDrain(Annotation &A);
  bool parseKernelOptions(Annotation &A);
  bool expectEnd(const Twine &After);

private:
  StringRef Rest;
  unsigned Offset;
  Diagnostics *Diags;
};

} // namespace

static bool isNameCharacter(char C) {
  return isAlnum(C) || static_cast<unsigned char>(C) >= 0x80 ||
         StringRef("_-.:/+").contains(C);
}

bool CommentParser::parseName(StringRef Directive, Annotation &A) {
  if (atEnd()) {
    Diags->error(A.At, ("'@" + Directive + "' needs a name").str());
    return false;
  }
  unsigned Where = Offset;
  StringRef Name =
      Rest.take_until([](char C) { return isSpace(C) || C == '='; });
  drop(Name.size());
  if (Name.empty())
    Name = word(); // "=": no name
  size_t Bad = Name.find_if_not(isNameCharacter);
  if (Bad != StringRef::npos) {
    Diags->error(Where + Bad,
                 ("'" + Name.substr(Bad, 1) + "' in the name '" + Name +
                  "': names consist of letters, digits and _ - . : / +")
                     .str());
    return false;
  }
  A.Name = Name.str();
  return true;
}

/// = EXPR
bool CommentParser::parseExpression(Annotation &A) {
  if (atEnd() || !Rest.starts_with("=")) {
    Diags->error(Offset, "expected '=' and an expression behind '@value " +
                             A.Name + "'");
    return false;
  }
  drop(1);
  skipSpace();
  StringRef Text = Rest.rtrim();
  if (std::optional<ExpressionFault> Fault = findFault(Text)) {
    Diags->error(Offset + Fault->At, Fault->Message);
    return false;
  }
  A.Expression = Text.str();
  drop(Rest.size());
  return true;
}

/// [drain | drain=stores]
bool CommentParser::parseDrain(Annotation &A) {
  if (atEnd())
    return true;
  CommentParser Ahead = *this;
  StringRef Word = Ahead.word();
  if (!Word.starts_with("drain"))
    return true;
  if (Word == "drain" || Word == "drain=loads") {
    A.Wait = Drain::Loads;
  } else if (Word == "drain=stores") {
    A.Wait = Drain::Stores;
  } else {
    Diags->error(
        Offset, ("'" + Word + "' is neither 'drain' nor 'drain=stores'").str());
    return false;
  }
  *this = Ahead;
  return true;
}

std::optional<Buffer> parseBuffer(StringRef Name) {
  return StringSwitch<std::optional<Buffer>>(Name)
      .Case("shared", Buffer::Shared)
      .Case("lanes", Buffer::Lanes)
      .Case("global", Buffer::Global)
      .Case("auto", Buffer::Auto)
      .Default(std::nullopt);
}

/// [NAME] [buffer=shared|lanes|global|auto] [flow=uniform]
bool CommentParser::parseKernelOptions(Annotation &A) {
  while (!atEnd()) {
    unsigned Where = Offset;
    StringRef Word = word();
    auto [Key, Value] = Word.split('=');
    if (Key == "buffer" && Key.size() != Word.size()) {
      A.KernelBuffer = parseBuffer(Value);
      if (!A.KernelBuffer) {
        Diags->error(Where,
                     ("unknown buffer '" + Value + "': " + BufferNames).str());
        return false;
      }
    } else if (Word == "flow=uniform") {
      A.LanesStayTogether = true;
    } else if (Key == "warps" || Key == "blocks") {
      Diags->error(Where, ("'" + Key + "=' is not supported yet").str());
      return false;
    } else if (A.Name.empty() && !Word.contains('=') &&
               all_of(Word, isNameCharacter)) {
      A.Name = Word.str();
    } else {
      Diags->error(Where,
                   ("unknown kernel option '" + Word +
                    "': '@kernel [NAME] [buffer=shared|lanes|global|auto] "
                    "[flow=uniform]'")
                       .str());
      return false;
    }
  }
  return true;
}

bool CommentParser::expectEnd(const Twine &After) {
  if (atEnd())
    return true;
  Diags->error(Offset, ("unexpected '" + Rest.split('\n').first.rtrim() +
                        "' after " + After)
                           .str());
  Diags->note(Offset, "prose goes into a comment of its own");
  return false;
}

/// The text between the delimiters, or nullopt for a documentation comment.
static std::optional<StringRef> commentText(StringRef Comment) {
  if (Comment.consume_front("//")) {
    if (Comment.starts_with("/") || Comment.starts_with("!"))
      return std::nullopt;
    return Comment;
  }
  if (!Comment.consume_front("/*") || Comment.starts_with("*") ||
      Comment.starts_with("!"))
    return std::nullopt;
  Comment.consume_back("*/");
  return Comment;
}

static bool parseArguments(CommentParser &P, StringRef Word, Annotation &A) {
  switch (A.Kind) {
  case Directive::Phase:
  case Directive::Scope:
    return P.parseName(Word, A) && P.parseDrain(A) &&
           P.expectEnd("the name; only 'drain' or 'drain=stores' may follow");
  case Directive::Mark:
    return P.parseName(Word, A) && P.expectEnd("the name");
  case Directive::End:
    return P.expectEnd("'@end'");
  case Directive::Kernel:
    return P.parseKernelOptions(A);
  case Directive::Value:
    return P.parseName(Word, A) && P.parseExpression(A);
  }
  llvm_unreachable("all directives handled");
}

ParsedComment parseComment(StringRef Comment, unsigned Begin,
                           Diagnostics &Diags) {
  std::optional<StringRef> Text = commentText(Comment);
  if (!Text)
    return {};
  CommentParser P(*Text, Begin + 2, Diags);
  P.skipSpace();
  if (!P.rest().starts_with("@"))
    return {};

  Annotation A;
  A.Begin = Begin;
  A.End = Begin + Comment.size();
  A.At = P.offset();
  P.drop(1);
  StringRef Word =
      P.rest().take_while([](char C) { return isAlnum(C) || C == '_'; });
  P.drop(Word.size());
  if (Word.empty()) // "@@ -1,3 +1,4 @@"
    return {};
  std::optional<Directive> Kind = StringSwitch<std::optional<Directive>>(Word)
                                      .Case("phase", Directive::Phase)
                                      .Case("end", Directive::End)
                                      .Case("mark", Directive::Mark)
                                      .Case("scope", Directive::Scope)
                                      .Case("value", Directive::Value)
                                      .Case("kernel", Directive::Kernel)
                                      .Default(std::nullopt);
  if (!Kind) {
    if (isDocumentationCommand(Word))
      return {};
    return {std::nullopt,
            UnknownDirective{A.At, Word.str(), suggestDirective(Word).str()}};
  }
  if (!P.rest().empty() && !isSpace(P.rest().front())) {
    Diags.error(P.offset(), ("expected a space after '@" + Word + "', not '" +
                             P.rest().take_front(1) + "'")
                                .str());
    return {};
  }
  A.Kind = *Kind;
  if (Comment.starts_with("//") && Comment.contains('\n')) {
    Diags.error(A.At, "this comment ends in a backslash and so continues on "
                      "the next line");
    return {};
  }
  if (!parseArguments(P, Word, A))
    return {};
  return {A, std::nullopt};
}

} // namespace kinstr
