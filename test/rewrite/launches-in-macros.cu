// Launches in the bodies of macros are wrapped where they stand: one place, whatever it launches.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

__global__ void one(int *p) {
  // @phase a
  p[0] = 1;
}
template <int N> __global__ void two(int *p) {
  // @phase a
  p[0] = N;
}
__global__ void not_annotated(int *p) { p[0] = 1; }

// CHECK: #define LAUNCH(k, g, b, ...) k<<<KINSTR_GRID(0, nullptr, g), KINSTR_BLOCK(0, b)>>>(__VA_ARGS__)
#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
// CHECK: #define ONE(g) one<<<KINSTR_GRID(1, nullptr, (g) + 1), \
// CHECK-NEXT:                       KINSTR_BLOCK(1, 32), /* none */ KINSTR_SHARED(1, 0)>>> \
// CHECK-NEXT:                    (p)
#define ONE(g) one<<<(g) + 1, \
                      32, /* none */ 0>>> \
                   (p)
// CHECK: #define DISPATCH(n) switch (n) { \
// CHECK-NEXT:     case 1: two<1><<<KINSTR_GRID(2, nullptr, 1), KINSTR_BLOCK(2, 32)>>>(p); break; \
// CHECK-NEXT:     case 2: two<2><<<KINSTR_GRID(3, nullptr, 1), KINSTR_BLOCK(3, 32)>>>(p); break; \
// CHECK-NEXT:     default: one<<<KINSTR_GRID(4, nullptr, 1), KINSTR_BLOCK(4, 32)>>>(p); }
#define DISPATCH(n) switch (n) { \
    case 1: two<1><<<1, 32>>>(p); break; \
    case 2: two<2><<<1, 32>>>(p); break; \
    default: one<<<1, 32>>>(p); }
// Several launches at one spelling.
// CHECK: #define CASE(n) case n: two<n><<<KINSTR_GRID(5, nullptr, 1), KINSTR_BLOCK(5, 32)>>>(p); break;
#define CASE(n) case n: two<n><<<1, 32>>>(p); break;
#define CASES CASE(3) CASE(4)
// Pasting within an argument is over before the argument is one.
// CHECK: #define PASTED(k) k##_kernel<<<KINSTR_GRID(6, nullptr, k##_grid), KINSTR_BLOCK(6, 32)>>>(p)
#define PASTED(k) k##_kernel<<<k##_grid, 32>>>(p)
// CHECK: #define PRINTED(...) puts(#__VA_ARGS__); CALL(__VA_ARGS__)
#define PRINTED(...) puts(#__VA_ARGS__); CALL(__VA_ARGS__)
#define CALL(...) __VA_ARGS__
// Never used where the device compiler looks.
// CHECK: #define ON_HOST(k) k<<<KINSTR_GRID(7, nullptr, 1), KINSTR_BLOCK(7, 32)>>>(p)
#define ON_HOST(k) k<<<1, 32>>>(p)
// CHECK: #define OTHERS(k) k<<<1, 32>>>(p)
#define OTHERS(k) k<<<1, 32>>>(p)
// CHECK: #define NOT_A_LAUNCH(a, b) ((a) << (b)) /* one<<<1, 32>>>(p) */
#define NOT_A_LAUNCH(a, b) ((a) << (b)) /* one<<<1, 32>>>(p) */
extern "C" int puts(const char *);

__host__ __device__ void on_host(int *p) {
#ifndef __CUDA_ARCH__
  ON_HOST(one);
#endif
}

#define red_kernel one
int main() {
  int *p = nullptr, red_grid = 1;
  // CHECK: LAUNCH(one, 1, 32, p);
  LAUNCH(one, 1, 32, p);
  LAUNCH(two<7>, dim3(1, 2), 32, p);
  LAUNCH(not_annotated, 1, 32, p);
  ONE(1);
  DISPATCH(1)
  switch (red_grid) { CASES }
  PASTED(red);
  // CHECK: PRINTED(one<<<KINSTR_GRID(8, one, 1), KINSTR_BLOCK(8, 32)>>>(p));
  PRINTED(one<<<1, 32>>>(p));
  OTHERS(not_annotated);
  on_host(p);
}

// In the order of the file. -1: several, so that only the run can tell.
// CHECK: static const ::kinstr::kinstr_tables<2, 3, 2, 2, 2, 2, 2, 2, 2> kinstr_file(R"kinstr({
// CHECK: "launches": [
// CHECK-NEXT: {"line": 16, "kernel": -1},
// CHECK-NEXT: {"line": 20, "kernel": 0},
// CHECK-NEXT: {"line": 28, "kernel": 1},
// CHECK-NEXT: {"line": 29, "kernel": 1},
// CHECK-NEXT: {"line": 30, "kernel": 0},
// CHECK-NEXT: {"line": 33, "kernel": 1},
// CHECK-NEXT: {"line": 37, "kernel": 0},
// CHECK-NEXT: {"line": 43, "kernel": -1},
// CHECK-NEXT: {"line": 68, "kernel": 0}]
