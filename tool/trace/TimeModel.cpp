// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the slope of every launch and the offset of every SM in it.
#include "trace/TimeModel.h"

#include "trace/SlopeFit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// Widest range of slopes, relative, that counts as measured: half a percent
/// either way.
constexpr double MeasuredWidth = 0.01;

/// Anchors that one bend of a line averages over: enough to even out the 32 ns
/// steps, few enough to follow a drift. More where there are plenty, fewer
/// where the rate changes fast.
constexpr size_t AnchorsPerBend = 8, FewestAnchorsPerBend = 2,
                 MostAnchorsPerBend = 64, EnoughBends = 256;

/// How far apart SMs of one clock may seem: in cycles, and as a share of the
/// time between the readings that are compared. Clocks of different GPCs are
/// millions of cycles apart.
constexpr double SameClockCycles = 500, SameClockShare = 0.01;

/// Over a longer time without anchors nobody can tell that the clock kept to
/// the rates that were seen.
constexpr double LongGapNs = 1e6;

/// Rates of a launch are told apart in so many parts of it, at most.
constexpr double MostWindows = 1 << 14;

/// A launch on its way to a LaunchClock.
struct Fitting {
  std::vector<SmAnchors> Sms; ///< parallel to LaunchClock::Sms
  std::vector<std::vector<AnchorPoint>> Points; ///< likewise; by Cycles
};

/// A line on its way to an SmLine and a curve.
struct BentLine : SmLine {
  std::vector<Bend> Bends; ///< by Cycles; empty where the line is straight
};

/// What the slopes of a device's launches say of each of them.
struct DeviceSlopes {
  std::optional<double> Typical; ///< nothing: not known
  std::optional<double> Nominal; ///< of the driver's clock rate; likewise
  double Least = MaxSlope;       ///< that clocks of the device can have
};

} // namespace

const SmLine *LaunchClock::find(uint16_t Sm) const {
  auto It = lower_bound(
      Sms, Sm, [](const SmLine &L, uint16_t Want) { return L.Sm < Want; });
  return It != Sms.end() && It->Sm == Sm ? &*It : nullptr;
}

static std::vector<TimerStep>
timerSteps(const Meta &M, const Launches &Ls,
           ArrayRef<std::vector<Reading>> Readings) {
  std::vector<TimerStep> Steps(M.Devices.size());
  std::vector<uint64_t> Divisors(M.Devices.size());
  std::vector<std::optional<uint64_t>> First(M.Devices.size());
  for (const auto &[L, OfLaunch] : zip_equal(Ls.List, Readings)) {
    auto Add = [&, D = L.Device](uint64_t Global) {
      uint64_t Start = First[D].value_or(Global);
      First[D] = Start;
      uint64_t Difference = Global > Start ? Global - Start : Start - Global;
      Divisors[D] = std::gcd(Divisors[D], Difference);
      Steps[D].Readings += Difference != 0;
    };
    for (const Reading &R : OfLaunch)
      Add(R.Global);
  }
  for (auto [Step, Divisor, Device] : zip_equal(Steps, Divisors, M.Devices)) {
    if (!Step.enoughReadings() && Device.TimerStepNs != 0) {
      Step.Ns = Device.TimerStepNs;
      Step.Measured = true;
    } else if (Step.enoughReadings() || (Divisor != 0 && Divisor < Step.Ns)) {
      Step.Ns = Divisor;
    }
  }
  return Steps;
}

/// Groups a launch's readings by SM.
static Fitting gather(ArrayRef<Reading> All, LaunchClock &Clock) {
  Clock.OriginNs = All.front().Global;
  for (const Reading &R : All)
    Clock.OriginNs = std::min(Clock.OriginNs, R.Global);

  Fitting F;
  for (ArrayRef<Reading> Left = All; !Left.empty();) {
    ArrayRef<Reading> Same = Left.take_while(
        [&](const Reading &R) { return R.Sm == Left.front().Sm; });
    SmLine Line;
    Line.Sm = Same.front().Sm;
    Line.ClockOrigin = Same.front().Clock;
    std::vector<AnchorPoint> Points;
    Points.reserve(Same.size());
    for (const Reading &R : Same)
      Points.push_back({static_cast<double>(R.Clock - Line.ClockOrigin),
                        static_cast<double>(R.Global - Clock.OriginNs)});
    Clock.Sms.push_back(Line);
    F.Sms.emplace_back(Points);
    F.Points.push_back(std::move(Points));
    Left = Left.drop_front(Same.size());
  }
  Clock.Sms.shrink_to_fit(); // they stay
  return F;
}

