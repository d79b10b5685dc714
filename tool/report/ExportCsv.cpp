// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of comma-separated values.
#include "report/Csv.h"
#include "report/Export.h"
#include "report/Names.h"
#include "report/SiteNames.h"
#include "report/Stays.h"
#include <charconv>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

std::string csvText(StringRef Text) {
  std::string Plain = plainText(Text);
  if (StringRef("=+-@").contains(StringRef(Plain).take_front(1)) &&
      !Plain.empty())
    Plain.insert(0, 1, '\'');
  if (StringRef(Plain).find_first_of(",\"\r\n") == StringRef::npos &&
      StringRef(Plain).trim(' ') == Plain)
    return Plain;
  std::string Out = "\"";
  for (char C : Plain)
    Out.append(C == '"' ? 2 : 1, C);
  return Out + '"';
}

namespace {

/// The parts of rows that are the same in many of them.
struct RowTexts {
  explicit RowTexts(const Trace &T)
      : Sites(T, [](const Site &S) {
          return std::string(kindName(S.Kind)) + "," + csvText(S.Name) + ",";
        }) {
    for (auto [I, L] : enumerate(T.launches()))
      Launches.push_back(csvText(kernelName(T, L)) + "," + std::to_string(I) +
                         ",");
    for (auto [I, D] : enumerate(T.meta().Devices)) {
      const Process &P = T.meta().Processes[D.Process];
      Devices.push_back("," + std::to_string(I) + "," +
                        (P.Rank < 0 ? "" : std::to_string(P.Rank)) + "," +
                        csvText(P.Host) + "," + std::to_string(P.Pid) + "\n");
    }
  }

  std::vector<std::string> Launches; ///< kernel and launch
  std::vector<std::string> Devices;  ///< device, rank, host and pid
  PerSite<std::string> Sites;        ///< kind and phase
};

class CsvSink final : public BlockSink {
public:
  CsvSink(const Trace &T, const TimeAxis &Axis, const RowTexts &Texts)
      : T(T), Axis(Axis), Texts(Texts) {}

  void block(const BlockView &V) override {
    const std::vector<std::string> &Sites =
        Texts.Sites.of(T.launches()[V.Launch]);
    BlockTimes Times = Axis.of(V.Launch, V.B);
    StringRef Back = Texts.Devices[T.launches()[V.Launch].Device];
    for (const WarpView &W : V.Warps) {
      std::string Front =
          Texts.Launches[V.Launch] + std::to_string(V.B.Number) + "," +
          std::to_string(W.Index) + "," + std::to_string(V.B.SmStart) + ",";
      joinPieces(W.Spans, Stays);
      for (const Stay &S : Stays)
        row(Front, Sites[S.Site], Back, Times, S);
      for (const Event &M : W.Marks)
        row(Front, Sites[M.Site], Back, Times, {M.Site, 0, M.Clock, M.Clock});
      sortScopes(W.Scopes, Stays);
      for (const Stay &S : Stays)
        row(Front, Sites[S.Site], Back, Times, S);
      for (const Value &N : W.Values)
        row(Front, Sites[N.Site], Back, Times, {N.Site, 0, N.Clock, N.Clock},
            N.N.str());
    }
  }

  std::string Bytes;

private:
  template <typename Int> void number(Int Value, char End) {
    char Digits[24];
    char *Last = std::to_chars(Digits, std::end(Digits), Value).ptr;
    *Last++ = End;
    Bytes.append(Digits, Last);
  }
  void row(StringRef Front, StringRef SiteText, StringRef Back,
           const BlockTimes &Times, const Stay &S, StringRef Number = "") {
    Bytes += Front;
    Bytes += SiteText;
    number(S.Depth, ',');
    if (Times.known()) {
      number(Times.ns(S.Begin), ',');
      number(Times.ns(S.End), ',');
    } else {
      Bytes += ",,";
    }
    number(S.Begin, ',');
    number(S.End, ',');
    number(S.Cycles, ',');
    Bytes += S.Open ? "1," : "0,";
    Bytes += Number;
    Bytes += Back;
  }

  const Trace &T;
  const TimeAxis &Axis;
  const RowTexts &Texts;
  std::vector<Stay> Stays;
};

} // namespace

Error writeCsv(const Trace &T, const Selection &S, Put Out) {
  TimeAxis Axis(T);
  RowTexts Texts(T);
  if (Error E = Out("kernel,launch,block,warp,sm,kind,phase,depth,begin_ns,"
                    "end_ns,begin_cycle,end_cycle,cycles,open,"
                    "value,device,rank,host,pid\n"))
    return E;
  return visitSelected(
      T, S, {}, [&] { return std::make_unique<CsvSink>(T, Axis, Texts); },
      [&](std::unique_ptr<BlockSink> Part) {
        return Out(static_cast<CsvSink &>(*Part).Bytes);
      });
}

} // namespace kinstr::report
