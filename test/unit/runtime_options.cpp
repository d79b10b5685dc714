// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KINSTR_OPTIONS, the names of trace files, and what the runtime reads from a
// module's tables.
#include "options.h"
#include "tables.h"
#include "gtest/gtest.h"

using namespace kinstr::rt;

TEST(Options, AreDefaultsWhenNothingIsSet) {
  const parsed_options parsed = parse_options("");
  EXPECT_EQ(parsed.values.out.text, "%e.kitrace");
  EXPECT_EQ(parsed.values.buffer_mb.count, 0u);
  EXPECT_TRUE(parsed.values.launches.contains(0));
  EXPECT_TRUE(parsed.values.launches.contains(1000000));
  EXPECT_EQ(parsed.values.exit_wait.count, 10u);
  EXPECT_FALSE(parsed.values.attach.at_load);
  EXPECT_TRUE(parsed.complaints.empty());
}

TEST(Options, AreSeparatedByCommas) {
  const parsed_options parsed =
      parse_options("out=/tmp/%p.x,buffer_mb=12,,launches=3:2,exit_wait=0,");
  EXPECT_EQ(parsed.values.exit_wait.count, 0u);
  EXPECT_EQ(parsed.values.out.text, "/tmp/%p.x");
  EXPECT_EQ(parsed.values.buffer_mb.count, 12u);
  EXPECT_FALSE(parsed.values.launches.contains(2));
  EXPECT_TRUE(parsed.values.launches.contains(3));
  EXPECT_TRUE(parsed.values.launches.contains(4));
  EXPECT_FALSE(parsed.values.launches.contains(5));
  EXPECT_TRUE(parsed.complaints.empty());
}

TEST(Options, AttachNamesTheMoment) {
  EXPECT_TRUE(parse_options("attach=load").values.attach.at_load);
  EXPECT_FALSE(parse_options("attach=launch").values.attach.at_load);
}

TEST(Options, SamplesAreOneInNOrARange) {
  const options values = parse_options("blocks=16,warps=4:2,sms=1").values;
  EXPECT_EQ(values.blocks.every, 16u);
  EXPECT_EQ(values.warps.first, 4u);
  EXPECT_EQ(values.warps.count, 2u);
  EXPECT_FALSE(values.blocks.all());
  EXPECT_FALSE(values.warps.all());
  EXPECT_TRUE(values.sms.all());
}

TEST(Options, RuleOfASampleHoldsForItsMembersAlone) {
  for (std::uint32_t n = 1; n <= 70; ++n) {
    const kinstr::sample_rule every = sampling{n}.rule();
    const kinstr::sample_rule range = sampling{1, n, 5}.rule();
    for (std::uint64_t base : {0u, 0x7FFFFF00u, 0xFFFFFE00u}) {
      for (std::uint64_t i = base; i < base + 512; ++i) {
        EXPECT_EQ(contains(every, static_cast<std::uint32_t>(i)), i % n == 0)
            << i << " in " << n;
        EXPECT_EQ(contains(range, static_cast<std::uint32_t>(i)),
                  i >= n && i < n + 5);
      }
    }
  }
  for (std::uint32_t n : {1u << 31, 0xFFFFFFFFu, 0x80000001u, 3u << 30}) {
    const kinstr::sample_rule every = sampling{n}.rule();
    EXPECT_TRUE(contains(every, 0));
    EXPECT_TRUE(contains(every, n));
    EXPECT_FALSE(contains(every, n - 1));
    EXPECT_FALSE(contains(every, 1) && n != 1);
  }
  EXPECT_TRUE(contains(sampling{}.rule(), 0xFFFFFFFFu));
}

TEST(Options, WindowWithoutCountNeverEnds) {
  const launch_window window = parse_options("launches=2").values.launches;
  EXPECT_FALSE(window.contains(1));
  EXPECT_TRUE(window.contains(2));
  EXPECT_TRUE(window.contains(~std::uint64_t{0}));
}

