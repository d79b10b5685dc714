// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Demangling, escaping and number formats shared by all reports.
#include "report/Names.h"

#include "trace/HostClock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>

using namespace llvm;

namespace kinstr::report {

/// Bytes of what \p Text begins with and must not be printed; 0: it may be.
static size_t unprintable(StringRef Text) {
  auto At = [&](size_t I) {
    return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0u;
  };
  if (At(0) < 0x20 || At(0) == 0x7F)
    return 1;
  // U+0080 to U+009F are control characters too.
  if (At(0) == 0xC2 && At(1) < 0xA0 && Text.size() > 1)
    return 2;
  // What turns text round: U+061C, U+200E and U+200F, U+202A to U+202E, U+2066
  // to U+2069. What ends a line: U+2028 and U+2029.
  if (At(0) == 0xD8 && At(1) == 0x9C)
    return 2;
  bool Bad =
      At(0) == 0xE2 && ((At(1) == 0x80 && (At(2) == 0x8E || At(2) == 0x8F ||
                                           (At(2) >= 0xA8 && At(2) <= 0xAE))) ||
                        (At(1) == 0x81 && At(2) >= 0xA6 && At(2) <= 0xA9));
  return Bad ? 3 : 0;
}

std::string printable(StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    size_t Bad = unprintable(Text);
    Out += Bad ? '?' : Text.front();
    Text = Text.drop_front(std::max<size_t>(Bad, 1));
  }
  return Out;
}

std::string plainText(StringRef Text) { return json::fixUTF8(printable(Text)); }

/// Empty where \p Mangled is no function's mangled name.
static std::string demangled(const std::string &Mangled) {
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Mangled.c_str()) || !D.isFunction())
    return {};
  size_t Size = 0;
  char *Buffer = D.getFunctionName(nullptr, &Size);
  if (!Buffer)
    return {};
  std::string Name(Buffer);
  std::free(Buffer);
  return Name;
}

std::string kernelName(const trace::Trace &T, const trace::Launch &L) {
  if (const trace::Function *F = T.function(L); F && !F->Name.empty()) {
    std::string Name = demangled(F->Name);
    return printable(Name.empty() ? F->Name : Name);
  }
  return printable(T.kernel(L).Name);
}

std::string dims(const trace::Dim3 &D) {
  std::string Out = utostr(D[0]);
  if (D[1] != 1 || D[2] != 1)
    Out += " × " + utostr(D[1]);
  if (D[2] != 1)
    Out += " × " + utostr(D[2]);
  return Out;
}

std::string blockDims(const trace::Launch &L) {
  return dims(L.BlockDim) + " (" + counted(L.warpsPerBlock(), "warp") + ")";
}

std::string gigahertz(double NsPerCycle) { return fixed(1 / NsPerCycle, 3); }

/// `1.749–1.761`: the rates that the anchors of a launch allow. Empty where
/// they allow nearly anything, or all of them print alike.
static std::string rateRange(const trace::LaunchClock &C) {
  if (C.MinNsPerCycle <= 0 || C.MaxNsPerCycle > 4 * C.MinNsPerCycle)
    return {};
  std::string Low = gigahertz(C.MaxNsPerCycle);
  std::string High = gigahertz(C.MinNsPerCycle);
  return Low == High ? std::string() : Low + "–" + High;
}

std::string clockText(const trace::LaunchClock &C) {
  if (C.Source == trace::SlopeSource::None)
    return "clock rate unknown: no times, only cycles";
  std::string Out = "clock " + gigahertz(C.NsPerCycle) + " GHz ";
  std::string Range = rateRange(C);
  switch (C.Source) {
  case trace::SlopeSource::Launch:
    return Out + "measured" + (Range.empty() ? "" : " (" + Range + ")");
  case trace::SlopeSource::Device:
    return Out + "measured in other launches" +
           (Range.empty() ? "" : " (this one: " + Range + ")");
  default:
    return Out + "nominal, not measured" +
           (Range.empty() ? "" : " (anchors allow " + Range + ")");
  }
}

std::string alignmentText(const trace::LaunchClock &C) {
  if (C.oneSm())
    return "none (one SM)";
  if (!C.StepKnown || C.Source == trace::SlopeSource::None)
    return "unknown";
  return "± " + fixed(std::ceil(C.AlignmentErrorNs), 0) + " ns";
}

static void addSample(std::string &Out, const trace::Sample &S,
                      StringRef Things) {
  if (S.all())
    return;
  Out += Out.empty() ? "" : ", ";
  if (S.Every > 1)
    Out += "1 in " + utostr(S.Every) + " " + Things.str();
  else if (S.Count == trace::Sample::NoEnd)
    Out += Things.str() + " from " + utostr(S.First) + " on";
  else
    Out += Things.str() + " " + utostr(S.First) + " to " +
           utostr(S.First + S.Count - 1);
}

std::string sampleText(const trace::Sampling &S) {
  std::string Out;
  addSample(Out, S.Blocks, "blocks");
  addSample(Out, S.Warps, "warps");
  addSample(Out, S.Sms, "SMs");
  return Out;
}

std::string mergedText(const trace::Meta &M) {
  std::string Out =
      counted(M.Processes.size(), "process") + ", between processes: ";
  if (std::optional<uint64_t> Error = trace::betweenProcessesNs(M))
    return Out + "± " + utostr(*Error) + " ns";
  Out += "unknown, as ";
  if (any_of(M.Devices, [](const trace::Device &D) { return !D.TimeErrorNs; }))
    return Out + "bounds on a device's clock are missing or contradict each "
                 "other";
  return Out + "nothing says how far their clocks are apart; merge's "
               "--host-clock-error does";
}

std::string processText(const trace::Meta &M, uint32_t Process) {
  const trace::Process &P = M.Processes[Process];
  std::string Out = "process " + utostr(Process) + " (";
  if (P.Rank >= 0)
    Out += "rank " + itostr(P.Rank) + " of ";
  Out += printable(P.Program);
  if (!P.Host.empty())
    Out += " on " + printable(P.Host);
  Out += ", pid " + utostr(P.Pid) + ")";
  return P.CutShort ? Out + ", cut short" : Out;
}

std::string duration(double Ns) {
  if (Ns < 1000)
    return fixed(Ns, 0) + " ns";
  static const char *const Units[] = {" µs", " ms", " s"};
  double Value = Ns / 1000;
  unsigned U = 0;
  while (Value >= 1000 && U < 2) {
    Value /= 1000;
    ++U;
  }
  return fixed(Value, Value < 100 ? 2 : 1) + Units[U];
}

std::string counted(uint64_t N, StringRef Noun) {
  if (N == 1)
    return "1 " + Noun.str();
  return utostr(N) + " " + Noun.str() +
         (Noun.ends_with("h") || Noun.ends_with("s") ? "es" : "s");
}

std::string fixed(double Value, unsigned Decimals) {
  std::string Out;
  raw_string_ostream(Out) << format("%.*f", Decimals, Value);
  return Out;
}

} // namespace kinstr::report
