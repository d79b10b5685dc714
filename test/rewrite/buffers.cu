// The buffer is in shared memory where that is safe, else in registers or global memory, and a remark
// says why.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=remark: --implicit-check-not=warning:
// RUN: FileCheck %s --match-full-lines --check-prefix=AUTO < %t.cu
// RUN: %kinstr %s -arch=sm_90 --buffer=shared 2>%t.err | FileCheck %s --match-full-lines --check-prefix=SHARED
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=remark: < %t.err
// RUN: %kinstr %s -arch=sm_90 --buffer=global | FileCheck %s --match-full-lines --check-prefix=GLOBAL
// RUN: %kinstr %s -arch=sm_90 --buffer=lanes | FileCheck %s --match-full-lines --check-prefix=LANES
// RUN: %kinstr %s -arch=sm_90 --buffer=global --buffer=auto 2>/dev/null | diff - %t.cu

// AUTO: __global__ void plain(int *p) { KINSTR_KERNEL(0, shared, slots, uniform, 1, 1024)
// SHARED: __global__ void plain(int *p) { KINSTR_KERNEL(0, shared, slots, uniform, 1, 1024)
// LANES: __global__ void plain(int *p) { KINSTR_BODY(0, lanes, slots, uniform, 1, 1024)
// GLOBAL: __global__ void plain(int *p) { KINSTR_KERNEL(0, global, slots, uniform, 1, 1024)
__global__ void plain(int *p) {
  // @phase a
  p[0] = 1;
}

// Dynamic shared memory starts behind the static one: the buffer would move it. Asked for by name,
// the buffer is padded, so that at least the alignment stays.
// CHECK: :[[#@LINE+4]]:17: remark: 'dynamic' records to registers: a shared buffer would move its dynamic shared memory
// CHECK: :[[#@LINE+4]]:25: note: dynamic shared memory declared here
// AUTO: __global__ void dynamic(int *p) { KINSTR_BODY(1, lanes, slots, uniform, 1, 1024)
// SHARED: __global__ void dynamic(int *p) { KINSTR_KERNEL(1, shared1024, slots, uniform, 1, 1024)
__global__ void dynamic(int *p) {
  extern __shared__ int memory[];
  // @phase a
  p[0] = memory[0];
}

// A launch tells as well, where the declaration is elsewhere.
// CHECK: :[[#@LINE+3]]:17: remark: 'launched' records to registers: a shared buffer would move its dynamic shared memory
// CHECK: :[[#MAIN:]]:{{[0-9]+}}: note: launched with dynamic shared memory here
// AUTO: __global__ void launched(int *p) { KINSTR_BODY(2, lanes, slots, uniform, 1, 1024)
__global__ void launched(int *p) {
  // @phase a
  p[0] = 1;
}

// Static shared memory is limited to 48 KB: this kernel leaves just the four words a warp, and the 18
// of the anchor, that the buffer takes.
// AUTO: __global__ void fits(int *p) { KINSTR_KERNEL(3, shared, slots, uniform, 1, 1024)
__global__ void fits(int *p) {
  __shared__ int memory[12 * 1024 - 4 * 32 - 18];
  // @phase a
  p[0] = memory[0];
}
// CHECK: :[[#@LINE+3]]:17: remark: 'full' records to registers: with a shared buffer it would need 49736 bytes of static shared memory, more than 49152
// WARN: :[[#@LINE+2]]:17: warning: the buffer and the kernel's own static shared memory need 49736 bytes, more than 49152; use 'buffer=lanes'
// AUTO: __global__ void full(int *p) { KINSTR_BODY(4, lanes, slots, uniform, 1, 1024)
__global__ void full(int *p) {
  __shared__ int memory[12 * 1024];
  // @phase a
  p[0] = memory[0];
}
// Of a template, the largest instance counts.
// CHECK: :[[#@LINE+2]]:34: remark: 'sized' records to registers: with a shared buffer it would need 49736 bytes of static shared memory, more than 49152
// AUTO: template <int N> __global__ void sized(int *p) { KINSTR_BODY(5, lanes, slots, uniform, 1, 1024)
template <int N> __global__ void sized(int *p) {
  __shared__ int memory[N];
  // @phase a
  p[0] = memory[0];
}

// In loops, and where lanes part, registers are no place.
// CHECK: :[[#@LINE+2]]:17: remark: 'looped' records to global memory: a shared buffer would move its dynamic shared memory
// AUTO: __global__ void looped(int *p) { KINSTR_KERNEL(6, global, stream, uniform, 1, 1024)
__global__ void looped(int *p) {
  // CHECK: :[[#@LINE+1]]:25: note: dynamic shared memory declared here
  extern __shared__ int memory[];
  for (int i = 0; i < 4; ++i) {
    // @phase a
    p[i] = memory[i];
  }
}
// CHECK: :[[#@LINE+4]]:17: remark: 'parted' takes the recorder for divergent warps
// WARN: :[[#@LINE+3]]:17: remark: 'parted' takes the recorder for divergent warps
// CHECK: :[[#@LINE+2]]:17: remark: 'parted' records to global memory
// AUTO: __global__ void parted(int *p) { KINSTR_KERNEL(7, global, slots, divergent, 1, 1024)
__global__ void parted(int *p) {
  extern __shared__ int memory[];
  if (threadIdx.x % 2) {
    // @phase a
    p[0] = memory[0];
  }
}

int main() {
  looped<<<1, 32, 64>>>(nullptr);
  parted<<<1, 32, 64>>>(nullptr);
  plain<<<1, 32>>>(nullptr);
  // No dynamic shared memory: 0 is the default.
  plain<<<1, 32, 0>>>(nullptr);
  dynamic<<<1, 32, 64>>>(nullptr);
  launched<<<1, 32, 64>>>(nullptr);
  fits<<<1, 32>>>(nullptr);
  full<<<1, 32>>>(nullptr);
  sized<16><<<1, 32>>>(nullptr);
  sized<12 * 1024><<<1, 32>>>(nullptr);
}
