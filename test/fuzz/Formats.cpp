// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small readers of JSON schemas and of markup: strict, and not the ones whose
// output they look at.
#include "Formats.h"

#include "Require.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <set>

using namespace llvm;

namespace kinstr {

json::Value requireJson(StringRef Text, StringRef What) {
  Expected<json::Value> V = json::parse(Text);
  if (!V)
    require(false, What + " is JSON: " + toString(V.takeError()));
  return std::move(*V);
}

//===----------------------------------------------------------------------===//
// JSON schemas
//===----------------------------------------------------------------------===//

namespace {

/// As much as the schemas of docs/ use. A keyword that is new there ends the
/// run: it would be a check that is not made.
class Schema {
public:
  explicit Schema(json::Value Root) : Root(std::move(Root)) {}
  void check(const json::Value &V) const {
    check(V, *Root.getAsObject(), "verdict");
  }

private:
  using Path = std::string;
  void check(const json::Value &V, const json::Object &Rules,
             const Path &At) const;
  void rule(const json::Value &V, StringRef Key, const json::Value &Rule,
            const json::Object &Rules, const Path &At) const;
  void members(const json::Object &O, const json::Object &Rules,
               const Path &At) const;
  static bool isType(const json::Value &V, StringRef Type);

  json::Value Root;
};

} // namespace

bool Schema::isType(const json::Value &V, StringRef Type) {
  switch (V.kind()) {
  case json::Value::Null:
    return Type == "null";
  case json::Value::Boolean:
    return Type == "boolean";
  case json::Value::Number:
    return Type == "number" || (Type == "integer" && V.getAsInteger());
  case json::Value::String:
    return Type == "string";
  case json::Value::Array:
    return Type == "array";
  case json::Value::Object:
    return Type == "object";
  }
  return false;
}

void Schema::members(const json::Object &O, const json::Object &Rules,
                     const Path &At) const {
  const json::Object *Known = Rules.getObject("properties");
  for (const auto &[Name, Value] : O)
    if (const json::Object *Own = Known ? Known->getObject(Name) : nullptr)
      check(Value, *Own, At + "." + Name.str());
    else
      require(Rules.getBoolean("additionalProperties") != false,
              At + " has no " + Name.str());
}

void Schema::rule(const json::Value &V, StringRef Key, const json::Value &Rule,
                  const json::Object &Rules, const Path &At) const {
  auto Is = [&](StringRef Type) { return isType(V, Type); };
  const json::Array *Elements = V.getAsArray();
  std::optional<double> Number = V.getAsNumber();
  size_t Length = V.getAsString().value_or("").size(); // in bytes: no less
  auto Amount = Rule.getAsNumber().value_or(0);
  if (Key == "type") {
    require(Rule.getAsArray() ? any_of(*Rule.getAsArray(),
                                       [&](const json::Value &One) {
                                         return Is(*One.getAsString());
                                       })
                              : Is(*Rule.getAsString()),
            At + " has a type of the schema");
  } else if (Key == "required") {
    for (const json::Value &Name : *Rule.getAsArray())
      require(!V.getAsObject() || V.getAsObject()->get(*Name.getAsString()),
              At + " has " + *Name.getAsString());
  } else if (Key == "properties") {
    if (const json::Object *O = V.getAsObject())
      members(*O, Rules, At);
  } else if (Key == "items") {
    if (Elements)
      for (size_t I = 0; I < Elements->size(); ++I)
        check((*Elements)[I], *Rule.getAsObject(),
              At + "[" + std::to_string(I) + "]");
  } else if (Key == "$ref") {
    auto [Where, Name] = Rule.getAsString()->substr(2).split('/');
    check(V, *Root.getAsObject()->getObject(Where)->getObject(Name), At);
  } else if (Key == "const") {
    require(V == Rule, At + " is what the schema says");
  } else if (Key == "enum") {
    require(is_contained(*Rule.getAsArray(), V), At + " is one of the schema");
  } else if (Key == "minimum") {
    require(!Number || *Number >= Amount, At + " is not too small");
  } else if (Key == "maximum") {
    require(!Number || *Number <= Amount, At + " is not too large");
  } else if (Key == "maxLength") {
    require(!Is("string") || Length <= Amount, At + " is not too long");
  } else if (Key == "minItems") {
    require(!Elements || Elements->size() >= Amount, At + " has enough");
  } else if (Key == "maxItems") {
    require(!Elements || Elements->size() <= Amount, At + " has not too many");
  } else {
    require(is_contained({"$schema", "title", "description", "$defs",
                          "definitions", "additionalProperties"},
                         Key),
            "the fuzz target knows the keyword " + Key);
  }
}

void Schema::check(const json::Value &V, const json::Object &Rules,
                   const Path &At) const {
  for (const auto &[Key, Value] : Rules)
    rule(V, Key, Value, Rules, At);
}

void requireJsonOf(StringRef Text, StringRef Name) {
  static std::map<std::string, Schema> Known;
  auto It = Known.find(Name.str());
  if (It == Known.end()) {
    auto File = MemoryBuffer::getFile(KINSTR_DOCS "/" + Name);
    require(bool(File), "there is a schema");
    It = Known
             .try_emplace(Name.str(),
                          requireJson((*File)->getBuffer(), "a schema"))
             .first;
  }
  It->second.check(requireJson(Text, Name));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Calls \p Look with each character; false where \p Text is not UTF-8.
static bool forCharacters(StringRef Text, function_ref<void(UTF32)> Look) {
  const auto *At = reinterpret_cast<const UTF8 *>(Text.begin());
  const auto *End = reinterpret_cast<const UTF8 *>(Text.end());
  while (At != End) {
    UTF32 C;
    if (convertUTF8Sequence(&At, End, &C, strictConversion) != conversionOK)
      return false;
    Look(C);
  }
  return true;
}

void requirePlain(StringRef Text, StringRef What) {
  bool IsUtf8 = forCharacters(Text, [&](UTF32 C) {
    require(C == '\n' || (C >= 0x20 && (C < 0x7f || C > 0x9f)),
            What + " has no control characters");
    require(!(C >= 0x202a && C <= 0x202e) && !(C >= 0x2066 && C <= 0x2069),
            What + " does not turn text round");
  });
  require(IsUtf8, What + " is UTF-8");
}

//===----------------------------------------------------------------------===//
// Markup
//===----------------------------------------------------------------------===//

namespace {

class MarkupReader {
public:
  MarkupReader(StringRef Text, Markup As, StringRef What)
      : Rest(Text), As(As), What(What) {}
  void run();

private:
  void tag();
  void attribute(std::set<StringRef> &Names);
  void text(StringRef Text);
  StringRef name();
  StringRef upTo(StringRef End);
  void must(bool Holds, const Twine &Property) {
    require(Holds, What + ": " + Property + ", in front of '" +
                       Rest.take_front(60) + "'");
  }
  bool isVoid(StringRef Name) const {
    return As == Markup::Html &&
           is_contained({"br", "hr", "link", "meta"}, Name);
  }

  StringRef Rest;
  Markup As;
  StringRef What;
  std::vector<StringRef> Open;
  size_t Roots = 0;
};

} // namespace

StringRef MarkupReader::name() {
  StringRef Name = Rest.take_while(
      [](char C) { return isAlnum(C) || StringRef("-_:").contains(C); });
  must(!Name.empty() && isAlpha(Name.front()), "there is a name");
  Rest = Rest.substr(Name.size());
  return Name;
}

/// What stands in front of \p End, both taken away.
StringRef MarkupReader::upTo(StringRef End) {
  size_t At = Rest.find(End);
  must(At != StringRef::npos, "there is a " + End);
  StringRef Before = Rest.take_front(At);
  Rest = Rest.substr(At + End.size());
  return Before;
}

void MarkupReader::text(StringRef Text) {
  while (!Text.empty()) {
    auto [Before, Behind] = Text.split('&');
    if (Before.size() == Text.size())
      break;
    auto [Entity, Next] = Behind.split(';');
    StringRef Number = Entity;
    bool IsNumber = Number.consume_front("#x")  ? all_of(Number, isHexDigit)
                    : Number.consume_front("#") ? all_of(Number, isDigit)
                                                : false;
    must(Next.data() > Behind.data() &&
             (IsNumber ||
              is_contained({"amp", "lt", "gt", "quot", "apos"}, Entity)),
         "an & is an entity's");
    Text = Next;
  }
}

void MarkupReader::attribute(std::set<StringRef> &Names) {
  StringRef Name = name();
  must(Names.insert(Name).second, "an attribute is there once");
  if (As == Markup::Html && !Rest.starts_with("="))
    return;
  must(Rest.consume_front("=\""), "an attribute has a value");
  StringRef Value = upTo("\"");
  must(!Value.contains('<'), "values have no tags");
  text(Value);
}

void MarkupReader::tag() {
  if (Rest.consume_front("/")) {
    StringRef Name = name();
    must(Rest.consume_front(">") && !Open.empty() && Open.back() == Name,
         "a tag closes the last that was opened");
    Open.pop_back();
    return;
  }
  StringRef Name = name();
  if (Open.empty())
    ++Roots;
  std::set<StringRef> Attributes;
  for (;;) {
    bool Space = Rest.ltrim(" \n").size() != Rest.size();
    Rest = Rest.ltrim(" \n");
    if (Rest.consume_front("/>"))
      return;
    if (Rest.consume_front(">"))
      break;
    must(Space, "a space is in front of an attribute");
    attribute(Attributes);
  }
  if (isVoid(Name))
    return;
  Open.push_back(Name);
  if (As == Markup::Html && Name == "style") {
    upTo("</style>");
    Open.pop_back();
  }
}

void MarkupReader::run() {
  bool IsUtf8 = forCharacters(Rest, [&](UTF32 C) {
    must(C == '\t' || C == '\n' || (C >= 0x20 && (C & 0xfffe) != 0xfffe),
         "there are only characters of XML");
  });
  must(IsUtf8, "it is UTF-8");
  if (As == Markup::Xml && Rest.consume_front("<?xml "))
    upTo("?>");
  if (As == Markup::Html)
    must(Rest.consume_front("<!DOCTYPE html>"), "it is HTML");
  while (!Rest.empty()) {
    StringRef Text = Rest.take_front(Rest.find('<'));
    Rest = Rest.substr(Text.size());
    must(!Open.empty() || Text.trim().empty(), "text is in an element");
    must(!Text.contains("]]>"), "nothing ends that was not begun");
    text(Text);
    if (Rest.consume_front("<!--"))
      upTo("-->");
    else if (Rest.consume_front("<"))
      tag();
  }
  must(Open.empty() && Roots == 1, "there is one element, which is closed");
}

void requireMarkup(StringRef Text, Markup As, StringRef What) {
  MarkupReader(Text, As, What).run();
}

} // namespace kinstr
