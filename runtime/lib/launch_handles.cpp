// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that nvcc 13 generates for <<<>>>, which launch by handle. A file of its own, so that
// programs of older toolkits, whose CUDA runtime has no such calls, link without it.
#include "messages.h"
#include "state.h"

#include <exception>

#if CUDART_VERSION >= 13000

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
extern "C" cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, std::size_t,
                                          cudaStream_t);
extern "C" cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, std::size_t,
                                               cudaStream_t);
// NOLINTEND(bugprone-reserved-identifier)

namespace kinstr::rt
{
namespace
{

/// The host address that `handle` stands for, by which kernels are known in the other calls.
const void *address_of(cudaKernel_t handle)
{
  process_state &p = the_process();
  if (in_forked_child(p)) // before the lock: another thread of the parent may have held it
  {
    return handle;
  }
  const std::lock_guard<std::mutex> lock(p.mutex);
  const auto known = p.kernel_addresses.find(handle);
  return known != p.kernel_addresses.end() ? known->second : handle; // CUDA takes either
}

void note_address(cudaKernel_t handle, const void *address)
{
  process_state &p = the_process();
  if (in_forked_child(p))
  {
    return;
  }
  try
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    p.kernel_addresses[handle] = address;
  }
  catch (const std::exception &e)
  {
    report(severity::error, "%s", e.what());
  }
}

} // namespace
} // namespace kinstr::rt

using namespace kinstr::rt;

extern "C" cudaError_t kinstr_cudaGetKernel(cudaKernel_t *handle, const void *address)
{
  const cudaError_t result = __cudaGetKernel(handle, address);
  if (result == cudaSuccess)
  {
    note_address(*handle, address);
  }
  return result;
}

extern "C" cudaError_t kinstr_cudaLaunchHandle(cudaKernel_t kernel, dim3 grid, dim3 block,
                                               void **arguments, std::size_t shared,
                                               cudaStream_t stream)
{
  launch_follows(gather(address_of(kernel), grid, block, shared, stream));
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t kinstr_cudaLaunchHandle_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                    void **arguments, std::size_t shared,
                                                    cudaStream_t stream)
{
  launch_follows(gather(address_of(kernel), grid, block, shared, stream));
  return __cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

#endif
