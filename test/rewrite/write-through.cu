// With --write-through no event waits for its warp to leave: all kernels take 'global', and where another
// buffer was named a remark says so.
// RUN: %kinstr %s -arch=sm_90 --write-through -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAYS --implicit-check-not=remark:
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %kinstr %s -arch=sm_90 --write-through --buffer=lanes 2>&1 >%t.lanes.cu | FileCheck %s --check-prefixes=SAYS,LANES --implicit-check-not=remark:
// RUN: diff %t.cu %t.lanes.cu

// LANES: :[[#@LINE+2]]:17: remark: 'plain' records to global memory: with --write-through no event waits in 'buffer=lanes'
// CHECK: __global__ void plain(int *p) { KINSTR_KERNEL(0, global, slots, uniform, 1, 1024)
__global__ void plain(int *p) {
  // @phase a
  p[0] = 1;
}

// SAYS: :[[#@LINE+2]]:17: remark: 'named' records to global memory: with --write-through no event waits in 'buffer=shared'
// CHECK: __global__ void named(int *p) { KINSTR_KERNEL(1, global, stream, uniform, 1, 1024)
__global__ void named(int *p) {
  // @kernel buffer=shared
  for (int i = 0; i < 4; ++i) {
    // @phase a
    p[i] = 1;
  }
}

// CHECK: __global__ void global(int *p) { KINSTR_KERNEL(2, global, slots, uniform, 1, 1024)
__global__ void global(int *p) {
  // @kernel buffer=global
  extern __shared__ int memory[];
  // @phase a
  p[0] = memory[0];
}

// CHECK: __global__ void automatic(int *p) { KINSTR_KERNEL(3, global, slots, uniform, 1, 1024)
__global__ void automatic(int *p) {
  // @kernel buffer=auto
  // @phase a
  p[0] = 1;
}

int main() {
  plain<<<1, 32>>>(nullptr);
  named<<<1, 32>>>(nullptr);
  global<<<1, 32, 64>>>(nullptr);
  automatic<<<1, 32>>>(nullptr);
}
