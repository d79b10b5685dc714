// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container: what is refused, where, and what is only warned about.
#include "TraceTest.h"

using namespace kinstr;
using namespace kinstr::test;
using testing::Test;

namespace {

/// A record of two phases and an exit with its anchor: 23 words.
TraceBuilder oneRecord() {
  TraceBuilder B;
  TestAnchor A;
  B.region(0, 0) = slotsRecord(1, 0, 0, {6000, 7000, 8000}, &A);
  return B;
}

bool contains(const std::string &Text, const char *Part) {
  return Text.find(Part) != std::string::npos;
}

} // namespace

TEST(TraceReader, ReadsWhatTheBuilderWrote) {
  auto T = readBytes(oneRecord().bytes());
  ASSERT_TRUE(bool(T));
  EXPECT_FALSE(T->CutShort);
  EXPECT_TRUE(T->Warnings.empty());
  ASSERT_EQ(T->Regions.size(), 1u);
  EXPECT_EQ(T->Regions[0].Size, 23 * 4u);
  EXPECT_EQ(T->Tables.Program, "prog");
  ASSERT_EQ(T->Tables.Modules.size(), 1u);
  EXPECT_EQ(T->Tables.Modules[0].Kernels[0].Sites[1].Name, "b");
}

TEST(TraceReader, RefusesForeignFiles) {
  for (const char *Bytes : {"", "KITRAC",
                            "\x7f"
                            "ELF and so on, long enough"})
    EXPECT_EQ(
        readError(Bytes),
        "offset 0: not a kinstr trace (it does not start with 'KITRACE')");
}

TEST(TraceReader, RefusesOtherVersions) {
  TraceBuilder B;
  B.Version = 2;
  EXPECT_EQ(readError(B.bytes()),
            "offset 8: trace file version 2 is not supported (expected 1)");
}

TEST(TraceReader, RefusesOtherAbis) {
  TraceBuilder B;
  B.Meta["abi"] = 7;
  EXPECT_TRUE(contains(readError(B.bytes()),
                       "abi 7 is not supported (expected 3 to 6)"));
  B.Meta["abi"] = 3; // still read: there each record of callees was of one call
  EXPECT_EQ(readError(B.bytes()), "");
  B.Meta["abi"] = 2;
  EXPECT_TRUE(contains(readError(B.bytes()), "abi 2 is not supported"));
}

TEST(TraceReader, EveryFlippedBitInASectionIsSeen) {
  // From the meta section's checksum field to the last word of the region;
  // padding carries nothing.
  std::string Good = oneRecord().bytes();
  for (size_t At = 16; At < Good.size(); ++At) {
    std::string Bad = Good;
    Bad[At] ^= 0x10;
    auto T = understandBytes(Bad);
    bool Padding = false;
    if (T)
      Padding = T->Raw.Warnings.empty() && T->Raw.Regions.size() == 1;
    else
      llvm::consumeError(T.takeError());
    EXPECT_TRUE(!Padding || Good[At] == 0) << "offset " << At;
  }
}

TEST(TraceReader, EveryPrefixIsReadOrRefused) {
  std::string Good = oneRecord().bytes();
  size_t MetaEnd = 0;
  for (size_t Size = 0; Size < Good.size(); ++Size) {
    auto T = readBytes(Good.substr(0, Size));
    if (!T) { // only before the tables are whole
      EXPECT_EQ(MetaEnd, 0u) << "size " << Size;
      llvm::consumeError(T.takeError());
      continue;
    }
    if (!MetaEnd)
      MetaEnd = Size;
    EXPECT_TRUE(T->CutShort);
    ASSERT_FALSE(T->Warnings.empty());
    for (const trace::Warning &W : T->Warnings) {
      EXPECT_TRUE(W.Offset);
      EXPECT_LE(*W.Offset, Size);
    }
  }
  EXPECT_GT(MetaEnd, 0u);
}

TEST(TraceReader, SectionSizeBeyondTheFileIsNotAllocated) {
  std::string Bytes = TraceBuilder().bytes();
  // The size of the end section, its last 8 bytes.
  Bytes.replace(Bytes.size() - 8, 8, std::string(8, '\xff'));
  auto T = readBytes(Bytes);
  ASSERT_TRUE(bool(T));
  EXPECT_TRUE(T->CutShort);
}

