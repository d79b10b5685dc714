// What clang does not understand may do anything.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

__device__ void set(int &);
__device__ int get(int);

// An argument of a function that is not known.
// CHECK: void unknown_function({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void unknown_function(float *o, int n) {
  nvcc_only(n);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Or that clang finds no match for.
// CHECK: void no_such_overload({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void no_such_overload(float *o, int n) {
  set(n, 1, 2);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Its result.
// CHECK: void no_such_value({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void no_such_value(float *o, int n) {
  int m = get(o, o);
  if (m)
    return;
  // @phase a
  o[0] = 1;
}
