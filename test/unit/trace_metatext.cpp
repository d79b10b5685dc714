// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables whose launches are read one by one, compared with tables read whole.
#include "trace/MetaText.h"
#include "gtest/gtest.h"
#include <optional>

using namespace llvm;
using namespace kinstr::trace;

namespace {

struct Split {
  json::Array Rows;
  json::Value Rest = nullptr;
  std::string Fault;
};

Split split(StringRef Text, size_t PieceSize) {
  Split Out;
  auto Take = [&](const json::Value *V) {
    if (V)
      Out.Rows.push_back(*V);
    else
      Out.Rows.clear();
  };
  MetaText Tables(Take);
  for (; !Text.empty(); Text = Text.drop_front(PieceSize)) {
    PieceSize = std::min(PieceSize, Text.size());
    if (Error E = Tables.add(Text.take_front(PieceSize))) {
      Out.Fault = toString(std::move(E));
      return Out;
    }
  }
  if (Expected<json::Value> V = Tables.finish())
    Out.Rest = std::move(*V);
  else
    Out.Fault = toString(V.takeError());
  return Out;
}

/// That a text read in pieces says what it says read whole.
void compare(StringRef Text) {
  SCOPED_TRACE(Text.str());
  json::Array Rows;
  Expected<json::Value> Whole = json::parse(Text);
  std::string Fault = Whole ? "" : toString(Whole.takeError());
  if (Fault.empty())
    if (json::Object *O = Whole->getAsObject())
      if (json::Array *A = O->getArray("launches"))
        std::swap(*A, Rows);
  for (size_t PieceSize : {size_t(1), size_t(7), Text.size()}) {
    Split S = split(Text, PieceSize);
    EXPECT_EQ(S.Fault, Fault);
    if (!Fault.empty())
      continue;
    EXPECT_EQ(S.Rows, Rows);
    EXPECT_EQ(S.Rest, *Whole);
  }
}

} // namespace

TEST(TraceMetaText, LaunchesAreTakenOut) {
  Split S = split(R"({"a":[1],"launches":[{"b":[2]}, {} ],"c":3})", 5);
  EXPECT_EQ(S.Fault, "");
  EXPECT_EQ(S.Rows,
            (json::Array{json::Object{{"b", json::Array{2}}}, json::Object{}}));
  const json::Value Rest = json::Object{
      {"a", json::Array{1}}, {"launches", json::Array{}}, {"c", 3}};
  EXPECT_EQ(S.Rest, Rest);
}

TEST(TraceMetaText, OnlyThoseOfTheOutermostObject) {
  for (const char *Text :
       {R"({"modules":[{"launches":[1,2]}]})", R"({"x":{"launches":[1]}})",
        R"({"x":"launches","y":[1]})", R"({"launches":5,"y":[1]})",
        R"({"launches":[]})", R"({ "launches" : [ ] })",
        R"({"launches":[1],"launches":[2,3]})",
        R"({"launches":[1],"launches":[]})", R"({"launches":[[1,2],"],"]})",
        R"({"launches":["\\",1,"\"]"]})", R"(["launches",[1]])", "[]", "5"})
    compare(Text);
}

TEST(TraceMetaText, FaultsAreThoseOfTheWhole) {
  for (const char *Text :
       {R"({"launches":[,]})", R"({"launches":[1,]})", R"({"launches":[1,,2]})",
        R"({"launches":[1 2]})", R"({"launches":[1}})",
        R"({"launches":[{],}]})", R"({"x":y,"launches":[{z]})",
        "{\n\"launches\":[\n1,\n2,\n\n {x}]}",
        "{\"launches\":[1\n,\n\n2],\n\"x\":y}", "\n\n{\"launches\":[1,x]}",
        R"(["launches":[1]])", R"({"launches":[1]]})",
        "{\"launches\":[\"\xff\"]}", R"({"launches":[1]} {"launches":[2]})"})
    compare(Text);
}

TEST(TraceMetaText, AnyByteMayBeWrong) {
  const std::string Text = "{\"a\":\"\\\\\",\n \"launches\": [{\"b\":[1,2]},\n"
                           "\"]\\\"\", {}],\n\"c\":{\"launches\":[0]}}\n";
  compare(Text);
  for (size_t At = 0; At < Text.size(); ++At) {
    compare(StringRef(Text).take_front(At));
    compare(Text.substr(0, At) + Text.substr(At + 1));
    for (char C : StringRef("{}[],:\"\\ \n0x"))
      compare(Text.substr(0, At) + C + Text.substr(At + 1));
  }
}

TEST(TraceMetaText, DeepNestingIsNoStackOverflow) {
  EXPECT_EQ(split(std::string(100000, '['), 1000).Fault,
            "JSON nested too deeply");
  EXPECT_EQ(split("{\"launches\":[" + std::string(100000, '['), 1000).Fault,
            "JSON nested too deeply");
}
