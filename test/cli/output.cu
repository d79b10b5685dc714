// No -o and '-o -' print to standard output; every spelling of -o writes the same file, over an old one.
// RUN: %kinstr %s -arch=sm_90 --no-remarks > %t.none.cu
// RUN: FileCheck %s < %t.none.cu
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o - | cmp - %t.none.cu
// RUN: %kinstr -o %t.cu -arch=sm_90 --no-remarks %s && cmp %t.cu %t.none.cu
// RUN: echo old > %t.cu && %kinstr -o%t.cu -arch=sm_90 --no-remarks %s && cmp %t.cu %t.none.cu
// RUN: %kinstr --output-file %t.1.cu -arch=sm_90 --no-remarks %s && cmp %t.1.cu %t.none.cu
// RUN: %kinstr --output-file=%t.2.cu -arch=sm_90 --no-remarks %s && cmp %t.2.cu %t.none.cu
// REQUIRES: cuda

// Remarks and the file do not mix.
// RUN: %kinstr %s -arch=sm_90 2>%t.err | cmp - %t.none.cu && FileCheck %s --check-prefix=REMARK < %t.err
// RUN: %kinstr %s -arch=sm_90 --no-remarks 2>&1 >%t.cu | count 0
// REMARK: remark: no launch of 'kernel' in this file

// CHECK: #include <kinstr/trace.cuh>
__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}
