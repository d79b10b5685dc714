// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime writes with: checksum, JSON, file container; and its walk
// over the records.
#include "arena.h"
#include "crc32.h"
#include "json.h"
#include "writer.h"
#include "gtest/gtest.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

using namespace kinstr;
using namespace kinstr::rt;

TEST(Crc32, IsZlibs) {
  EXPECT_EQ(crc32(0, "", 0), 0u);
  EXPECT_EQ(crc32(0, "123456789", 9), 0xCBF43926u);
  EXPECT_EQ(crc32(0, "The quick brown fox jumps over the lazy dog", 43),
            0x414FA339u);
}

TEST(Crc32, GoesOnFromAnySplit) {
  std::string bytes(1000, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  const std::uint32_t whole = crc32(0, bytes.data(), bytes.size());
  for (std::size_t split = 0; split <= 40; ++split) {
    EXPECT_EQ(crc32(crc32(0, bytes.data(), split), bytes.data() + split,
                    bytes.size() - split),
              whole);
  }
}

TEST(Crc32, OfAnyLengthAndAlignment) {
  std::string bytes(600, '\0');
  std::uint32_t state = 1;
  for (char &b : bytes) {
    state = state * 1664525 + 1013904223;
    b = static_cast<char>(state >> 24);
  }
  for (std::size_t begin = 0; begin < 17; ++begin) {
    std::uint32_t bytewise = 0;
    for (std::size_t size = 1; begin + size <= bytes.size(); ++size) {
      bytewise = crc32(bytewise, bytes.data() + begin + size - 1, 1);
      EXPECT_EQ(crc32(0, bytes.data() + begin, size), bytewise) << size;
    }
  }
}

TEST(Json, SeparatesMembersAndElements) {
  const unsigned dims[3] = {1, 2, 3};
  json_writer json;
  json.begin_object().member("a", 1).key("b").begin_array();
  json.begin_object().end_object().value("x").value(-2).end_array();
  json.member("c", dims).key("d").raw("{}").end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":[{},"x",-2],"c":[1,2,3],"d":{}})");
}

