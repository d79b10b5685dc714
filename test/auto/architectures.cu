// For several architectures: a place has to do for all that read it, and a
// kernel that only one of them has is annotated as well.
// RUN: %kinstr --auto %s -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.cu
// SAID: auto: 2 phases in 'both'
// SAID: auto: 2 phases in 'newer'
// SAID: auto: 1 phase in 'differs': its statements differ between the architectures

// CHECK: __global__ void both(
// CHECK-NEXT: @phase barrier
__global__ void both(int *p) {
  __syncthreads();
  p[0] = 1;
}
__global__ void newer(int *p) {
#if __CUDA_ARCH__ >= 900
  // CHECK: @phase barrier_L[[#@LINE+1]]
  __syncthreads();
  // CHECK: @phase store
  p[0] = 1;
#endif
}
__global__ void differs(int *p) {
  // CHECK: @phase barrier_L[[#@LINE+1]]
  __syncthreads();
#if __CUDA_ARCH__ >= 900
  if (p[3]) { }
  else
#else
  ;
#endif
  // CHECK: {{^}}  p[0] = 1;
  p[0] = 1;
}
