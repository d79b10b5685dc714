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

  /// Writes the trace, then cudaDeviceReset().
  cudaError_t kinstr_device_reset(void);
}

#endif // KINSTR_DETAIL_MODULE_H
