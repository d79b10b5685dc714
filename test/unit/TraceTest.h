// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the reading side share.
#ifndef KINSTR_TEST_TRACETEST_H
#define KINSTR_TEST_TRACETEST_H

#include "SimulatedGpu.h"
#include "trace/Spans.h"
#include "trace/Trace.h"
#include "gtest/gtest.h"

namespace kinstr::test {

inline llvm::Expected<trace::RawTrace> readBytes(const std::string &Bytes) {
  return trace::readTrace(llvm::MemoryBuffer::getMemBufferCopy(Bytes, "t"));
}

/// The message of the error that reading \p Bytes gives; "" where it is read.
inline std::string readError(const std::string &Bytes) {
  auto T = readBytes(Bytes);
  return T ? "" : llvm::toString(T.takeError());
}

/// A file that is known to be readable, through all stages.
inline trace::Trace understood(const TraceBuilder &B) {
  auto T = readBytes(B.bytes());
  if (!T) {
    ADD_FAILURE() << llvm::toString(T.takeError());
    return {};
  }
  return trace::understand(std::move(*T));
}

/// The events of warp \p W of block \p B, both by position.
inline llvm::SmallVector<trace::Event> eventsOf(const trace::Trace &T,
                                                uint32_t B, uint32_t W) {
  llvm::SmallVector<trace::Event> Out;
  const trace::Block &Block = T.Ls.Blocks[B];
  T.Ls.events(Block, T.Ls.warps(Block)[W], Out);
  return Out;
}

} // namespace kinstr::test

#endif // KINSTR_TEST_TRACETEST_H
