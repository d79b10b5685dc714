// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must be in the arena after a run, from what the lanes did. It knows the
// recorders' promises (docs/trace-format.md) and nothing of how they work.
#ifndef KINSTR_TEST_SIMT_MODEL_H
#define KINSTR_TEST_SIMT_MODEL_H

#include "Program.h"
#include "kinstr/record.h"

namespace simt {

/// On the heap, of the very size, so that AddressSanitizer sees what is beyond.
struct Arena {
  Arena(uint32_t Regions, uint32_t RegionWords)
      : RegionWords(RegionWords), Words(size_t(Regions) * RegionWords),
        Heads(Regions), Chunks(kinstr::callee_chunk_count(Regions)) {}

  uint32_t RegionWords;
  std::vector<uint32_t> Words;
  std::vector<kinstr::region_head> Heads;
  std::vector<kinstr::callee_chunk> Chunks;

  uint64_t mostUsed() const {
    uint64_t Most = 0;
    for (const auto &H : Heads)
      Most = std::max<uint64_t>(Most, H.next);
    return Most;
  }
};

/// From that time on recording is on, or off.
struct Switch {
  uint64_t Time;
  bool On;
};

struct Recorded {
  const Program *What = nullptr;
  Grid G;
  uint32_t Module = 0;
  std::vector<Switch> Switches; ///< the first is at time 0
  std::vector<uint32_t> SmOf;   ///< by block
  RunLog Log;
};

/// What is wrong with the trace, one line each; empty where nothing is.
std::vector<std::string> check(const Recorded &R, const Arena &A);

} // namespace simt

#endif // KINSTR_TEST_SIMT_MODEL_H