/// The slope that the launches of a device measured: the median of those that
/// could on their own, else what all of them together leave.
static std::optional<double> deviceSlope(ArrayRef<SlopeFit> Fits) {
  std::vector<double> Measured;
  double Min = MinSlope, Max = MaxSlope;
  for (const SlopeFit &F : Fits) {
    if (F.bounded(MeasuredWidth))
      Measured.push_back(F.Best);
    Min = std::max(Min, F.Min);
    Max = std::min(Max, F.Max);
  }
  if (!Measured.empty()) {
    auto Middle = Measured.begin() + Measured.size() / 2;
    std::nth_element(Measured.begin(), Middle, Measured.end());
    return *Middle;
  }
  if (Min <= Max && Max - Min <= MeasuredWidth * Min)
    return (Min + Max) / 2;
  return std::nullopt;
}

/// The least slope that launches of a device measured.
static double leastSlope(ArrayRef<SlopeFit> Fits) {
  double Least = MaxSlope;
  for (const SlopeFit &F : Fits)
    if (F.bounded(MeasuredWidth))
      Least = std::min(Least, F.Best);
  return Least;
}

/// Neither of the device's slopes is taken where this launch's anchors
/// contradict it.
static void chooseSlope(const SlopeFit &Own, const DeviceSlopes &Device,
                        LaunchClock &Clock) {
  Clock.MinNsPerCycle = Own.Min;
  Clock.MaxNsPerCycle = Own.Max;
  auto Allowed = [&](double Slope) {
    return Slope >= Own.Min && Slope <= Own.Max;
  };
  auto Choose = [&](SlopeSource Source, double Slope) {
    Clock.Source = Source;
    Clock.NsPerCycle = Slope;
  };
  if (Own.bounded(MeasuredWidth))
    return Choose(SlopeSource::Launch, Own.Best);
  if (Device.Typical && Allowed(*Device.Typical))
    return Choose(SlopeSource::Device, *Device.Typical);
  if (Device.Nominal && Allowed(*Device.Nominal))
    return Choose(SlopeSource::Nominal, *Device.Nominal);
  if (Own.Min > MinSlope && Own.Max < MaxSlope) // wide, but its own
    return Choose(SlopeSource::Launch, Own.Best);
  if (Device.Nominal)
    return Choose(SlopeSource::Nominal, *Device.Nominal);
  Choose(SlopeSource::None, 0);
}

double bendAt(ArrayRef<Bend> Bends, double Cycles) {
  if (Bends.size() < 2)
    return 0;
  auto Right = lower_bound(Bends, Cycles, [](const Bend &B, double Want) {
    return B.Cycles < Want;
  });
  Right = std::clamp(Right, Bends.begin() + 1, Bends.end() - 1);
  auto Left = Right - 1;
  return Left->Ns + (Right->Ns - Left->Ns) * (Cycles - Left->Cycles) /
                        (Right->Cycles - Left->Cycles);
}

/// Nearest rank, of \p Values that may be reordered; there is at least one.
static double quantile(std::vector<double> &Values, size_t Percent) {
  auto Nth = Values.begin() + (Values.size() - 1) * Percent / 100;
  std::nth_element(Values.begin(), Nth, Values.end());
  return *Nth;
}

namespace {

/// Bends a line through the medians of groups of anchors. Groups are large, and
/// are halved where the clock does not keep its rate so long.
class LineBender {
public:
  LineBender(ArrayRef<AnchorPoint> Points, double Slope, double StepNs,
             BentLine &Line)
      : Points(Points), Slope(Slope), StepNs(StepNs), Line(Line) {}

  void run() {
    size_t Groups =
        Points.size() / std::clamp(Points.size() / EnoughBends, AnchorsPerBend,
                                   MostAnchorsPerBend);
    for (size_t G = 0; G <= Groups; ++G)
      Bounds.push_back(G * Points.size() / Groups);
    do
      bend();
    while (halve());
    Line.ErrorNs = worst() + StepNs / 2; // half a step that the timer hides
  }

private:
  ArrayRef<AnchorPoint> group(size_t G) const {
    return Points.slice(Bounds[G], Bounds[G + 1] - Bounds[G]);
  }
  double residual(const AnchorPoint &P) const {
    return P.Ns + StepNs / 2 - Slope * P.Cycles - Line.OffsetNs;
  }

