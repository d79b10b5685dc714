// A function that calls no other annotated one loads the state of its warp's chunk once, whatever it passes; the
// others do at each mark and at their return. 16 bytes at once are nothing else here.
// REQUIRES: cuda, nvdisasm
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && FileCheck %s --input-file=%t.cu --check-prefix=TEXT
// RUN: %nvcc -O3 -arch=sm_90 -cubin -I %runtime_include %t.cu -o %t.cubin
// RUN: %nvdisasm -c %t.cubin > %t.sass
// RUN: grep -E "^[.]text[.]|LDG[.]E[.]128|STG[.]E[.]128" %t.sass | FileCheck %s

//   CHECK-LABEL: .text.{{.*}}calls_once
// CHECK-COUNT-3: LDG.E.128
//   CHECK-LABEL: .text.{{.*}}calls_leaf
//         CHECK: LDG.E.128
//     CHECK-NOT: LDG.E.128
//         CHECK: STG.E.128
//     CHECK-NOT: E.128

// TEXT: int leaf(int v) { KINSTR_FUNCTION(uniform, leaf,
__device__ int leaf(int v) {
  // @phase a
  v = v * 3 + 1;
  // @phase b
  return v ^ 5;
}
// TEXT: int once(int v, int (*f)(int)) { KINSTR_FUNCTION(uniform, once,
__device__ int once(int v, int (*f)(int)) {
  // @phase a
  v = v * 3 + 1;
  // @phase b
  return f ? f(v) : v;
}
__global__ void calls_leaf(int *p) { *p = leaf(*p); }
__global__ void calls_once(int *p, int (*f)(int)) { *p = once(*p, f); }
int main() {
  calls_leaf<<<1, 32>>>(nullptr);
  calls_once<<<1, 32>>>(nullptr, nullptr);
}
