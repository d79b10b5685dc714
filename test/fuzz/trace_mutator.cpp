// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutates traces by what they are made of: sections, members of the tables,
// records. Sizes stay right, and tables JSON, so that most results are read to
// the end.
#include "TraceInput.h"
#include "kinstr/record.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include <random>

using namespace kinstr;
using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;
using support::endian::write32le;
using support::endian::write64le;

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

namespace {

class Dice {
public:
  explicit Dice(unsigned Seed) : Random(Seed) {}
  size_t below(size_t N) {
    return N < 2 ? 0 : std::uniform_int_distribution<size_t>(0, N - 1)(Random);
  }
  bool oneIn(size_t N) { return below(N) == 0; }
  template <typename Range> auto &pick(Range &&From) {
    return *std::next(std::begin(From), below(std::size(From)));
  }

private:
  std::minstd_rand Random;
};

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

class TableMutator {
public:
  explicit TableMutator(Dice &D) : D(D) {}
  std::string run(StringRef Text, size_t MaxSize);

private:
  void collect(json::Value &V);
  void change(json::Value &V);
  void change(json::Array &A);
  void change(json::Object &O);
  json::Value anything();
  std::string anyText();
  int64_t anyNumber();

  Dice &D;
  std::vector<json::Value *> All;
};

} // namespace

void TableMutator::collect(json::Value &V) {
  All.push_back(&V);
  if (json::Array *A = V.getAsArray())
    for (json::Value &Element : *A)
      collect(Element);
  if (json::Object *O = V.getAsObject())
    for (auto &Member : *O)
      collect(Member.second);
}

int64_t TableMutator::anyNumber() {
  static constexpr int64_t Edges[] = {
      0,          1,         -1,        2,         31,        32,
      63,         64,        65,        0xffff,    0x10000,   INT32_MAX,
      UINT32_MAX, INT32_MIN, 1ll << 53, INT64_MAX, INT64_MIN, 1024,
      1000000,    -2,        1ll << 32, 0xfffe,    255,       256};
  return D.oneIn(3) ? static_cast<int64_t>(D.below(100)) : D.pick(Edges);
}

std::string TableMutator::anyText() {
  static constexpr StringLiteral Texts[] = {"phase",
                                            "mark",
                                            "end",
                                            "return",
                                            "entry",
                                            "scope",
                                            "scope-end",
                                            "value",
                                            "slots",
                                            "stream",
                                            "uniform",
                                            "warprows",
                                            "divergent",
                                            "shared",
                                            "lanes",
                                            "global",
                                            "ring",
                                            "grow",
                                            "",
                                            "a",
                                            "</script>",
                                            "<!--",
                                            "]]>",
                                            "\"",
                                            "&amp;",
                                            "\\",
                                            "\x1b[31m",
                                            "\n",
                                            "\r\n",
                                            "\xe2\x80\xae",
                                            "\xef\xbf\xbe",
                                            "\xf0\x9f\x99\x82",
                                            "\x7f",
                                            "=1+1",
                                            "a,b",
                                            "_Z1kIiEvv",
                                            "/etc/passwd",
                                            "../k.cu",
                                            "\xc2\x85"};
  if (D.oneIn(12))
    return std::string(D.below(600), 'w');
  if (D.oneIn(12))
    return std::string(1, '\0');
  std::string Text = D.pick(Texts).str();
  return D.oneIn(6) ? Text + D.pick(Texts).str() : Text;
}

json::Value TableMutator::anything() {
  switch (D.below(12)) {
  case 0:
    return nullptr;
  case 1:
    return D.oneIn(2);
  case 2:
    return D.oneIn(2) ? 1e308 : -0.5;
  case 3:
    return json::Array();
  case 4:
    return json::Object();
  case 5:
  case 6:
  case 7:
    return anyText();
  default:
    return anyNumber();
  }
}

