// nvcc judges the language: what clang does not know is a warning in an annotated kernel, nothing elsewhere.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=remark:
// RUN: FileCheck %s --match-full-lines --check-prefix=OUT < %t.cu

void only_host(int *);
__device__ float elsewhere(float *p) { __stcs(p, 1.0f); return p->nonsense; }

// An error about an overload or a value leaves the flow of control as it is written.
// OUT: __global__ void value(float *p) { KINSTR_KERNEL(0, shared, slots, uniform, 2, 1024)
__global__ void value(float *p) {
  // OUT: KINSTR_MARK(0) // @phase a
  // @phase a
  // CHECK: clang-errors.cu:[[#@LINE+2]]:{{[0-9]+}}: warning: clang does not understand this, nvcc may: no matching function for call to 'only_host'
  // OUT: only_host(p); KINSTR_MARK(1) // @phase b
  only_host(p); // @phase b
}

// An unknown name may hide anything: the kernel takes the recorder that is right for any flow.
// CHECK: :[[#@LINE+3]]:17: remark: 'name' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:3: note: clang does not understand this
// OUT: __global__ void name(float *p) { KINSTR_KERNEL(1, shared, stream, divergent, 1, 1024)
__global__ void name(float *p) {
  // CHECK: :[[#@LINE+2]]:3: warning: clang does not understand this, nvcc may: unknown type name 'some_type'
  // OUT: some_type x = 3; KINSTR_MARK(0) // @phase a
  some_type x = 3; // @phase a
}

// So does one whose loops clang drops.
// CHECK: :[[#@LINE+2]]:17: remark: 'lost' takes the recorder for divergent warps, which costs more
// OUT: __global__ void lost(int *p) { KINSTR_KERNEL(2, shared, stream, divergent, 1, 1024)
__global__ void lost(int *p) {
  // CHECK: :[[#@LINE+1]]:16: warning: clang does not understand this, nvcc may: use of undeclared identifier 'some_range'
  for (int x : some_range) {
    // OUT: p[0] = 1; KINSTR_MARK(0) // @phase a
    p[0] = 1; // @phase a
  }
}

int main() {
  value<<<1, 32>>>(nullptr);
  name<<<1, 32>>>(nullptr);
  lost<<<1, 32>>>(nullptr);
}
