// What kinstr cannot show, the user may promise: lanes of a warp that stay together.
// RUN: %kinstr %s -arch=sm_90 2>&1 >%t.cu | FileCheck %s
// RUN: FileCheck %s --check-prefix=COPY --match-full-lines < %t.cu

__device__ int unknown(int i);

// CHECK: :[[#@LINE+1]]:17: remark: 'not_shown' takes the recorder for divergent warps, which costs more
__global__ void not_shown(int *p) {
  // CHECK: :[[#@LINE+1]]:7: note: 'unknown(1)' may differ between the lanes of a warp
  if (unknown(1)) {
    // @phase x
    p[0] = 1;
  }
}

// CHECK-NOT: promised
// COPY: __global__ void promised(int *p) { KINSTR_KERNEL(1, shared, slots, uniform, 1, 1024)
// @kernel flow=uniform
__global__ void promised(int *p) {
  if (unknown(1)) {
    // @phase x
    p[0] = 1;
  }
}

int main() {
  not_shown<<<1, 32>>>(nullptr);
  promised<<<1, 32>>>(nullptr);
}
