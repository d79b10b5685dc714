// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of finding is a function that looks at the statistics and adds what
// it finds.
#include "report/Findings.h"

#include "report/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

StringRef kindName(FindingKind K) {
  switch (K) {
  case FindingKind::Barrier:
    return "barrier";
  case FindingKind::WarpWait:
    return "warp-wait";
  case FindingKind::PartialWave:
    return "partial-wave";
  case FindingKind::WideSpread:
    return "wide-spread";
  case FindingKind::SlowSm:
    return "slow-sm";
  case FindingKind::MarkCost:
    return "mark-cost";
  }
  return "";
}

/// Like a barrier, in \p Fewest meetings or more.
static bool isLikeBarrier(const MeetingStats &M, uint64_t Fewest) {
  return M.Telling >= Fewest && M.LeftEarly == 0 &&
         static_cast<double>(M.Together) >=
             0.9 * static_cast<double>(M.Telling);
}

bool isBarrier(const MeetingStats &M) { return isLikeBarrier(M, 20); }

namespace {

/// Of an SM, to judge it by them.
constexpr uint64_t FewestBlocks = 5;

/// The SM or the warp that takes longest, and what those explain together.
struct Group {
  double Explains = 0; ///< of the variance of stays
  double Mean = 0;     ///< of its stays
  uint32_t Number = 0;
};

class Finder {
public:
  explicit Finder(const FindingInput &In)
      : In(In), S(In.S), First(In.T.launches()[In.Launches.front()]),
        K(In.T.kernel(First)) {}

  void barriers();
  void warpWaits();
  void partialWave();
  void wideSpreads();
  void slowSms();
  void markCosts();

  std::vector<Finding> Out;

private:
  // ---- words ----
  std::string site(uint32_t Site) const;
  std::string time(double Cycles) const;
  std::string see(BlockId B) const;
  /// `6.3 %`
  static std::string percent(double Share) {
    return fixed(100 * Share, Share < 0.0995 ? 1 : 0) + " %";
  }

  void addBarrier(uint32_t Site, const MeetingStats &M);
  std::string whoIsLast(const MeetingStats &M,
                        std::optional<uint32_t> &Warp) const;
  std::string lagText(const WaitPair::Match &M) const;
  void addWarpWait(uint32_t Site, uint32_t Other, const WaitPair &P,
                   const WaitPair::Match &M);
  bool isWaitRow(size_t Row) const;
  void addWideSpread(size_t Row, const Quantiles &Q);
  Group bySm(size_t Row, double ByBlock) const;
  std::string causeOfSpread(const RowStats &R, size_t Row, double P50,
                            std::string &See) const;
  std::vector<size_t> weightyRows() const;

  const FindingInput &In;
  const Statistics &S;
  const Launch &First;
  const Kernel &K;
};

} // namespace

// ---- words ----

/// `barrier (L115)`
std::string Finder::site(uint32_t Site) const {
  return printable(K.Sites[Site].Name) + " (L" + utostr(K.Sites[Site].Line) +
         ")";
}

/// In ns where there are any.
std::string Finder::time(double Cycles) const {
  double NsPerCycle = In.T.clock(In.Launches.front()).NsPerCycle;
  return S.HasNs && NsPerCycle > 0 ? duration(Cycles * NsPerCycle)
                                   : fixed(Cycles, 0) + " cycles";
}

std::string Finder::see(BlockId B) const {
  std::string Launch;
  if (In.T.launches().size() > 1)
    Launch = "--launch " + utostr(B.Launch) + " ";
  return Launch + "--block " + utostr(B.Number);
}

/// `warp 3`, `warps 0 to 3`, `warps 0, 2, 5`.
static std::string warpsText(uint64_t Mask) {
  auto Low = static_cast<unsigned>(countr_zero(Mask));
  auto High = static_cast<unsigned>(63 - countl_zero(Mask));
  if (Low == High)
    return "warp " + utostr(Low);
  if (static_cast<unsigned>(popcount(Mask)) == High - Low + 1)
    return "warps " + utostr(Low) + " to " + utostr(High);
  std::string Out;
  for (unsigned W = Low; W <= High; ++W)
    if (Mask >> W & 1)
      Out += (Out.empty() ? "warps " : ", ") + utostr(W);
  return Out;
}

// ---- barriers ----

