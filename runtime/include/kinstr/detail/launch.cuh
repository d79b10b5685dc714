// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side of a rewritten file: its registration, and the functions its launches go through.
#ifndef KINSTR_DETAIL_LAUNCH_CUH
#define KINSTR_DETAIL_LAUNCH_CUH

#include <cuda_runtime.h>
#include <kinstr/detail/arena.cuh>
#include <kinstr/detail/module.h>
#include <kinstr/detail/service.cuh>

#if defined(__NVCC__) && !defined(__CUDA_ARCH__)

// CUDA's launch calls, under another symbol: that of the runtime's function in front of them. So
// the runtime sees every launch this file makes, however it is written, with its kernel and its
// arguments: by <<<>>>, for which nvcc generates such a call, in macros, in templates, and in
// headers, a library's too. The calls keep their names and types, so nothing else changes.
#  ifdef __CUDART_API_PER_THREAD_DEFAULT_STREAM
#    define KINSTR_LAUNCH_CALL(NAME) __asm__("kinstr_" NAME "_ptsz")
#  else
#    define KINSTR_LAUNCH_CALL(NAME) __asm__("kinstr_" NAME)
#  endif

extern "C"
{
  cudaError_t CUDARTAPI cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                         size_t sharedMem, cudaStream_t stream)
      KINSTR_LAUNCH_CALL("cudaLaunchKernel");
  cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim,
                                                    void **args, size_t sharedMem,
                                                    cudaStream_t stream)
      KINSTR_LAUNCH_CALL("cudaLaunchCooperativeKernel");
  cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                            void **args) KINSTR_LAUNCH_CALL("cudaLaunchKernelExC");

#  if CUDART_VERSION >= 13000 && !defined(__NV_LEGACY_LAUNCH)
  // What nvcc 13 generates (crt/device_functions.h).
  cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *,
                                        const void *) __asm__("kinstr_cudaGetKernel");
  cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                                           void **args, size_t sharedMem,
                                           cudaStream_t stream) __asm__("kinstr_cudaLaunchHandle");
  cudaError_t CUDARTAPI __cudaLaunchKernel_ptsz(
      cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
      cudaStream_t stream) __asm__("kinstr_cudaLaunchHandle_ptsz");
#  endif
}

#  undef KINSTR_LAUNCH_CALL

#endif

namespace kinstr
{
namespace
{

/// Copies what the kernels of this translation unit read, on the current device. Returns a
/// cudaError_t; the stream is one of the runtime's own, never the program's.
[[maybe_unused]] int write_state(const device_state *s, cudaStream_t stream)
{
  return cudaMemcpyToSymbolAsync(state, s, sizeof *s, 0, cudaMemcpyHostToDevice, stream);
}

/// This translation unit. Registered when the program loads, which makes no CUDA call.
kinstr_module this_module = {abi_version,
                             nullptr,
                             nullptr,
                             &write_state,
                             nullptr,
                             0,
                             nullptr, // see calibrate.cuh
                             reinterpret_cast<const void *>(&kinstr_retire)};

/// Defined at the end of a rewritten file with the tables kinstr wrote there. LaunchArguments: the
/// number of wrapped arguments of each launch, so that the runtime knows when it has them all.
template <unsigned char... LaunchArguments>
struct kinstr_tables
{
  explicit kinstr_tables(const char *json)
  {
    static const unsigned char arguments[] = {LaunchArguments..., 0};
    this_module.tables                     = json;
    this_module.arguments                  = arguments;
    kinstr_register(&this_module);
  }
  kinstr_tables(const kinstr_tables &)            = delete;
  kinstr_tables &operator=(const kinstr_tables &) = delete;

  ~kinstr_tables() { kinstr_unregister(&this_module); }
};

template <typename Function>
[[maybe_unused]] __host__ __device__ const void *kinstr_function(Function *f)
{
  return reinterpret_cast<const void *>(f);
}

/// A launch whose kernel cannot be named (deduced template arguments, an overload set).
[[maybe_unused]] __host__ __device__ const void *kinstr_function(decltype(nullptr))
{
  return nullptr;
}

// Each returns its argument. Launches from device code pass through.

[[maybe_unused]] __host__ __device__ dim3 kinstr_grid(unsigned site, const void *kernel, dim3 g)
{
#ifndef __CUDA_ARCH__
  kinstr_launch_grid(&this_module, site, kernel, g.x, g.y, g.z);
#endif
  return g;
}

[[maybe_unused]] __host__ __device__ dim3 kinstr_block(unsigned site, dim3 b)
{
#ifndef __CUDA_ARCH__
  kinstr_launch_block(&this_module, site, b.x, b.y, b.z);
#endif
  return b;
}

[[maybe_unused]] __host__ __device__ size_t kinstr_shared(unsigned site, size_t bytes)
{
#ifndef __CUDA_ARCH__
  kinstr_launch_shared(&this_module, site, bytes);
#endif
  return bytes;
}

[[maybe_unused]] __host__ __device__ cudaStream_t kinstr_stream(unsigned site, cudaStream_t s)
{
#ifndef __CUDA_ARCH__
  kinstr_launch_stream(&this_module, site, s);
#endif
  return s;
}

/// Yields what it is applied to: the first argument of one of CUDA's launch calls.
struct kinstr_call
{
  unsigned site;

  template <typename Argument>
  __host__ __device__ Argument &&operator->*(Argument &&argument) const
  {
#ifndef __CUDA_ARCH__
    kinstr_launch_call(&this_module, site);
#endif
    return static_cast<Argument &&>(argument);
  }
};

/// The same, of the driver's launch calls.
struct kinstr_driver_call
{
  template <typename Argument>
  Argument &&operator->*(Argument &&argument) const
  {
    kinstr_attach();
    return static_cast<Argument &&>(argument);
  }
};

/// The same, of cuCtxDestroy().
struct kinstr_context_call
{
  template <typename Argument>
  Argument &&operator->*(Argument &&argument) const
  {
    kinstr_context_ends(static_cast<void *>(argument));
    return static_cast<Argument &&>(argument);
  }
};

} // namespace
} // namespace kinstr

#endif // KINSTR_DETAIL_LAUNCH_CUH
