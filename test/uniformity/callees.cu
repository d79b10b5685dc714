// Functions that are called like harmless ones.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

#include <algorithm>

namespace mine {
__device__ void max(int &a, int b) { a = b; }
__device__ int min(int a, int b) { return threadIdx.x > a ? b : 0; }
__device__ int abs(int, int) { return threadIdx.x; }
} // namespace mine
struct meter { __device__ int min(int) { return threadIdx.x; } };

// It assigns to its argument.
// CHECK: void own_max({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void own_max(float *o, int n) {
  mine::max(n, threadIdx.x);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// It reads the lane.
// CHECK: void own_min({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void own_min(float *o, int n) {
  if (mine::min(n, 3))
    return;
  // @phase a
  o[0] = 1;
}

// It is a member.
// CHECK: void member_min({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void member_min(float *o, int n, meter m) {
  if (m.min(n))
    return;
  // @phase a
  o[0] = 1;
}

// It is called by its short name.
// CHECK: void used({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void used(float *o, int n) {
  using mine::abs;
  if (abs(n, 3))
    return;
  // @phase a
  o[0] = 1;
}

// The result is a reference to the argument.
// CHECK: void reference_to_argument({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void reference_to_argument(float *o, int n) {
  const_cast<int &>(std::max(n, 3)) = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}
