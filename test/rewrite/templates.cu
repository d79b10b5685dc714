// Templates are rewritten once, as written; every instance records under the template's index.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

// CHECK: template <int N> __global__ void __launch_bounds__(N * 32) sized(int *p) { KINSTR_KERNEL(0, shared, slots, uniform, 1, N * 32)
template <int N> __global__ void __launch_bounds__(N * 32) sized(int *p) {
  // CHECK: KINSTR_MARK(0) // @phase a
  // @phase a
  p[0] = N;
}

template <typename T, int N = 4> __global__ void defaulted(T *p) {
  // @phase a
  p[0] = N;
}

template <typename... Ts> __global__ void variadic(Ts *...p) {
  // @phase a
  ((p[0] = 1), ...);
}

// A specialisation is another function, with its own index.
template <typename T> __global__ void special(T *p) {
  // @phase general
  p[0] = 1;
}
// CHECK: template <> __global__ void special<float>(float *p) { KINSTR_KERNEL(4, shared, slots, uniform, 1, 1024)
template <> __global__ void special<float>(float *p) {
  // @phase special
  p[0] = 2;
}

// A kernel that is never instantiated is rewritten all the same.
// CHECK: template <typename T> __global__ void unused(T *p) { KINSTR_KERNEL(5, shared, slots, uniform, 2, 1024)
template <typename T> __global__ void unused(T *p) {
  // CHECK: if constexpr (sizeof(T) > 4) KINSTR_BEGIN KINSTR_MARK(0) // @phase large
  // CHECK: p[0] = T::nonsense(p); KINSTR_END
  if constexpr (sizeof(T) > 4) // @phase large
    p[0] = T::nonsense(p);
  // CHECK: KINSTR_MARK(1) // @phase small
  // @phase small
  p[1] = 1;
}

template <int N> void launch(int *p) {
  // The kernel is passed on where its template arguments are all written down ...
  // CHECK: sized<N><<<KINSTR_GRID(0, sized<N>, 1), KINSTR_BLOCK(0, N * 32)>>>(p);
  sized<N><<<1, N * 32>>>(p);
  // CHECK: defaulted<int, N><<<KINSTR_GRID(1, (defaulted<int, N>), 1), KINSTR_BLOCK(1, 32)>>>(p);
  defaulted<int, N><<<1, 32>>>(p);
}

int main() {
  launch<4>(nullptr);
  // ... and not where some are deduced, or left to a default or a pack.
  int *p = nullptr;
  // CHECK: defaulted<<<KINSTR_GRID(2, nullptr, 1), KINSTR_BLOCK(2, 32)>>>(p);
  defaulted<<<1, 32>>>(p);
  // CHECK: defaulted<int><<<KINSTR_GRID(3, nullptr, 1), KINSTR_BLOCK(3, 32)>>>(p);
  defaulted<int><<<1, 32>>>(p);
  // CHECK: variadic<int, int><<<KINSTR_GRID(4, nullptr, 1), KINSTR_BLOCK(4, 32)>>>(p, p);
  variadic<int, int><<<1, 32>>>(p, p);
  // CHECK: special<float><<<KINSTR_GRID(5, special<float>, 1), KINSTR_BLOCK(5, 32)>>>(nullptr);
  special<float><<<1, 32>>>(nullptr);
}

// Launches name their kernel in the table all the same.
// CHECK: {"line": {{[0-9]+}}, "kernel": 0},
// CHECK: {"line": {{[0-9]+}}, "kernel": 1},
// CHECK: {"line": {{[0-9]+}}, "kernel": 1},
// CHECK: {"line": {{[0-9]+}}, "kernel": 1},
// CHECK: {"line": {{[0-9]+}}, "kernel": 2},
// CHECK: {"line": {{[0-9]+}}, "kernel": 4}]
