// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole runtime, as a rewritten program drives it, on the CUDA of
// fake_cudart.cpp. Each test runs in a child process, because the trace is
// written when a process exits.
#ifndef KINSTR_TEST_REWRITTENFILE_H
#define KINSTR_TEST_REWRITTENFILE_H

#include "RuntimeTest.h"
#include "fake_cudart.h"
#include "kinstr/detail/module.h"
#include "kinstr/kinstr.h"
#include "state.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>

namespace kinstr::test {

//===----------------------------------------------------------------------===//
// A rewritten file with two launch sites: <<<g, b>>> and <<<g, b, shared,
// stream>>>.
//===----------------------------------------------------------------------===//

inline device_state constant; // the file's, on the device
inline const unsigned char arguments[] = {2, 4, 0};
inline const char tables[] =
    R"({"abi":1,"file":"t.cu","kernels":[{"name":"k","line":1,"buffer":"shared","layout":"slots",)"
    R"("flow":"uniform","sites":[{"kind":"phase","name":"load","line":2,"drain":"none"}]}],)"
    R"("launches":[{"line":5,"kernel":0},{"line":6,"kernel":0}]})";

inline int write_constant(const device_state *s, cudaStream_t stream) {
  return cudaMemcpyAsync(&constant, s, sizeof *s, cudaMemcpyHostToDevice,
                         stream);
}

inline kinstr_module module_of_file = {abi_version,     tables,  arguments,
                                       &write_constant, nullptr, 0,
                                       nullptr,         nullptr};

/// A warp found, in an empty region, a chunk of one that was emptied.
inline bool stale_chunk = false;

/// A warp leaves its chunk behind, as functions that it calls do.
inline void leave_chunk(std::uint32_t sm) {
  callee_chunk &chunk =
      constant.chunks[sm * warp_slots * callee_chunks_per_slot];
  const auto next = static_cast<std::uint32_t>(constant.heads[sm].next);
  stale_chunk |= next == 0 && chunk.next != 0;
  chunk = {1, 0, 1u << 8, next + 1};
}

/// One warp on SM `sm` with one site, which records `clock`.
inline void run_kernel(std::uint32_t sm, std::uint32_t clock) {
  if (constant.recording == 0) {
    return;
  }
  leave_chunk(sm);
  region_head &head = constant.heads[sm];
  const auto offset = head.next;
  head.next += 4;
  if (offset + 4 > constant.region_words) {
    ++head.dropped_records;
    head.dropped_events += 2;
    return;
  }
  std::uint32_t *words =
      constant.data + std::size_t{sm} * constant.region_words + offset;
  words[0] = pack_tag({false, false, 0, 4, 1});
  words[1] = 0;
  words[2] = clock;
  words[3] = clock + 1;
}

inline const void *const kernel = &module_of_file;

/// As detail/service.cuh has it.
inline void retire(std::uint32_t *data, region_head *heads,
                   std::uint32_t region_words, region_head *lost,
                   std::uint32_t regions) {
  for (std::uint32_t r = 0; r < regions; ++r) {
    std::uint32_t *const words = data + std::size_t{r} * region_words;
    const std::size_t size = std::min<std::size_t>(heads[r].next, region_words);
    const rt::record_counts counts = rt::count_records(words, size);
    lost[r].dropped_records += counts.records + heads[r].dropped_records;
    lost[r].dropped_events += counts.events + heads[r].dropped_events;
    std::fill_n(words, size, 0);
    heads[r] = region_head{};
  }
}

inline std::function<void()> launch_retire(dim3 grid, void **arguments) {
  const auto words = *static_cast<std::uint32_t **>(arguments[0]);
  const auto heads = *static_cast<region_head **>(arguments[1]);
  const auto size = *static_cast<std::uint32_t *>(arguments[2]);
  const auto lost = *static_cast<region_head **>(arguments[3]);
  return [=] { retire(words, heads, size, lost, grid.x); };
}

/// kernel<<<3, 64>>>()
inline void launch(std::uint32_t clock = 100) {
  kinstr_launch_block(&module_of_file, 0, 64, 1, 1);
  kinstr_launch_grid(&module_of_file, 0, kernel, 3, 1, 1);
  fake::enqueue(nullptr, [=] { run_kernel(0, clock); });
}

/// kernel<<<{3, 2}, 64, shared, stream>>>()
inline void launch(cudaStream_t stream, std::uint32_t clock,
                   std::size_t shared = 16) {
  kinstr_launch_stream(&module_of_file, 1, stream);
  kinstr_launch_shared(&module_of_file, 1, shared);
  kinstr_launch_grid(&module_of_file, 1, kernel, 3, 2, 1);
  kinstr_launch_block(&module_of_file, 1, 64, 1, 1);
  fake::enqueue(stream, [=] { run_kernel(1, clock); });
}

/// A second file, whose library is loaded later.
inline device_state late_constant;
inline int write_late_constant(const device_state *s, cudaStream_t stream) {
  return cudaMemcpyAsync(&late_constant, s, sizeof *s, cudaMemcpyHostToDevice,
                         stream);
}

inline kinstr_module late = {
    abi_version, tables, arguments, &write_late_constant,
    nullptr,     0,      nullptr,   nullptr};

/// The default stream between two others.
inline std::array<cudaStream_t, 3> three_streams(unsigned flags) {
  return {fake::create_stream(flags), nullptr, fake::create_stream(flags)};
}

inline void start(const std::string &options) {
  ::setenv("KINSTR_OPTIONS", ("arena=device," + options).c_str(), 1);
  kinstr_register(&module_of_file);
}

using RuntimeDeathTest =
    Runtime; // gtest runs these before tests that start threads

} // namespace kinstr::test

#endif // KINSTR_TEST_REWRITTENFILE_H