/// A warp that is last more often than chance would have it.
std::string Finder::whoIsLast(const MeetingStats &M,
                              std::optional<uint32_t> &Warp) const {
  auto Most = max_element(M.LastBy);
  auto Times = static_cast<double>(*Most), N = static_cast<double>(M.Together);
  double Chance = N * N / static_cast<double>(M.Warps); // N / warps in one
  if (Times < 0.2 * N || Times < Chance + 5 * std::sqrt(Chance) ||
      Times < 1.5 * Chance)
    return "no warp is last much more often than others";
  Warp = static_cast<uint32_t>(Most - M.LastBy.begin());
  return "warp " + utostr(*Warp) + " is last in " + percent(Times / N) +
         " of the cases (chance: " + percent(Chance / N) + ")";
}

void Finder::addBarrier(uint32_t Site, const MeetingStats &M) {
  auto Together = static_cast<double>(M.Together);
  Finding F;
  F.Kind = FindingKind::Barrier;
  F.Certain =
      M.Telling >= 100 && Together >= 0.98 * static_cast<double>(M.Telling);
  F.Phase = printable(K.Sites[Site].Name);
  F.Share = S.shareOf(M.Waited);
  F.Text = site(Site) + ": warps wait here for the last of their block, " +
           percent(F.Share) + " of their time; it comes " +
           time(M.Late / Together) + " after the average, and " +
           whoIsLast(M, F.Warp);
  F.See = see(M.Worst);
  Out.push_back(std::move(F));
}

void Finder::barriers() {
  for (uint32_t Site = 0; Site < S.Meetings.size(); ++Site) {
    const MeetingStats &M = S.Meetings[Site];
    if (!isBarrier(M) || S.shareOf(M.Waited) < 0.02 ||
        M.Late < 2 * In.MarkCycles.value_or(0) * double(M.Together))
      continue;
    addBarrier(Site, M);
  }
}

// ---- one kind of warp waits for another ----

constexpr WaitPair::Demand SureWait = {200, 0.95, 0.2, 6};
constexpr WaitPair::Demand LikelyWait = {50, 0.8, 0.4, 6};

static std::optional<WaitPair::Match> matchOf(const WaitPair &P) {
  std::optional<WaitPair::Match> M = P.match(SureWait);
  return M ? M : P.match(LikelyWait);
}

/// `just after`, `300 ns to 700 ns after`
std::string Finder::lagText(const WaitPair::Match &M) const {
  if (M.From == 0 && M.To <= 200)
    return "just after";
  return time(static_cast<double>(M.From)) + " to " +
         time(static_cast<double>(M.To)) + " after";
}

void Finder::addWarpWait(uint32_t Site, uint32_t Other, const WaitPair &P,
                         const WaitPair::Match &M) {
  const WarpWaits::User &Waits = S.Waits.users().at(Site);
  auto Long = static_cast<double>(P.stays());
  auto Hits = static_cast<double>(M.Hits);
  double OwnShare = Waits.LongCycles / Waits.Cycles * Hits / Long;
  if (OwnShare < 0.05)
    return;
  Finding F;
  F.Kind = FindingKind::WarpWait;
  F.Certain = P.match(SureWait).has_value();
  F.Phase = printable(K.Sites[Site].Name);
  F.Share = S.shareOf(Waits.LongCycles * Hits / Long);
  std::string These = warpsText(Waits.Warps);
  F.Text = site(Site) + ": " + These +
           (popcount(Waits.Warps) > 1 ? " wait" : " waits") + " here for " +
           warpsText(S.Waits.users().at(Other).Warps) + ", " +
           percent(OwnShare) + " of their time; " + percent(Hits / Long) +
           " of the long waits end " + lagText(M) + " " + site(Other) +
           " does there (chance: " + percent(M.Chance / Long) + ")";
  F.See = "--phase '" + F.Phase + "|" + printable(K.Sites[Other].Name) + "'";
  Out.push_back(std::move(F));
}

void Finder::warpWaits() {
  // For each wait the phase that it ends with most often.
  using Pair = std::pair<const std::pair<uint32_t, uint32_t>, WaitPair>;
  const Pair *Best = nullptr;
  double BestRank = 0;
  WaitPair::Match BestMatch;
  auto Add = [&] {
    if (Best)
      addWarpWait(Best->first.first, Best->first.second, Best->second,
                  BestMatch);
    Best = nullptr;
  };
  for (const Pair &P : S.Waits.pairs()) {
    if (Best && Best->first.first != P.first.first)
      Add();
    std::optional<WaitPair::Match> M = matchOf(P.second);
    if (!M)
      continue;
    double Rank = static_cast<double>(M->Hits) - M->Chance;
    if (!Best || Rank > BestRank) {
      Best = &P;
      BestRank = Rank;
      BestMatch = *M;
    }
  }
  Add();
}

