// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the reading side share.
#ifndef KINSTR_TEST_TRACETEST_H
#define KINSTR_TEST_TRACETEST_H

#include "SimulatedGpu.h"
#include "trace/Spans.h"
#include "trace/Trace.h"
#include "trace/Visit.h"
#include "gtest/gtest.h"

namespace kinstr::test {

inline llvm::Expected<trace::RawTrace> readBytes(const std::string &Bytes) {
  return trace::readTrace(llvm::MemoryBuffer::getMemBufferCopy(Bytes, "t"));
}

/// Through all stages.
inline llvm::Expected<trace::Trace> understandBytes(const std::string &Bytes) {
  auto T = readBytes(Bytes);
  if (!T)
    return T.takeError();
  return trace::understand(std::move(*T));
}

/// The message of the error that reading \p Bytes gives; "" where it is read.
inline std::string readError(const std::string &Bytes) {
  auto T = understandBytes(Bytes);
  return T ? "" : llvm::toString(T.takeError());
}

/// A file that is known to be readable, through all stages.
inline trace::Trace understood(const TraceBuilder &B) {
  auto T = understandBytes(B.bytes());
  if (!T) {
    ADD_FAILURE() << llvm::toString(T.takeError());
    return {};
  }
  return std::move(*T);
}

inline std::string message(llvm::Error E) {
  return E ? llvm::toString(std::move(E)) : "";
}

struct SeenWarp {
  uint32_t Index = 0; ///< in the block
  llvm::SmallVector<trace::Event> Events;
  llvm::SmallVector<trace::Value> Values;
  bool MayHaveWrapped = false;
};

/// A block and all that was decoded of it.
struct SeenBlock : trace::Block {
  std::vector<SeenWarp> Warps;
  std::vector<trace::ClockPair> Clocks;
};

class SeenBlocks final : public trace::BlockSink {
public:
  void block(const trace::BlockView &V) override {
    SeenBlock B;
    static_cast<trace::Block &>(B) = V.B;
    for (const trace::WarpView &W : V.Warps)
      B.Warps.push_back({W.Index, llvm::SmallVector<trace::Event>(W.Events),
                         llvm::SmallVector<trace::Value>(W.Values),
                         W.MayHaveWrapped});
    B.Clocks.assign(V.Clocks.begin(), V.Clocks.end());
    All.push_back(std::move(B));
  }
  void join(SeenBlocks &&Part) {
    All.insert(All.end(), std::make_move_iterator(Part.All.begin()),
               std::make_move_iterator(Part.All.end()));
  }

  std::vector<SeenBlock> All;
};

/// All blocks, by launch and number.
inline std::vector<SeenBlock> blocksOf(const trace::Trace &T) {
  auto Seen = trace::collectBlocks(T, {}, SeenBlocks());
  if (!Seen) {
    ADD_FAILURE() << llvm::toString(Seen.takeError());
    return {};
  }
  llvm::stable_sort(Seen->All, [](const SeenBlock &A, const SeenBlock &B) {
    return std::tie(A.Launch, A.Number, A.GlobalStart) <
           std::tie(B.Launch, B.Number, B.GlobalStart);
  });
  return std::move(Seen->All);
}

inline size_t countWarps(const trace::Trace &T) {
  size_t Warps = 0;
  for (const SeenBlock &B : blocksOf(T))
    Warps += B.Warps.size();
  return Warps;
}

/// The events of warp \p W of block \p B, both by position.
inline llvm::SmallVector<trace::Event> eventsOf(const trace::Trace &T,
                                                uint32_t B, uint32_t W) {
  return blocksOf(T)[B].Warps[W].Events;
}

} // namespace kinstr::test

#endif // KINSTR_TEST_TRACETEST_H
