// A file that includes itself is one file: its copy includes the copy, and has one table.
// RUN: rm -rf %t && mkdir %t
// RUN: %kinstr %s -arch=sm_90 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=inactive
// RUN: FileCheck %s --match-full-lines <%t/out.cu
// RUN: not ls %t/out.cu.include
// RUN: %nvcc -std=c++17 -arch=sm_90 -I%runtime_include -c %t/out.cu -o %t/out.o

#ifndef SECOND
#define SECOND
#define T float
#define NAME of_float
// CHECK: #include "out.cu"
#include "includes-itself.cu"
#undef T
#undef NAME
#define T double
#define NAME of_double
// CHECK: #include "out.cu"
#include "includes-itself.cu"
// CHECK: int main() { of_float<<<KINSTR_GRID(0, of_float, 1), KINSTR_BLOCK(0, 32)>>>(nullptr); of_double<<<KINSTR_GRID(1, of_double, 1), KINSTR_BLOCK(1, 32)>>>(nullptr); }
int main() { of_float<<<1, 32>>>(nullptr); of_double<<<1, 32>>>(nullptr); }
#else
// REMARK: includes-itself.cu:[[#@LINE+3]]:17: remark: '{{.*}}' takes the recorder for divergent warps
// REMARK: note: this file is read more than once
// CHECK: __global__ void NAME(T *p) { KINSTR_KERNEL({{.*}})
__global__ void NAME(T *p) {
  // CHECK: KINSTR_MARK(0) // @phase a
  // @phase a
  p[threadIdx.x] = 1;
  // CHECK: KINSTR_MARK(1) // @phase b
  // @phase b
  p[threadIdx.x] += 2;
}
#endif
// CHECK: #if !defined(KINSTR_OFF) && __INCLUDE_LEVEL__ == 0
// CHECK-NEXT: static const ::kinstr::kinstr_tables{{.*}}