// ---- the last wave ----

void Finder::partialWave() {
  uint64_t Slots = uint64_t(First.BlocksPerSm) * In.T.device(First).SmCount;
  uint64_t Blocks = First.gridBlocks();
  if (!S.hasTail() || !S.AlignmentNs || Slots == 0 || Blocks <= Slots)
    return;
  uint64_t Last = Blocks % Slots;
  double TailNs = S.Tails.Ns / static_cast<double>(S.NumTails);
  if (Last == 0 || static_cast<double>(Last) > 0.75 * double(Slots) ||
      S.idleShare() < 0.05 || TailNs < 3 * *S.AlignmentNs)
    return;
  Finding F;
  F.Kind = FindingKind::PartialWave;
  F.Certain = S.idleShare() >= 0.1 && TailNs >= 10 * *S.AlignmentNs;
  F.Share = S.idleShare();
  F.Text = "the last wave is partial: " + utostr(Last) + " of " +
           counted(Blocks, "block") + " for " + utostr(Slots) +
           " slots; for the last " + duration(TailNs) + ", " +
           percent(S.tailShare()) +
           " of the launch, slots stay empty, which is " + percent(F.Share) +
           " of all slots' time";
  Out.push_back(std::move(F));
}

// ---- spreads ----

/// A phase in which warps wait for others is as long as those need. What looks
/// like one is taken for one, in fewer cases than it takes to report it.
bool Finder::isWaitRow(size_t Row) const {
  for (uint32_t Site = 0; Site < S.Meetings.size(); ++Site)
    if (In.Phases.rowOf(Site) == static_cast<int>(Row) &&
        isLikeBarrier(S.Meetings[Site], 5))
      return true;
  return any_of(S.Waits.pairs(), [&](const auto &P) {
    return In.Phases.rowOf(P.first.first) == static_cast<int>(Row) &&
           P.second.match({10, 0.8, 0.4, 0});
  });
}

/// How much of the spread lies between groups: epsilon squared of an analysis
/// of variance, which is 0 on average where groups mean nothing.
static double explained(double Between, double All, uint64_t Groups,
                        uint64_t Values) {
  if (Groups < 2 || Values <= Groups || All <= 0)
    return 0;
  double Within = (All - Between) / static_cast<double>(Values - Groups);
  return (Between - static_cast<double>(Groups - 1) * Within) / All;
}

static Group byWarp(const RowStats &R, double Base, double All) {
  Group Out;
  double Between = -Base;
  uint64_t Count = 0;
  for (size_t W = 0; W < R.Warps.size(); ++W) {
    const Moments &Of = R.Warps[W];
    if (!Of.Count)
      continue;
    ++Count;
    Between += Of.Sum * Of.mean();
    if (Of.mean() > Out.Mean)
      Out = {0, Of.mean(), static_cast<uint32_t>(W)};
  }
  Out.Explains = explained(Between, All, Count, R.Cycles.count());
  return Out;
}

/// Stays of a block are no measurements of its SM of their own, so the blocks'
/// means are what lies between SMs or within them. Nothing where SMs have too
/// few blocks, or do not explain most of what blocks do: \p ByBlock.
Group Finder::bySm(size_t Row, double ByBlock) const {
  Group Out;
  Moments Blocks;
  double Between = 0;
  uint64_t Count = 0;
  for (const auto &[Sm, Rows] : S.Sms) {
    const SmRow &On = Rows[Row];
    if (On.Blocks.Count < FewestBlocks)
      continue;
    ++Count;
    Blocks.join(On.Blocks);
    Between += On.Blocks.Sum * On.Blocks.mean();
    double Mean = On.Cycles / static_cast<double>(On.Spans);
    if (Mean > Out.Mean)
      Out = {0, Mean, Sm};
  }
  if (Blocks.Count == 0 || Blocks.Count * 2 < S.Rows[Row].Blocks.Count)
    return {};
  double Base = Blocks.Sum * Blocks.mean();
  double OfBlocks =
      explained(Between - Base, Blocks.Squares - Base, Count, Blocks.Count);
  if (OfBlocks >= 0.5)
    Out.Explains = OfBlocks * ByBlock;
  return Out;
}