TEST(TraceReader, UnknownSectionsAreSkipped) {
  TraceBuilder B = oneRecord();
  B.EndSection = false;
  std::string Bytes = B.bytes();
  TraceBuilder::section(Bytes, static_cast<section_kind>(77), "what is this");
  TraceBuilder::section(Bytes, section_kind::end, "");
  auto T = readBytes(Bytes);
  ASSERT_TRUE(bool(T));
  EXPECT_FALSE(T->CutShort);
}

TEST(TraceReader, BytesAfterTheEndAreWarnedAbout) {
  auto T = readBytes(oneRecord().bytes() + "trailing");
  ASSERT_TRUE(bool(T));
  ASSERT_EQ(T->Warnings.size(), 1u);
  EXPECT_TRUE(contains(T->Warnings[0].Text, "after the end section"));
}

TEST(TraceReader, RegionOfNoDevice) {
  TraceBuilder B;
  B.region(3, 0) = {0, 0};
  EXPECT_TRUE(contains(readError(B.bytes()), "a region of device 3"));
}

TEST(TraceMeta, FaultsNameTheirPlace) {
  auto Fault = [](llvm::StringRef Json) {
    TraceBuilder B;
    B.RawMeta = Json.str();
    return readError(B.bytes());
  };
  EXPECT_TRUE(contains(Fault("{"), "offset 32: meta: "));
  EXPECT_TRUE(contains(Fault("[]"), "expected object"));
  EXPECT_TRUE(contains(Fault(R"({"abi":3,"devices":[{"sm_count":"x"}]})"),
                       "expected integer at meta.devices[0].sm_count"));
  EXPECT_TRUE(contains(Fault(R"({"abi":3,"devices":[{"sm_count":-1}]})"),
                       "integer out of range at meta.devices[0].sm_count"));
  EXPECT_TRUE(contains(Fault(R"({"abi":3,"modules":[{"abi":3,"kernels":[)"
                             R"({"sites":[{"kind":"dance"}]}]}]})"),
                       "expected 'phase', 'mark', 'end', 'scope', 'scope-end', "
                       "'value', 'return' or 'entry'"));
  EXPECT_TRUE(contains(
      Fault(R"({"abi":3,"modules":[{"abi":3,"callees":[)"
            R"({"first_site":0,"sites":[{"kind":"phase"},{"kind":"return"}]},)"
            R"({"first_site":1,"sites":[{"kind":"return"}]}]}]})"),
      "callees of modules[0] share site numbers"));
}

TEST(TraceMeta, DeepNestingIsNoStackOverflow) {
  TraceBuilder B;
  B.RawMeta = std::string(1 << 20, '[');
  EXPECT_TRUE(contains(readError(B.bytes()), "nested too deeply"));
}

TEST(TraceMeta, EveryIndexIsChecked) {
  using namespace llvm::json;
  auto Fault = [](const char *Key, Value V) {
    TraceBuilder B;
    B.Meta[Key] = std::move(V);
    return readError(B.bytes());
  };
  Object Good{{"device", 0}, {"module", 0}, {"site", 0}, {"function", -1}};
  EXPECT_EQ(Fault("launches", Array{Object(Good)}), "");
  for (const char *Key : {"device", "module", "site", "function"}) {
    Object Bad(Good);
    Bad[Key] = 5;
    EXPECT_TRUE(contains(Fault("launches", Array{std::move(Bad)}),
                         (std::string("launches[0].") + Key + " is 5").c_str()))
        << Key;
  }
  EXPECT_TRUE(contains(Fault("functions", Array{Object{{"module", 5}}}),
                       "functions[0].module is 5"));
  EXPECT_TRUE(
      contains(Fault("functions", Array{Object{{"module", 0}, {"kernel", 5}}}),
               "functions[0].kernel is 5"));
  EXPECT_TRUE(contains(Fault("dropped", Array{Object{{"device", 5}}}),
                       "dropped[0].device is 5"));
}
