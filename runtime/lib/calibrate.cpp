// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mark costs on the device at hand, and the step of its timer, measured once, when it is
// attached.
//
// The kernel that measures is one of the rewritten file's (detail/calibrate.cuh), with the
// recorders of that file. It records to an arena of its own, whose address stands in the file's
// constant for that time: nothing else reads it yet. If the device is busy with something else,
// nobody waits for more than a moment: then the cost is not known.
#include "guards.h"
#include "state.h"

#include <chrono>
#include <new>
#include <thread>

namespace kinstr::rt
{
namespace
{

constexpr std::uint32_t scratch_words = 1u << 13; ///< 16 records
constexpr auto patience               = std::chrono::microseconds(1500);
constexpr int least_asked             = 32; ///< on a busy host once may take all the patience

/// On the device.
struct scratch_arena
{
  region_head head;
  std::uint32_t found[calibrated_words];
  alignas(region_head) std::uint32_t words[scratch_words]; ///< on 8 bytes, as any region
};

/// In pinned memory.
struct calibration_buffers
{
  calibration_talk talk;
  device_state state;
  std::uint32_t found[calibrated_words];
};

cudaError_t allocate(device_entry &d, scratch_arena *&scratch, calibration_buffers *&buffers)
{
  void *memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, sizeof(scratch_arena)))
  {
    return error;
  }
  d.scratch = memory;
  scratch   = static_cast<scratch_arena *>(memory);
  if (const cudaError_t error =
          cudaHostAlloc(&memory, sizeof(calibration_buffers), cudaHostAllocDefault))
  {
    return error;
  }
  d.pinned.push_back(memory);
  buffers = new (memory) calibration_buffers();
  buffers->state =
      device_state{scratch->words, &scratch->head, scratch_words, 0, 0,      record_all,
                   sample_all,     sample_all,     0xFFFFFFFF,    0, nullptr};
  return cudaSuccess;
}

/// Queues it all. The real state, written to the runtime's stream, comes after this one in any
/// case; that it does not come while the kernel runs is arrives()'s business.
cudaError_t measure(const kinstr_module &m, device_entry &d, scratch_arena *scratch,
                    calibration_buffers *buffers)
{
  const cudaStream_t stream = d.busy_stream;
  calibration_talk *talk    = &buffers->talk;
  std::uint32_t *found      = scratch->found;
  void *arguments[]         = {static_cast<void *>(&talk), static_cast<void *>(&found)};

  cudaError_t error = cudaMemsetAsync(scratch, 0, sizeof *scratch, stream);
  error = error == cudaSuccess ? static_cast<cudaError_t>(m.write_state(&buffers->state, stream))
                               : error;
  if (error != cudaSuccess)
  {
    return error;
  }
  cudaEventRecord(d.before, stream);
  cudaStreamWaitEvent(d.stream, d.before, 0);
  error = cudaLaunchKernel(m.calibrate, dim3(1), dim3(32), arguments, 0, stream);
  return error == cudaSuccess ? cudaMemcpyAsync(buffers->found, found, sizeof buffers->found,
                                                cudaMemcpyDeviceToHost, stream)
                              : error;
}

bool is_running(calibration_talk &talk)
{
  __atomic_store_n(&talk.cancelled, 1u, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&talk.started, __ATOMIC_SEQ_CST) != 0;
}

/// Waits for the answer while there is patience, and longer only for a kernel that has begun: that
/// is a matter of microseconds, whatever else there is to do for the device.
bool arrives(cudaStream_t stream, calibration_talk &talk)
{
  const auto limit   = std::chrono::steady_clock::now() + patience;
  cudaError_t answer = cudaStreamQuery(stream);
  for (int asked = 1; answer == cudaErrorNotReady &&
                      (asked < least_asked || std::chrono::steady_clock::now() < limit);
       ++asked)
  {
    std::this_thread::yield();
    answer = cudaStreamQuery(stream);
  }
  if (answer == cudaErrorNotReady && is_running(talk))
  {
    answer = cudaStreamSynchronize(stream);
  }
  return answer == cudaSuccess;
}

} // namespace

void calibrate(const process_state &p, device_entry &d)
{
  const auto begin             = std::chrono::steady_clock::now();
  scratch_arena *scratch       = nullptr;
  calibration_buffers *buffers = nullptr;
  if (allocate(d, scratch, buffers) != cudaSuccess)
  {
    return;
  }
  for (const module_entry &m : p.modules)
  {
    // One without code for this device says so here; the next one may have some.
    if (m.module == nullptr || m.module->calibrate == nullptr ||
        measure(*m.module, d, scratch, buffers) != cudaSuccess)
    {
      continue;
    }
    if (arrives(d.busy_stream, buffers->talk))
    {
      d.calibrated.assign(buffers->found, buffers->found + calibrated_words);
    }
    break;
  }
  const auto took  = std::chrono::steady_clock::now() - begin;
  d.calibration_us = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}

} // namespace kinstr::rt
