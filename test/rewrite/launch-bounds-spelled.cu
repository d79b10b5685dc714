// A launch bound is taken as spelled: nvcc's flags may give its macros other values than kinstr's.
// RUN: %kinstr %s -o - --no-remarks | grep KINSTR_KERNEL | FileCheck %s
#ifndef TPB
#define TPB 128
#endif
// CHECK: macro{{.*}}KINSTR_KERNEL(0, shared, slots, uniform, 1, TPB)
__global__ void __launch_bounds__(TPB) macro(int *p) {
  // @phase a
  *p = 1;
}
// No bound, to nvcc.
// CHECK: none{{.*}}KINSTR_KERNEL(1, shared, slots, uniform, 1, 0)
__global__ void __launch_bounds__(0) none(int *p) {
  // @phase a
  *p = 1;
}
// A parameter hides the name in the body.
constexpr int n = 64;
// CHECK: hidden{{.*}}KINSTR_KERNEL(2, shared, slots, uniform, 1, 128)
__global__ void __launch_bounds__(n * 2) hidden(int *p, int n) {
  // @phase a
  *p = n;
}