  void bend() {
    Line.Bends.clear();
    for (size_t G = 0; G + 1 < Bounds.size(); ++G) {
      ArrayRef<AnchorPoint> Group = group(G);
      const AnchorPoint &First = Group.front(), &Last = Group.back();
      double Cycles = 0;
      for (const AnchorPoint &P : Group)
        Cycles += P.Cycles / static_cast<double>(Group.size());
      // The trend within the group is not to move its median.
      double Trend = Last.Cycles > First.Cycles
                         ? (residual(Last) - residual(First)) /
                               (Last.Cycles - First.Cycles)
                         : 0;
      std::vector<double> Residuals;
      Residuals.reserve(Group.size());
      for (const AnchorPoint &P : Group)
        Residuals.push_back(residual(P) - Trend * (P.Cycles - Cycles));
      if (Line.Bends.empty() || Cycles > Line.Bends.back().Cycles)
        Line.Bends.push_back({Cycles, quantile(Residuals, 50)});
    }
  }

  /// How far the line lies from so many percent of those anchors.
  double offBy(ArrayRef<AnchorPoint> Anchors, size_t Percent) const {
    std::vector<double> Off;
    Off.reserve(Anchors.size());
    for (const AnchorPoint &P : Anchors)
      Off.push_back(std::abs(residual(P) - bendAt(Line.Bends, P.Cycles)));
    return quantile(Off, Percent);
  }

  /// Whether there was a group to halve: half of its anchors, or more, lie
  /// further from the line than the timer's steps explain.
  bool halve() {
    std::vector<size_t> More;
    for (size_t G = 0; G + 1 < Bounds.size(); ++G) {
      More.push_back(Bounds[G]);
      if (group(G).size() >= 2 * FewestAnchorsPerBend &&
          offBy(group(G), 50) > StepNs / 2)
        More.push_back((Bounds[G] + Bounds[G + 1]) / 2);
    }
    More.push_back(Bounds.back());
    return std::exchange(Bounds, More).size() != Bounds.size();
  }

  /// Of a hundred anchors or more one in a hundred does not count: those were
  /// read late. But most of a group are not late by chance.
  double worst() const {
    double Worst = offBy(Points, 99);
    for (size_t G = 0; G + 1 < Bounds.size(); ++G)
      Worst = std::max(Worst, offBy(group(G), 75));
    return Worst;
  }

  ArrayRef<AnchorPoint> Points;
  double Slope, StepNs;
  BentLine &Line;
  std::vector<size_t> Bounds; ///< of groups, in Points
};

} // namespace

/// Puts a line of that slope through the intervals of \p S.
static void placeLine(const SmAnchors &S, double Slope, double SlopeError,
                      double StepNs, SmLine &Line) {
  double Least = S.highest(Slope), Most = S.lowest(Slope) + StepNs;
  Line.OffsetNs = (Least + Most) / 2;
  // Where the intervals contradict each other, a reading was late by the
  // conflict, and we do not know which.
  Line.ErrorNs =
      Least <= Most ? (Most - Least) / 2 : (Least - Most + StepNs) / 2;
  Line.ErrorNs += SlopeError * S.span() / 2;
}

namespace {

/// A clock that several SMs count, and its anchors.
struct SharedClock {
  std::vector<size_t> Sms; ///< LaunchClock::Sms
  uint64_t Origin = 0;     ///< [cycles]
  std::vector<AnchorPoint> Points;
};

} // namespace

