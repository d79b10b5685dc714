// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that launch_forms.cu hands kernels to. Not rewritten: this header is compiled into the
// rewritten file, launch_library.cu beside it.
#ifndef KINSTR_TEST_LAUNCH_FORMS_H
#define KINSTR_TEST_LAUNCH_FORMS_H

#include <cuda_runtime.h>

/// In another file.
cudaError_t library_launch(const void *kernel, dim3 grid, dim3 block, void **arguments);

/// As cutlass::launch_kernel_on_cluster() does it.
static inline cudaError_t header_launch(const void *kernel, dim3 grid, dim3 block, void **arguments)
{
  cudaLaunchAttribute cluster = {};
  cluster.id                  = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim      = {2, 1, 1};
  cudaLaunchConfig_t config   = {};
  config.gridDim              = grid;
  config.blockDim             = block;
  config.attrs                = &cluster;
  config.numAttrs             = 1;
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

/// As cutlass::kernel_launch() does it.
template <typename Kernel, typename... Arguments>
void header_chevrons(Kernel *kernel, dim3 grid, dim3 block, Arguments... arguments)
{
  kernel<<<grid, block>>>(arguments...);
}

#endif // KINSTR_TEST_LAUNCH_FORMS_H
