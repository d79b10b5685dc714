// What nvcc takes and clang by itself does not: read without a warning, each kernel keeps the recorder
// for uniform warps, and nvcc compiles the copy.
// REQUIRES: cuda
// RUN: %kinstr %s --no-remarks -arch=sm_90a --extended-lambda --expt-relaxed-constexpr -o %t.cu 2>&1 | count 0
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a --extended-lambda --expt-relaxed-constexpr -w -I %runtime_include -c %t.cu -o %t.o
// RUN: grep -c '^[^/].*KINSTR_KERNEL(.*, uniform,' %t.cu | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}22{{$}}
#include <cuda/barrier>
#include <cuda/std/functional>

// Declared by cuda_runtime.h or a header it includes: no #include <cassert>, <cstdio>, <ctime>.
__global__ void implicit_includes(int *p) {
  // @phase a
  assert(p[0] == 0);
  printf("%d\n", p[0]);
  p[1] = CLOCKS_PER_SEC + static_cast<int>(clock());
}

// Cache hints, for built-in and vector types.
__global__ void cache_hints(float *f, float4 *v, unsigned long *l, const short2 *s) {
  // @phase loads
  float x = __ldca(f) + __ldlu(f) + __ldcg(f) + __ldcs(f) + __ldcv(f);
  float4 y = __ldcs(v), z = __ldlu(v);
  unsigned long k = __ldcg(l) + __ldca(l) + __ldcv(l);
  short2 t = __ldca(s);
  // @phase stores
  __stcs(f, x + t.x);
  __stcg(v, y);
  __stwb(v + 1, z);
  __stwt(l, k);
}

__global__ void intrinsics(int *p, float *f) {
  // @phase a
  p[0] = __reduce_add_sync(0xffffffffu, 1) + min(1u, 2) + max(1ll, 2ll) + abs(-3);
  f[0] = __tanhf(f[0]) + fdividef(f[1], f[2]) + fmaxf(f[3], 1.0f) + rsqrtf(f[4]) + isfinite(f[5]);
  __prof_trigger(1);
  __nanosleep(20);
}

// A barrier has a constructor, which nvcc leaves out.
__global__ void shared_barrier(int *p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  // @phase a
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  // @phase b
  barrier.arrive_and_wait();
  p[0] = 1;
}

// One percent sign for a register.
__global__ void one_percent(unsigned long long *p) {
  // @phase a
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(p[0]));
}

template <class T> __global__ void wrong_where_nobody_looks(T *p) {
  // @phase a
  asm volatile("mov.u32 %0, %3;" : "=r"(p[0]) : "r"(p[1]));
}

// Built in, so no header declares them.
__global__ void atomics(int *p) {
  // @phase a
  int seen = __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  // @phase b
  __nv_atomic_compare_exchange_n(p, &seen, 3, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_add(p, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  p[1] = __nv_atomic_fetch_or(p, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}

__global__ void unroll(int *p, int n) {
  // @phase a
#pragma unroll
  p[0] = 1;
#pragma unroll 0
  for (int i = 0; i < n; ++i)
    p[i] = 1;
#pragma unroll -1
  for (int i = 0; i < n; ++i) {
    // @phase b
    p[i] = 2;
  }
}

// nvcc's preprocessor writes the pragma out, and the compiler behind it reads it.
#define UNROLL #pragma unroll
#define UNROLL_4 #pragma unroll 4
#define LOOP UNROLL_4
__global__ void pragma_macros(int *p) {
  // @phase a
  UNROLL
  for (int i = 0; i < 4; ++i)
    p[i] = 1;
  LOOP
  for (int i = 0; i < 4; ++i) {
    // @phase b
    p[i] = 2;
  }
}

__managed__ int managed;
__global__ void managed_variable(int *p) {
  // @phase a
  p[0] = managed;
}

// Launch attributes.
__global__ void __maxnreg__(64) max_registers(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) cluster(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void __block_size__((32, 1, 1), (2, 1, 1)) block_size(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void __launch_bounds__(64, 2, 2) bounds(const __grid_constant__ int n, int *p) {
  // @phase a
  p[0] = n;
}

// Standards: errors by default for clang, warnings or nothing for nvcc.
__global__ void narrowing(int n, int *p) {
  // @phase a
  char c = {n};
  p[0] = c;
}

// Calls across the sides.
int on_the_host(int x) { return x; }
__host__ __device__ int on_both(int x) { return x > 0 ? x : on_the_host(x); }
constexpr int constant(int x) { return x * 2; }
__global__ void calls(int *p) {
  // @phase a
  p[0] = on_both(3) + constant(p[1]);
}

// Functions with "..." on the device.
__device__ int variadic(const char *, ...) { return 1; }
__global__ void calls_variadic(int *p) {
  // @phase a
  p[0] = variadic("x", 3, 4.0);
}

// Questions about extended lambdas, which CCCL asks.
template <class F> __global__ void lambda(F f, int *p) {
  // @phase a
  if constexpr (!__nv_is_extended_device_lambda_closure_type(int))
    f(p);
}

__global__ void vote(int *p, __int128 *wide) {
  // @phase a
  wide[0] += 3;
  p[0] = __any_sync(0xffffffffu, 1) + __popc(__activemask());
}

#include <cuda_bf16.h>
#include <cuda_fp8.h>
__global__ void small_floats(__nv_bfloat16 *b, __nv_fp8_e4m3 *e, float *f) {
  // @phase a
  b[0] = __float2bfloat16(f[0]) + b[1];
  e[0] = __nv_fp8_e4m3(f[1]);
  f[2] = static_cast<float>(e[1]);
}

// What nvcc says of itself. An unknown name would be warned of.
#define SAYS(macro, value) (macro == (value) ? 1 : -1)
static_assert(SAYS(__CUDACC_VER_MAJOR__, __CUDA_API_VER_MAJOR__) > 0, "");
__global__ void macros(int *p) {
  // @phase a
  constexpr int list[] = {__CUDA_ARCH_LIST__};
#ifdef __CUDA_ARCH__
  p[0] = SAYS(__CUDA_ARCH_SPECIFIC__, 900) + SAYS(__CUDA_ARCH_FAMILY_SPECIFIC__, 900);
#if !defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC_EXTENDED_LAMBDA__) ||                                     \
    !defined(__CUDACC_RELAXED_CONSTEXPR__) || !defined(__NVCC__) || !defined(__CUDACC_VER_BUILD__) ||                  \
    !defined(__NVCC_DIAG_PRAGMA_SUPPORT__) || !defined(__CUDACC_DEVICE_ATOMIC_BUILTINS__) || defined(__CUDA__)
  p[0] = a_macro_is_missing;
#endif
#endif
  p[1] = list[0];
}

// From device code.
__global__ void builtin_variables(unsigned *p) {
  // @phase a
  uint3 thread = threadIdx;
  const dim3 &grid = gridDim;
  p[0] = thread.x + grid.y;
}

int main() {
  int *p = nullptr;
  cudaMalloc(&p, max(4, 8) * min(sizeof(int), sizeof(float)));
  on_both(1);
}
