// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every recorder that KINSTR_KERNEL and KINSTR_FUNCTION can name: here is the
// only list of them.
#ifndef KINSTR_TEST_SIMT_RECORDERS_H
#define KINSTR_TEST_SIMT_RECORDERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

/// BUFFER, LAYOUT, FLOW: X is expanded once for each recorder of kernels.
#define KINSTR_SIMT_KERNELS(X)                                                 \
  KINSTR_SIMT_KERNELS_IN(X, shared)                                            \
  KINSTR_SIMT_KERNELS_IN(X, shared1024)                                        \
  KINSTR_SIMT_KERNELS_IN(X, lanes)                                             \
  KINSTR_SIMT_KERNELS_IN(X, global)
#define KINSTR_SIMT_KERNELS_IN(X, BUFFER)                                      \
  X(BUFFER, slots, uniform)                                                    \
  X(BUFFER, slots, warprows)                                                   \
  X(BUFFER, slots, divergent)                                                  \
  X(BUFFER, stream, uniform)                                                   \
  X(BUFFER, stream, warprows)                                                  \
  X(BUFFER, stream, divergent)

/// FLOW, NESTING: once for each recorder of other functions. Those that call
/// none come last: the others call what is behind them.
#define KINSTR_SIMT_CALLEES(X)                                                 \
  X(uniform, once)                                                             \
  X(uniform, recursive)                                                        \
  X(warprows, once)                                                            \
  X(warprows, recursive)                                                       \
  X(divergent, once)                                                           \
  X(divergent, recursive)                                                      \
  X(uniform, leaf)                                                             \
  X(warprows, leaf)                                                            \
  X(divergent, leaf)

/// From the coarsest to the finest: lanes of a warp together, rows of a block
/// together, each lane by itself.
enum class Flow { uniform, warprows, divergent };
enum class Layout { slots, stream };
enum class Nesting { leaf, once, recursive };
enum class Drain { None, Loads, Stores };

/// KINSTR_MARK of a site, on the recorder at that address; where there is a
/// number, KINSTR_VALUE. With slots there is none.
using MarkSite = void (*)(void *Recorder, Drain Wait, const uint32_t *Number);
/// What a function does between the beginning and the end of its recorder.
using DoBody = llvm::function_ref<void(void *Recorder, const MarkSite *Marks)>;

/// A kernel with nothing but its recorder.
struct KernelType {
  const char *Buffer;
  Layout Lay;
  Flow Flw;
  uint32_t Id, Sites;
  uint32_t Threads; ///< most a block can have
  void (*Run)(DoBody);

  std::string name() const;
};

struct CalleeType {
  Flow Flw;
  Nesting Nest;
  uint32_t FirstSite, Sites;
  void (*Run)(DoBody);

  std::string name() const;
  uint32_t returnSite() const { return FirstSite + Sites; }
  uint32_t entrySite() const { return FirstSite + Sites + 1; }
  uint32_t lastSite() const {
    return Nest == Nesting::recursive ? entrySite() : returnSite();
  }
};

const std::vector<KernelType> &kernelTypes();
const std::vector<CalleeType> &calleeTypes();

const char *name(Flow F);
const char *name(Layout L);
const char *name(Nesting N);

/// What the runtime tells kernels (kinstr::device_state).
struct State {
  uint32_t *Data = nullptr;
  void *Heads = nullptr;  ///< kinstr::region_head
  void *Chunks = nullptr; ///< kinstr::callee_chunk
  uint32_t RegionWords = 0, Regions = 0, Module = 0;
};
void setState(const State &S);
void setRecording(bool On);

} // namespace simt

#endif // KINSTR_TEST_SIMT_RECORDERS_H
