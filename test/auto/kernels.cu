// What --auto chooses in kernels of the usual kinds.
// RUN: %kinstr --auto --emit-annotations %s -arch=sm_90 --no-remarks | FileCheck %s --match-full-lines --strict-whitespace

// CHECK-LABEL:__global__ void scale(float *y, const float *x, float a, int n) {
// CHECK-NEXT:  // @phase setup
// CHECK-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:  if (i >= n)
// CHECK-NEXT:    return;
// CHECK-NEXT:  // @phase load
// CHECK-NEXT:  float v = x[i];
// CHECK-NEXT:  v = v * a + 1;
// CHECK-NEXT:  // @phase store
// CHECK-NEXT:  y[i] = v;
__global__ void scale(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  v = v * a + 1;
  y[i] = v;
}

// One element in one statement: loads and stores are not told apart.
// CHECK-LABEL:__global__ void add(float *c, const float *a, const float *b, int n) {
// CHECK-NEXT:  // @phase setup
// CHECK-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:  // @phase compute
// CHECK-NEXT:  if (i < n)
__global__ void add(float *c, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

// All in one branch: its phases are the kernel's.
// CHECK-LABEL:__global__ void guarded(float *c, const float *a, int n) {
// CHECK-NEXT:  // @phase setup
// CHECK-NEXT:  if (threadIdx.x < n) {
// CHECK-NEXT:    // @phase load
// CHECK-NEXT:    float v = a[threadIdx.x];
// CHECK-NEXT:    // @phase store
// CHECK-NEXT:    c[threadIdx.x] = v;
// CHECK-NEXT:  }
__global__ void guarded(float *c, const float *a, int n) {
  if (threadIdx.x < n) {
    float v = a[threadIdx.x];
    c[threadIdx.x] = v;
  }
}

// A loop without a barrier has no mark inside, one that waits has; a loop that
// halves is one phase.
// CHECK-LABEL:__global__ void blockSum(float *out, const float *in, int n) {
// CHECK-NEXT:  __shared__ float part[256];
// CHECK-NEXT:  // @phase setup
// CHECK-NEXT:  float sum = 0;
// CHECK-NEXT:  // @phase loop_L[[#]]
// CHECK-NEXT:  for (int i = threadIdx.x; i < n; i += blockDim.x)
// CHECK-NEXT:    sum += in[i];
// CHECK-NEXT:  part[threadIdx.x] = sum;
// CHECK-NEXT:  // @phase barrier_L[[#]]
// CHECK-NEXT:  __syncthreads();
// CHECK-NEXT:  // @phase reduce
// CHECK-NEXT:  for (int s = 128; s > 0; s >>= 1) {
// CHECK-NEXT:    if (threadIdx.x < s)
// CHECK-NEXT:      part[threadIdx.x] += part[threadIdx.x + s];
// CHECK-NEXT:    __syncthreads();
// CHECK-NEXT:  }
// CHECK-NEXT:  // @phase store
// CHECK-NEXT:  if (threadIdx.x == 0)
// CHECK-NEXT:    *out = part[0];
__global__ void blockSum(float *out, const float *in, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = part[0];
}

// CHECK-LABEL:__global__ void matmul(float *c, const float *a, const float *b, int n) {
// CHECK:  // @phase setup
// CHECK-NEXT:  int x = threadIdx.x, y = threadIdx.y;
// CHECK-NEXT:  float sum = 0;
// CHECK-NEXT:  for (int t = 0; t < n; t += 16) {
// CHECK-NEXT:    // @phase load
// CHECK-NEXT:    as[y][x] = a[y * n + t + x];
// CHECK-NEXT:    bs[y][x] = b[(t + y) * n + x];
// CHECK-NEXT:    // @phase barrier_L[[#]]
// CHECK-NEXT:    __syncthreads();
// CHECK-NEXT:    // @phase compute
// CHECK-NEXT:#pragma unroll
// CHECK-NEXT:    for (int k = 0; k < 16; ++k)
// CHECK-NEXT:      sum += as[y][k] * bs[k][x];
// CHECK-NEXT:    // @phase barrier_L[[#]]
// CHECK-NEXT:    __syncthreads();
// CHECK-NEXT:  }
// CHECK-NEXT:  // @phase store
// CHECK-NEXT:  c[y * n + x] = sum;
__global__ void matmul(float *c, const float *a, const float *b, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[y][x] = a[y * n + t + x];
    bs[y][x] = b[(t + y) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// Warps with roles, in two branches; waits by inline PTX.
// CHECK-LABEL:__global__ void roles(float *out, const float *in, int n) {
// CHECK:  if (threadIdx.x / 32 == 0) {
// CHECK-NEXT:    // @phase copy
// CHECK-NEXT:    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(0), "l"(in));
// CHECK-NEXT:    // @phase wait_L[[#]]
// CHECK-NEXT:    asm volatile("cp.async.wait_group 0;");
// CHECK-NEXT:  } else {
// CHECK-NEXT:    // @phase barrier_L[[#]]
// CHECK-NEXT:    asm volatile("bar.sync 1, 64;");
// CHECK-NEXT:    // @phase atomic
// CHECK-NEXT:    atomicAdd(out, 1.0f);
// CHECK-NEXT:  }
// CHECK-NEXT:  // @phase reduce
// CHECK-NEXT:  float sum = __shfl_down_sync(~0u, v, 1);
__global__ void roles(float *out, const float *in, int n) {
  float v = threadIdx.x;
  if (threadIdx.x / 32 == 0) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(0), "l"(in));
    asm volatile("cp.async.wait_group 0;");
  } else {
    asm volatile("bar.sync 1, 64;");
    atomicAdd(out, 1.0f);
  }
  float sum = __shfl_down_sync(~0u, v, 1);
  out[1] = sum;
}

// A step that has a name is called by it; templates are read as they are
// written.
// CHECK-LABEL:template <typename T> __global__ void steps(T *out, const T *in) {
// CHECK-NEXT:  // @phase load
// CHECK-NEXT:  T v = in[threadIdx.x];
// CHECK-NEXT:  // @phase smooth
// CHECK-NEXT:  v = smooth(v);
// CHECK-NEXT:  // @phase store
// CHECK-NEXT:  out[threadIdx.x] = v;
template <typename T> __device__ T smooth(T v) {
  for (int i = 0; i < 9; ++i)
    v = v * v + i;
  return v;
}
template <typename T> __global__ void steps(T *out, const T *in) {
  T v = in[threadIdx.x];
  v = smooth(v);
  out[threadIdx.x] = v;
}

// What a template does that the kernel calls is read where it is written.
template <int N> __device__ void exchange(float *x) {
  __syncthreads();
  x[threadIdx.x] += N;
  __syncthreads();
}
template <typename T> struct Ring {
  template <typename U> __device__ void turn(U *x) {
    atomicAdd(x, U(1));
    x[1] = 2;
  }
};
// CHECK-LABEL:__global__ void calls(float *p, float *q) {
// CHECK-NEXT:  // @phase store_{{.*}}
// CHECK-NEXT:  p[threadIdx.x] = 1;
// CHECK-NEXT:  // @phase exchange
// CHECK-NEXT:  exchange<4>(p);
// CHECK-NEXT:  // @phase load
// CHECK-NEXT:  float y = p[threadIdx.x];
// CHECK-NEXT:  // @phase turn
// CHECK-NEXT:  Ring<int>().turn(q);
// CHECK-NEXT:  // @phase store_{{.*}}
// CHECK-NEXT:  q[threadIdx.x] = y;
__global__ void calls(float *p, float *q) {
  p[threadIdx.x] = 1;
  exchange<4>(p);
  float y = p[threadIdx.x];
  Ring<int>().turn(q);
  q[threadIdx.x] = y;
}
