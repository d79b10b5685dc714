// A recorder is a local with a destructor, so every 'return' flushes. Which recorder: see uniformity/.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck --match-full-lines --check-prefix=OUT %s < %t.cu

// OUT: __global__ void whole_blocks(int *p, int n) { KINSTR_KERNEL(0, shared, slots, uniform, 2, 1024)
// OUT-NEXT: if (blockIdx.x >= n) return;
// OUT-NEXT: KINSTR_MARK(0) // @phase a
// OUT-NEXT: p[0] = 1;
// OUT-NEXT: if (n == 3) KINSTR_BEGIN KINSTR_MARK(1) // @phase b
// OUT-NEXT: return; KINSTR_END
__global__ void whole_blocks(int *p, int n) {
  if (blockIdx.x >= n) return;
  // @phase a
  p[0] = 1;
  if (n == 3) // @phase b
    return;
}

// CHECK: early-return.cu:[[#@LINE+3]]:17: remark: 'single_lanes' takes the recorder for divergent warps, which costs more
// CHECK: early-return.cu:[[#@LINE+3]]:7: note: lanes of a warp may return one by one: 'blockIdx.x * blockDim.x + threadIdx.x >= n' may differ between them
// OUT: __global__ void single_lanes(int *p, int n) { KINSTR_KERNEL(1, shared, slots, divergent, 1, 1024)
__global__ void single_lanes(int *p, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= n)
    return;
  // @phase a
  p[0] = 1;
}

int main() {
  whole_blocks<<<1, 32>>>(nullptr, 1);
  single_lanes<<<1, 32>>>(nullptr, 1);
}
