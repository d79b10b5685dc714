// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes the runtime's own CUDA calls invisible to the program: each guard saves a piece of the
// calling thread's state and puts it back.
#ifndef KINSTR_LIB_GUARDS_H
#define KINSTR_LIB_GUARDS_H

#include "contexts.h"

#include <cuda_runtime_api.h>

namespace kinstr::rt
{

/// Consumes the errors of the runtime's own calls. An error that was pending before stays (should a
/// call of ours fail on top of it, CUDA keeps the later code; there is no way to put one back).
class error_guard
{
  bool clean_ = cudaPeekAtLastError() == cudaSuccess;

public:
  error_guard()                               = default;
  error_guard(const error_guard &)            = delete;
  error_guard &operator=(const error_guard &) = delete;

  ~error_guard()
  {
    if (clean_ && cudaPeekAtLastError() != cudaSuccess)
    {
      cudaGetLastError();
    }
  }
};

/// Lets this thread allocate and copy while a stream is being captured, without ending the capture.
class relaxed_capture_guard
{
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;

public:
  relaxed_capture_guard() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  relaxed_capture_guard(const relaxed_capture_guard &)            = delete;
  relaxed_capture_guard &operator=(const relaxed_capture_guard &) = delete;

  ~relaxed_capture_guard() { cudaThreadExchangeStreamCaptureMode(&mode_); }
};

/// Puts the current context back, and with it the device.
class device_guard
{
  context_ref context_ = current_context();
  int device_          = -1;

public:
  device_guard()
  {
    if (cudaGetDevice(&device_) != cudaSuccess)
    {
      device_ = -1;
    }
  }
  device_guard(const device_guard &)            = delete;
  device_guard &operator=(const device_guard &) = delete;

  ~device_guard()
  {
    if (context_.handle != nullptr)
    {
      make_current(context_.handle);
    }
    else if (device_ >= 0)
    {
      cudaSetDevice(device_);
    }
  }
};

} // namespace kinstr::rt

#endif // KINSTR_LIB_GUARDS_H
