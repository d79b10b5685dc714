// '@kernel' names a kernel and chooses its buffer, from above or from inside of it.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=shared | FileCheck --match-full-lines %s

// @kernel above buffer=global
template <typename T>
__global__ void
__launch_bounds__(64)
// CHECK: a(T *p) { KINSTR_KERNEL(0, global, slots, uniform, 1, 64)
a(T *p) {
  // @phase x
  p[0] = 1;
}

// CHECK: /* @kernel same_line */ extern "C" __global__ void b(int *p) { KINSTR_KERNEL(1, shared, slots, uniform, 1, 1024)
/* @kernel same_line */ extern "C" __global__ void b(int *p) {
  // @phase x
  p[0] = 1;
}

// CHECK: __global__ void c(int *p) { KINSTR_KERNEL(2, global, slots, uniform, 1, 1024)
__global__ void c(int *p) {
  // @kernel buffer=global inside
  // @phase x
  p[0] = 1;
}

// @kernel
//
// Words, directives and blank lines may follow it.
#define THREADS 32

// CHECK: {{\[\[}}maybe_unused]] __global__ void d(int *p) { KINSTR_KERNEL(3, shared, slots, uniform, 1, 1024)
[[maybe_unused]] __global__ void d(int *p) {
  // @phase x
  p[0] = 1;
}

// CHECK: {"name": "above", "function": "a", "line": 10, "buffer": "global", "layout": "slots", "flow": "uniform", "sites": [
// CHECK: {"name": "same_line", "function": "b", "line": [[#]], "buffer": "shared", {{.*}}
// CHECK: {"name": "inside", "function": "c", "line": [[#]], "buffer": "global", {{.*}}
// CHECK: {"name": "d", "line": [[#]], "buffer": "shared", {{.*}}

int main() {
  a<int><<<1, 64>>>(nullptr);
  b<<<1, 32>>>(nullptr);
  c<<<1, 32>>>(nullptr);
  d<<<1, THREADS>>>(nullptr);
}
