// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA calls that launch. A rewritten file's calls come here instead (detail/launch.cuh), also
// those that nvcc generates and those in headers; each goes on with the arguments it was given.
#include "state.h"

// What the calls are named where the default stream is per thread.
extern "C" cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, std::size_t,
                                             cudaStream_t);
extern "C" cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *, dim3, dim3, void **,
                                                        std::size_t, cudaStream_t);
extern "C" cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *, const void *, void **);

namespace kinstr::rt
{
namespace
{

void configured_launch_follows(const cudaLaunchConfig_t *config, const void *kernel)
{
  if (config != nullptr) // else the call itself fails
  {
    launch_follows(gather(kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                          config->stream));
  }
}

} // namespace
} // namespace kinstr::rt

using namespace kinstr::rt;

extern "C" cudaError_t kinstr_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                                               void **arguments, std::size_t shared,
                                               cudaStream_t stream)
{
  launch_follows(gather(kernel, grid, block, shared, stream));
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t kinstr_cudaLaunchKernel_ptsz(const void *kernel, dim3 grid, dim3 block,
                                                    void **arguments, std::size_t shared,
                                                    cudaStream_t stream)
{
  launch_follows(gather(kernel, grid, block, shared, stream));
  return cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t kinstr_cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                                          void **arguments, std::size_t shared,
                                                          cudaStream_t stream)
{
  launch_follows(gather(kernel, grid, block, shared, stream));
  return cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t kinstr_cudaLaunchCooperativeKernel_ptsz(const void *kernel, dim3 grid,
                                                               dim3 block, void **arguments,
                                                               std::size_t shared,
                                                               cudaStream_t stream)
{
  launch_follows(gather(kernel, grid, block, shared, stream));
  return cudaLaunchCooperativeKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t kinstr_cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                                  const void *kernel, void **arguments)
{
  configured_launch_follows(config, kernel);
  return cudaLaunchKernelExC(config, kernel, arguments);
}

extern "C" cudaError_t kinstr_cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config,
                                                       const void *kernel, void **arguments)
{
  configured_launch_follows(config, kernel);
  return cudaLaunchKernelExC_ptsz(config, kernel, arguments);
}
