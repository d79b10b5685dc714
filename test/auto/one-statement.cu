// A kernel that is one statement has one phase, and an end.
// RUN: %kinstr --auto --emit-annotations --no-remarks %s -arch=sm_90 -o %t.kept.cu
// RUN: FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.kept.cu
// RUN: %kinstr --no-remarks %t.kept.cu -arch=sm_90 -o %t.cu

//      CHECK:__global__ void fill(int *p, int n) {
// CHECK-NEXT:  // @phase store
// CHECK-NEXT:  for (int i = threadIdx.x; i < n; i += blockDim.x)
// CHECK-NEXT:    p[i] = 1;
// CHECK-NEXT:  // @end
// CHECK-NEXT:}
__global__ void fill(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = 1;
}

//      CHECK:__global__ void line(int *p) { /* @phase store */ p[0] = 1; /* @end */ }
__global__ void line(int *p) { p[0] = 1; }

//      CHECK:__global__ void returns(int *p) {
// CHECK-NEXT:  // @phase compute
// CHECK-NEXT:  p[0] += p[1];
// CHECK-NEXT:  // @end
// CHECK-NEXT:  return;
// CHECK-NEXT:}
__global__ void returns(int *p) {
  p[0] += p[1];
  return;
}
