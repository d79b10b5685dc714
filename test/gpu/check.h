// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CHECK(call): ends the program where a call of the CUDA runtime fails.
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#ifndef CHECK_STATUS
#  define CHECK_STATUS 1 ///< with which the program ends
#endif

#define CHECK(call)                                                                                \
  do                                                                                               \
  {                                                                                                \
    const cudaError_t error = (call);                                                              \
    if (error != cudaSuccess)                                                                      \
    {                                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   cudaGetErrorString(error));                                                     \
      std::exit(CHECK_STATUS);                                                                     \
    }                                                                                              \
  } while (0)

#endif // CHECK_H
