// Functions that kernels call: each activation has a recorder of its own, and numbers of its own for
// its sites, its return and, where it may call itself, its entry.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu --no-remarks && FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.cu
// RUN: %python %S/../tools/inserts_only.py %s %t.cu

namespace ns {
//      CHECK:__device__ __noinline__ float plain(float x) { KINSTR_FUNCTION(uniform, leaf, 0, 2)
__device__ __noinline__ float plain(float x) {
  // CHECK:  KINSTR_MARK(0) // @phase one
  // @phase one
  x *= 2;
  // @phase two
  return x;
}
} // namespace ns
using ns::plain;

// CHECK:__host__ __device__ inline int fib(int n) { KINSTR_FUNCTION(uniform, recursive, 3, 1)
__host__ __device__ inline int fib(int n) {
  // @phase fib
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

struct Op {
  float scale;
  // CHECK:  template <typename T> __device__ T operator()(T v) const { KINSTR_FUNCTION(uniform, leaf, 6, 1)
  template <typename T> __device__ T operator()(T v) const {
    for (int i = 0; i < 3; ++i) {
      // CHECK:      KINSTR_MARK(6) // @phase scale
      // @phase scale
      v *= scale;
    }
    return v;
  }
  // CHECK:  static __device__ void fixed(float *p) { KINSTR_FUNCTION(uniform, leaf, 8, 1)
  static __device__ void fixed(float *p) {
    // @phase fixed
    *p = 1;
  }
};

template <typename T> struct Part {
  static __device__ void run(T *p) { *p = T(); }
};
template <typename T> struct Part<T *> {
  // CHECK:  static __device__ void run(T **p) { KINSTR_FUNCTION(uniform, leaf, 10, 1)
  static __device__ void run(T **p) {
    // @phase partial
    *p = nullptr;
  }
};

// CHECK:__global__ void kernel(float *p, int n) { KINSTR_KERNEL(0, shared, slots, uniform, 2, 1024)
__global__ void kernel(float *p, int n) {
  // @phase load
  float v = p[threadIdx.x];
  // CHECK:  auto f = [&](float a) { KINSTR_FUNCTION(uniform, leaf, 12, 1)
  auto f = [&](float a) {
    // CHECK:    KINSTR_MARK(12) // @phase lambda
    // @phase lambda
    return a + n;
  };
  // CHECK:  KINSTR_MARK(1) // @phase work
  // @phase work
  p[threadIdx.x] = Op{2.0f}(plain(f(v))) + fib(3);
  Op::fixed(p);
}

// A kernel that only calls what is annotated has to introduce its blocks all the same.
// CHECK:__global__ void implied(float *p) { KINSTR_KERNEL(1, shared, slots, uniform, 0, 1024) *p = plain(*p); }
__global__ void implied(float *p) { *p = plain(*p); }
// CHECK:template <typename T> __global__ void through(T *p) { KINSTR_KERNEL(2, shared, slots, uniform, 0, 1024) Part<T>::run(p); }
template <typename T> __global__ void through(T *p) { Part<T>::run(p); }
// CHECK:__global__ void unrelated(float *p) { *p = 1; }
__global__ void unrelated(float *p) { *p = 1; }

int main() {
  kernel<<<1, 32>>>(nullptr, 1);
  implied<<<1, 32>>>(nullptr);
  through<<<1, 32>>>((int **)nullptr);
  unrelated<<<1, 32>>>(nullptr);
}

//      CHECK:  "callees": [
//      CHECK:    {"name": "fib", "line": {{.*}}, "first_site": 3, "flow": "uniform", "sites": [
// CHECK-NEXT:      {"kind": "phase", "name": "fib", "line": {{.*}}, "drain": "none"},
// CHECK-NEXT:      {"kind": "return", "name": "", "line": {{.*}}, "drain": "none"},
// CHECK-NEXT:      {"kind": "entry", "name": "", "line": {{.*}}, "drain": "none"}]},
//      CHECK:    {"name": "lambda in kernel", "line": {{.*}}, "first_site": 12, "flow": "uniform", "sites": [
