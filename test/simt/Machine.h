// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small SIMT machine: the blocks of a grid on a few SMs, each lane a fiber.
// Which lane runs next is random at every operation, and follows from a seed.
//
// What a GPU would punish or hide ends the run with a message: barriers and
// shuffles whose masks never meet, masks that name a lane that left, accesses
// to shared or traced memory out of bounds or misaligned, a word of the trace
// written by two warps, and unordered accesses to shared memory by two lanes.
// Shared memory that was never written reads as garbage.
#ifndef KINSTR_TEST_SIMT_MACHINE_H
#define KINSTR_TEST_SIMT_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simt {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint32_t size() const { return x * y * z; }
};

/// Which of the lanes that have come to one __activemask() get one answer.
enum class Converge {
  Alone,    ///< each lane by itself
  Random,   ///< any of those that have come
  Together, ///< all of the warp that come there before they wait elsewhere
};

struct Grid {
  uint64_t Seed = 1;
  Dim3 Blocks, Threads;
  uint64_t GridId = 1;
  uint32_t DynamicShared = 0, ClusterDim = 0;
  uint32_t Sms = 1, BlocksPerSm = 1; ///< resident at once
  uint32_t Burst = 1; ///< operations a lane makes in a row, on average
  Converge Meet = Converge::Random;
  /// Hardware slots of an SM that warps come to be in, as many as they are at
  /// least; and how often in 1000 operations of a lane its warp moves to
  /// another one, as after a preemption.
  uint32_t Slots = 64, Preempted = 0;
  /// What %clock64 of each SM is ahead of now().
  std::vector<uint64_t> ClockOffset;
  uint64_t TimerOffset = 0; ///< what %globaltimer is ahead, before its steps
  /// Called before the first lane of the block of that index runs.
  std::function<void(uint32_t)> OnBlock;
};

constexpr uint32_t TimerStep = 32; ///< of %globaltimer

/// Memory that kernels write with storeGlobal() and read only in part: one
/// region an SM (the last one for all SMs from there on).
struct Traced {
  uint32_t *Words = nullptr;
  uint32_t RegionWords = 0, Regions = 0;
};

/// Runs \p Kernel in every lane. Returns what went wrong, or "".
std::string run(const Grid &G, Traced T, const std::function<void()> &Kernel);

/// Time: grows with every operation, at every clock read in particular.
uint64_t now();
/// The SM on which the last run put that block.
uint32_t smOfBlock(uint32_t Block);

/// By a lane: says where in the kernel's source it is, so that the same
/// barrier in an inlined function is another one elsewhere.
void at(uint32_t Place);
/// By a lane: an operation that concerns nobody.
void work();

//===----------------------------------------------------------------------===//
// What the stand-ins for CUDA and for detail/ptx.cuh are made of.
//===----------------------------------------------------------------------===//

const Dim3 &threadIndex();
const Dim3 &blockIndex();
const Dim3 &threadsDim();
const Dim3 &blocksDim();

/// A place in a source file.
struct Line {
  const char *File;
  int Number;
};

enum class WarpOp { Sync, Shuffle, Ballot };

uint32_t activeMask(Line L);
/// Waits for the lanes of \p Mask. Returns, for Shuffle, the value of lane
/// \p From, for Ballot the lanes whose value is not 0.
uint64_t meet(WarpOp Op, uint32_t Mask, Line L, uint64_t Value = 0,
              uint32_t From = 0);
void blockBarrier();
void fence();

uint64_t atomicAdd(uint64_t *P, uint64_t V);

uint64_t clock64();
uint64_t globalTimer();
uint32_t smId();
uint32_t warpId(); ///< the hardware slot; may be another the next time
uint32_t laneId();
uint64_t gridId();
uint32_t dynamicShared();
uint32_t clusterDim();

/// The address, in the shared window of this block, of a static array.
uint32_t sharedAddress(const void *Array, size_t Bytes);
void storeShared(uint32_t Address, uint32_t V);
void storeShared(uint32_t Address, uint32_t V0, uint32_t V1);
uint32_t loadShared(uint32_t Address);
uint32_t addShared(uint32_t Address, uint32_t V);
uint32_t exchangeShared(uint32_t Address, uint32_t V);

void storeGlobal(uint32_t *P, uint32_t V);
void storeGlobal(uint32_t *P, uint32_t V0, uint32_t V1);

/// 16 bytes at once of memory that is not traced; AddressSanitizer knows where
/// it ends.
void loadGlobal(const void *P, uint32_t &V0, uint32_t &V1, uint32_t &V2,
                uint32_t &V3);
void storeGlobal(void *P, uint32_t V0, uint32_t V1, uint32_t V2, uint32_t V3);

} // namespace simt

#endif // KINSTR_TEST_SIMT_MACHINE_H
