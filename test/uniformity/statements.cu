// Flow in less common places.
// RUN: %kinstr %s -arch=sm_90 -std=c++20 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

// The variable of a switch.
// CHECK: void switch_variable({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void switch_variable(float *o, int n) {
  switch (int m = threadIdx.x & 3) {
  case 0:
    // @phase a
    o[m] = 1;
  }
}

// The first part of a switch.
// CHECK: void switch_init({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void switch_init(float *o, int n) {
  switch (n = threadIdx.x; 0) {
  default:
    o[0] = 1;
  }
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The first part of an if.
// CHECK: void if_init({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void if_init(float *o, int n) {
  if (n = threadIdx.x; true)
    o[0] = 1;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The variable of an if.
// CHECK: void if_variable({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void if_variable(float *o, int n) {
  if (int m = threadIdx.x) {
    // @phase a
    o[m] = 1;
  }
}

// Lanes that break skip the rest of a switch.
// CHECK: void switch_break({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void switch_break(float *o, int n) {
  switch (n) {
  case 5:
    if (threadIdx.x)
      break;
    n = 1;
  }
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A statement in an expression may leave the kernel ...
// CHECK: void returning({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void returning(float *o, int n) {
  ({
    if (threadIdx.x > 3)
      return;
  });
  // @phase a
  o[0] = 1;
}

// ... or the loop ...
// CHECK: void breaking({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void breaking(float *o, int n) {
  while (n--) {
    ({
      if (threadIdx.x > 3)
        break;
    });
    // @phase a
    o[0] = 1;
  }
}

// ... for some lanes only ...
// CHECK: void breaking_operand({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void breaking_operand(float *o, int n) {
  while (n--) {
    (void)(threadIdx.x > 3 && ({ break; 1; }));
    // @phase a
    o[0] = 1;
  }
}

// ... or assign to a variable.
// CHECK: void assigning({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void assigning(float *o, int n) {
  ({
    if (threadIdx.x > 3)
      n = 1;
  });
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Inline assembly leaves the kernel.
// CHECK: void asm_exit({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void asm_exit(float *o, int n) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p exit; }" ::"r"(threadIdx.x));
  // @phase a
  o[0] = 1;
}

// The exit stands in another file.
// CHECK: void included({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void included(float *o, int n) {
  // @phase a
  o[0] = 1;
#include "Inputs/lane-exit.inc"
  // @phase b
  o[1] = 1;
}
