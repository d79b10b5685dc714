// Flow that all lanes of a warp share: these kernels keep the cheap recorder, without a remark.
// RUN: %kinstr %s -arch=sm_90 2>&1 >%t.cu | count 0
// RUN: FileCheck %s < %t.cu

// What differs between blocks, or is a parameter, is the same within a warp.
// CHECK: __global__ void blocks(int *p, int n) { KINSTR_KERNEL(0, shared, slots, uniform,
__global__ void blocks(int *p, int n) {
  if (blockIdx.x * gridDim.y + blockIdx.z >= n)
    return;
  if (p == nullptr || !(n & 1) || blockDim.x < warpSize)
    return;
  // @phase a
  p[0] = 1;
}

// CHECK: __global__ void by_value(params s, int *p) { KINSTR_KERNEL(1, shared, slots, uniform,
struct params { int n; struct { int m; } inner; };
__global__ void by_value(params s, int *p) {
  if (s.n > 3 || s.inner.m == 0)
    return;
  // @phase a
  p[0] = 1;
}

// A lane-dependent branch without a mark or an exit in it does no harm: lanes meet again behind it.
// CHECK: __global__ void rejoin(int *p, int n) { KINSTR_KERNEL(2, shared, slots, uniform,
__global__ void rejoin(int *p, int n) {
  // @phase a
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (p[i] == 3)
      break;
    p[i] = 2;
  }
  // @phase b
  p[0] = threadIdx.x == 0 ? 1 : 2;
}

// Locals computed from such values, in loops too.
// CHECK: __global__ void locals(int *p, int n) { KINSTR_KERNEL(3, shared, stream, uniform,
__constant__ int limit;
constexpr int step = 2;
enum { first = 1 };
__global__ void locals(int *p, int n) {
  const int tiles = (n + step - 1) / step;
  int m = min(tiles, limit);
  float x = static_cast<float>(m) * 0.5f;
  for (int t = first; t < tiles && x > 0; t += step, --m) {
    // @phase a
    if (m == 3)
      continue;
    do {
      x -= 1;
      // @phase b
    } while (x > t);
    switch (m) {
    case 1:
      break;
    default:
      // @phase c
      p[t] = 1;
    }
  }
}

// CHECK: void templates(T *p, T n) { KINSTR_KERNEL(4, shared, slots, uniform,
template <typename T, int N, bool... Bs> __global__ void templates(T *p, T n) {
  if (N > 3 && sizeof...(Bs) == 2)
    return;
  T m = n * T(N);
  if constexpr (sizeof(T) == 4) {
    // @phase a
    p[0] = 1;
  }
  if (m < 3)
    return;
  // @phase b
  p[1] = 1;
}

int main() {
  blocks<<<1, 32>>>(nullptr, 1);
  by_value<<<1, 32>>>({}, nullptr);
  rejoin<<<1, 32>>>(nullptr, 1);
  locals<<<1, 32>>>(nullptr, 1);
  templates<float, 3><<<1, 32>>>(nullptr, 1);
}
