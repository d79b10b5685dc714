// A program of two files: this one is annotated, report.cu is not.
#include "scale.h"
#include <cstdio>

__global__ void scale(float *out, const float *in, float k)
{
  // @phase load
  float v = in[threadIdx.x];
  // @phase store
  out[threadIdx.x] = v * k;
}

int main()
{
  float *p = nullptr;
  cudaMalloc(&p, 2 * FLOATS * sizeof(float));
  scale<<<1, FLOATS>>>(p, p + FLOATS, 2.0f);
  return report(cudaDeviceSynchronize());
}
