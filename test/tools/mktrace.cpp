// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-mktrace: writes a synthetic trace from a description, for lit tests.
//
//   kinstr-mktrace DESCRIPTION -o FILE
//
// One directive a line; '#' starts a comment, so a test can be its own
// description. A directive is a word, perhaps a name, and KEY=VALUE pairs.
//
//   gpu [NAME] sms= step= clock_khz= late= program= file= options= uuid=
//       [ahead=NS]                                of the host's clock
//   kernel NAME line= [repeat=]                   repeat: a stream layout
//   phase|mark|end|scope|scope-end [NAME] line= cycles= [jitter=] [sync=1]
//   value NAME line= cycles= [jitter=] [type=unsigned|signed|float] [first=]
//         [step=]                       needs repeat=; step: more each round
//   launch grid= block= [kernel=] [per_sm=] [at=NS] [ghz=] [stream=] [times=]
//          [every=NS] [skip=BLOCKS] [unfinished=BLOCKS] [moved=BLOCKS] [host=0]
//          [mangled=] [registers=] [static_shared=] [dynamic_shared=]
//   drop sm= records= events=
//   meta KEY=JSON                                 replaces a key of the tables
//   words sm= list=HEX,HEX,...                    raw words at a region's end
//   file [version=] [end=0] [cut=BYTES] [flip=OFFSET] [magic=TEXT]
//   [extra=BYTES]
#include "../unit/SimulatedGpu.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <map>

using namespace llvm;
using namespace kinstr::test;

namespace {

[[noreturn]] void fail(const Twine &Message) {
  errs() << "kinstr-mktrace: error: " << Message << '\n';
  std::exit(1);
}

/// One line of the description.
struct Directive {
  StringRef Verb, Name;
  std::map<StringRef, StringRef> Values;

  explicit Directive(StringRef Line) {
    SmallVector<StringRef> Parts;
    Line.split(Parts, ' ', -1, /*KeepEmpty=*/false);
    Verb = Parts.front();
    for (StringRef P : ArrayRef(Parts).drop_front())
      if (P.contains('='))
        Values[P.split('=').first] = P.split('=').second;
      else
        Name = P;
  }
  template <typename T> void number(StringRef Key, T &Out) const {
    auto It = Values.find(Key);
    if (It != Values.end() && It->second.getAsInteger(0, Out))
      fail(Key + "=" + It->second + ": expected a number");
  }
  void real(StringRef Key, double &Out) const {
    auto It = Values.find(Key);
    if (It != Values.end() && It->second.getAsDouble(Out))
      fail(Key + "=" + It->second + ": expected a number");
  }
  void text(StringRef Key, std::string &Out) const {
    auto It = Values.find(Key);
    if (It != Values.end())
      Out = It->second.str();
  }
};

class Maker {
public:
  void read(StringRef Text);
  std::string bytes();

private:
  void gpu(const Directive &D);
  void kernel(const Directive &D);
  void site(const Directive &D);
  void launch(const Directive &D);

  SimulatedGpu Gpu;
  std::vector<Directive> Later; ///< change what the simulation made
};

} // namespace

void Maker::gpu(const Directive &D) {
  if (!D.Name.empty()) {
    Gpu.Name = D.Name.str();
    std::replace(Gpu.Name.begin(), Gpu.Name.end(), '_', ' ');
  }
  D.number("sms", Gpu.Sms);
  D.number("step", Gpu.StepNs);
  D.number("clock_khz", Gpu.ClockKhz);
  D.number("late", Gpu.LateCycles);
  D.text("program", Gpu.Program);
  D.text("file", Gpu.File);
  D.text("options", Gpu.Options);
  D.text("uuid", Gpu.Uuid);
  D.number("ahead", Gpu.TimerAheadNs);
}

void Maker::kernel(const Directive &D) {
  SimKernel K;
  K.Name = D.Name.str();
  D.number("line", K.Line);
  D.number("repeat", K.Repeat);
  K.Stream = D.Values.count("repeat");
  Gpu.Kernels.push_back(K);
}

void Maker::site(const Directive &D) {
  if (Gpu.Kernels.empty())
    fail("a site before the first kernel");
  SimSite S;
  S.Kind = D.Verb.str();
  S.Name = D.Name.str();
  D.number("line", S.Line);
  D.number("cycles", S.Cycles);
  D.number("jitter", S.Jitter);
  S.Sync = D.Values.count("sync");
  std::string Type;
  D.text("type", Type);
  S.Type = Type == "float"    ? kinstr::number_type::floating_point
           : Type == "signed" ? kinstr::number_type::signed_integer
                              : kinstr::number_type::unsigned_integer;
  D.real("first", S.First);
  D.real("step", S.Step);
  Gpu.Kernels.back().Sites.push_back(S);
}