std::string Finder::causeOfSpread(const RowStats &R, size_t Row, double P50,
                                  std::string &See) const {
  uint64_t N = R.Cycles.count();
  auto Sum = static_cast<double>(R.Cycles.sum());
  double Base = Sum * Sum / static_cast<double>(N), All = R.Squares - Base;
  double ByBlock =
      N == R.Blocks.Count // a stay a block: blocks are all there is
          ? 1
          : explained(R.BlockSquares - Base, All, R.Blocks.Count, N);
  const Group Sm = bySm(Row, ByBlock), Warp = byWarp(R, Base, All);
  constexpr double Enough = 0.3;
  if (Sm.Explains >= Enough && Sm.Explains >= Warp.Explains) {
    See = "--sm " + utostr(Sm.Number);
    return "SMs differ (" + percent(Sm.Explains) + " of the variance): on SM " +
           utostr(Sm.Number) + " it takes " + time(Sm.Mean) + " on average";
  }
  if (Warp.Explains >= Enough && Warp.Explains >= ByBlock) {
    See = "--warp " + utostr(Warp.Number);
    return "warps differ (" + percent(Warp.Explains) +
           " of the variance): warp " + utostr(Warp.Number) + " takes " +
           time(Warp.Mean) + " on average";
  }
  if (ByBlock >= Enough && !R.Slowest.list().empty() &&
      R.Slowest.list().front().first >= 2 * P50) {
    auto [Mean, Block] = R.Slowest.list().front();
    See = see(Block);
    return "blocks differ (" + percent(ByBlock) +
           " of the variance): in block " + utostr(Block.Number) +
           " it takes " + time(Mean) + " on average";
  }
  return "neither SMs nor blocks nor warps account for it";
}

void Finder::addWideSpread(size_t Row, const Quantiles &Q) {
  const RowStats &R = S.Rows[Row];
  Finding F;
  F.Kind = FindingKind::WideSpread;
  F.Certain = R.Cycles.count() >= 2000 && Q.P99 >= 5 * Q.P50;
  F.Phase = printable(In.Phases.rows()[Row].Name);
  F.Share = S.shareOf(R.InWarps);
  F.Text = F.Phase + " (" + In.Phases.rows()[Row].lines() +
           "): one stay in a hundred takes " + time(Q.P99) + " or more, " +
           fixed(Q.P99 / std::max(Q.P50, 1.0), 1) + " times the median of " +
           time(Q.P50) + "; " + causeOfSpread(R, Row, Q.P50, F.See);
  Out.push_back(std::move(F));
}

void Finder::wideSpreads() {
  double Mark = In.MarkCycles.value_or(0);
  for (size_t I = 0; I < S.Rows.size(); ++I) {
    const RowStats &R = S.Rows[I];
    if (R.Cycles.count() < 200 || S.shareOf(R.InWarps) < 0.05 || isWaitRow(I))
      continue;
    Quantiles Q = S.cyclesOf(R);
    if (Q.P99 >= 3 * Q.P50 && Q.P99 - Q.P50 >= std::max(100.0, 4 * Mark))
      addWideSpread(I, Q);
  }
}

// ---- slow SMs ----

/// Of which phases there is enough to compare.
std::vector<size_t> Finder::weightyRows() const {
  std::vector<size_t> Rows;
  for (size_t I = 0; I < S.Rows.size(); ++I)
    if (S.shareOf(S.Rows[I].InWarps) >= 0.1 && !isWaitRow(I))
      Rows.push_back(I);
  return Rows;
}

namespace {

/// How a row on one SM compares with the same on all others, by blocks' means.
struct SmComparison {
  double Excess = 0; ///< 0.1: it takes 10 % longer
  double Sigmas = 0; ///< of the difference
};

} // namespace

/// \p Sd: of blocks' means on one SM.
static SmComparison compare(const Moments &Own, const Moments &All, double Sd) {
  auto N = static_cast<double>(Own.Count);
  double Rest = static_cast<double>(All.Count) - N;
  double Others = (All.Sum - Own.Sum) / Rest;
  double Difference = Own.mean() - Others;
  double Error = Sd * std::sqrt(1 / N + 1 / Rest);
  return {Others > 0 ? Difference / Others : 0, Error > 0 ? Difference / Error
                                                : Difference > 0 ? 1e9
                                                                 : 0};
}

