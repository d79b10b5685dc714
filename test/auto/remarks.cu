// A remark for each kernel: how many phases, and why if there are fewer than two.
// RUN: %kinstr --auto %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s
// RUN: %kinstr --auto --emit-annotations %s -arch=sm_90 -o %t.kept.cu 2>&1 | FileCheck %s
// RUN: %kinstr --auto --no-remarks %s -arch=sm_90 -o %t.cu 2>&1 | count 0

// CHECK: remarks.cu:[[#@LINE+1]]:17: remark: auto: 2 phases in 'two'
__global__ void two(int *p) {
  __syncthreads();
  p[0] = 1;
}
// CHECK: remarks.cu:[[#@LINE+2]]:17: remark: auto: 2 phases in 'inner::named'
namespace inner {
__global__ void named(int *p) {
  __syncthreads();
  p[0] = 1;
}
} // namespace inner
// CHECK: remarks.cu:[[#@LINE+1]]:17: remark: auto: no phases in 'nothing': empty body
__global__ void nothing() { return; }
// CHECK: remarks.cu:[[#@LINE+1]]:17: remark: auto: 1 phase and its end in 'single': one statement
__global__ void single(int *p) { p[0] = 1; }

#define BODY { __syncthreads(); p[0] = 1; }
// CHECK: remarks.cu:[[#@LINE+1]]:17: remark: auto: no phases in 'macro': the body comes out of a macro
__global__ void macro(int *p) BODY

#define DEFINE(...) __VA_ARGS__
// CHECK: remarks.cu:[[#@LINE+1]]:24: remark: auto: no phases in 'argument': the body is a macro's argument
DEFINE(__global__ void argument(int *p) { __syncthreads(); p[0] = 1; })

// An unknown directive would be a mistake in an annotated kernel.
// CHECK: remarks.cu:[[#@LINE+1]]:17: remark: auto: no phases in 'other': '@tune' in it is no directive
__global__ void other(int *p) {
  // @tune 128
  __syncthreads();
  p[0] = 1;
}

// Kernels that are annotated are left alone.
// CHECK-NOT: auto:{{.*}}'annotated'
__global__ void annotated(int *p) {
  // @phase mine
  __syncthreads();
  p[0] = 1;
}
// CHECK: remarks.cu:[[#@LINE+2]]:17: remark: auto: 2 phases in 'described'
// @kernel renamed
__global__ void described(int *p) {
  __syncthreads();
  p[0] = 1;
}
