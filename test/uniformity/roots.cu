// '@kernel' on a device function says that whole warps enter it. What can be seen of its callers counts all the
// same, and a number that a library hands over may be an index.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

template <typename Op> __global__ void some(Op op, int n) {
  if (threadIdx.x < n)
    op(n);
}

struct by_lane {
  int *p;
  // @kernel by_lane
  // CHECK: void operator()(int n) const { KINSTR_KERNEL({{[0-9]+}}, global, slots, divergent,
  __device__ void operator()(int n) const {
    // @phase a
    *p = n;
  }
};

struct by_index {
  int *p;
  // @kernel by_index
  // CHECK: void operator()(int i) const { KINSTR_KERNEL({{[0-9]+}}, global, slots, divergent,
  __device__ void operator()(int i) const {
    if (i > 3) {
      // @phase a
      *p = i;
    }
  }
};

struct params {
  int n;
  int *p;
};
struct by_params {
  // @kernel by_params
  // CHECK: void operator()(const params &of) const { KINSTR_KERNEL({{[0-9]+}}, lanes, slots, uniform,
  __device__ void operator()(const params &of) const {
    if (of.n > 3) {
      // @phase a
      *of.p = 1;
    }
  }
};

int main() { some<<<1, 32>>>(by_lane(), 3); }