TEST(Json, EscapesWhatMustBe) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\x01/"), R"("a\"b\\c\u000a\u0001/")");
  EXPECT_EQ(json_quoted("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json_quoted("a\xFFz"), R"("a\ufffdz")");
  EXPECT_EQ(json_quoted("\xC3"), R"("\ufffd")");           // cut short
  EXPECT_EQ(json_quoted("\xC0\x80"), R"("\ufffd\ufffd")"); // overlong
  EXPECT_EQ(json_quoted("\xED\xA0\x80").substr(0, 7),
            R"("\ufffd)"); // surrogate
  EXPECT_EQ(json_quoted("\xF5\x80\x80\x80").substr(0, 7), R"("\ufffd)");
}

TEST(Arena, IsASmallShareOfTheFreeMemory) {
  EXPECT_EQ(plan_arena(132, std::size_t{140} << 30, 0).bytes() >> 20,
            255u); // 256, rounded down
  EXPECT_LE(plan_arena(132, std::size_t{1} << 30, 0).bytes(),
            (std::size_t{1} << 30) / 20);
  EXPECT_EQ(plan_arena(4, std::size_t{1} << 30, 7).bytes(),
            std::size_t{7} << 20);
}

TEST(Arena, IndexOfAWordHas32Bits) {
  for (std::uint32_t sms : {1u, 7u, 132u, 148u}) {
    const arena_size a = plan_arena(sms, 0, 16383);
    EXPECT_LT(a.words(), std::size_t{1} << 32);
    EXPECT_EQ(a.region_words % 2, 0u);
  }
  EXPECT_GT(plan_arena(0, 0, 0).words(), 0u);
}

TEST(Records, AreCountedWithTheirEvents) {
  std::vector<std::uint32_t> words = {pack_tag({false, false, 0, 5, 1}), 0, 11,
                                      0, 12};
  words.insert(words.end(), {0, 0}); // reserved, never written
  words.insert(words.end(),
               {pack_tag({false, true, 1, 0, 1}), 0, 3, 0, 7, 0, 0, 5, 8});
  words.insert(words.end(), {pack_tag({false, true, 1, clock_pair_words, 1}), 0,
                             1, 7, 0, 9, 9, 9, 9}); // a pair is no event
  words.push_back(pack_tag({true, false, 0, 21, 1}));
  words.insert(words.end(), 19, 9);
  words.push_back(13);

  const record_counts counts = count_records(words.data(), words.size());
  EXPECT_EQ(counts.records, 4u);
  EXPECT_EQ(counts.events, 2u + 2u + 1u + 1u);
  EXPECT_FALSE(counts.damaged);
}

TEST(Records, PausesAreNoEvents) {
  const std::vector<std::uint32_t> words = {
      pack_tag({false, true, 0, 0, 1}),
      0,
      3, // block 0
      1000,
      pack_event_high(0, 5), // a site
      2000,
      pack_event_high(0, pause_site), // a pause
      3000,
      pack_event_high(7, exit_site)}; // the exit
  EXPECT_EQ(count_records(words.data(), words.size()).events, 2u);
}

TEST(Records, DamageEndsTheWalk) {
  const std::vector<std::vector<std::uint32_t>> regions = {
      {2},                                          // no tag
      {pack_tag({false, false, 0, 9, 1}), 0, 1, 1}, // reaches too far
      {pack_tag({false, false, 0, 2, 1}), 0},       // no slots
      {pack_tag({false, true, 0, 0, 1}), 0},        // no count
      {pack_tag({false, true, 0, 3, 1}), 0, 1, 1, 1, 1, 1, 1}, // half a pair
      {pack_tag({false, true, 0, 0, 1}), 0, 0xFFFFFFFFu}, // events past the end
      {pack_tag({false, true, 0, 4, 1}), 0, 0}}; // stream with a length
  for (const std::vector<std::uint32_t> &words : regions) {
    EXPECT_TRUE(count_records(words.data(), words.size()).damaged);
  }
}

TEST(Records, WrittenWordsEndWithTheLastRecord) {
  std::vector<std::uint32_t> words(64);
  const auto written = [&] {
    return written_words(words.data(), words.size());
  };
  EXPECT_EQ(written(), 0u);
  words[2] = pack_tag({false, false, 0, 6, 1}); // block 0, no site reached
  EXPECT_EQ(written(), 8u);
  words[4] = 11; // its first slot of four
  EXPECT_EQ(written(), 8u);
  words[9] = pack_tag({false, true, 1, 0, 1});
  EXPECT_EQ(written(), 12u);
  words[11] = 5; // room for as many events, none is there
  EXPECT_EQ(written(), 22u);
  words[20] = words[21] = 7; // the last one is
  EXPECT_EQ(written(), 22u);
  words[60] = pack_tag({false, false, 0, 6, 1}); // reaches past the region
  EXPECT_EQ(written(), 61u);
}

namespace {

std::vector<region_copy> one_region() {
  std::vector<region_copy> regions;
  regions.push_back({{1, 2}, 3, std::make_unique<std::uint32_t[]>(3)});
  regions[0].words[2] = 7;
  seal(regions[0]);
  return regions;
}

std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST(Writer, SectionsArePaddedTo8Bytes) {
  const std::string path = testing::TempDir() + "writer.kitrace";
  ASSERT_EQ(write_trace(path, "{}", one_region()), 0);
  const std::string file = read_file(path);
  ASSERT_EQ(file.size(), 16u + (16 + 8) + (16 + 24) + 16);
  EXPECT_EQ(file.substr(0, 8), "KITRACE\n");
  EXPECT_EQ(file.substr(16, 4), std::string("\1\0\0\0", 4));
  EXPECT_EQ(file.substr(24, 8), std::string("\2\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(file.substr(32, 8), std::string("{}\0\0\0\0\0\0", 8));
  EXPECT_EQ(file.substr(40, 4), std::string("\2\0\0\0", 4));
  EXPECT_EQ(file.substr(48, 8), std::string("\x14\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(file.substr(80, 4), std::string("\3\0\0\0", 4));
  ::unlink(path.c_str());
}

TEST(Writer, FailureLeavesNothingBehind) {
  const std::string folder = testing::TempDir() + "no/such/folder/x";
  EXPECT_EQ(write_trace(folder, "{}", {}), ENOENT);
  EXPECT_EQ(write_trace(testing::TempDir(), "{}", {}), EISDIR);
}

TEST(Writer, ALinkStaysOne) {
  const std::string target = testing::TempDir() + "target.kitrace";
  const std::string link = testing::TempDir() + "link.kitrace";
  ::unlink(link.c_str());
  ASSERT_EQ(write_trace(target, "{}", {}), 0);
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  ASSERT_EQ(write_trace(link, "{ }", {}), 0);
  struct stat info;
  ASSERT_EQ(::lstat(link.c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_NE(read_file(target).find("{ }"), std::string::npos);
  ::unlink(link.c_str());
  ::unlink(target.c_str());
}

TEST(Writer, FullDiskIsReported) {
  EXPECT_EQ(write_trace("/dev/full", "{}", {}), ENOSPC);
  EXPECT_NE(::access("/dev/full", W_OK),
            -1); // a device is written to, never replaced
}