TEST(Options, UnknownKeyIsNamedWithTheKnownOnes) {
  const parsed_options parsed = parse_options("bufer_mb=12,buffer_mb=3");
  ASSERT_EQ(parsed.complaints.size(), 1u);
  EXPECT_EQ(parsed.complaints[0],
            "KINSTR_OPTIONS: unknown key 'bufer_mb' (known: out=PATH, "
            "buffer_mb=N, overflow=stop|ring|grow, arena=device|host, "
            "launches=SKIP[:COUNT], blocks=N|FIRST:COUNT, "
            "warps=N|FIRST:COUNT, sms=N|FIRST:COUNT, exit_wait=SECONDS, "
            "attach=launch|load)");
  EXPECT_EQ(parsed.values.buffer_mb.count, 3u);
}

TEST(Options, BadValueKeepsTheDefault) {
  for (const char *item : {"buffer_mb=",
                           "buffer_mb",
                           "buffer_mb=0",
                           "buffer_mb=-1",
                           "buffer_mb=1x",
                           "buffer_mb=16384",
                           "launches=",
                           "launches=a",
                           "launches=1:",
                           "exit_wait=",
                           "exit_wait=1s",
                           "exit_wait=-1",
                           "exit_wait=99999999999",
                           "blocks=",
                           "blocks=0",
                           "blocks=1/16",
                           "blocks=3:",
                           "blocks=:3",
                           "blocks=0:0",
                           "warps=4294967296",
                           "sms=-1",
                           "attach=",
                           "attach=never",
                           "launches=1:2:3",
                           "launches= 1",
                           "out=",
                           "out=a%",
                           "out=%x",
                           "out=folder/",
                           "launches=99999999999999999999"}) {
    const parsed_options parsed = parse_options(item);
    ASSERT_EQ(parsed.complaints.size(), 1u) << item;
    EXPECT_NE(parsed.complaints[0].find("invalid value in '" +
                                        std::string(item) + "'"),
              std::string::npos)
        << parsed.complaints[0];
    EXPECT_EQ(parsed.values.out.text, "%e.kitrace");
    EXPECT_EQ(parsed.values.buffer_mb.count, 0u);
    EXPECT_EQ(parsed.values.launches.skip, 0u) << item;
    EXPECT_TRUE(parsed.values.blocks.all()) << item;
  }
}

TEST(Options, PathPatternIsExpanded) {
  EXPECT_EQ(expand({"a/%e-%p.100%%"}, 42, "prog"), "a/prog-42.100%");
}

TEST(Options, LaterFilesAreNumberedBeforeTheExtension) {
  EXPECT_EQ(numbered("x.kitrace", 0), "x.kitrace");
  EXPECT_EQ(numbered("x.kitrace", 1), "x.1.kitrace");
  EXPECT_EQ(numbered("a.b/x", 2), "a.b/x.2");
  EXPECT_EQ(numbered("/a/.x", 3), "/a/.x.3");
}

TEST(Tables, NameTheFileTheKernelsAndThatOfEachLaunch) {
  const table_contents t = read_tables(R"({ "abi": 1, "file": "a b.cu",
    "kernels": [{"name": "k]}\"", "sites": [{"kind": "phase", "name": "x"}, {}]},
                {"function": "ns::k", "name": "n"}],
    "launches": [ {"line": 3, "kernel": 0}, {"kernel": -1, "line": 4}, {"line": 5} ] })");
  EXPECT_EQ(t.file, "a b.cu");
  EXPECT_EQ(t.launch_kernels, (std::vector<int>{0, -1, -1}));
  EXPECT_EQ(t.kernel_functions, (std::vector<std::string>{"k]}\\\"", "ns::k"}));
}

TEST(Tables, WhatIsNoTableIsRead) {
  for (const char *text :
       {"", "{", "[", "{\"launches\"", "{\"launches\":[", "{\"launches\":[{",
        "{\"file\":\"", "{\"file\":\"x\\", "}", "{]", "{\"a\":}", "{\"a\":[}]",
        "{\"launches\":[]]", "{\"launches\":[:", "null", "{,}",
        "{\"x\":{\"launches\":["}) {
    EXPECT_TRUE(read_tables(text).launch_kernels.size() < 2) << text;
  }
}