void Maker::launch(const Directive &D) {
  SimLaunch L;
  uint64_t Times = 1, Every = 100000;
  unsigned Host = 1;
  D.number("kernel", L.Kernel);
  D.number("grid", L.Grid);
  D.number("block", L.Threads);
  D.number("per_sm", L.PerSm);
  D.number("at", L.AtNs);
  D.real("ghz", L.Ghz);
  D.number("stream", L.Stream);
  D.number("gap", L.Gap);
  D.number("skip", L.SkipBlocks);
  D.number("unfinished", L.Unfinished);
  D.number("moved", L.Moved);
  D.number("host", Host);
  D.text("mangled", L.Mangled);
  D.number("registers", L.Registers);
  D.number("static_shared", L.StaticShared);
  D.number("dynamic_shared", L.DynamicShared);
  D.number("times", Times);
  D.number("every", Every);
  L.Host = Host;
  for (uint64_t I = 0; I < Times; ++I, L.AtNs += Every)
    Gpu.Launches.push_back(L);
}

void Maker::read(StringRef Text) {
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  for (StringRef Line : Lines) {
    Line = Line.split('#').first.trim();
    if (Line.empty())
      continue;
    Directive D(Line);
    if (D.Verb == "gpu")
      gpu(D);
    else if (D.Verb == "kernel")
      kernel(D);
    else if (is_contained(
                 {"phase", "mark", "end", "scope", "scope-end", "value"},
                 D.Verb))
      site(D);
    else if (D.Verb == "launch")
      launch(D);
    else if (D.Verb == "drop") {
      std::array<uint32_t, 3> Drop = {};
      D.number("sm", Drop[0]);
      D.number("records", Drop[1]);
      D.number("events", Drop[2]);
      Gpu.Dropped.push_back(Drop);
    } else if (D.Verb == "meta" || D.Verb == "words" || D.Verb == "file") {
      Later.push_back(D);
    } else {
      fail("unknown directive '" + D.Verb + "'");
    }
  }
}

std::string Maker::bytes() {
  TraceBuilder B = Gpu.build();
  for (const Directive &D : Later) {
    if (D.Verb == "meta")
      for (auto [Key, Text] : D.Values)
        B.Meta[Key] = cantFail(json::parse(Text));
    if (D.Verb == "words") {
      uint32_t Sm = 0;
      D.number("sm", Sm);
      SmallVector<StringRef> List;
      D.Values.at("list").split(List, ',');
      for (StringRef Hex : List) {
        uint32_t W = 0;
        if (Hex.getAsInteger(16, W))
          fail("'" + Hex + "' is no hexadecimal word");
        B.region(0, Sm).push_back(W);
      }
    }
    if (D.Verb == "file") {
      unsigned End = 1;
      D.number("version", B.Version);
      D.number("end", End);
      B.EndSection = End;
    }
  }
  std::string Out = B.bytes();
  for (const Directive &D : Later) {
    if (D.Verb != "file")
      continue;
    size_t Cut = 0, Extra = 0, Flip = 0;
    std::string Magic;
    D.number("cut", Cut);
    D.number("extra", Extra);
    D.number("flip", Flip);
    D.text("magic", Magic);
    Out.replace(0, Magic.size(), Magic);
    if (D.Values.count("flip") && Flip < Out.size())
      Out[Flip] ^= 1;
    Out.resize(Out.size() - std::min(Cut, Out.size()));
    Out.append(Extra, 'x');
  }
  return Out;
}

int main(int argc, char **argv) {
  if (argc != 4 || StringRef(argv[2]) != "-o")
    fail("usage: kinstr-mktrace DESCRIPTION -o FILE");
  auto Text = MemoryBuffer::getFileOrSTDIN(argv[1]);
  if (!Text)
    fail(StringRef(argv[1]) + ": " + Text.getError().message());
  Maker M;
  M.read((*Text)->getBuffer());
  std::error_code EC;
  raw_fd_ostream OS(argv[3], EC);
  if (EC)
    fail(StringRef(argv[3]) + ": " + EC.message());
  OS << M.bytes();
  return 0;
}
