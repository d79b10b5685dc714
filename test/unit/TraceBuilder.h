// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the bytes of a trace file piece by piece, right or wrong as asked.
#ifndef KINSTR_TEST_TRACEBUILDER_H
#define KINSTR_TEST_TRACEBUILDER_H

#include "kinstr/record.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/JSON.h"
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinstr::test {

using Words = std::vector<uint32_t>;

/// An anchor with ordinary contents; tests change what they are about.
struct TestAnchor {
  uint64_t GridId = 1;
  uint32_t Module = 0, Kernel = 0;
  uint32_t SmStart = 0, SmEnd = 0;
  uint64_t GlobalStart = 1000000, ClockStart = 5000;
  uint64_t GlobalEnd = 1010000, ClockEnd = 25000;
  uint32_t Grid[3] = {1, 1, 1};
  uint32_t Block[3] = {64, 1, 1};
  uint32_t DynamicShared = 0;

  Words words() const {
    auto Low = [](uint64_t V) { return static_cast<uint32_t>(V); };
    auto High = [](uint64_t V) { return static_cast<uint32_t>(V >> 32); };
    return {Low(GridId),
            High(GridId),
            Module << 16 | Kernel,
            SmStart | SmEnd << 16,
            Low(GlobalStart),
            High(GlobalStart),
            Low(ClockStart),
            High(ClockStart),
            Low(GlobalEnd),
            High(GlobalEnd),
            Low(ClockEnd),
            High(ClockEnd),
            Grid[0],
            Grid[1],
            Grid[2],
            Block[0] | Block[1] << 11 | Block[2] << 22,
            DynamicShared,
            0};
  }
};

inline void append(Words &To, const Words &From) {
  To.insert(To.end(), From.begin(), From.end());
}

/// A slots record. \p Clocks: full clocks, one a site and one for the exit; 0
/// where the warp never came.
inline Words slotsRecord(uint64_t GridId, uint32_t Block, uint32_t Warp,
                         const std::vector<uint64_t> &Clocks,
                         const TestAnchor *A = nullptr) {
  uint32_t Size = slots_header_words + (A ? anchor_word_count : 0) +
                  static_cast<uint32_t>(Clocks.size());
  Words W = {pack_tag({A != nullptr, false, Warp, Size,
                       static_cast<uint32_t>(GridId & 0xFFFF)}),
             Block};
  for (uint64_t C : Clocks) {
    auto Low = static_cast<uint32_t>(C);
    W.push_back(C != 0 && Low == 0 ? 1 : Low);
  }
  if (A)
    append(W, A->words());
  return W;
}

/// %globaltimer and %clock64.
struct TestClocks {
  uint64_t Global = 0, Clock = 0;
};

/// The number of the event behind it, for streamRecord().
inline std::pair<uint64_t, uint32_t> numberEvent(number_type Type,
                                                 uint32_t Bits) {
  return {uint64_t(Type) << 32 | Bits, number_site};
}

/// A stream record of (clock, site) events.
inline Words
streamRecord(uint64_t GridId, uint32_t Block, uint32_t Warp,
             const std::vector<std::pair<uint64_t, uint32_t>> &Events,
             const TestAnchor *A = nullptr,
             std::optional<TestClocks> Pair = std::nullopt) {
  Words W = {pack_tag({A != nullptr, true, Warp, Pair ? clock_pair_words : 0,
                       static_cast<uint32_t>(GridId & 0xFFFF)}),
             Block, static_cast<uint32_t>(Events.size())};
  if (A)
    append(W, A->words());
  for (auto [Clock, Site] : Events) {
    W.push_back(static_cast<uint32_t>(Clock));
    W.push_back(pack_event_high(static_cast<uint32_t>(Clock >> 32), Site));
  }
  if (Pair)
    for (uint64_t V : {Pair->Global, Pair->Clock}) {
      W.push_back(static_cast<uint32_t>(V));
      W.push_back(static_cast<uint32_t>(V >> 32));
    }
  return W;
}

/// The file around tables and records.
class TraceBuilder {
public:
  /// A module `k.cu` with one kernel `k` whose sites are the phases `a`, `b`.
  static llvm::json::Object smallMeta(const char *Flow = "uniform") {
    using namespace llvm::json;
    Array Sites{
        Object{
            {"kind", "phase"}, {"name", "a"}, {"line", 2}, {"drain", "none"}},
        Object{
            {"kind", "phase"}, {"name", "b"}, {"line", 3}, {"drain", "none"}}};
    Array Kernels{Object{{"name", "k"},
                         {"line", 1},
                         {"flow", Flow},
                         {"sites", std::move(Sites)}}};
    Array Calls{Object{{"line", 9}, {"kernel", 0}}};
    return Object{{"producer", "kinstr test"},
                  {"abi", abi_version},
                  {"program", "prog"},
                  {"devices", Array{Object{{"name", "Test GPU"},
                                           {"compute_capability", "9.0"},
                                           {"sm_count", 4},
                                           {"clock_khz", 2000000}}}},
                  {"modules", Array{Object{{"abi", abi_version},
                                           {"file", "k.cu"},
                                           {"kernels", std::move(Kernels)},
                                           {"launches", std::move(Calls)}}}}};
  }

  TraceBuilder() : Meta(smallMeta()) {}
  explicit TraceBuilder(llvm::json::Object M) : Meta(std::move(M)) {}

  llvm::json::Object Meta;
  std::string RawMeta;    ///< replaces Meta where not empty
  bool EndSection = true; ///< false: the file stops after the last region
  uint32_t Version = file_version;

  Words &region(uint32_t Device, uint32_t Sm) { return Regions[{Device, Sm}]; }

  std::string bytes() const {
    std::string Out(file_magic, sizeof(file_magic));
    put32(Out, Version);
    put32(Out, 0);
    std::string Json = RawMeta;
    if (Json.empty())
      llvm::raw_string_ostream(Json)
          << llvm::json::Value(llvm::json::Object(Meta));
    section(Out, section_kind::meta, Json);
    for (const auto &[Where, W] : Regions) {
      std::string Payload;
      put32(Payload, Where.first);
      put32(Payload, Where.second);
      for (uint32_t Word : W)
        put32(Payload, Word);
      section(Out, section_kind::region, Payload);
    }
    if (EndSection)
      section(Out, section_kind::end, "");
    return Out;
  }

  static void section(std::string &Out, section_kind Kind,
                      llvm::StringRef Payload) {
    put32(Out, static_cast<uint32_t>(Kind));
    put32(Out, llvm::crc32(llvm::arrayRefFromStringRef(Payload)));
    put32(Out, static_cast<uint32_t>(Payload.size()));
    put32(Out, static_cast<uint32_t>(uint64_t(Payload.size()) >> 32));
    Out += Payload;
    Out.append((8 - Payload.size() % 8) % 8, '\0');
  }

  static void put32(std::string &Out, uint32_t V) {
    for (unsigned Shift = 0; Shift < 32; Shift += 8)
      Out += static_cast<char>(V >> Shift & 0xFF);
  }

private:
  std::map<std::pair<uint32_t, uint32_t>, Words> Regions;
};

} // namespace kinstr::test

#endif // KINSTR_TEST_TRACEBUILDER_H
