// Ways out of a kernel that pass no recorder: a remark says what is lost.
// RUN: %kinstr %s -arch=sm_90 2>&1 >%t.cu | FileCheck %s --implicit-check-not=remark:

__global__ void leaves(int *p, int n) {
  // @phase a
  // CHECK: remark: 'leaves' takes the recorder for divergent warps
  // CHECK: ways-out.cu:[[#@LINE+2]]:5: remark: a warp that leaves here records no end, and with a shared buffer nothing at all
  if (n == 0)
    asm volatile("exit;");
  p[0] = n;
}

__device__ void stops(int n) {
  // @phase b
  // CHECK: ways-out.cu:[[#@LINE+2]]:5: remark: a trap ends the program's use of the device: what was recorded until then is lost, but with KINSTR_OPTIONS=arena=host
  if (n == 0)
    __trap();
}
__global__ void traps(int *p, int n) {
  // @phase c
  stops(n);
  // CHECK: ways-out.cu:[[#@LINE+1]]:3: remark: a trap ends the program's use of the device
  asm volatile("trap;");
}

__global__ void neither(int *p) {
  // @phase d
  asm volatile("mov.u32 %0, 1;" : "=r"(p[0]));
}

int main() {
  leaves<<<1, 32>>>(nullptr, 1);
  traps<<<1, 32>>>(nullptr, 1);
  neither<<<1, 32>>>(nullptr);
}
