// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a timeline, for viewers that draw what they are told: of a
// merged trace the processes, then the GPUs of each, a GPU's launches and its
// SMs, on each SM the places that blocks take one after another, in each place
// its warps, of a warp its scopes and each value that it recorded.
#ifndef KINSTR_REPORT_TRACKS_H
#define KINSTR_REPORT_TRACKS_H

#include "report/Flows.h"
#include "report/Selection.h"
#include "report/SiteNames.h"
#include "report/TimeAxis.h"

namespace kinstr::report {

/// A line that not every warp has: of its scopes, or of a value.
struct ExtraLine {
  static constexpr uint32_t Scopes = 0; ///< else a number of Tracks::Values

  uint32_t Warp = 0, What = 0;

  bool operator<(const ExtraLine &O) const {
    return std::pair(Warp, What) < std::pair(O.Warp, O.What);
  }
};

/// A block that has a time. Of the selected blocks those are kept, so memory
/// grows with their number, and not with that of events.
struct PlacedBlock {
  uint32_t Launch = 0, Number = 0;
  uint64_t ClockStart = 0;    ///< tells it from other records of its number
  int64_t Begin = 0, End = 0; ///< [ns from TimeAxis::originNs()]
  uint32_t Sm = 0;            ///< in Tracks::Sms
  uint32_t Slot = 0;          ///< in SmTracks::Slots
  uint32_t Warps = 0;         ///< the largest index and one
  uint32_t Extras = 0;        ///< which of the sets of extra lines it needs
};

/// What has no time and so no place on a timeline.
struct LeftOut {
  uint64_t Moved = 0;        ///< blocks that moved from one SM to another
  uint64_t WithoutClock = 0; ///< blocks of launches whose clock rate is unknown
};

struct SlotTracks {
  /// Of the blocks' line; those of its warps follow, then extra ones.
  uint64_t Id = 0;
  uint32_t Warps = 0;            ///< lines
  std::vector<ExtraLine> Extras; ///< ascending

  uint64_t warpId(uint32_t Warp) const { return Id + 1 + Warp; }
  uint64_t extraId(const ExtraLine &L) const {
    auto Which = llvm::lower_bound(Extras, L) - Extras.begin();
    return Id + 1 + Warps + static_cast<uint64_t>(Which);
  }
};

struct SmTracks {
  uint64_t Id = 0;
  uint32_t Device = 0, Sm = 0;
  std::vector<SlotTracks> Slots;
};

struct LaunchTrack {
  uint32_t Launch = 0;
  int64_t Begin = 0, End = 0; ///< of its selected blocks
  uint32_t Row = 0;           ///< those that overlap have lines of their own
};

struct DeviceTracks {
  uint64_t Id = 0;
  std::vector<uint64_t> LaunchRows; ///< ids
};

/// All lines have numbers from 1 on.
struct Tracks {
  explicit Tracks(const trace::Trace &T)
      : Values(T, [](const trace::Site &S) {
          return S.Kind == trace::SiteKind::Value;
        }) {}

  SiteNames Values;
  std::vector<uint64_t> Processes;   ///< ids, of a merged trace
  std::vector<DeviceTracks> Devices; ///< as Meta::Devices
  std::vector<SmTracks> Sms;         ///< that have blocks, by device and SM
  std::vector<LaunchTrack> Launches; ///< that have blocks
  std::vector<PlacedBlock> Blocks;   ///< by launch, number and clock
  LeftOut Left;

  /// Null for what is left out.
  const PlacedBlock *find(uint32_t Launch, const trace::Block &B) const;
  size_t indexOf(const PlacedBlock &B) const { return &B - Blocks.data(); }
};

/// Reads all that is selected once, and shows it to \p Flows if there is one.
llvm::Expected<Tracks> layTracks(const trace::Trace &T, const Selection &S,
                                 const TimeAxis &Axis,
                                 FlowSurvey *Flows = nullptr);

} // namespace kinstr::report

#endif // KINSTR_REPORT_TRACKS_H