void TableMutator::change(json::Array &A) {
  if (A.empty()) {
    A.push_back(anything());
    return;
  }
  json::Value Copy = D.pick(A);
  switch (D.below(4)) {
  case 0:
    A.erase(A.begin() + D.below(A.size()));
    break;
  case 1:
    D.pick(A) = std::move(Copy);
    break;
  default:
    for (size_t I = D.oneIn(8) ? D.below(70) : 1; I > 0; --I)
      A.push_back(Copy);
  }
}

void TableMutator::change(json::Object &O) {
  if (O.empty())
    return;
  auto &Member = D.pick(O);
  if (D.oneIn(2))
    O.erase(Member.first);
  else
    Member.second = anything();
}

void TableMutator::change(json::Value &V) {
  if (D.oneIn(20))
    V = anything();
  else if (json::Array *A = V.getAsArray())
    change(*A);
  else if (json::Object *O = V.getAsObject())
    change(*O);
  else if (V.getAsString())
    V = anyText();
  else
    V = anyNumber();
}

std::string TableMutator::run(StringRef Text, size_t MaxSize) {
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed || D.oneIn(16)) {
    consumeError(Parsed.takeError());
    std::vector<uint8_t> Bytes(Text.begin(), Text.end());
    Bytes.resize(std::max(MaxSize, Text.size()));
    Bytes.resize(LLVMFuzzerMutate(Bytes.data(), Text.size(), Bytes.size()));
    return {Bytes.begin(), Bytes.end()};
  }
  for (size_t Times = D.oneIn(4) ? 1 + D.below(5) : 1; Times > 0; --Times) {
    All.clear();
    collect(*Parsed);
    change(*D.pick(All));
  }
  std::string Out;
  raw_string_ostream(Out) << *Parsed;
  return Out;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

namespace {

/// The words of a region.
class RecordMutator {
public:
  RecordMutator(Dice &D, StringRef Payload) : D(D), Words(Payload.size() / 4) {
    for (size_t I = 0; I < Words.size(); ++I)
      Words[I] = read32le(Payload.data() + 4 * I);
    walk();
  }
  std::string run();

private:
  struct Record {
    size_t At, Size;
  };
  void walk();
  uint32_t changed(uint32_t Word);
  void changeRecord(Record R);

  Dice &D;
  std::vector<uint32_t> Words; ///< the first two are region_header
  std::vector<Record> Records;
};

} // namespace

void RecordMutator::walk() {
  for (size_t At = sizeof(region_header) / 4; At < Words.size();) {
    uint32_t Third = At + 2 < Words.size() ? Words[At + 2] : 0;
    size_t Size = record_words(Words[At], Third);
    if (Size > Words.size() - At)
      return;
    if (Size > 0)
      Records.push_back({At, Size});
    At += std::max<size_t>(Size, 1);
  }
}

uint32_t RecordMutator::changed(uint32_t Word) {
  static constexpr uint32_t Edges[] = {
      0, 1, 0x7fffffff, 0x80000000, 0xffffffff, exit_site, pause_site, 0x10000};
  switch (D.below(6)) {
  case 0:
    return Word ^ (1u << D.below(32));
  case 1:
    return Word + static_cast<uint32_t>(D.below(64)) - 32;
  case 2:
    return D.pick(Edges);
  case 3: // a site
    return (Word & 0xffff0000) | static_cast<uint32_t>(D.below(12));
  case 4: {
    static constexpr uint32_t NoSites[] = {exit_site, pause_site, number_site};
    uint32_t High = D.oneIn(2) ? static_cast<uint32_t>(D.below(4)) << 16
                               : Word & 0xffff0000;
    return High | D.pick(NoSites);
  }
  default:
    return D.pick(Words);
  }
}

void RecordMutator::changeRecord(Record R) {
  auto Begin = Words.begin() + R.At, End = Begin + R.Size;
  std::vector<uint32_t> Copy(Begin, End);
  switch (D.below(4)) {
  case 0:
    Words.erase(Begin, End);
    break;
  case 1:
    Words.insert(Words.begin() + D.pick(Records).At, Copy.begin(), Copy.end());
    break;
  case 2: // which of the first words, which say most
    Begin[D.below(std::min<size_t>(R.Size, 3))] = changed(*Begin);
    break;
  default:
    Begin[D.below(R.Size)] = changed(Begin[D.below(R.Size)]);
  }
}

