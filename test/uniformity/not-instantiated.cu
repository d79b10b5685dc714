// Templates without an instance: what does not depend on the parameters is followed all the same.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

// CHECK: void gemm({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, stream, uniform,
template <typename T, int BK> __global__ void gemm(const T *a, T *c, int m, int k) {
  constexpr int step = BK * 2;
  const int row = blockIdx.x * step;
  if (row >= m)
    return;
  T sum = 0;
  for (int i = 0; i < k; i += BK) {
    // @phase a
    sum += a[row + i];
    if (i == step)
      break;
  }
  // @phase b
  c[row] = sum;
}
