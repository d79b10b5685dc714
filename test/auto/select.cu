// --auto=REGEX chooses kernels by their qualified names.
// RUN: %kinstr --auto=b %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: %kinstr --auto='^a$' %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %kinstr --auto=zzz %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: diff %s %t.cu
// The last one counts.
// RUN: %kinstr --auto=zzz --auto %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefix=ALL
// SPACE-NOT: in 'a'
// SPACE: 2 phases in 'b::a'
// ONE-NOT: b::a
// ONE: 2 phases in 'a'
// ONE-NOT: b::a
// NONE: select.cu:1:1: remark: auto: no kernel without annotations matches
// ALL: 2 phases in 'a'
// ALL: 2 phases in 'b::a'
__global__ void a(int *p) {
  __syncthreads();
  p[0] = 1;
}
namespace b {
__global__ void a(int *p) {
  __syncthreads();
  p[0] = 1;
}
} // namespace b