void Finder::slowSms() {
  std::vector<size_t> Rows = weightyRows();
  if (Rows.empty() || S.Sms.size() < 4)
    return;
  std::vector<double> Sds;
  for (size_t R : Rows) {
    double Within = S.Rows[R].Blocks.Squares;
    uint64_t Groups = 0;
    for (const auto &[Sm, OnSm] : S.Sms)
      if (OnSm[R].Blocks.Count) {
        ++Groups;
        Within -= OnSm[R].Blocks.Sum * OnSm[R].Blocks.mean();
      }
    uint64_t N = S.Rows[R].Blocks.Count;
    if (N <= Groups)
      return;
    Sds.push_back(std::sqrt(std::max(0.0, Within) / double(N - Groups)));
  }
  std::vector<std::pair<double, uint16_t>> Slow;
  for (const auto &[Sm, OnSm] : S.Sms) {
    bool All = true;
    double Sigmas = 0, Excess = 0, Weight = 0;
    for (size_t I = 0; I < Rows.size() && All; ++I) {
      size_t R = Rows[I];
      if (OnSm[R].Blocks.Count < FewestBlocks ||
          OnSm[R].Blocks.Count == S.Rows[R].Blocks.Count) {
        All = false;
        break;
      }
      SmComparison C = compare(OnSm[R].Blocks, S.Rows[R].Blocks, Sds[I]);
      All = C.Excess >= 0.05 && C.Sigmas >= 2;
      Sigmas = std::max(Sigmas, C.Sigmas);
      Excess += C.Excess * S.Rows[R].InWarps;
      Weight += S.Rows[R].InWarps;
    }
    if (All && Sigmas >= 5 && Excess >= 0.1 * Weight)
      Slow.push_back({-Excess / Weight, Sm});
  }
  // Where many differ there is no usual one to compare with.
  if (Slow.empty() || Slow.size() * 4 > S.Sms.size())
    return;
  llvm::sort(Slow);
  std::string List;
  for (auto [Excess, Sm] : ArrayRef(Slow).take_front(4))
    List += (List.empty() ? "" : ", ") + utostr(Sm) + " (+" + percent(-Excess) +
            ")";
  if (Slow.size() > 4)
    List += " and " + utostr(Slow.size() - 4) + " more";
  Finding F;
  F.Kind = FindingKind::SlowSm;
  F.Certain = -Slow.front().first >= 0.2;
  F.Share = -Slow.front().first * double(Slow.size()) / double(S.Sms.size());
  F.Text = (Slow.size() > 1 ? "SMs " : "SM ") + List +
           (Slow.size() > 1 ? " take" : " takes") +
           " more cycles than the others, in every phase of weight that is no "
           "wait";
  F.See = "--sm " + utostr(Slow.front().second);
  Out.push_back(std::move(F));
}

// ---- the recorder itself ----

void Finder::markCosts() {
  if (!In.MarkCycles || *In.MarkCycles <= 0)
    return;
  std::string List;
  size_t N = 0;
  double Share = 0;
  for (size_t I = 0; I < S.Rows.size(); ++I) {
    const RowStats &R = S.Rows[I];
    if (R.Cycles.count() == 0)
      continue;
    double P50 = S.cyclesOf(R).P50 + (In.Subtracted ? *In.MarkCycles : 0);
    if (P50 >= 4 * *In.MarkCycles)
      continue;
    Share += S.shareOf(R.InWarps);
    if (++N <= 4)
      List += (List.empty() ? "" : ", ") + printable(In.Phases.rows()[I].Name) +
              " (" + fixed(P50, 0) + ")";
  }
  if (!N)
    return;
  if (N > 4)
    List += " and " + utostr(N - 4) + " more";
  Finding F;
  F.Kind = FindingKind::MarkCost;
  F.Certain = true;
  F.Share = Share;
  F.Text =
      std::string(N > 1 ? "phases" : "a phase") +
      " too short to be trusted, median cycles with the recorder's: " + List +
      "; a mark takes " + fixed(*In.MarkCycles, 1) + " of them";
  Out.push_back(std::move(F));
}

std::vector<Finding> findings(const FindingInput &In) {
  Finder F(In);
  if (In.S.HasPath) { // else warps or spans that these compare are not there
    F.barriers();
    F.warpWaits();
    F.wideSpreads();
    F.slowSms();
  }
  F.partialWave();
  F.markCosts();
  llvm::stable_sort(F.Out, [](const Finding &A, const Finding &B) {
    return A.Share > B.Share;
  });
  return std::move(F.Out);
}

} // namespace kinstr::report
