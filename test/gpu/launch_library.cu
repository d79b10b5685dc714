// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is not rewritten and launches the kernels of one that is.
#include "launch_forms.h"

cudaError_t library_launch(const void *kernel, dim3 grid, dim3 block, void **arguments)
{
  return cudaLaunchKernel(kernel, grid, block, arguments, 0, nullptr);
}
