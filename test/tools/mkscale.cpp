// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-mkscale: writes a trace as large as asked, for benchmarks of the
// reader. The same arguments give the same bytes.
//
//   kinstr-mkscale [--layout=slots|stream] [--events=N] [--sms=N]
//                  [--grid=BLOCKS] [--calls] FILE
//
// Blocks of 8 warps. `slots`: like samples/rmsnorm, 9 phases and an exit of
// each warp. `stream`: a loop of 4 phases, 30 events in a record and 3 records
// of each warp. Launches of --grid blocks (16384 if not given) follow one
// another until there are as many events as asked for. With --calls the table
// of launches has a row for each.
#include "kinstr/record.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <vector>

using namespace llvm;
using namespace kinstr;

namespace {

constexpr uint32_t Warps = 8, Slots = 9;
constexpr uint32_t StreamPhases = 4, RecordEvents = 30, RecordsOfWarp = 3;
constexpr uint32_t Resident = 8;     ///< blocks of an SM at a time
constexpr double NsPerCycle = 0.571; ///< 1.75 GHz
constexpr uint64_t TimerStep = 32;   ///< [ns]
constexpr uint64_t Epoch = 1770000000000000000;

struct Options {
  bool Stream = false, Calls = false;
  uint64_t Events = 1000000;
  uint32_t Sms = 132, Grid = 16384;
  std::string Path;

  uint64_t eventsOfBlock() const {
    return Warps * (Stream ? RecordEvents * RecordsOfWarp : Slots + 1);
  }
  uint64_t blocks() const { return Events / eventsOfBlock(); }
  uint64_t launches() const { return (blocks() + Grid - 1) / Grid; }
};

/// The words of one SM.
class Region {
public:
  Region(const Options &O, uint32_t Sm) : O(O), Sm(Sm), State(Sm + 1) {
    Free.assign(Resident, 1000 + random(1000));
  }

  std::vector<uint32_t> write();

private:
  uint32_t random(uint32_t Limit) {
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(State >> 33) % Limit;
  }
  uint64_t clock(uint64_t Cycles) const {
    return (uint64_t(1) << 40) + Sm / 16 * 7919993ull + Cycles;
  }
  static uint64_t timer(uint64_t Cycles) {
    return Epoch + static_cast<uint64_t>(double(Cycles) * NsPerCycle) /
                       TimerStep * TimerStep;
  }
  void block(uint64_t Launch, uint32_t Block);
  void anchor(uint64_t Launch, uint64_t Start, uint64_t End);
  uint64_t slots(uint64_t Launch, uint32_t Block, uint32_t Warp,
                 uint64_t Start);
  uint64_t stream(uint64_t Launch, uint32_t Block, uint32_t Warp,
                  uint64_t Start);
  void put64(uint64_t V) {
    Words.push_back(static_cast<uint32_t>(V));
    Words.push_back(static_cast<uint32_t>(V >> 32));
  }

  const Options &O;
  uint32_t Sm;
  uint64_t State;
  std::vector<uint64_t> Free; ///< when each place has room [cycles]
  std::vector<uint32_t> Words;
};

} // namespace

void Region::anchor(uint64_t Launch, uint64_t Start, uint64_t End) {
  put64(Launch + 1);
  Words.push_back(0); // module and kernel
  Words.push_back(Sm | Sm << 16);
  put64(timer(Start));
  put64(clock(Start));
  put64(timer(End));
  put64(clock(End));
  Words.insert(Words.end(), {O.Grid, 1, 1, 32 * Warps | 1 << 11 | 1 << 22, 0,
                             1 | 1 << 8 | 1 << 16});
}

