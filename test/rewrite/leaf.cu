// Which annotated functions call no other: their recorder need not look where the others left off at each mark.
// What may lead to one, or is not in sight, counts as a call of one.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu --no-remarks && FileCheck %s --input-file=%t.cu
// RUN: %kinstr %s -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -DARCHITECTURES -o %t.cu --no-remarks && FileCheck %s --input-file=%t.cu --check-prefix=ARCHITECTURES

#include <algorithm>

// CHECK: int leaf(int v) { KINSTR_FUNCTION({{[a-z]+}}, leaf,
__device__ int leaf(int v) {
  // @phase a
  return v + 1;
}

// A way back to itself is one to an annotated function; and to another, over one that is not.
// CHECK: int again(int v) { KINSTR_FUNCTION({{[a-z]+}}, recursive,
__device__ int again(int v) {
  // @phase a
  return v > 0 ? again(v - 1) : v;
}
__device__ int between(int v) { return leaf(v); }
// CHECK: int caller(int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int caller(int v) {
  // @phase a
  return between(v);
}

// Functions that are in sight, and CUDA's and the standard library's.
__device__ int harmless(int v) { return v * 2; }
// CHECK: float library(float v, int *p, float4 q) { KINSTR_FUNCTION({{[a-z]+}}, leaf,
__device__ float library(float v, int *p, float4 q) {
  __shared__ int tile[32];
  tile[threadIdx.x] = harmless(*p);
  __syncthreads();
  // @phase a
  atomicAdd(p, __shfl_xor_sync(~0u, tile[0], 1));
  asm volatile("membar.gl;" ::: "memory");
  q = make_float4(q.x, v, __expf(v), sinf(v));
  return std::max(q.y, q.z) + __ldg(p);
}

// The library calls what it is given.
struct Number {
  int v;
  __device__ bool operator<(const Number &o) const {
    // CHECK: KINSTR_MARK
    // @phase compare
    return v < o.v;
  }
};
// CHECK: Number largest(Number a, Number b) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ Number largest(Number a, Number b) {
  // @phase a
  return std::max(a, b);
}

// CHECK: int pointer(int (*f)(int), int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int pointer(int (*f)(int), int v) {
  // @phase a
  return f(v);
}

struct Base {
  __device__ virtual int get() const { return 0; }
  int v;
};
// CHECK: int virtually(const Base &b) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int virtually(const Base &b) {
  // @phase a
  return b.get();
}

__device__ int elsewhere(int);
// CHECK: int unseen(int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int unseen(int v) {
  // @phase a
  return elsewhere(v);
}

// CHECK: int assembled(int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int assembled(int v) {
  // @phase a
  asm volatile("call.uni f;");
  return v;
}

// A thread that ends does not come to the end of the function.
// CHECK: int quits(int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int quits(int v) {
  // @phase a
  if (v == 0)
    asm volatile("exit;");
  return v;
}

// What nobody wrote a call of.
struct Guard {
  int *p;
  __device__ ~Guard() { *p = leaf(*p); }
};
// CHECK: int destroys(int *p) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int destroys(int *p) {
  Guard g{p};
  // @phase a
  return *p;
}
struct Made {
  int v;
  __device__ Made() : v(leaf(1)) {}
  __device__ operator int() const { return v; }
};
// CHECK: int makes() { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int makes() {
  // @phase a
  return Made();
}
__device__ int with_default(int v = leaf(2)) { return v; }
// CHECK: int defaulted() { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int defaulted() {
  // @phase a
  return with_default();
}
struct Range {
  __device__ int *begin() const { return nullptr; }
  __device__ int *end() const { return reinterpret_cast<int *>(size_t(leaf(3))); }
};
// CHECK: int loops() { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int loops() {
  // @phase a
  int sum = 0;
  for (int v : Range())
    sum += v;
  return sum;
}

// A template is what its instances are.
// CHECK: T applied(F f, T v) { KINSTR_FUNCTION({{[a-z]+}}, leaf,
template <typename F, typename T> __device__ T applied(F f, T v) {
  // @phase a
  return f(v);
}
// CHECK: T some(F f, T v) { KINSTR_FUNCTION({{[a-z]+}}, once,
template <typename F, typename T> __device__ T some(F f, T v) {
  // @phase a
  return f(v);
}
// CHECK: T never(T v) { KINSTR_FUNCTION({{[a-z]+}}, once,
template <typename T> __device__ T never(T v) {
  // @phase a
  return v;
}
template <typename T> struct Part {
  // CHECK: T run(T v) { KINSTR_FUNCTION({{[a-z]+}}, leaf,
  static __device__ T run(T v) {
    // @phase a
    return v;
  }
};

struct Twice { __device__ int operator()(int v) const { return v * 2; } };
struct Leads { __device__ int operator()(int v) const { return leaf(v); } };

// CHECK: void kernel(int *p) { KINSTR_KERNEL(
__global__ void kernel(int *p) {
  // A lambda counts where it is called.
  // CHECK: auto inner = [](int v) { KINSTR_FUNCTION({{[a-z]+}}, leaf,
  auto inner = [](int v) {
    // @phase lambda
    return v + 1;
  };
  // CHECK: auto outer = [&](int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
  auto outer = [&](int v) {
    // @phase lambda
    return inner(v);
  };
  *p = outer(*p) + caller(again(*p)) + applied(Twice(), 1) + some(Twice(), 1) +
       some(Leads(), 1) + Part<int>::run(1);
}

#ifdef ARCHITECTURES
// The text is one for all: an annotation counts where it is not compiled.
// ARCHITECTURES: int newer(int v) { KINSTR_FUNCTION({{[a-z]+}}, leaf,
__device__ int newer(int v) {
#if __CUDA_ARCH__ >= 900
  // @phase a
#endif
  return v;
}
// ARCHITECTURES: int calls_newer(int v) { KINSTR_FUNCTION({{[a-z]+}}, once,
__device__ int calls_newer(int v) {
  // @phase a
#if __CUDA_ARCH__ < 900
  v = newer(v);
#endif
  return v;
}
#endif
