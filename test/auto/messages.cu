// Messages of what comes after --auto point into the file as it is.
// RUN: not %kinstr --auto %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --strict-whitespace
// RUN: not ls %t.cu
__global__ void unannotated(int *p) {
  __syncthreads(); p[0] = 1; p[1] = 2;
}
// CHECK:messages.cu:[[#@LINE+3]]:48: error: an annotation cannot stand in the middle of a statement
// CHECK-NEXT:{{^}}  __syncthreads(); p[0] = 1; int v = p[0] + /* @phase x */ p[1];
__global__ void annotated(int *p) {
  __syncthreads(); p[0] = 1; int v = p[0] + /* @phase x */ p[1];
}
