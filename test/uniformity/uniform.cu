// Flow that all lanes of a warp share: these kernels keep the cheap recorder, without a remark.
// RUN: %kinstr %s -arch=sm_90 2>&1 >%t.cu | count 0
// RUN: FileCheck %s < %t.cu

// What differs between blocks, or is a parameter, is the same within a warp.
// CHECK: __global__ void blocks(int *p, int n) { KINSTR_KERNEL({{0}}, shared, slots, uniform,
__global__ void blocks(int *p, int n) {
  if (blockIdx.x * gridDim.y + blockIdx.z >= n)
    return;
  if (p == nullptr || !(n & 1) || blockDim.x < warpSize)
    return;
  // @phase a
  p[0] = 1;
}

// CHECK: __global__ void by_value(params s, int *p) { KINSTR_KERNEL({{1}}, shared, slots, uniform,
struct params { int n; struct { int m; } inner; };
__global__ void by_value(params s, int *p) {
  if (s.n > 3 || s.inner.m == 0)
    return;
  // @phase a
  p[0] = 1;
}

// A lane-dependent branch without a mark or an exit in it does no harm: lanes meet again behind it.
// CHECK: __global__ void rejoin(int *p, int n) { KINSTR_KERNEL({{2}}, shared, slots, uniform,
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
// CHECK: __global__ void locals(int *p, int n) { KINSTR_KERNEL({{3}}, shared, stream, uniform,
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

// CHECK: void templates(T *p, T n) { KINSTR_KERNEL({{4}}, shared, slots, uniform,
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

// Elements and members of parameters, and constant tables.
// CHECK: __global__ void elements(tiles t, int *p) { KINSTR_KERNEL({{5}}, shared, slots, uniform,
struct tiles { int count[4]; int n; };
__constant__ int table[2];
__global__ void elements(tiles t, int *p) {
  if (t.count[2] > t.n || table[t.n & 1])
    return;
  // @phase a
  p[0] = 1;
}

// Lambdas that only read, functions that get values, and constants that nobody can change.
// CHECK: void readers(const __grid_constant__ tiles t, int *p) { KINSTR_KERNEL({{6}}, shared, slots, uniform,
__device__ int load(int, tiles);
__device__ void prefetch(const tiles *);
template <int N> __global__ void readers(const __grid_constant__ tiles t, int *p) {
  const int row = blockIdx.x;
  int tile{N};
  auto offset = [&](int i) { return row + i; };
  auto next = [=](int i) { return tile + i; };
  p[tile] += offset(threadIdx.x) + next(threadIdx.x) + load(tile, t);
  prefetch(&t);
  if (row >= t.n || tile > t.n)
    return;
  // @phase a
  p[row] = 1;
}

// Assignments of the same value in all lanes.
// CHECK: __global__ void assignments(int *p, int n) { KINSTR_KERNEL({{7}}, shared, slots, uniform,
__global__ void assignments(int *p, int n) {
  int a, b;
  a = b = n;
  a += b *= 2, ++b;
  if ((n ? a : b) > 3 && sizeof(n) == 4)
    return;
  // @phase a
  p[0] = 1;
}

// Lanes that break out of an inner loop meet again in the outer one.
// CHECK: __global__ void inner_break(int *p, int n) { KINSTR_KERNEL({{8}}, shared, stream, uniform,
__global__ void inner_break(int *p, int n) {
  for (int t = 0; t < n; ++t) {
    for (int i = 0; i < 4; ++i)
      if (p[i + threadIdx.x])
        break;
    // @phase a
    p[t] = 1;
  }
}

int main() {
  blocks<<<1, 32>>>(nullptr, 1);
  by_value<<<1, 32>>>({}, nullptr);
  rejoin<<<1, 32>>>(nullptr, 1);
  locals<<<1, 32>>>(nullptr, 1);
  templates<float, 3><<<1, 32>>>(nullptr, 1);
  elements<<<1, 32>>>({}, nullptr);
  readers<3><<<1, 32>>>({}, nullptr);
  assignments<<<1, 32>>>(nullptr, 1);
  inner_break<<<1, 32>>>(nullptr, 1);
}