std::string RecordMutator::run() {
  if (!Records.empty() && !D.oneIn(4))
    changeRecord(D.pick(Records));
  else if (!Words.empty())
    for (size_t Times = 1 + D.below(3); Times > 0; --Times) {
      uint32_t &Word = D.pick(Words);
      Word = changed(Word);
    }
  std::string Out(4 * Words.size(), '\0');
  for (size_t I = 0; I < Words.size(); ++I)
    write32le(Out.data() + 4 * I, Words[I]);
  return Out;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

namespace {

struct Section {
  uint32_t Kind;
  std::string Payload;
};

class TraceMutator {
public:
  TraceMutator(StringRef Bytes, unsigned Seed);
  bool hasSections() const { return !Sections.empty(); }
  std::string run(size_t MaxSize);

private:
  void changeSections();

  Dice D;
  std::string Header, Tail; ///< Tail: what is no section
  std::vector<Section> Sections;
};

} // namespace

TraceMutator::TraceMutator(StringRef Bytes, unsigned Seed)
    : D(Seed), Header(Bytes.take_front(sizeof(file_header))) {
  Bytes = Bytes.substr(Header.size());
  while (Bytes.size() >= sizeof(section_header)) {
    uint64_t Size = read64le(Bytes.data() + offsetof(section_header, size));
    StringRef Payload = Bytes.drop_front(sizeof(section_header));
    if (Size > Payload.size())
      break;
    Sections.push_back(
        {read32le(Bytes.data()), Payload.take_front(Size).str()});
    Bytes =
        Payload.substr(std::min<uint64_t>((Size + 7) / 8 * 8, Payload.size()));
  }
  Tail = Bytes.str();
}

void TraceMutator::changeSections() {
  Section Copy = D.pick(Sections);
  switch (D.below(4)) {
  case 0:
    Sections.erase(Sections.begin() + D.below(Sections.size()));
    break;
  case 1:
    D.pick(Sections) = std::move(Copy);
    break;
  case 2:
    std::swap(D.pick(Sections), D.pick(Sections));
    break;
  default:
    Sections.insert(Sections.begin() + D.below(Sections.size()),
                    std::move(Copy));
  }
}

std::string TraceMutator::run(size_t MaxSize) {
  Section &S = D.pick(Sections);
  if (D.oneIn(12))
    changeSections();
  else if (S.Kind == static_cast<uint32_t>(section_kind::meta))
    S.Payload = TableMutator(D).run(S.Payload, MaxSize);
  else if (S.Kind == static_cast<uint32_t>(section_kind::region))
    S.Payload = RecordMutator(D, S.Payload).run();
  std::string Out = Header;
  for (const Section &One : Sections) {
    char Words[sizeof(section_header)] = {};
    write32le(Words, One.Kind);
    write64le(Words + offsetof(section_header, size), One.Payload.size());
    Out.append(Words, sizeof Words);
    Out += One.Payload;
    Out.resize((Out.size() + 7) / 8 * 8);
  }
  return Out + Tail;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size,
                                          size_t MaxSize, unsigned Seed) {
  StringRef Input(reinterpret_cast<char *>(Data), Size);
  std::vector<StringRef> Traces = splitTraces(Input);
  StringRef Old = Traces[Seed % Traces.size()];
  TraceMutator M(Old, Seed);
  if (Seed % 16 == 0 || !M.hasSections())
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  std::string New;
  for (StringRef Trace : Traces)
    New += Trace.data() == Old.data() ? M.run(MaxSize) : Trace.str();
  size_t Length = std::min(New.size(), MaxSize);
  std::copy_n(New.begin(), Length, Data);
  return Length;
}
