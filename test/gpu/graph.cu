// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's first launch of a traced kernel happens inside a stream capture: attaching must not
// break the capture, and every replay must be recorded.
#include "check.h"
#include <cstdio>

__global__ void add_one(int *out)
{
  // @phase add
  atomicAdd(out, 1);
}

int main()
{
  int *out;
  cudaStream_t stream;
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add_one<<<3, 32, 0, stream>>>(out);
  add_one<<<3, 32, 0, stream>>>(out);
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&replay, graph, 0));
  for (int i = 0; i < 5; ++i)
  {
    CHECK(cudaGraphLaunch(replay, stream));
  }
  CHECK(cudaDeviceSynchronize());

  int total = 0;
  CHECK(cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost));
  if (total != 5 * 2 * 3 * 32)
  {
    std::fprintf(stderr, "%d additions, expected %d\n", total, 5 * 2 * 3 * 32);
    return 1;
  }
  CHECK(cudaDeviceReset());
  return 0;
}
