// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From loose records to launches, blocks and warps. Everything is in flat
// arrays; events stay in the file's words and are decoded a warp at a time.
#ifndef KINSTR_TRACE_LAUNCHES_H
#define KINSTR_TRACE_LAUNCHES_H

#include "trace/Reader.h"
#include "trace/Records.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace kinstr::trace {

/// A site of the kernel (Kernel::Sites), exit_site or pause_site, and the full
/// clock of the block's SM.
struct Event {
  uint64_t Clock = 0; ///< [cycles]
  uint32_t Site = 0;
};

constexpr uint32_t unknown_site = 0xFFFFFFFF;

struct Warp {
  uint32_t FirstRecord = 0, NumRecords = 0; ///< in Launches::Records
  uint32_t Index = 0;                       ///< in the block
};

struct Block {
  uint64_t GlobalStart = 0, ClockStart = 0; ///< [ns], [cycles]
  uint64_t GlobalEnd = 0, ClockEnd = 0;     ///< only where Finished
  uint32_t Number = 0;                      ///< linear block index
  uint32_t FirstWarp = 0, NumWarps = 0;     ///< in Launches::Warps
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
  uint32_t DynamicShared = 0;             ///< [bytes]
  uint32_t FirstBlock = 0, NumBlocks = 0; ///< in Launches::Blocks

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

/// The events of a record that are of one of several blocks: replays of a
/// graph's node may go on with a record of callees that one before began.
struct RecordPart {
  const uint8_t *Record = nullptr; ///< Record::address()
  uint32_t Block = 0;              ///< in Launches::Blocks
  uint32_t First = 0, End = 0;     ///< events
};

/// What could not be placed. Counted, never guessed.
struct Unplaced {
  uint64_t Orphans = 0;    ///< records whose block left no anchor
  uint64_t BadRecords = 0; ///< size, warp or site the kernel does not have
  uint64_t BadAnchors = 0; ///< impossible kernel, grid or block
};

struct Launches {
  std::vector<Launch> List; ///< by device, then %gridid, then replay
  std::vector<Block> Blocks;
  std::vector<Warp> Warps;
  std::vector<Record> Records;
  /// By record and block. Records that are not here are one block's.
  std::vector<RecordPart> Parts;
  /// By module and kernel; in order of the callees' modules and numbers.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<RecordedCallee>> Callees;
  Unplaced Lost;
  std::vector<Warning> Warnings; ///< damage inside regions

  llvm::ArrayRef<Block> blocks(const Launch &L) const {
    return llvm::ArrayRef(Blocks).slice(L.FirstBlock, L.NumBlocks);
  }
  llvm::ArrayRef<Warp> warps(const Block &B) const {
    return llvm::ArrayRef(Warps).slice(B.FirstWarp, B.NumWarps);
  }
  /// The events of one warp in order of their clocks. \p Out is overwritten.
  void events(const Block &B, const Warp &W,
              llvm::SmallVectorImpl<Event> &Out) const;
  /// What the records of \p B tell of its SM's clock between its start and its
  /// end. \p Out is overwritten. None of a block that moved: it may be the
  /// clock of either SM.
  void clocks(const Block &B, llvm::SmallVectorImpl<ClockPair> &Out) const;
  /// Whether the clocks of a warp's \p Events may be short by a multiple of
  /// 2^32: slots hold 32 bits, and its block lasted long enough for more.
  bool mayHaveWrapped(const Block &B, const Warp &W,
                      llvm::ArrayRef<Event> Events) const;
  /// Of all warps, exits included and pauses not.
  uint64_t countEvents() const;

private:
  /// First and end of the events of \p R, a stream, that are block \p B's.
  std::pair<uint32_t, uint32_t> eventsOf(const Block &B, const Record &R) const;
  uint32_t calleeSite(const Block &B, uint32_t Module, uint32_t Site) const;
};

/// Places every record of \p Raw, which must outlive the result.
Launches buildLaunches(const RawTrace &Raw);

/// Adds to each kernel's sites those of the callees that recorded in it.
void addCalleeSites(const Launches &Ls, Meta &M);

/// Finds the host's call for each launch (docs/trace-format.md, last
/// paragraph): in order where both saw the same sequence, else kernel by
/// kernel, else not at all. A launch that stays unmatched still takes function
/// and occupancy where all calls that could be it agree.
void matchHostLaunches(const Meta &M, Launches &Ls);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_LAUNCHES_H