/// Groups SMs that show the same clock at the same time.
static std::vector<SharedClock> sharedClocks(const Fitting &F,
                                             const LaunchClock &Clock) {
  struct Start {
    double
        Cycles; ///< of the clock when the launch's time begins, less a constant
    double Ns;  ///< when that was read
    size_t Sm;
  };
  std::vector<Start> Starts;
  for (size_t I = 0; I < Clock.Sms.size(); ++I) {
    double Ns = F.Points[I].front().Ns;
    auto Cycles = static_cast<double>(static_cast<int64_t>(
        Clock.Sms[I].ClockOrigin - Clock.Sms.front().ClockOrigin));
    Starts.push_back({Cycles - Ns / Clock.NsPerCycle, Ns, I});
  }
  llvm::sort(Starts, [](const Start &A, const Start &B) {
    return std::tie(A.Cycles, A.Sm) < std::tie(B.Cycles, B.Sm);
  });

  std::vector<SharedClock> Out;
  for (size_t I = 0; I < Starts.size(); ++I) {
    const Start &S = Starts[I];
    if (I == 0 || S.Cycles - Starts[I - 1].Cycles >
                      SameClockCycles + SameClockShare *
                                            std::abs(S.Ns - Starts[I - 1].Ns) /
                                            Clock.NsPerCycle)
      Out.emplace_back();
    Out.back().Sms.push_back(S.Sm);
  }
  for (SharedClock &C : Out) {
    C.Origin = Clock.Sms[C.Sms.front()].ClockOrigin;
    for (size_t I : C.Sms)
      C.Origin = std::min(C.Origin, Clock.Sms[I].ClockOrigin);
    for (size_t I : C.Sms)
      for (AnchorPoint P : F.Points[I]) {
        P.Cycles += static_cast<double>(Clock.Sms[I].ClockOrigin - C.Origin);
        C.Points.push_back(P);
      }
    llvm::sort(C.Points, [](const AnchorPoint &A, const AnchorPoint &B) {
      return std::tie(A.Cycles, A.Ns) < std::tie(B.Cycles, B.Ns);
    });
  }
  return Out;
}

/// Whether one line passes through the anchors of a clock, or nearly: one
/// reading may be late.
static bool isStraight(const SmAnchors &S, const SlopeFit &Own, double StepNs) {
  return S.conflict(Own.Best, StepNs) <= StepNs && Own.bounded(MeasuredWidth);
}

/// The line of a clock: its own slope, written as bends of the launch's. No
/// bends: too few anchors to tell how it runs.
static BentLine lineOfClock(const SharedClock &C, const SmAnchors &S,
                            const SlopeFit &Own, double Slope, double StepNs) {
  BentLine Line;
  Line.ClockOrigin = C.Origin;
  if (isStraight(S, Own, StepNs)) {
    placeLine(S, Own.Best, (Own.Max - Own.Min) / 2, StepNs, Line);
    Line.Bends = {{0, 0}, {S.span(), (Own.Best - Slope) * S.span()}};
    return Line;
  }
  if (C.Points.size() < 3 * AnchorsPerBend)
    return {};
  placeLine(S, Slope, 0, StepNs, Line);
  LineBender(C.Points, Slope, StepNs, Line).run();
  return Line;
}

namespace {

/// From the fastest clock to the slowest [ns/cycle].
struct SlopeRange {
  double Fastest = MaxSlope, Slowest = MinSlope; ///< as it is: of no clock

  void add(double LeastSlope, double MostSlope) {
    Fastest = std::min(Fastest, LeastSlope);
    Slowest = std::max(Slowest, MostSlope);
  }
};

/// Slopes that clocks certainly had, by when that was.
class RatesSeen {
public:
  /// So many windows of a launch that took \p Ns.
  RatesSeen(double Ns, size_t Count)
      : Windows(Count), Width(std::max(1.0, Ns / static_cast<double>(Count))) {}

  /// Of a part of a line, of slopes from \p Least to \p Most. They count for
  /// as long before and behind it.
  void add(double FromNs, double ToNs, double Least, double Most) {
    size_t Last = window(2 * ToNs - FromNs);
    for (size_t I = window(2 * FromNs - ToNs); I <= Last; ++I)
      Windows[I].add(Most, Least);
  }

  SlopeRange range(double FromNs, double ToNs) const {
    SlopeRange All;
    for (size_t I = window(FromNs), Last = window(ToNs); I <= Last; ++I)
      All.add(Windows[I].Fastest, Windows[I].Slowest);
    return All;
  }

private:
  size_t window(double Ns) const {
    double Last = static_cast<double>(Windows.size() - 1);
    return static_cast<size_t>(std::clamp(Ns / Width, 0.0, Last));
  }

  std::vector<SlopeRange> Windows;
  double Width; ///< [ns]
};

/// A clock, and the line that was found for it: without bends if its anchors do
/// not tell how it runs.
struct ClockLine {
  SharedClock Clock;
  SlopeFit Own;
  BentLine Line;
  bool found() const { return !Line.Bends.empty(); }
};

} // namespace

