// The recorder is sized by __launch_bounds__: as a number, or as written where it depends on templates.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

#define THREADS 256
#define BOUNDS(threads) __launch_bounds__(threads, 2)
#define HIDDEN __launch_bounds__(N * 16)
constexpr int warps = 4;
template <typename T> struct traits { static constexpr int threads = 64; };
template <int A, int B> struct larger { static constexpr int value = A > B ? A : B; };

// CHECK: {{.*}} k0(int *p) { KINSTR_KERNEL(0, shared, slots, uniform, 1, 1024) KINSTR_MARK(0) /* @phase a */ }
__global__ void k0(int *p) { /* @phase a */ }

// CHECK: {{.*}} k1(int *p) { KINSTR_KERNEL(1, shared, slots, uniform, 1, 256) KINSTR_MARK(0) /* @phase a */ }
__global__ void __launch_bounds__(THREADS) k1(int *p) { /* @phase a */ }

// CHECK: {{.*}} k2(int *p) { KINSTR_KERNEL(2, shared, slots, uniform, 1, 128) KINSTR_MARK(0) /* @phase a */ }
__global__ void __launch_bounds__(warps * 32, 2) k2(int *p) { /* @phase a */ }

// CHECK: {{.*}} k3(int *p) { KINSTR_KERNEL(3, shared, slots, uniform, 1, 96) KINSTR_MARK(0) /* @phase a */ }
__global__ BOUNDS(96) void k3(int *p) { /* @phase a */ }

// CHECK: {{.*}} k4(int *p) { KINSTR_KERNEL(4, shared, slots, uniform, 1, N * 32) KINSTR_MARK(0) /* @phase a */ }
template <int N> __global__ __launch_bounds__(N * 32) void k4(int *p) { /* @phase a */ }

// CHECK: {{.*}} k5(int *p) { KINSTR_KERNEL(5, shared, slots, uniform, 1, N + 32) KINSTR_MARK(0) /* @phase a */ }
template <int N> __global__ BOUNDS(N + 32) void k5(int *p) { /* @phase a */ }

// CHECK: {{.*}} k6(int *p) { KINSTR_KERNEL(6, shared, slots, uniform, 1, (N > M ? N : M) * 32) KINSTR_MARK(0) /* @phase a */ }
template <int N, int M> __global__ __launch_bounds__((N > M ? N : M) * 32) void k6(int *p) { /* @phase a */ }

// CHECK: {{.*}} k7(int *p) { KINSTR_KERNEL(7, shared, slots, uniform, 1, traits<T>::threads) KINSTR_MARK(0) /* @phase a */ }
template <typename T> __global__ __launch_bounds__(traits<T>::threads) void k7(int *p) { /* @phase a */ }

// CHECK: {{.*}} k8(int *p) { KINSTR_KERNEL(8, shared, slots, uniform, 1, larger<N, 32>::value) KINSTR_MARK(0) /* @phase a */ }
template <int N> __global__ __launch_bounds__(larger<N, 32>::value) void k8(int *p) { /* @phase a */ }

// What cannot be written again on one line is taken as the most there can be.
// CHECK: {{.*}} k9(int *p) { KINSTR_KERNEL(9, shared, slots, uniform, 1, 1024) KINSTR_MARK(0) /* @phase a */ }
template <int N> __global__ HIDDEN void k9(int *p) { /* @phase a */ }

// CHECK: {{.*}} k10(int *p) { KINSTR_KERNEL(10, shared, slots, uniform, 1, 1024) KINSTR_MARK(0) /* @phase a */ }
template <int N> __global__ __launch_bounds__(N *
                                               32) void k10(int *p) { /* @phase a */ }

int main() {
  k0<<<1, 32>>>(nullptr);
  k1<<<1, 32>>>(nullptr);
  k2<<<1, 32>>>(nullptr);
  k3<<<1, 32>>>(nullptr);
  k4<1><<<1, 32>>>(nullptr);
  k5<1><<<1, 32>>>(nullptr);
  k6<1, 2><<<1, 32>>>(nullptr);
  k7<int><<<1, 32>>>(nullptr);
  k8<1><<<1, 32>>>(nullptr);
  k9<2><<<1, 32>>>(nullptr);
  k10<1><<<1, 32>>>(nullptr);
}