/// When the warp leaves [cycles].
uint64_t Region::slots(uint64_t Launch, uint32_t Block, uint32_t Warp,
                       uint64_t Start) {
  bool Anchor = Warp == anchor_warp(Warps);
  uint32_t Size =
      slots_header_words + Slots + 1 + (Anchor ? anchor_word_count : 0);
  Words.push_back(pack_tag(
      {Anchor, false, Warp, Size, static_cast<uint32_t>(Launch + 1) & 0xFFFF}));
  Words.push_back(Block);
  uint64_t Now = Start + 40 + random(60);
  for (uint32_t I = 0; I <= Slots; ++I) {
    Words.push_back(std::max<uint32_t>(1, static_cast<uint32_t>(clock(Now))));
    if (I != Slots)
      Now += 60 + random(I % 3 ? 200 : 900);
  }
  if (Anchor)
    anchor(Launch, Start, Now + 20);
  return Now;
}

uint64_t Region::stream(uint64_t Launch, uint32_t Block, uint32_t Warp,
                        uint64_t Start) {
  uint64_t Now = Start + 40 + random(60), Begin = Now;
  for (uint32_t R = 0; R < RecordsOfWarp; ++R) {
    bool Last = R + 1 == RecordsOfWarp;
    bool Anchor = Last && Warp == anchor_warp(Warps);
    Words.push_back(pack_tag(
        {Anchor, true, Warp, 0, static_cast<uint32_t>(Launch + 1) & 0xFFFF}));
    Words.push_back(Block);
    Words.push_back(pack_stream_count({RecordEvents, kernel_events}));
    size_t At = Words.size();
    if (Anchor)
      Words.resize(At + anchor_word_count);
    for (uint32_t I = 0; I < RecordEvents; ++I) {
      uint32_t Site =
          Last && I + 1 == RecordEvents ? exit_site : I % StreamPhases;
      uint64_t Clock = clock(Now);
      Words.push_back(static_cast<uint32_t>(Clock));
      Words.push_back(
          pack_event_high(static_cast<uint32_t>(Clock >> 32), Site));
      Now += 50 + random(Site == 1 ? 900 : 200);
    }
    if (Anchor) {
      std::vector<uint32_t> Behind(Words.begin() + At + anchor_word_count,
                                   Words.end());
      Words.resize(At);
      anchor(Launch, std::min(Start, Begin), Now);
      Words.insert(Words.end(), Behind.begin(), Behind.end());
    }
  }
  return Now;
}

void Region::block(uint64_t Launch, uint32_t Block) {
  auto Place = std::min_element(Free.begin(), Free.end());
  uint64_t End = 0;
  for (uint32_t W = 0; W < Warps; ++W)
    End = std::max(End, O.Stream ? stream(Launch, Block, W, *Place)
                                 : slots(Launch, Block, W, *Place));
  *Place = End + 300;
}

std::vector<uint32_t> Region::write() {
  for (uint64_t B = Sm; B < O.blocks(); B += O.Sms)
    block(B / O.Grid, static_cast<uint32_t>(B % O.Grid));
  return std::move(Words);
}

static json::Object tables(const Options &O) {
  json::Array Sites;
  for (uint32_t I = 0; I < (O.Stream ? StreamPhases : Slots); ++I)
    Sites.push_back(json::Object{{"kind", "phase"},
                                 {"name", "phase" + utostr(I)},
                                 {"line", I + 2},
                                 {"drain", "none"}});
  json::Object Kernel{
      {"name", "scale"},    {"line", 1},
      {"buffer", "shared"}, {"layout", O.Stream ? "stream" : "slots"},
      {"flow", "uniform"},  {"sites", std::move(Sites)}};
  json::Object Module{
      {"abi", abi_version},
      {"file", "scale.cu"},
      {"kernels", json::Array{std::move(Kernel)}},
      {"launches", json::Array{json::Object{{"line", 20}, {"kernel", 0}}}}};
  uint64_t Events = O.blocks() * O.eventsOfBlock();
  return json::Object{
      {"producer", "kinstr-mkscale"},
      {"abi", abi_version},
      {"program", "scale"},
      {"devices", json::Array{json::Object{{"index", 0},
                                           {"name", "Generated GPU"},
                                           {"compute_capability", "9.0"},
                                           {"sm_count", O.Sms},
                                           {"clock_khz", 1750000}}}},
      {"modules", json::Array{std::move(Module)}},
      {"totals", json::Object{{"events", Events}}}};
}

