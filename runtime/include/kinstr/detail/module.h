// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boundary between rewritten files and libkinstr_rt: plain data and C linkage, so that several
// copies of either can meet in one process.
#ifndef KINSTR_DETAIL_MODULE_H
#define KINSTR_DETAIL_MODULE_H

#include <cuda_runtime_api.h>
#include <kinstr/record.h>

extern "C"
{

  /// One rewritten translation unit.
  struct kinstr_module
  {
    std::uint32_t abi;              ///< abi_version the file was written for
    const char *tables;             ///< JSON object of docs/trace-format.md, "modules"
    const unsigned char *arguments; ///< for each launch site: how many of its arguments are wrapped
    int (*write_state)(const kinstr::device_state *, cudaStream_t); ///< returns a cudaError_t
    kinstr_module *next;                                            ///< the runtime's
    std::uint32_t index;                                            ///< the runtime's
    const void *calibrate; ///< kernel kinstr_calibrate() of detail/calibrate.cuh
    const void *retire;    ///< kernel kinstr_retire() of detail/service.cuh
  };

  /// Adds a module. Idempotent; makes no CUDA call.
  void kinstr_register(kinstr_module *module);

  /// Before the module's memory goes: its library is unloaded, or the program ends. What it
  /// recorded stays in the trace. Idempotent; makes no CUDA call.
  void kinstr_unregister(kinstr_module *module);

  /// One launch, argument by argument, in whatever order the compiler evaluates them, each just
  /// before the launch itself. `site` is the index in the module's "launches".
  void kinstr_launch_grid(kinstr_module *module, std::uint32_t site, const void *kernel, unsigned x,
                          unsigned y, unsigned z);
  void kinstr_launch_block(kinstr_module *module, std::uint32_t site, unsigned x, unsigned y,
                           unsigned z);
  void kinstr_launch_shared(kinstr_module *module, std::uint32_t site, std::size_t bytes);
  void kinstr_launch_stream(kinstr_module *module, std::uint32_t site, cudaStream_t stream);

  /// The next of CUDA's launch calls that this thread makes is that of `site`.
  void kinstr_launch_call(kinstr_module *module, std::uint32_t site);

  /// A launch follows that the runtime does not see, on the current device.
  void kinstr_attach(void);

  /// CUDA's launch calls, seen by the runtime first. Their cousins for programs whose default
  /// stream is per thread end in _ptsz, as CUDA's do. No rewritten file names them: see launch.cuh.
  cudaError_t kinstr_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      std::size_t shared, cudaStream_t stream);
  cudaError_t kinstr_cudaLaunchKernel_ptsz(const void *kernel, dim3 grid, dim3 block,
                                           void **arguments, std::size_t shared,
                                           cudaStream_t stream);
  cudaError_t kinstr_cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                                 void **arguments, std::size_t shared,
                                                 cudaStream_t stream);
  cudaError_t kinstr_cudaLaunchCooperativeKernel_ptsz(const void *kernel, dim3 grid, dim3 block,
                                                      void **arguments, std::size_t shared,
                                                      cudaStream_t stream);
  cudaError_t kinstr_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                         void **arguments);
  cudaError_t kinstr_cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *kernel,
                                              void **arguments);
#if CUDART_VERSION >= 13000
  cudaError_t kinstr_cudaGetKernel(cudaKernel_t *handle, const void *address);
  cudaError_t kinstr_cudaLaunchHandle(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                      std::size_t shared, cudaStream_t stream);
  cudaError_t kinstr_cudaLaunchHandle_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                           void **arguments, std::size_t shared,
                                           cudaStream_t stream);
#endif

  /// That context (a CUcontext) is about to be destroyed: takes its records, for the trace that is
  /// written later.
  void kinstr_context_ends(void *context);

  /// Writes the trace, then cudaDeviceReset().
  cudaError_t kinstr_device_reset(void);
}

#endif // KINSTR_DETAIL_MODULE_H
