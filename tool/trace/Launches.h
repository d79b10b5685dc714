// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace says of launches, blocks and events, as plain data.
#ifndef KINSTR_TRACE_LAUNCHES_H
#define KINSTR_TRACE_LAUNCHES_H

#include "trace/Meta.h"
#include "trace/Number.h"
#include "trace/Warning.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace kinstr::trace {

/// A site of the kernel (Kernel::Sites), exit_site or pause_site, and the full
/// clock of the block's SM.
struct Event {
  uint64_t Clock = 0; ///< [cycles]
  uint32_t Site = 0;
};

constexpr uint32_t unknown_site = 0xFFFFFFFF;

/// A number that a kernel recorded at a site of kind Value.
struct Value {
  uint64_t Clock = 0; ///< [cycles]
  uint32_t Site = 0;
  Number N;
};

struct Block {
  uint64_t GlobalStart = 0, ClockStart = 0; ///< [ns], [cycles]
  uint64_t GlobalEnd = 0, ClockEnd = 0;     ///< only where Finished
  uint32_t Number = 0;                      ///< linear block index
  uint32_t NumWarps = 0;                    ///< that recorded
  uint32_t Launch = 0;                      ///< in Launches::List
  uint16_t SmStart = 0, SmEnd = 0;
  bool Finished = false;  ///< the end anchor was written
  bool Divergent = false; ///< Kernel::Flow

  /// Preempted and resumed on another SM, whose clock is another.
  bool moved() const { return Finished && SmStart != SmEnd; }
};

/// All blocks that recorded under one %gridid with one kernel and shape.
struct Launch {
  uint32_t Device = 0; ///< position in Meta::Devices
  uint64_t GridId = 0;
  /// Of a graph's node, which has one %gridid for all its replays: how many
  /// came before, as far as the trace shows. 0 for launches that are no node.
  uint32_t Replay = 0;
  uint32_t Module = 0, Kernel = 0; ///< Meta::Modules[Module].Kernels[Kernel]
  Dim3 Grid = {0, 0, 0}, BlockDim = {0, 0, 0}, Cluster = {0, 0, 0};
  uint32_t DynamicShared = 0; ///< [bytes]
  uint32_t NumBlocks = 0;     ///< that recorded

  // Filled in by matchHostLaunches().
  int32_t Host = -1;        ///< Meta::Launches; -1 unmatched
  int32_t Function = -1;    ///< Meta::Functions; -1 unknown
  uint32_t BlocksPerSm = 0; ///< occupancy; 0 unknown

  uint64_t gridBlocks() const { return uint64_t(Grid[0]) * Grid[1] * Grid[2]; }
  uint32_t warpsPerBlock() const {
    return (BlockDim[0] * BlockDim[1] * BlockDim[2] + 31) / 32;
  }
};

/// A callee that recorded in the launches of a kernel. Its sites, which have
/// the numbers FirstSite and up in the module, are the kernel's sites from
/// FirstKernelSite on.
struct RecordedCallee {
  uint32_t Module = 0, Callee = 0; ///< Meta::Modules[Module].Callees[Callee]
  uint32_t FirstSite = 0, NumSites = 0;
  uint32_t FirstKernelSite = 0;

  bool has(uint32_t OfModule, uint32_t Site) const {
    return Module == OfModule && Site >= FirstSite &&
           Site - FirstSite < NumSites;
  }
};

/// What could not be placed. Counted, never guessed.
struct Unplaced {
  uint64_t Orphans = 0;    ///< records whose block left no anchor
  uint64_t BadRecords = 0; ///< size, warp or site the kernel does not have
  uint64_t BadAnchors = 0; ///< impossible kernel, grid or block
};

struct Launches {
  std::vector<Launch> List; ///< by device, then %gridid, then replay
  /// By module and kernel; in order of the callees' modules and numbers.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<RecordedCallee>> Callees;
  Unplaced Lost;
  std::vector<Warning> Warnings; ///< damage inside regions
  uint64_t NumEvents = 0;        ///< of all warps, exits included, pauses not

  uint64_t countEvents() const { return NumEvents; }
  llvm::ArrayRef<RecordedCallee> calleesOf(const Launch &L) const {
    auto It = Callees.find({L.Module, L.Kernel});
    if (It == Callees.end())
      return {};
    return It->second;
  }
};

/// Finds the host's call for each launch (docs/trace-format.md, last
/// paragraph): in order where both saw the same sequence, else kernel by
/// kernel, else not at all. A launch that stays unmatched still takes function
/// and occupancy where all calls that could be it agree.
void matchHostLaunches(const Meta &M, Launches &Ls);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_LAUNCHES_H
