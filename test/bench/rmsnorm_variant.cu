// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The RMSNorm sample as a variant for interleave.cu. -DRMSNORM_FILE="..." is the sample, or a
// rewritten copy of it; its main() is not used.
//
//   arguments: ROWS HIDDEN
#define main rmsnorm_main
#include RMSNORM_FILE
#undef main

#include "variant.cuh"

namespace
{

constexpr int warps = 20; // what a row of 5120 takes

struct inputs
{
  int rows, hidden;
  tensors device;
  std::vector<bf16> x, weight;
};

} // namespace

void *bench_setup(int count, char **arguments)
{
  auto *in   = new inputs;
  in->rows   = count > 0 ? std::atoi(arguments[0]) : 432;
  in->hidden = count > 1 ? std::atoi(arguments[1]) : 5120;
  in->x      = make_input(in->rows, in->hidden);
  in->weight = make_weight(in->hidden);

  const size_t bytes = in->x.size() * sizeof(bf16);
  const size_t row   = in->weight.size() * sizeof(bf16);
  bf16 *x, *weight, *y;
  BENCH_CHECK(cudaMalloc(&x, bytes));
  BENCH_CHECK(cudaMalloc(&weight, row));
  BENCH_CHECK(cudaMalloc(&y, bytes));
  BENCH_CHECK(cudaMemcpy(x, in->x.data(), bytes, cudaMemcpyHostToDevice));
  BENCH_CHECK(cudaMemcpy(weight, in->weight.data(), row, cudaMemcpyHostToDevice));
  in->device = {x, weight, y};
  return in;
}

void bench_launch(void *p)
{
  const auto &in = *static_cast<inputs *>(p);
  find_launcher(in.hidden)(in.device, in.rows, in.hidden);
  BENCH_CHECK(cudaGetLastError());
}

/// About 512 of the rows, against the sample's own reference.
bool bench_is_right(void *p)
{
  const auto &in     = *static_cast<inputs *>(p);
  const size_t bytes = in.x.size() * sizeof(bf16);
  std::vector<bf16> y(in.x.size());
  BENCH_CHECK(cudaMemset(in.device.y, 0xff, bytes)); // a NaN, and thus wrong
  bench_launch(p);
  BENCH_CHECK(cudaMemcpy(y.data(), in.device.y, bytes, cudaMemcpyDeviceToHost));

  comparison result;
  for (int row = 0; row < in.rows; row += std::max(1, in.rows / 512))
  {
    const size_t offset = static_cast<size_t>(row) * in.hidden;
    compare_row(&in.x[offset], in.weight.data(), &y[offset], row, in.hidden, result);
  }
  return result.wrong == 0;
}

bench_resources bench_take_resources(void *)
{
  return bench::take_resources(rmsnorm_kernel<warps>, warps * warp_size, 0);
}

BENCH_COUNT_RECORDS