/// What the lines of a launch tell of the rates of its clocks.
static RatesSeen ratesSeen(ArrayRef<ClockLine> Lines, double Slope,
                           double StepNs) {
  double Ns = 0, Shortest = INFINITY;
  for (const ClockLine &L : Lines) {
    for (const AnchorPoint &P : L.Clock.Points)
      Ns = std::max(Ns, P.Ns);
    for (size_t I = 1; I < L.Line.Bends.size(); ++I)
      Shortest = std::min(Shortest, Slope * (L.Line.Bends[I].Cycles -
                                             L.Line.Bends[I - 1].Cycles));
  }
  RatesSeen Seen(Ns, std::clamp<double>(Ns / Shortest, 1, MostWindows));
  for (const ClockLine &L : Lines) {
    ArrayRef<Bend> Bends = L.Line.Bends;
    if (Bends.size() == 2)
      Seen.add(0, Ns, L.Own.Min, L.Own.Max);
    for (size_t I = 1; I < Bends.size(); ++I) {
      const Bend &A = Bends[I - 1], &B = Bends[I];
      double Cycles = B.Cycles - A.Cycles;
      double Part = Slope + (B.Ns - A.Ns) / Cycles;
      Seen.add(L.Line.OffsetNs + Slope * A.Cycles,
               L.Line.OffsetNs + Slope * B.Cycles, Part - StepNs / Cycles,
               Part + StepNs / Cycles);
    }
  }
  return Seen;
}

/// How much further than at two anchors a clock may be from its line between
/// them: it leaves the line as fast as any clock was seen to run, and comes
/// back to it as slow as any, or the other way round. \p Slope: of the line
/// there. A clock that is the fastest all the way has no time to make up for.
static double errorInGap(const SlopeRange &Seen, double Slope, double Cycles) {
  double Range = Seen.Slowest - Seen.Fastest;
  if (Range <= 0)
    return 0;
  // Over a longer time the rates seen are means, of which none is an extreme.
  if (Cycles * Slope > LongGapNs)
    return Cycles * Range / 4;
  double Line = std::clamp(Slope, Seen.Fastest, Seen.Slowest);
  return Cycles * (Seen.Slowest - Line) * (Line - Seen.Fastest) / Range;
}

/// How far a clock may have been from a line with these bends between two
/// anchors. \p Limit: the least slope that it can have.
static double errorInGaps(const ClockLine &L, ArrayRef<Bend> Bends,
                          const RatesSeen &Seen, double Slope, double Limit) {
  double Worst = 0;
  ArrayRef<AnchorPoint> Points = L.Clock.Points;
  for (size_t I = 1; I < Points.size(); ++I) {
    const AnchorPoint &A = Points[I - 1], &B = Points[I];
    double Cycles = B.Cycles - A.Cycles;
    double Bent =
        Slope + (bendAt(Bends, B.Cycles) - bendAt(Bends, A.Cycles)) / Cycles;
    Worst = std::max(Worst, errorInGap(Seen.range(A.Ns, B.Ns), Bent, Cycles));
    // The same, where it may have been as slow as it liked for a while.
    if (Cycles * Slope > LongGapNs)
      Worst = std::max(Worst, (Slope - Limit) * Cycles);
  }
  return Worst;
}

/// Gives the SMs of each clock a line of their own where that is better than
/// the launch's slope. \p Limit: errorInGaps().
static void followClocks(const Fitting &F, double StepNs, double Limit,
                         LaunchClock &Clock) {
  std::vector<ClockLine> Lines;
  for (SharedClock &C : sharedClocks(F, Clock)) {
    SmAnchors S(C.Points);
    SlopeFit Own = fitSlope({S}, StepNs);
    BentLine Line = lineOfClock(C, S, Own, Clock.NsPerCycle, StepNs);
    Lines.push_back({std::move(C), Own, std::move(Line)});
  }
  RatesSeen Seen = ratesSeen(Lines, Clock.NsPerCycle, StepNs);
  for (ClockLine &L : Lines) {
    double Before = 0;
    for (size_t I : L.Clock.Sms)
      Before = std::max(Before, Clock.Sms[I].ErrorNs);
    bool Better = L.found() && L.Line.ErrorNs < Before;
    double InGaps =
        errorInGaps(L, Better ? ArrayRef(L.Line.Bends) : ArrayRef<Bend>(), Seen,
                    Clock.NsPerCycle, Limit);
    if (Better) {
      L.Line.Curve = static_cast<int32_t>(Clock.Curves.size());
      Clock.Curves.push_back(std::move(L.Line.Bends));
    }
    for (size_t I : L.Clock.Sms) {
      SmLine &Line = Clock.Sms[I];
      if (Better) {
        uint16_t Sm = Line.Sm;
        Line = static_cast<const SmLine &>(L.Line);
        Line.Sm = Sm;
      }
      Line.ErrorNs += InGaps;
    }
  }
}

