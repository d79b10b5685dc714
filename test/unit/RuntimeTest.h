// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of the whole runtime share: the trace it leaves, and a folder.
#ifndef KINSTR_TEST_RUNTIMETEST_H
#define KINSTR_TEST_RUNTIMETEST_H

#include "crc32.h"
#include "kinstr/record.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kinstr {

/// A trace file, read without the reader.
struct trace_file {
  bool found = false;
  bool ended = false;
  std::string meta;
  std::vector<std::uint32_t> words; ///< of all regions
  std::set<std::pair<std::uint32_t, std::uint32_t>>
      regions; ///< device position and SM

  bool says(const std::string &text) const {
    return meta.find(text) != std::string::npos;
  }
  std::size_t count(const std::string &text) const {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = meta.find(text, at)) != std::string::npos;
         ++at) {
      ++n;
    }
    return n;
  }
  std::size_t launches() const { return count("\"host_unix_ns\""); }
  std::vector<std::uint32_t> clocks() const {
    std::vector<std::uint32_t> c;
    for (std::size_t i = 0; i + 4 <= words.size(); i += 4) {
      c.push_back(words[i + 2]);
    }
    return c;
  }
};

inline trace_file read_trace(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  trace_file t;
  t.found = bytes.size() >= sizeof(file_header) &&
            bytes.compare(0, 8, file_magic, 8) == 0;
  for (std::size_t at = sizeof(file_header);
       t.found && at + sizeof(section_header) <= bytes.size();) {
    section_header header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const char *const payload = bytes.data() + at + sizeof header;
    EXPECT_EQ(rt::crc32(0, payload, header.size), header.crc32);
    if (header.kind == section_kind::meta) {
      t.meta.assign(payload, header.size);
    } else if (header.kind == section_kind::region) {
      region_header region;
      std::memcpy(&region, payload, sizeof region);
      t.regions.insert({region.device, region.sm});
      const std::size_t old = t.words.size();
      t.words.resize(old + (header.size - sizeof(region_header)) / 4);
      std::memcpy(&t.words[old], payload + sizeof(region_header),
                  header.size - sizeof(region_header));
    }
    t.ended = header.kind == section_kind::end;
    at += sizeof header + (header.size + 7) / 8 * 8;
  }
  return t;
}

class Runtime : public testing::Test {
protected:
  std::string folder;
  std::string path;

  void SetUp() override {
    folder = testing::TempDir() + "kinstr-runtime-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    path = folder + "/t.kitrace";
  }
  void TearDown() override {
    for (const char *name : {"t.kitrace", "t.1.kitrace", "t.2.kitrace"}) {
      ::unlink((folder + '/' + name).c_str());
    }
    EXPECT_EQ(::rmdir(folder.c_str()), 0) << "something is left in " << folder;
  }

  std::string out() const { return "out=" + path; }
  std::string file(const std::string &name) const {
    return folder + '/' + name;
  }
};

} // namespace kinstr

#endif // KINSTR_TEST_RUNTIMETEST_H
