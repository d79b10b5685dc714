// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA runtime on the host: streams are queues, nothing runs before somebody
// waits for it or asks for it repeatedly, and the order is then the worst one
// that events and streams allow. Misuse that would hurt a program under trace
// (a dead stream handle, a call that invalidates a capture) aborts.
#ifndef KINSTR_TEST_FAKE_CUDART_H
#define KINSTR_TEST_FAKE_CUDART_H

#include <cstddef>
#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake {

/// Whose streams advance first when both could.
enum class hurry { program, runtime };

struct gpu_settings {
  int sm_count = 4;
  std::size_t free = std::size_t{1} << 30;  ///< [bytes]
  std::size_t total = std::size_t{2} << 30; ///< [bytes]
  bool context_events = true;               ///< the driver has cuCtxRecordEvent
  bool contexts = true; ///< and those that tell contexts apart
  hurry first = hurry::program;
  cudaError_t broken =
      cudaSuccess; ///< every wait fails with it, like after an illegal access
  cudaError_t no_device = cudaSuccess;        ///< cudaGetDevice() fails with it
  cudaError_t launch = cudaSuccess;           ///< what launch calls return
  std::map<const void *, const char *> names; ///< of kernels, mangled
  /// Kernels that do something: from a launch's grid and arguments to what runs
  /// in its stream.
  std::map<const void *, std::function<std::function<void()>(dim3, void **)>>
      kernels;
};

/// Of all GPUs; to be set before anything else.
extern gpu_settings gpu;

/// A stream of the program.
cudaStream_t create_stream(unsigned flags = cudaStreamNonBlocking);

/// Another context on that device, which becomes the calling thread's.
void *create_context(int device);
/// With everything in it. It may not be touched afterwards.
void destroy_context(void *context);
void set_current_context(void *context);
void *get_current_context();

/// Work queued in `stream` (null: the default stream).
void enqueue(cudaStream_t stream, std::function<void()> work);

/// A kernel in `stream` that runs for ever. Waiting for it aborts.
void enqueue_endless(cudaStream_t stream);

/// The next operation in any stream comes after what is in this one now.
void hold_up_next(cudaStream_t behind);

void begin_capture(cudaStream_t stream);
void end_capture(cudaStream_t stream);

/// The launch calls made so far, as "name kernel grid block shared stream".
const std::vector<std::string> &launch_calls();

/// Calls made so far that queue something or wait in a stream of the program.
int operations_in_program_streams();

/// Sets the error cudaGetLastError() reports.
void set_last_error(cudaError_t error);

} // namespace fake

#endif // KINSTR_TEST_FAKE_CUDART_H
