// nvcc judges the language: what clang does not know is a warning in an annotated kernel, nothing elsewhere.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: FileCheck %s --match-full-lines --check-prefix=OUT < %t.cu

__device__ float elsewhere(float *p) { __stcs(p, 1.0f); return p->nonsense; }

// OUT: __global__ void kernel(float *p) { KINSTR_KERNEL(0, shared, slots, uniform, 3, 1024)
__global__ void kernel(float *p) {
  // OUT: KINSTR_MARK(0) // @phase a
  // @phase a
  // CHECK: :[[#@LINE+2]]:3: warning: clang does not understand this, nvcc may: unknown type name 'some_type'
  // OUT: some_type x = 3; KINSTR_MARK(1) // @phase b
  some_type x = 3; // @phase b
  // CHECK: :[[#@LINE+2]]:3: warning: clang does not understand this, nvcc may: use of undeclared identifier '__stcs'
  // OUT: __stcs(p, 1.0f); KINSTR_MARK(2) // @phase c
  __stcs(p, 1.0f); // @phase c
}

// A loop that clang drops is still known to be one, and the kernel takes the recorder for any flow.
// OUT: __global__ void lost(int *p) { KINSTR_KERNEL(1, shared, stream, divergent, 1, 1024)
// CHECK: :[[#@LINE+5]]:16: warning: clang does not understand this, nvcc may: use of undeclared identifier 'some_range'
// CHECK: :[[#@LINE+3]]:17: remark: 'lost' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:3: note: clang does not understand this statement
// OUT: p[0] = 1; KINSTR_MARK(0) // @phase a
__global__ void lost(int *p) {
  for (int x : some_range) {
    p[0] = 1; // @phase a
  }
}

int main() { kernel<<<1, 32>>>(nullptr); lost<<<1, 32>>>(nullptr); }
