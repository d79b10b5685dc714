// What clang does not understand in a kernel is left as it is, between the marks.
// RUN: %kinstr --auto %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.cu
// SAID: remark: auto: 3 phases in 'kernel'
// SAID: clang-errors.cu:[[#@LINE+8]]:3: warning: clang does not understand this, nvcc may: use of undeclared identifier 'unknown_to_clang'
// CHECK: {{^}}__global__ void kernel(
// CHECK-NEXT: {{^}}  KINSTR_MARK(0) /* @phase load */ float v = p[0];
// CHECK-NEXT: {{^}}  unknown_to_clang(v, p);
// CHECK-NEXT: {{^  KINSTR.*}}/* @phase barrier_L[[#@LINE+5]] */ __syncthreads();
// CHECK-NEXT: {{^  KINSTR.*}}/* @phase store */ p[1] = v;
__global__ void kernel(float *p) {
  float v = p[0];
  unknown_to_clang(v, p);
  __syncthreads();
  p[1] = v;
}