/// \p Own: what the launch's anchors allow; \p Limit: the least slope that
/// clocks of the device can have.
static void placeSms(const Fitting &F, const SlopeFit &Own, double StepNs,
                     double Limit, LaunchClock &Clock) {
  double Slope = Clock.NsPerCycle;
  // How far the slope can be off, where it was measured here.
  double SlopeError =
      Clock.Source == SlopeSource::Launch ? (Own.Max - Own.Min) / 2 : 0;
  bool Conflict = false;
  for (auto [S, Line] : zip_equal(F.Sms, Clock.Sms)) {
    placeLine(S, Slope, SlopeError, StepNs, Line);
    Conflict |= S.conflict(Slope, StepNs) > 0;
  }
  if (Conflict && Clock.Source != SlopeSource::None)
    followClocks(F, StepNs, Limit, Clock);
  for (const SmLine &Line : Clock.Sms)
    Clock.AlignmentErrorNs = std::max(Clock.AlignmentErrorNs, Line.ErrorNs);
}

static std::vector<DeviceSlopes>
slopesOfDevices(const Meta &M, const Launches &Ls, ArrayRef<SlopeFit> Fits) {
  std::vector<std::vector<SlopeFit>> ByDevice(M.Devices.size());
  for (auto [L, F] : zip_equal(Ls.List, Fits))
    ByDevice[L.Device].push_back(F);
  std::vector<DeviceSlopes> Out(M.Devices.size());
  for (auto [D, Device, OfDevice] : zip_equal(Out, M.Devices, ByDevice)) {
    D.Typical = deviceSlope(OfDevice);
    if (Device.ClockKhz)
      D.Nominal = 1e6 / static_cast<double>(Device.ClockKhz);
    D.Least = std::min(D.Nominal.value_or(MaxSlope), leastSlope(OfDevice));
  }
  return Out;
}

/// Calls \p Each for all launches, on several threads.
static Error forEachLaunch(ArrayRef<std::vector<Reading>> Readings,
                           const Watch &W, function_ref<void(size_t)> Each) {
  constexpr size_t Some = 1 << 14; // readings: what is worth handing over
  std::vector<size_t> Ends;
  uint64_t All = 0, Handed = 0;
  for (size_t I = 0; I < Readings.size(); ++I) {
    All += Readings[I].size();
    if (All - Handed < Some && I + 1 < Readings.size())
      continue;
    Ends.push_back(I + 1);
    Handed = All;
  }
  Meter M(All * sizeof(Reading));
  return inOrder(
      Ends.size(), W, M,
      [&](size_t Group) {
        for (size_t I = Group ? Ends[Group - 1] : 0; I < Ends[Group]; ++I)
          Each(I);
        return Error::success();
      },
      [](size_t) { return Error::success(); });
}

Expected<TimeModel> buildTimeModel(const Meta &M, const Launches &Ls,
                                   std::vector<std::vector<Reading>> Readings,
                                   const Watch &W) {
  TimeModel T;
  T.Steps = timerSteps(M, Ls, Readings);
  T.Launches.resize(Ls.List.size());
  auto StepOf = [&](size_t I) -> const TimerStep & {
    return T.Steps[Ls.List[I].Device];
  };
  Watch Quiet = W; // it takes no time worth a bar
  Quiet.Progress = nullptr;

  // Anchors are gathered twice: of all launches they would take far more memory
  // than their readings.
  std::vector<SlopeFit> Fits(Ls.List.size());
  if (Error E = forEachLaunch(Readings, Quiet, [&](size_t I) {
        LaunchClock Unused;
        Fits[I] = fitSlope(gather(Readings[I], Unused).Sms,
                           static_cast<double>(StepOf(I).Ns));
      }))
    return E;
  std::vector<DeviceSlopes> Devices = slopesOfDevices(M, Ls, Fits);
  if (Error E = forEachLaunch(Readings, Quiet, [&](size_t I) {
        const DeviceSlopes &Device = Devices[Ls.List[I].Device];
        LaunchClock &Clock = T.Launches[I];
        Clock.StepKnown = StepOf(I).wellKnown();
        Fitting F = gather(std::exchange(Readings[I], {}), Clock);
        chooseSlope(Fits[I], Device, Clock);
        placeSms(F, Fits[I], static_cast<double>(StepOf(I).Ns), Device.Least,
                 Clock);
      }))
    return E;
  return T;
}

} // namespace kinstr::trace
