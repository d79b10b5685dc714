// A launch that the device compiler never sees, under '#ifndef __CUDA_ARCH__', is wrapped too.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}

__host__ __device__ void launch(int *p) {
#ifndef __CUDA_ARCH__
  // CHECK: kernel<<<KINSTR_GRID(0, nullptr, 1), KINSTR_BLOCK(0, 32)>>>(p);
  kernel<<<1, 32>>>(p);
#endif
}

// CHECK: {"line": 12, "kernel": 0}]
int main() { launch(nullptr); }