/// With the calls, as text: there may be too many for a tree of values.
static std::string meta(const Options &O) {
  std::string Json;
  raw_string_ostream OS(Json);
  OS << json::Value(tables(O));
  if (!O.Calls)
    return Json;
  Json.pop_back();
  OS << ",\"launches\":";
  json::OStream Rows(OS);
  Rows.array([&] {
    for (uint64_t I = 0; I < O.launches(); ++I)
      Rows.value(json::Object{{"device", 0},
                              {"module", 0},
                              {"site", 0},
                              {"function", -1},
                              {"grid", json::Array{O.Grid, 1, 1}},
                              {"block", json::Array{32 * Warps, 1, 1}},
                              {"dynamic_shared", 0},
                              {"stream", 0},
                              {"host_unix_ns", Epoch + I * 5000},
                              {"blocks_per_sm", Resident},
                              {"captured", false}});
  });
  OS << '}';
  return Json;
}

static void put(raw_ostream &OS, uint64_t V, unsigned Bytes) {
  for (unsigned I = 0; I < Bytes; ++I)
    OS << static_cast<char>(V >> 8 * I);
}

static void section(raw_ostream &OS, section_kind Kind,
                    ArrayRef<uint8_t> Payload) {
  put(OS, static_cast<uint32_t>(Kind), 4);
  put(OS, crc32(Payload), 4);
  put(OS, Payload.size(), 8);
  OS.write(reinterpret_cast<const char *>(Payload.data()), Payload.size());
  OS.write_zeros(-Payload.size() % 8);
}

static void write(const Options &O, raw_ostream &OS) {
  OS.write(file_magic, sizeof(file_magic));
  put(OS, file_version, 8);
  section(OS, section_kind::meta, arrayRefFromStringRef(meta(O)));
  for (uint32_t Sm = 0; Sm < O.Sms; ++Sm) {
    std::vector<uint32_t> Words = Region(O, Sm).write();
    Words.insert(Words.begin(), {0, Sm}); // region_header
    section(OS, section_kind::region,
            ArrayRef(reinterpret_cast<const uint8_t *>(Words.data()),
                     Words.size() * 4)); // written on a little-endian machine
  }
  section(OS, section_kind::end, {});
}

static int usage() {
  errs() << "usage: kinstr-mkscale [--layout=slots|stream] [--events=N] "
            "[--sms=N] [--grid=BLOCKS] [--calls] FILE\n";
  return 2;
}

int main(int argc, char **argv) {
  Options O;
  for (StringRef A : ArrayRef(argv + 1, argc - 1)) {
    bool Bad = false;
    if (A == "--layout=stream")
      O.Stream = true;
    else if (A.consume_front("--events="))
      Bad = A.getAsInteger(0, O.Events);
    else if (A.consume_front("--sms="))
      Bad = A.getAsInteger(0, O.Sms) || O.Sms == 0;
    else if (A.consume_front("--grid="))
      Bad = A.getAsInteger(0, O.Grid) || O.Grid == 0;
    else if (A == "--calls")
      O.Calls = true;
    else if (A != "--layout=slots")
      O.Path = A.str();
    if (Bad)
      return usage();
  }
  if (O.Path.empty() || StringRef(O.Path).starts_with("-"))
    return usage();
  std::error_code EC;
  raw_fd_ostream OS(O.Path, EC);
  if (!EC) {
    OS.SetBufferSize(1 << 20);
    write(O, OS);
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  if (EC) {
    errs() << O.Path << ": " << EC.message() << '\n';
    return 1;
  }
  return 0;
}
